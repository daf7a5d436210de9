// Converts what people type into forms to the API's values. Guarantee: JSON is sent as typed, so that numbers keep
// their digits; invalid JSON or an invalid amount is refused naming the field.

import * as z from 'zod'
import { checkJson } from '../../../shared/json/json.ts'
import { JsonError } from '../../../shared/json/json-error.ts'
import { centsOfDollars } from './dollars.ts'

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

/** The JSON text of an object with both kinds of fields; the values of `texts` are JSON already. */
export function bodyText(fields: Record<string, unknown>, texts: Record<string, string>): string {
  const own = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, JSON.stringify(value)])
  const members = [...own, ...Object.entries(texts)].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return `{${members.join(',')}}`
}
