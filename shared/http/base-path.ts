// The path under which a proxy serves the installation: BASE_URL=https://example.com/assay. The proxy removes the path,
// so within the process every address begins at the root. Only addresses sent to a browser or a tool get it as prefix.

/** @example basePath('https://example.com/assay') // '/assay'; '' at the root */
export const basePath = (base_url: string): string =>
  URL.canParse(base_url) ? new URL(base_url).pathname.replace(/\/+$/, '') : ''

/** Attributes of our pages that hold an address; in text and in other values quotation marks are always escaped. */
const ADDRESSES = / (href|src|action|formaction|data-href|data-events|data-form-page)="(?=\/(?!\/))/g

/** Prefixes every address of a page that begins at the root with the path. */
export const withBasePath = (html: string, path: string): string =>
  path === '' ? html : html.replaceAll(ADDRESSES, ` $1="${path}`)

/** An address as it is within the process: without the path. */
export const withoutBasePath = (address: string, path: string): string =>
  path !== '' && (address === path || address.startsWith(`${path}/`)) ? address.slice(path.length) : address

/** The beginnings of all served paths. */
const OURS = /\/(?:v[12]\/|(?:health|dashboard)(?:\/|$)|(?:docs|openapi\.json)$)/

/** The hint for a request whose path still has the prefix that the proxy should remove; undefined if it has none. */
export function prefixHint(pathname: string, path: string): string | undefined {
  if (withoutBasePath(pathname, path) !== pathname)
    return `The proxy passed on ${path}, which it must take off (${HOW}).`
  const before = pathname.slice(0, OURS.exec(pathname)?.index ?? 0).slice(0, CHARACTERS_SHOWN)
  if (before.length < 2) return undefined
  return `Without ${before} before it the path is one of Assay's: a proxy that leads here by ${before} must take it off (${HOW}), and BASE_URL must end with it.`
}

const HOW = 'nginx: a slash at the end of proxy_pass; infra/proxies.md'
const CHARACTERS_SHOWN = 100
