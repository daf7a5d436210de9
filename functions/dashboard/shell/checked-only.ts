// Checks the fields of a call that would write, without the call. Guarantee: nothing is written.

import { errorAnswer } from '../../../shared/http/error-answer.ts'
import type { Endpoint } from '../../../shared/http/operation.ts'
import { checked } from '../../../shared/http/validation.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'

export function faultOf(check: () => unknown): unknown {
  try {
    check()
  } catch (error) {
    return error
  }
}

/** Answers a call that would write as the API does for a field that does not fit; else that nothing was written. */
export async function checkedOnly(endpoints: readonly Endpoint[], request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const endpoint = endpoints.find(
    ({ method, path }) =>
      method === request.method.toLowerCase() &&
      new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname),
  )
  const fields = endpoint?.body && (await request.json().catch(() => undefined))
  const fault =
    fields === undefined
      ? undefined
      : faultOf(() => checked(endpoint!.body!, fields, 'body', LIMITS.form_fields))
  const refused = fault instanceof ApiError ? fault : new ApiError('invalid_request', '')
  return errorAnswer(refused, 'check')
}
