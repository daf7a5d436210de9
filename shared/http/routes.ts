// Which function answers which path, for platforms whose ingress cannot tell. Guarantee: a request that some function
// serves goes to that one, and every other is answered here like any unknown operation.

export interface Route {
  /** In lower case, as endpoints name it. */
  method: string
  /** With parameters in braces; an asterisk at its end is everything below. */
  path: string
  unit: string
  /** Whether a consumer will be wanted after it. */
  makes_work?: true
}

/** Where a request goes; undefined when nothing serves it. The first route that fits wins, as in the app itself. */
export function createRoutes(
  routes: readonly Route[],
): (method: string, pathname: string) => Route | undefined {
  const compiled = routes.map(route => ({ route, pattern: patternOf(route.path) }))
  return (method, pathname) => {
    // Servers answer HEAD by what they would answer to GET.
    const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
    const path = decoded(pathname)
    return compiled.find(({ route, pattern }) => route.method === wanted && pattern.test(path))?.route
  }
}

/** As the app reads it: whatever is escaped but a slash, a question mark and the like. */
function decoded(pathname: string): string {
  try {
    return decodeURI(pathname.replaceAll('%25', '%2525'))
  } catch {
    return pathname
  }
}

/** What of a decoded path fits. */
export function patternOf(path: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
  const source = path
    .split(/(\{\w+\}|\*$)/)
    .map(part => (part.startsWith('{') ? '[^/]+' : part === '*' ? '.*' : literal(part)))
    .join('')
  return new RegExp(`^${source}$`)
}
