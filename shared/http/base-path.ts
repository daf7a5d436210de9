// Where on its host an installation lies, when a proxy leads there by a path: BASE_URL=https://example.com/assay. The
// proxy takes the path off, so within the process every address begins at the root; only what leaves for a browser or a
// tool has it put before it.

/** @example basePath('https://example.com/assay') // '/assay'; '' where it lies at the root */
export const basePath = (base_url: string): string =>
  URL.canParse(base_url) ? new URL(base_url).pathname.replace(/\/+$/, '') : ''

/** Attributes of our pages that hold an address; in text and in other values a quotation mark is always escaped. */
const ADDRESSES = / (href|src|action|formaction|data-href|data-events)="(?=\/(?!\/))/g

/** Puts the path before every address of a page that begins at the root. */
export const withBasePath = (html: string, path: string): string =>
  path === '' ? html : html.replaceAll(ADDRESSES, ` $1="${path}`)

/** An address as it is within the process. */
export const withoutBasePath = (address: string, path: string): string =>
  path !== '' && (address === path || address.startsWith(`${path}/`)) ? address.slice(path.length) : address

/** The beginnings of all that is served. */
const OURS = /\/(?:v[12]\/|(?:health|dashboard)(?:\/|$)|(?:docs|openapi\.json)$)/

/** What a request gets to hear whose path still has what a proxy leads here by: undefined where it has nothing more. */
export function prefixHint(pathname: string, path: string): string | undefined {
  if (withoutBasePath(pathname, path) !== pathname)
    return `The proxy passed on ${path}, which it must take off (${HOW}).`
  const before = pathname.slice(0, OURS.exec(pathname)?.index ?? 0).slice(0, CHARACTERS_SHOWN)
  if (before.length < 2) return undefined
  return `Without ${before} before it the path is one of Assay's: a proxy that leads here by ${before} must take it off (${HOW}), and BASE_URL must end with it.`
}

const HOW = 'nginx: a slash at the end of proxy_pass; infra/proxies.md'
const CHARACTERS_SHOWN = 100
