// Finds which fields of a form were refused, from the error message. Guarantee: only fields that the form sent are
// named; the notice above the form has the whole message.

import type { ApiErrorCode } from '../../../shared/kernel/errors.ts'

interface Refused {
  code: string
  message: string
  hint?: string | undefined
}

/** Fields of the errors that concern one field without naming it. */
const BY_CODE: Partial<Record<ApiErrorCode, readonly string[]>> = {
  invalid_cron: ['cron'],
  schedule_cron_taken: ['cron'],
  invalid_timezone: ['timezone'],
  email_taken: ['email'],
  trigger_name_taken: ['name'],
  source_failed: ['source_url', 'generator'],
  source_empty: ['source_url', 'generator'],
}

const NAMED =
  /(?:Field|Query parameter) "([^"]+)": (.+?\.)(?= (?:Field|Query parameter) "| And \d+ more\.|$)/g

/**
 * @param entered what the form sent, by the names of its fields
 * @example misfitsOf({ code: 'invalid_request', message: 'Field "budget_cents": must be an integer.' }, { budget_usd: 'x' })
 * // { budget_usd: 'Must be an integer.' }
 */
export function misfitsOf(
  { code, message, hint }: Refused,
  entered: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const alone = BY_CODE[code as ApiErrorCode]?.find(name => entered[name])
  if (alone !== undefined) return { [alone]: [message, hint].filter(Boolean).join(' ') }
  const found = [...message.matchAll(NAMED)].flatMap(([, path = '', words = '']) => {
    const name = namesOf(path).find(name => entered[name] !== undefined)
    return name === undefined ? [] : [[name, words.charAt(0).toUpperCase() + words.slice(1)]]
  })
  return Object.fromEntries(found)
}

/** The names a form may use for an API field: `source.url` is source_url, `budget_cents` is budget_usd. */
const namesOf = (path: string) => [
  path,
  path.replaceAll('.', '_'),
  path.replace(/_cents$/, '_usd'),
  ...path.split('.').reverse(),
]
