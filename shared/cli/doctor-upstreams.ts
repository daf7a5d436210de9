// The part of the check-up that looks at limits of providers: set above what answers report, tried again by clients, or shared by
// projects that do not know of each other.

import { LIMITS } from '../kernel/limits.ts'
import { RATED, rateOf } from '../pacing/rules/declared-limits.ts'
import { upstreamName } from '../upstreams/rules/upstream-words.ts'
import { declaredText, reportedText, shownName } from '../view/upstream.ts'
import { findOperatorAccess } from './access.ts'
import { type Api, answered, connect, type Schemas } from './api.ts'
import { Failure } from './failure.ts'
import { type Finding, ok, tried, unknown, wrong } from './finding.ts'
import { ago, count, plural } from './format.ts'
import type { Session } from './session.ts'

type Upstream = Schemas['Upstream']

/** A client that was switched off since is not reported for longer. */
const RECENT_MS = 86_400_000

export async function upstreamsOf({ api, now }: Session): Promise<Finding[]> {
  const rows = await tried(() => answered(api.GET('/v1/upstreams')))
  if ('refused' in rows) return [unknown('limits', rows.refused)]
  return [limitFinding(rows), clientFinding(rows, now())]
}

/** Limits that people set which are higher than what the answers say: the lower counts, so somebody errs. */
export function limitFinding(rows: readonly Upstream[]): Finding {
  const check = 'limits'
  const above = rows.flatMap(row => aboveReported(row).map(text => ({ row, text })))
  const [first] = above
  if (first === undefined)
    return ok(check, `${plural(rows.length, 'upstream')}, none set above what it reports`)
  const more = above.length > 1 ? `, and ${count(above.length - 1)} more` : ''
  const { row, text } = first
  const credential = row.label === null ? '' : ` --credential ${row.label}`
  return wrong(
    check,
    `${shownName(row)}: ${text}${more}; the lower counts`,
    `set what it reports, or leave that to its answers: assay limits unset ${row.host}${credential}`,
  )
}

function aboveReported({ declared_limits, reported_limits }: Upstream): string[] {
  return declared_limits.flatMap(limits =>
    RATED.flatMap(of => {
      const text = limits[of]
      if (text === undefined) return []
      const { amount, length_ms } = rateOf(text)
      const lower = reported_limits.find(
        one =>
          one.of === of && one.seconds !== null && one.amount / one.seconds < (1000 * amount) / length_ms,
      )
      const set = { id: limits.id, label: limits.label, set_in: limits.set_in, [of]: text }
      return lower === undefined ? [] : [`${declaredText(set)} set, ${reportedText(lower)} reported`]
    }),
  )
}

/** Clients that try refused calls again by themselves, beside Assay. */
export function clientFinding(rows: readonly Upstream[], now: number): Finding {
  const check = 'clients'
  const retrying = rows.flatMap(row => {
    const at = row.client_retries_at
    return at != null && now - Date.parse(at) < RECENT_MS ? [{ row, at }] : []
  })
  const [first] = retrying.toSorted((a, b) => b.at.localeCompare(a.at))
  if (first === undefined) return ok(check, 'none was seen to try refused calls again by itself')
  const more = retrying.length > 1 ? `, and at ${plural(retrying.length - 1, 'other upstream')}` : ''
  return wrong(
    check,
    `the client of ${shownName(first.row)} tried a refused call again by itself ${ago(first.at, now)}${more}`,
    'switch that off where the agent makes it (maxRetries: 0), so that only one layer tries again',
  )
}

/** For the operator alone: nothing where that credential is not at hand, or the server does not know the operation. */
export async function sharedCredentialsOf({ env, folder }: Session): Promise<Finding[]> {
  const api = operatorApi(env, folder)
  if (api === undefined) return []
  const check = 'credentials'
  const found = await tried(() => answered(api.GET('/v1/admin/shared-credentials')))
  if ('refused' in found) return [unknown(check, found.refused)]
  const [first] = found
  if (first === undefined) return [ok(check, 'no two projects call a provider with the same one')]
  const users = first.used_by
    .slice(0, LIMITS.digest_causes)
    .map(({ project_id, label }) => `${label} of project ${project_id}`)
  const more = found.length > 1 ? `; ${count(found.length - 1)} more` : ''
  return [
    wrong(
      check,
      `${upstreamName({ host: first.host, label: null })} is called with one credential by ${users.join(' and ')}${more}: each paces it without knowing of the other`,
      'give each project a credential of its own, or a part of the limit: assay limits set',
    ),
  ]
}

function operatorApi(env: Session['env'], folder: string): Api | undefined {
  try {
    return connect(findOperatorAccess(env, folder))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}
