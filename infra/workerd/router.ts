// The worker that callers reach. Guarantee: each request goes unchanged to the unit that serves it.

import { errorAnswer } from '../../shared/http/error-answer.ts'
import { noOperation } from '../../shared/http/no-operation.ts'
import { createRoutes, type Route } from '../../shared/http/routes.ts'
import { newId } from '../../shared/kernel/ids.ts'

/** The bindings of units, by their names. */
type Units = Record<string, { fetch(request: Request): Promise<Response> }>

export function routerOf(routes: readonly Route[]) {
  const find = createRoutes(routes)
  const random = (bytes: Uint8Array) => {
    crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  }
  return {
    fetch(request: Request, units: Units): Promise<Response> | Response {
      const route = find(request.method, new URL(request.url).pathname)
      if (route !== undefined) return units[route.unit]!.fetch(request)
      return errorAnswer(noOperation(routes, request), newId(Date.now(), random))
    },
  }
}
