// Reads forms, and converts what people type into them to the API's values. Guarantee: JSON is sent as typed, so that numbers keep
// their digits; invalid JSON or an invalid amount is refused naming the field.

import * as z from 'zod'
import { readBytes } from '../../../shared/http/body.ts'
import { checkJson } from '../../../shared/json/json.ts'
import { JsonError } from '../../../shared/json/json-error.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { namedLimitsIn, type PlainLimits } from '../../../shared/pacing/rules/named-limits.ts'
import { centsOfDollars } from './dollars.ts'
import type { Entered } from './page.ts'

/** Any JSON value, kept as text. */
export const jsonText = z.string().superRefine((text, { addIssue }) => {
  try {
    checkJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    addIssue({ code: 'custom', message: `is not JSON. ${error.message}` })
  }
})

/** A whole number; null for an empty field, which means no limit or the installation's setting. */
export const whole = z
  .string()
  .trim()
  .regex(/^\d{0,9}$/, 'must be a whole number, or empty')
  .transform(text => (text === '' ? null : Number(text)))

/** Dollars as whole cents; null for an empty field. */
export const dollars = z.string().transform((text, { addIssue }) => {
  const cents = centsOfDollars(text)
  if (cents !== null) return cents ?? null
  addIssue({ code: 'custom', message: 'must be an amount such as 2.50, $2 or 250c, or empty' })
  return z.NEVER
})

/** Limits, one upstream a line; null for an empty field. */
export const limitLines = z.string().transform((text, { addIssue }): PlainLimits[] | null => {
  try {
    const limits = namedLimitsIn(text)
    return limits.length === 0 ? null : limits
  } catch (error) {
    addIssue({ code: 'custom', message: `has a line that is no limit: ${(error as Error).message}` })
    return z.NEVER
  }
})

/** The JSON text of an object with both kinds of fields; the values of `texts` are JSON already. */
export function bodyText(fields: Record<string, unknown>, texts: Record<string, string>): string {
  const own = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, JSON.stringify(value)])
  const members = [...own, ...Object.entries(texts)].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return `{${members.join(',')}}`
}

/** Reads the form's fields. From callers who are not signed in, it reads only as much as an open form needs. */
export async function formOf(request: Request, isOpen: boolean): Promise<Record<string, unknown>> {
  const max = isOpen ? LIMITS.open_body_bytes : LIMITS.form_bytes
  const bytes = await readBytes(request, max, isOpen ? undefined : 'Submit large batches as a file.')
  const type = request.headers.get('content-type') ?? ''
  const form = await new Response(bytes as BodyInit, { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw new ApiError('invalid_request', 'The body is no form.', 'Send it from the page it is on.')
    })
  const fields = Map.groupBy(form, ([name]) => name)
  if (fields.size > LIMITS.form_fields)
    throw new ApiError('invalid_request', `The form has more than ${LIMITS.form_fields} fields.`)
  return Object.fromEntries(
    [...fields].map(([name, given]) => [
      name,
      given.length === 1 ? given[0]![1] : given.map(([, value]) => value),
    ]),
  )
}

/** The fields that were typed, without files. */
export const textsOf = (given: Record<string, unknown>): Entered =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )
