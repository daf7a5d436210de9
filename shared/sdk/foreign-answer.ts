// Recognises answers that a proxy, a sign-in page or another server wrote instead of Assay. Guarantee: an answer passes
// only with a header of Assay and in a format the client asks for; for every other, the caller gets who wrote it, as
// far as the answer shows, and which setting to change.

/** Sent with every answer of Assay, as is `x-request-id`; servers before 0.1 send only the latter. */
export const VERSION_HEADER = 'assay-version'
const MARKS = [VERSION_HEADER, 'x-request-id']
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
  const isMarked = MARKS.some(name => headers.has(name))
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
  const writer = WRITERS.find(({ wrote }) => wrote(headers, page))
  const isGateway = status === 413 || status === 429 || status >= 500
  const answered_by = writer?.name ?? (named(headers) || (isGateway ? 'a proxy' : 'another server'))
  const told = { ...asked, answered_by, sets: writer?.sets ?? {}, status, headers, page }
  return { answered_by, ...(status >= 300 && status < 400 ? redirected(told) : wordsOf(told)) }
}

type Words = Omit<ForeignAnswer, 'answered_by'>

interface Told extends Asked {
  answered_by: string
  sets: Settings
  status: number
  headers: Headers
  page: string
}

/** Redirects are not followed, because the key must go to no address but the one it was meant for. */
function redirected({ answered_by, status, headers, base, url }: Told): Words {
  const to = headers.get('location') ?? ''
  const target = URL.canParse(to, url) ? new URL(to, url) : undefined
  const asked = new URL(url)
  const rest = asked.pathname.slice(new URL(base).pathname.replace(/\/$/, '').length)
  const moved =
    target !== undefined && rest !== '/' && target.pathname.endsWith(rest) && target.search === asked.search
      ? `${target.origin}${target.pathname.slice(0, -rest.length)}`
      : undefined
  if (moved === undefined || moved === base)
    return {
      code: 'redirected',
      message: `${answered_by} redirects requests from ${base} to ${short(to) || 'nowhere'} (${status})`,
      hint: `a sign-in page, or no Assay there? ${ADDRESS}`,
    }
  return {
    code: 'redirected',
    message: `${answered_by} redirects from ${base} to ${moved} (${status}), and a key is sent only to its own address`,
    hint: `set ASSAY_BASE_URL=${moved} (baseUrl in code; of a profile: assay login --server ${moved})`,
  }
}

const ADDRESS =
  'ASSAY_BASE_URL (baseUrl in code) names Assay itself, with its path prefix where it has one; what asks people to sign in before it has to let the API through'

function wordsOf({ answered_by: by, sets, status, headers, page, base }: Told): Words {
  if (status === 413)
    return {
      code: 'proxy_body_limit',
      message: `${by} refuses a body of this size (413); Assay never saw it`,
      hint: sets.body ?? `raise the limit on request bodies of ${by}`,
    }
  if (status === 429)
    return {
      code: 'proxy_rate_limited',
      message: `${by} limits how often it may be asked (429); Assay never saw the request`,
      hint: `${waitOf(headers)}${sets.rate ?? `raise the limit on requests of ${by}`}`,
    }
  if (status === 408 && sets.wait === undefined)
    return {
      code: 'proxy_unavailable',
      message: 'The request took longer to arrive than it may (408)',
      hint: 'A proxy bounds the time of an upload: raise that, or submit it in several batches',
    }
  if (status === 504 || status === 408 || status === 524)
    return {
      code: 'proxy_unavailable',
      message: `${by} did not wait for the end of the request (${status})`,
      hint: sets.wait ?? `raise the time that ${by} waits for an answer`,
    }
  if (status >= 500)
    return {
      code: 'proxy_unavailable',
      message: `${by} answered ${status}: it did not reach Assay at ${base}`,
      hint: sets.reach ?? `is Assay up, and does ${by} name its address?`,
    }
  if (status === 401 || status === 403 || status === 407)
    return {
      code: 'proxy_refused',
      message: `${by} refused the request (${status}) before Assay saw it${realmOf(headers)}`,
      hint: `let requests with a bearer to ${base} through ${by}, and Assay's own errors: Assay checks the key itself`,
    }
  const kind = kindOf(headers, page)
  return {
    code: 'not_assay',
    message: `${by} answered ${status} with ${kind}; Assay did not write it`,
    hint: kind === JSON_OF_ANOTHER_KIND ? `${ADDRESS}; ${UNMARKED}` : ADDRESS,
  }
}

const JSON_OF_ANOTHER_KIND = 'JSON of another kind'
const UNMARKED = `if it is Assay, a proxy takes its headers ${MARKS.join(' and ')} away, and has to let one through`

