// Checks the parameters and fields of a request. Guarantee: an unknown, repeated or misfit one is refused with
// `invalid_request` that names it; nothing is dropped or coerced silently.

import * as z from 'zod'
import { ApiError } from '../kernel/errors.ts'
import { isUuid } from '../kernel/ids.ts'
import { LIMITS } from '../kernel/limits.ts'
import { CAUSE_ID } from '../triage/rules/causes.ts'
import { type Noun, notFound } from './scope.ts'

const ISSUES_NAMED = 5

type Part = 'query' | 'headers' | 'body'
const NAMES: Record<Part, string> = { query: 'Query parameter', headers: 'Header', body: 'Field' }

/** The value as the schema outputs it; `where` names its root in messages, which name `most` faults. */
export function checked<S extends z.ZodType>(
  schema: S,
  value: unknown,
  where: Part,
  most = ISSUES_NAMED,
): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const named = result.error.issues.slice(0, most).map(issue => described(issue, where))
  const more = result.error.issues.length - named.length
  throw new ApiError('invalid_request', named.join(' ') + (more > 0 ? ` And ${more} more.` : ''))
}

function described(issue: z.core.$ZodIssue, where: Part): string {
  const path = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const kind = NAMES[where].toLowerCase()
    const named = issue.keys.slice(0, ISSUES_NAMED)
    const keys = named.map(key => JSON.stringify(path === '' ? key : `${path}.${key}`)).join(', ')
    const more = issue.keys.length - named.length
    return `Unknown ${kind}${issue.keys.length > 1 ? 's' : ''} ${keys}${more > 0 ? ` and ${more} more` : ''}.`
  }
  const name = path === '' && where === 'body' ? 'The body' : `${NAMES[where]} "${path}"`
  return `${name}: ${issue.message.replace(/^Invalid input: /, '')}.`
}

/** The query's parameters, checked; without a schema there may be none. */
export function queryOf<S extends z.ZodType>(
  request: Request,
  schema: S | undefined,
): z.output<S> | undefined {
  const { searchParams } = new URL(request.url)
  if (searchParams.size > LIMITS.query_parameters)
    throw new ApiError('invalid_request', `The query has more than ${LIMITS.query_parameters} parameters.`)
  const entries = [...searchParams]
  const seen = new Set<string>()
  const repeated = entries.find(([name]) => seen.size === seen.add(name).size)
  if (repeated !== undefined) {
    throw new ApiError('invalid_request', `Query parameter ${JSON.stringify(repeated[0])} is given twice.`)
  }
  const value = checked(schema ?? z.strictObject({}), Object.fromEntries(entries), 'query')
  return schema === undefined ? undefined : (value as z.output<S>)
}

/** The headers that a schema names, checked; without a schema there are none. */
export function headersOf(request: Request, schema: z.ZodObject | undefined): unknown {
  if (schema === undefined) return undefined
  const given = Object.keys(schema.shape).flatMap(name => {
    const value = request.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  return checked(schema, Object.fromEntries(given), 'headers')
}

interface Period {
  from?: string | undefined
  to?: string | undefined
}

/** Refuses a period of a query, or of a part of a body, that ends before it begins. @throws ApiError `invalid_request` */
export function checkPeriod({ from, to }: Period, part?: string): void {
  // As moments, not as texts: one moment may be written with any offset and with a fraction of a second.
  if (from === undefined || to === undefined || Date.parse(from) <= Date.parse(to)) return
  throw new ApiError(
    'invalid_request',
    part === undefined
      ? 'Query parameter "from" is later than "to".'
      : `Field "${part}.from" is later than "${part}.to".`,
  )
}

/** Parameters whose ids are no UUIDs. */
const OWN_IDS: Partial<Record<Noun, (id: string) => boolean>> = {
  webhook: () => true,
  cause: id => CAUSE_ID.test(id),
}

/** The ids of the path; an impossible one answers like an unknown one. @throws ApiError `not_found` */
export function checkedIds<P extends string>(params: Record<P, Noun>, given: Record<string, string>) {
  const ids = {} as Record<P, string>
  for (const [name, noun] of Object.entries(params) as [P, Noun][]) {
    const id = given[name] ?? ''
    const isItsOwn = OWN_IDS[noun]
    if (!(isItsOwn ?? isUuid)(id)) throw notFound(noun)
    ids[name] = isItsOwn ? id : id.toLowerCase()
  }
  return ids
}
