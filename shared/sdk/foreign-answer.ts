// Recognises answers that a proxy, a sign-in page or another server wrote instead of Assay. Guarantee: an answer passes
// only with the header of Assay and in a format the client asks for; for every other, the caller gets who wrote it, as
// far as the answer shows, and what to change.

/** Sent with every answer of Assay. */
export const VERSION_HEADER = 'assay-version'
const FORMS = /^(application\/(json|x-ndjson)|text\/(csv|event-stream))\b/i
/** How much of a page is read to find who wrote it; error pages of proxies are smaller. */
const PAGE_BYTES = 64 * 1024

export type ForeignCode =
  | 'redirected'
  | 'proxy_body_limit'
  | 'proxy_rate_limited'
  | 'proxy_refused'
  | 'proxy_unavailable'
  | 'not_assay'

/** Describes an answer that Assay did not write. */
export interface ForeignAnswer {
  code: ForeignCode
  /** A name such as `nginx`; `a proxy` or `another server` if the answer does not show it. */
  answered_by: string
  message: string
  hint: string
}

/** Who wrote an answer: Assay, with its error if it is one, or another server, with the description to report. */
export type Judged =
  | { by: 'assay'; error?: { code: string; message: string; hint?: string } }
  | { by: 'other'; said: ForeignAnswer }

/** Where a request went: Assay's base URL, and the full URL of the request. */
export interface Asked {
  base: string
  url: string
}

/** Finds out who wrote an answer. Consumes its body, unless it is a good answer of Assay. */
export async function judge(response: Response, asked: Asked): Promise<Judged> {
  const { ok, status, headers } = response
  const isMarked = headers.has(VERSION_HEADER)
  const hasForm = FORMS.test(headers.get('content-type') ?? '')
  if (ok && isMarked && (hasForm || isBare(response))) return { by: 'assay' }
  const page = await beginningOf(response)
  const error = isMarked && status >= 400 ? errorIn(page) : undefined
  if (error !== undefined) return { by: 'assay', error }
  return { by: 'other', said: describe(response, page, asked) }
}

/** Some operations answer without a body. An answer that is empty by mistake fails later, when it is read. */
const isBare = ({ headers }: Response) => !headers.has('content-type')

function errorIn(page: string): { code: string; message: string; hint?: string } | undefined {
  try {
    const { error } = JSON.parse(page)
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : undefined
  } catch {
    return undefined
  }
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let part = await reader.read(); !part.done && text.length < PAGE_BYTES; part = await reader.read())
      text += decoder.decode(part.value as Uint8Array, { stream: true })
  } catch {
    // The part that was received is enough.
  } finally {
    void reader.cancel().catch(() => {})
  }
  return text
}

function describe({ status, headers }: Response, page: string, asked: Asked): ForeignAnswer {
  const isGateway = status === 413 || status === 429 || status >= 500
  const by = writerOf(headers, page) ?? (isGateway ? 'a proxy' : 'another server')
  const limit = BODY_LIMITS[by] ?? `raise the limit on request bodies of ${by}`
  const said = (code: ForeignCode, message: string, hint: string) => ({
    code,
    answered_by: by,
    message,
    hint,
  })
  if (status >= 300 && status < 400) return redirected(by, status, headers.get('location') ?? '', asked)
  if (status === 413)
    return said('proxy_body_limit', `${by} refuses a body of this size (413); Assay never saw it`, limit)
  if (status === 429)
    return said(
      'proxy_rate_limited',
      `${by} limits how often it may be asked (429); Assay never saw the request`,
      `${waitOf(headers)}raise the limit on requests of ${by}`,
    )
  if ([408, 504, 524].includes(status))
    return said(
      'proxy_unavailable',
      `${by} did not wait for the end of the request (${status})`,
      `raise the time that ${by} waits for an answer and for an upload, or submit in several batches; if it is so for any request: ${lookNext(by, asked.base)}`,
    )
  if (status >= 500)
    return said(
      'proxy_unavailable',
      `${by} answered ${status} in place of Assay at ${asked.base}`,
      `${lookNext(by, asked.base)}${by === 'Caddy' ? `; it may also mean a large body: ${limit}` : ''}`,
    )
  if ([401, 403, 407].includes(status))
    return said(
      'proxy_refused',
      `${by} refused the request (${status}) before Assay saw it${realmOf(headers)}`,
      `let requests with a bearer to ${asked.base} through ${by}, and Assay's own errors: Assay checks the key itself`,
    )
  const isJson = /json/i.test(headers.get('content-type') ?? '')
  return said(
    'not_assay',
    `${by} answered ${status} with ${kindOf(page, isJson)}; Assay did not write it`,
    isJson ? `${ADDRESS}; ${UNMARKED}` : ADDRESS,
  )
}