function kindOf(headers: Headers, page: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim()
  if (/^\s*<(!doctype|html|head|body)/i.test(page)) return title ? `the page "${short(title)}"` : 'a page'
  if (page.trim() === '') return 'an empty body'
  return /json/i.test(headers.get('content-type') ?? '') ? JSON_OF_ANOTHER_KIND : `"${short(page.trim())}"`
}

const waitOf = (headers: Headers) => {
  const wait = headers.get('retry-after')
  return wait !== null && /^\d{1,6}$/.test(wait) ? `wait ${wait} s; or ` : ''
}

const realmOf = (headers: Headers) =>
  /^basic/i.test(headers.get('www-authenticate') ?? '') ? ': it asks for a name and a password' : ''

const CHARACTERS_SHOWN = 100
const short = (text: string) => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, CHARACTERS_SHOWN)

/** The name that a server outside WRITERS gives itself; empty if it gives none. */
const named = (headers: Headers) => {
  const name = headers.get('server')?.split(/[\s/(]/)[0] ?? ''
  return name === '' ? '' : `the server "${short(name)}"`
}

/** Which setting of a proxy to change, by problem: body size, request rate, time to wait, reaching Assay. */
interface Settings {
  body?: string
  rate?: string
  wait?: string
  reach?: string
}

interface Writer {
  name: string
  wrote(headers: Headers, page: string): boolean
  sets: Settings
}

const server = (pattern: RegExp) => (headers: Headers) => pattern.test(headers.get('server') ?? '')

const NGINX: Settings = {
  body: 'set client_max_body_size (1m unless told) in its server or location, 0 for no limit; at an Ingress nginx.ingress.kubernetes.io/proxy-body-size',
  rate: 'raise its limit_req or limit_conn',
  wait: 'raise proxy_read_timeout and proxy_send_timeout (60s unless told)',
  reach: 'is Assay up, and does proxy_pass name its address?',
}

/** Pages are matched before headers: a proxy may pass on, under its own name, a page of a proxy behind it. */
const WRITERS: readonly Writer[] = [
  { name: 'nginx', wrote: (_, page) => /<center>(nginx|openresty)[^<]*<\/center>/i.test(page), sets: NGINX },
  {
    name: 'Cloudflare',
    wrote: (headers, page) => /<center>cloudflare[^<]*<\/center>/i.test(page) || headers.has('cf-ray'),
    sets: {
      body: 'its plan takes 100 MB (Free and Pro), 200 MB or 500 MB: send fewer items at a time, or by an address that does not pass it',
      rate: 'raise its rate limiting rule for this path',
      wait: 'it waits 120 s unless told: use an address that does not pass it',
      reach: 'is Assay up, and reachable from Cloudflare by the address of its DNS record or tunnel?',
    },
  },
  {
    name: 'HAProxy',
    wrote: (_, page) => /^<html><body><h1>\d{3} [^<]+<\/h1>\n/.test(page),
    sets: {
      body: 'raise the size in its http-request deny rule (req.body_size)',
      rate: 'raise the rate in its http-request deny rule (sc_http_req_rate)',
      wait: 'raise timeout server, and timeout client for uploads',
      reach: 'is Assay up, and does the server line of its backend name its address?',
    },
  },
  {
    name: 'Traefik',
    wrote: (headers, page) =>
      !headers.has('server') &&
      /^(Bad Gateway|Gateway Timeout|no available server|Request Entity Too Large)\s*$/i.test(page),
    sets: {
      body: 'raise maxRequestBodyBytes of its buffering middleware',
      rate: 'raise average and burst of its rateLimit middleware',
      wait: 'raise its serversTransport.forwardingTimeouts and the respondingTimeouts of its entry point',
    },
  },
  {
    name: 'Caddy',
    wrote: server(/^caddy/i),
    sets: {
      body: 'raise max_size of its request_body directive',
      wait: 'raise the timeouts of the transport in reverse_proxy',
      reach:
        'is Assay up, and does reverse_proxy name its address? Some versions answer so to a body over max_size of request_body, too',
    },
  },
  { name: 'CloudFront', wrote: headers => headers.has('x-amz-cf-id'), sets: {} },
  {
    name: 'an AWS load balancer',
    wrote: server(/^awselb/i),
    sets: {
      wait: 'raise its idle_timeout.timeout_seconds (60 unless told)',
      reach: 'is a target of its group healthy? Its check asks /health/ready',
    },
  },
  {
    name: 'Envoy',
    wrote: server(/envoy/i),
    sets: {
      body: 'raise max_request_bytes of its buffer filter',
      wait: 'raise the timeout of its route (15 s unless told)',
    },
  },
  { name: 'nginx', wrote: server(/^(nginx|openresty)/i), sets: NGINX },
]
