// Distinguishes the dashboard's own forms from those of other sites. Guarantee: a request without an origin counts as
// foreign.

/** Checks Sec-Fetch-Site, and where a browser does not send it, Origin. */
export function isOwnForm(request: Request, base_url: string): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = originOf(request)
  const { headers, url } = request
  // Behind the router, Host is the function's, so X-Forwarded-Host is used; no other site can make a browser send it.
  const host = headers.get('x-forwarded-host') ?? headers.get('host') ?? new URL(url).host
  return origin !== undefined && (origin.host === host || isOriginOf(base_url, origin))
}

/** The Origin header; undefined where it is missing or `null`. */
export function originOf({ headers }: Request): URL | undefined {
  const origin = headers.get('origin')
  return origin !== null && URL.canParse(origin) ? new URL(origin) : undefined
}

/**
 * A proxy may replace the caller's Host, as nginx does by default. The configured base URL is as good a check: a page
 * of another site cannot send this origin.
 */
const isOriginOf = (base_url: string, { origin }: URL) =>
  URL.canParse(base_url) && new URL(base_url).origin === origin
