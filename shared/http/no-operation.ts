// Answers a request for an unknown operation.

import { ApiError } from '../kernel/errors.ts'
import { isUuid } from '../kernel/ids.ts'
import { LIMITS } from '../kernel/limits.ts'
import { nearest } from '../kernel/nearest.ts'
import { prefixHint } from './base-path.ts'
import { checkEncoding } from './error-answer.ts'

/** An endpoint, or the route to one. */
export type Operation = { method: string; path: string }

const ALL = 'GET /docs lists all operations.'
const LETTERS_APART = 6
const CHARACTERS_LOOKED_AT = 120 // twice the longest path there is

/** `not_found` with the methods that the path accepts, or the nearest path; `invalid_request` for a malformed path. */
export function noOperation(
  endpoints: readonly Operation[],
  request: Pick<Request, 'method' | 'url'>,
  base_path = '',
): ApiError {
  try {
    checkEncoding(request.url)
  } catch (error) {
    return error as ApiError
  }
  const { pathname } = new URL(request.url)
  if (pathname.length > LIMITS.path_characters)
    return new ApiError('not_found', 'There is no such operation: no path is as long.', ALL)
  const prefixed = prefixHint(pathname, base_path)
  if (prefixed !== undefined) return new ApiError('not_found', 'There is no such operation.', prefixed)
  const path = shapeOf(pathname)
  const here = endpoints.filter(one => shapeOf(one.path) === path).map(one => one.method.toUpperCase())
  const near = nearestOf(endpoints, request.method, path)
  const hints = [
    here.length > 0
      ? `Only ${here.join(' and ')} here${near ? `; ${request.method} is at ${near}` : ''}.`
      : '',
    here.length === 0 && near ? `Did you mean ${request.method} ${near}?` : '',
    ALL,
  ]
  return new ApiError('not_found', 'There is no such operation.', hints.filter(Boolean).join(' '))
}

function nearestOf(endpoints: readonly Operation[], method: string, path: string): string | undefined {
  if (path.length > CHARACTERS_LOOKED_AT) return undefined
  const sameMethod = endpoints.filter(one => one.method === method.toLowerCase())
  const shape = nearest(
    path,
    sameMethod.map(one => shapeOf(one.path)),
    Math.min(LETTERS_APART, path.length >> 1),
  )
  return sameMethod.find(one => shapeOf(one.path) === shape)?.path
}

/** A path with every id and every parameter as `{}`. */
const shapeOf = (path: string) =>
  path
    .split('/')
    .map(part => (part.startsWith('{') || isUuid(part) ? '{}' : part))
    .join('/')