/** How to find out what does not answer: a proxy, what is behind it, or what that needs. */
const lookNext = (by: string, base: string) =>
  `curl -i ${base}/health/serving asks Assay through ${by}; if ${by} answers that itself, ask so at the address that it passes requests on to: no answer there is Assay being down, 503 its PostgreSQL being away or its key being wrong, 200 an address that ${by} does not name`

/** Redirects are not followed, because the key must go to no address but the one it was meant for. */
function redirected(by: string, status: number, to: string, { base, url }: Asked): ForeignAnswer {
  const target = URL.canParse(to, url) ? new URL(to, url) : undefined
  const asked = new URL(url)
  const rest = asked.pathname.slice(new URL(base).pathname.replace(/\/$/, '').length)
  const moved =
    target !== undefined && rest !== '/' && target.pathname.endsWith(rest) && target.search === asked.search
      ? `${target.origin}${target.pathname.slice(0, -rest.length)}`
      : undefined
  const said = { code: 'redirected', answered_by: by } as const
  if (moved === undefined || moved === base)
    return {
      ...said,
      message: `${by} redirects requests from ${base} to ${short(to) || 'nowhere'} (${status})`,
      hint: `a sign-in page, or no Assay there? ${ADDRESS}`,
    }
  return {
    ...said,
    message: `${by} redirects from ${base} to ${moved} (${status}), and a key is sent only to its own address`,
    hint: `set ASSAY_BASE_URL=${moved} (baseUrl in code; of a profile: assay login --server ${moved})`,
  }
}

const ADDRESS =
  'ASSAY_BASE_URL (baseUrl in code) names Assay itself, with its path prefix where it has one; what asks people to sign in before it has to let the API through'
const UNMARKED = `if it is Assay, a proxy takes its header ${VERSION_HEADER} away, and has to let it through`

function kindOf(page: string, isJson: boolean): string {
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim()
  if (/^\s*<(!doctype|html|head|body)/i.test(page)) return title ? `the page "${short(title)}"` : 'a page'
  if (page.trim() === '') return 'an empty body'
  return isJson ? 'JSON of another kind' : `"${short(page.trim())}"`
}

const waitOf = (headers: Headers) => {
  const wait = headers.get('retry-after')
  return wait !== null && /^\d{1,6}$/.test(wait) ? `wait ${wait} s; or ` : ''
}

const realmOf = (headers: Headers) =>
  /^basic/i.test(headers.get('www-authenticate') ?? '') ? ': it asks for a name and a password' : ''

const CHARACTERS_SHOWN = 100
const short = (text: string) => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, CHARACTERS_SHOWN)

/** Error pages of proxies. They are matched before headers: a proxy passes on the page of one behind it. */
const PAGES: readonly [name: string, page: RegExp][] = [
  ['nginx', /<center>(nginx|openresty)[^<]*<\/center>/i],
  ['Cloudflare', /<center>cloudflare[^<]*<\/center>/i],
  ['HAProxy', /^<html><body><h1>\d{3} [^<]+<\/h1>\n/],
]
/** Traefik answers with a text alone, and does not name itself. */
const TRAEFIK = /^(Bad Gateway|Gateway Timeout|no available server|Request Entity Too Large)\s*$/i
const SERVERS: Record<string, string> = { nginx: 'nginx', openresty: 'nginx', caddy: 'Caddy' }

/** Who wrote the answer, as far as it shows. */
function writerOf(headers: Headers, page: string): string | undefined {
  const [known] = PAGES.find(([, pattern]) => pattern.test(page)) ?? []
  if (known !== undefined) return known
  if (headers.has('cf-ray')) return 'Cloudflare'
  if (headers.has('x-openfaas-internal')) return 'OpenFaaS'
  const server = headers.get('server')?.split(/[\s/(]/)[0] ?? ''
  if (server !== '') return SERVERS[server.toLowerCase()] ?? `the server "${short(server)}"`
  return TRAEFIK.test(page) ? 'Traefik' : undefined
}

/** The limit that an upload meets first, by proxy; infra/proxies.md has the other settings. */
const BODY_LIMITS: Record<string, string> = {
  nginx:
    'set client_max_body_size (1m by default) in its server or location, 0 for no limit; at an Ingress nginx.ingress.kubernetes.io/proxy-body-size',
  Cloudflare:
    'its plan takes 100 MB (Free and Pro), 200 MB or 500 MB: send fewer items at a time, or by an address that does not pass it',
  HAProxy: 'raise the size in its http-request deny rule (req.body_size)',
  Traefik: 'raise maxRequestBodyBytes of its buffering middleware',
  Caddy: 'raise max_size of its request_body directive',
}
