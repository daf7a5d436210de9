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
  const faults = errors.filter(isOfEntry)
  if (faults.length < 2) {
    if (faults.length === 1) throw faults[0]
    return
  }
  const fields = Object.entries(Object.assign({}, ...faults.map(error => misfitsOf(error, entered))))
  if (fields.length < 2) throw faults[0]
  throw new ApiError(
    'invalid_request',
    fields.map(([name, words]) => `Field "${name}": ${ended(String(words))}`).join(' '),
  )
}

const ended = (words: string) => (words.endsWith('.') ? words : `${words}.`)
