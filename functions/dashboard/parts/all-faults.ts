// Checks the parts of a form one beside the other. Guarantee: a form that is refused names the faults of all its
// fields at once, not one at each try.

import { ApiError } from '../../../shared/kernel/errors.ts'
import { ApiFailure } from '../../../shared/sdk/client.ts'
import { misfitsOf } from './misfits.ts'

type Refused = ApiFailure | ApiError
const isOfEntry = (error: unknown): error is Refused =>
  (error instanceof ApiFailure || error instanceof ApiError) && error.status === 400

/** @param entered what the form sent; @throws the only fault as it is, or one ApiError that names the field of each */
export async function allFaults(
  entered: Readonly<Record<string, unknown>>,
  checks: readonly Promise<unknown>[],
): Promise<void> {
  const errors = (await Promise.allSettled(checks)).flatMap(one =>
    one.status === 'rejected' ? [one.reason as unknown] : [],
  )
  const other = errors.find(error => !isOfEntry(error))
  if (other !== undefined) throw other
  if (errors.length > 0) throw joined(errors.filter(isOfEntry), entered)
}

/** One error that names the field of each fault, the first one of a field; the first error where it is the only one. */
export function joined(errors: readonly Refused[], entered: Readonly<Record<string, unknown>>): Refused {
  const found = errors.map(error => misfitsOf(error, entered))
  const fields = Object.entries(Object.assign({}, ...found.toReversed()) as Record<string, string>)
  const unnamed = errors.filter((error, at) => error.message !== '' && Object.keys(found[at]!).length === 0)
  if (fields.length + unnamed.length < 2) return errors[0]!
  const words = unnamed.map(({ message, hint }) => [message, hint].filter(Boolean).join(' '))
  const named = fields.map(([name, wrong]) => `Field "${name}": ${ended(wrong)}`)
  return new ApiError('invalid_request', [...new Set(words), ...named].join(' '))
}

const ended = (words: string) => (words.endsWith('.') ? words : `${words}.`)
