// Maps paths to functions, for platforms whose ingress cannot. Guarantee: a request that some function serves goes to
// that one; any other is answered here like an unknown operation.

export interface Route {
  /** In lower case, as endpoints name it. */
  method: string
  /** With parameters in braces; an asterisk at its end matches everything below. */
  path: string
  unit: string
  /** Whether the request makes work for a consumer. */
  makes_work?: true
}

/** Finds a request's route; undefined when no function serves it. The first route that fits wins, as in the app. */
export function createRoutes(
  routes: readonly Route[],
): (method: string, pathname: string) => Route | undefined {
  const compiled = routes.map(route => ({ route, pattern: patternOf(route.path) }))
  return (method, pathname) => {
    // Servers answer HEAD like GET.
    const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
    const path = decoded(pathname)
    return compiled.find(({ route, pattern }) => route.method === wanted && pattern.test(path))?.route
  }
}

/** Decoded as the app does it: every escape except those of a slash, a question mark and the like. */
function decoded(pathname: string): string {
  try {
    return decodeURI(pathname.replaceAll('%25', '%2525'))
  } catch {
    return pathname
  }
}

/** A pattern that matches decoded paths. */
export function patternOf(path: string): RegExp {
  const literal = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
  const source = path
    .split(/(\{\w+\}|\*$)/)
    .map(part => (part.startsWith('{') ? '[^/]+' : part === '*' ? '.*' : literal(part)))
    .join('')
  return new RegExp(`^${source}$`)
}
