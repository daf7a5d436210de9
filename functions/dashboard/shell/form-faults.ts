// Finds every fault of a form that was refused for one. Guarantee: nothing is written meanwhile: of the call that would
// write, only the fields are checked.

import type * as z from 'zod'
import { checked } from '../../../shared/http/validation.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { ApiFailure } from '../../../shared/sdk/client.ts'
import { joined } from '../parts/all-faults.ts'
import { faultOf } from './checked-only.ts'
import type { Action, Visit } from './page.ts'

type Refused = ApiFailure | ApiError

/**
 * @param visit with an API that checks and does not write
 * @returns the error itself, where it says all
 */
export async function everyFault(
  error: Refused,
  { form, act }: Action,
  visit: Visit<Record<string, string>>,
  given: Record<string, unknown>,
): Promise<Refused> {
  // A conflict is with what there is, and has no field: it stands alone.
  if (form === undefined || error.status !== 400) return error
  const errors: unknown[] = [error]
  const read = form.safeParse(given)
  if (!read.success) errors[0] = faultOf(() => checked(form, given, 'body', LIMITS.form_fields))
  const filled = read.success ? read : withoutFaults(form, given, read.error)
  if (filled !== undefined) errors.push(await Promise.resolve(act(visit, filled.data)).catch(one => one))
  return joined(errors.filter(isRefused), given)
}

const isRefused = (error: unknown): error is Refused =>
  (error instanceof ApiError || error instanceof ApiFailure) && error.status === 400

/** What a refused field is replaced by, tried in this order: a field may be JSON, or be absent. */
const BLANKS = ['', 'null', undefined]

/** The form with blanks for its refused fields; undefined where it cannot be without them. */
function withoutFaults(form: z.ZodType, given: Record<string, unknown>, { issues }: z.ZodError) {
  let fields = given
  let wrong = namesIn(issues)
  for (const blank of BLANKS) {
    fields = { ...fields, ...Object.fromEntries(wrong.map(name => [name, blank])) }
    const read = form.safeParse(fields)
    if (read.success) return read
    wrong = namesIn(read.error.issues)
  }
}

const namesIn = (issues: readonly z.core.$ZodIssue[]) => issues.map(({ path }) => String(path[0]))
