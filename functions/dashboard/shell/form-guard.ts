// Tells a form of the dashboard from one that another site made. Guarantee: a request that does not say where it comes
// from counts as another's.

/** Browsers say so by Sec-Fetch-Site, and those that do not, by Origin. */
export function isOwnForm(request: Request, base_url: string): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = originOf(request)
  const { headers, url } = request
  // Behind the router the host is the function's; no other site can make a browser send the header that says so.
  const host = headers.get('x-forwarded-host') ?? headers.get('host') ?? new URL(url).host
  return origin !== undefined && (origin.host === host || isOriginOf(base_url, origin))
}

/** What the browser said instead; undefined where it said nothing, or that it will not say. */
export function originOf({ headers }: Request): URL | undefined {
  const origin = headers.get('origin')
  return origin !== null && URL.canParse(origin) ? new URL(origin) : undefined
}

/**
 * A proxy may put another Host in the place of the caller's, as nginx does unless told. The operator's own word for
 * where people find the installation is as good: a page of another site cannot send this origin.
 */
const isOriginOf = (base_url: string, { origin }: URL) =>
  URL.canParse(base_url) && new URL(base_url).origin === origin
