// The part of the check-up that looks at the server itself: whether it and its stores answer, their clocks, versions
// and settings, and the key.

import { LIMITS } from '../domain/limits.ts'
import { VERSION } from '../domain/version.ts'
import { type Finding, LATE_S } from './finding.ts'
import { bytes, count, duration, plural } from './format.ts'
import type { Metrics } from './metrics.ts'

const WAIT_MS = 5000
/** Signed messages are taken within five minutes; clocks further apart than this are on their way there. */
const SKEW_MS = 5000
const NO_METRICS =
  'set ASSAY_METRICS_TOKEN to the bearer that the server was started with, and ASSAY_BASE_URL where a profile names the server'

/** Whether the server answers, its stores do, and its clock is this one's. */
export async function storesOf(base_url: string, now: () => number): Promise<Finding[]> {
  const asked = now()
  let response: Response
  try {
    response = await fetch(`${base_url}/health/ready`, { signal: AbortSignal.timeout(WAIT_MS) })
  } catch (error) {
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined
    const why = cause?.code ?? (error as Error).message
    return [
      {
        check: 'server',
        state: 'wrong',
        found: `${base_url} does not answer: ${why}`,
        mend: 'start it (here: npm start), or set ASSAY_BASE_URL to where it is',
      },
    ]
  }
  const answeredAt = now()
  const body = (await response.json().catch(() => ({}))) as {
    dependencies?: Record<string, { status: string; latency_ms: number }>
    held_since?: string | null
  }
  const stores = Object.entries(body.dependencies ?? {}).map(([name, { status, latency_ms }]): Finding => {
    const isThere = status === 'ok'
    return {
      check: name,
      state: isThere ? 'ok' : 'wrong',
      found: isThere ? `answers in ${duration(latency_ms)}` : `no answer within ${duration(latency_ms)}`,
      ...(!isThere && {
        mend: `is it running, and does the server's ${name === 'redis' ? 'REDIS_URL' : 'DATABASE_URL'} name it?`,
      }),
    }
  })
  if (stores.length === 0)
    return [
      {
        check: 'server',
        state: 'wrong',
        found: `${base_url} is no Assay server: /health/ready answered ${response.status}`,
        mend: 'set ASSAY_BASE_URL to the server itself',
      },
    ]
  const server: Finding = {
    check: 'server',
    state: 'ok',
    found: `${base_url} answers in ${duration(answeredAt - asked)}`,
  }
  return [
    server,
    ...stores,
    ...heldFinding(body.held_since ?? null),
    clockFinding(
      'clock',
      "the server's",
      Date.parse(response.headers.get('date') ?? ''),
      (asked + answeredAt) / 2,
    ),
  ]
}

const heldFinding = (since: string | null): Finding[] =>
  since === null
    ? []
    : [
        {
          check: 'held',
          state: 'wrong',
          found: `restored from a backup; nothing is dispatched, fired or sent since ${since}`,
          mend: 'where the server runs: assay admin go-on',
        },
      ]

/** A header says the second alone, so half of one is added. */
function clockFinding(check: string, whose: string, theirs: number, ours: number): Finding {
  if (Number.isNaN(theirs)) return { check, state: 'unknown', found: `the answer does not say ${whose} time` }
  const skew = theirs + 500 - ours
  const apart = `${whose} clock and this one are ${duration(Math.abs(skew))} apart`
  if (Math.abs(skew) <= SKEW_MS) return { check, state: 'ok', found: apart }
  return {
    check,
    state: 'wrong',
    found: apart,
    mend: 'set both by NTP; signatures are refused from five minutes on',
  }
}

export const keyOf = (answer: unknown[] | { refused: string }): Finding =>
  'refused' in answer
    ? {
        check: 'key',
        state: 'wrong',
        found: answer.refused,
        mend: 'set ASSAY_API_KEY to a key of this server',
      }
    : { check: 'key', state: 'ok', found: `reads ${plural(answer.length, 'project')}` }

/** What only the operator's figures tell. */
export function installationFindings(metrics: Metrics | undefined, now: number): Finding[] {
  if (metrics === undefined)
    return [
      {
        check: 'operation',
        state: 'unknown',
        found: 'versions, leases, the master key and retention need the metrics',
        mend: NO_METRICS,
      },
    ]
  const { values, labels } = metrics
  const value = (name: string) => values[`assay_${name}`] ?? 0
  const judged = (check: string, isOk: boolean, found: string, mend: string): Finding =>
    isOk ? { check, state: 'ok', found } : { check, state: 'wrong', found, mend }
  const { version = '?', postgres = '?', redis = '?' } = labels
  return [
    judged(
      'version',
      version === VERSION,
      `server ${version}, this command ${VERSION}, PostgreSQL ${postgres}, Redis ${redis || '?'}`,
      'install the same version on both sides',
    ),
    judged(
      'durability',
      value('database_durable') === 1,
      value('database_durable') === 1
        ? 'what PostgreSQL acknowledges outlives a crash'
        : 'PostgreSQL may lose what it acknowledged',
      'turn fsync, full_page_writes and synchronous_commit on',
    ),
    clockFinding('db clock', "the database's", value('database_clock_seconds') * 1000 - 500, now),
    judged(
      'master key',
      value('master_key_opens') === 1,
      value('master_key_opens') === 1 ? 'opens what was sealed' : 'does not open what was sealed last',
      'start the server with the ASSAY_MASTER_KEY it had before; without it, deploy again with --env',
    ),
    judged(
      'leases',
      value('leases_expired') === 0,
      `${plural(value('leases_expired'), 'lease')} of dead consumers not taken back`,
      'the tick does it: is it called? infra/README.md says how',
    ),
    judged(
      'waiting',
      value('oldest_wait_seconds') < LATE_S,
      `the longest wait for a consumer is ${duration(value('oldest_wait_seconds') * 1000)}`,
      'is a consumer running? assay top shows which runs wait',
    ),
    judged(
      'retention',
      value('purges_waiting') < LIMITS.metrics_counted,
      `${count(value('purges_waiting'))} parts of runs still to be removed`,
      'the tick removes them: is it called often enough?',
    ),
    { check: 'disk', state: 'ok', found: `the database takes ${bytes(value('database_bytes'))}` },
  ]
}
