// Tells a form of the dashboard from one that another site made. Guarantee: a request that does not say where it comes
// from counts as another's.

/** Browsers say so by Sec-Fetch-Site, and those that do not, by Origin. */
export function isOwnForm(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  const origin = request.headers.get('origin')
  const { headers, url } = request
  // Behind the router the host is the function's; no other site can make a browser send the header that says so.
  const host = headers.get('x-forwarded-host') ?? headers.get('host') ?? new URL(url).host
  return origin !== null && URL.canParse(origin) && new URL(origin).host === host
}
