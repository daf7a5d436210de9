// The part of the check-up that checks the server itself: whether it and its stores answer, their clocks, versions and
// settings, and the key.

import { LIMITS } from '../kernel/limits.ts'
import { VERSION } from '../kernel/version.ts'
import { judge, VERSION_HEADER } from '../sdk/foreign-answer.ts'
import { type Api, answered, unreachable } from './api.ts'
import { type Finding, LATE_S, ok, tried, unknown, wrong } from './finding.ts'
import { bytes, count, duration, plural } from './format.ts'
import type { Metrics, NoMetrics } from './metrics.ts'

const WAIT_MS = 5000
/** Signatures are accepted within five minutes; clocks further apart than this are drifting towards that limit. */
const SKEW_MS = 5000

/** Checks whether the server answers and is ready, its version, and whether its clock agrees with this machine's. */
export async function serverFindings(base_url: string, now: () => number): Promise<Finding[]> {
  const asked = now()
  const url = `${base_url}/health/ready`
  let response: Response
  try {
    const signal = AbortSignal.timeout(WAIT_MS)
    response = await fetch(url, { redirect: 'manual', signal })
  } catch (error) {
    const { message, hint, next } = unreachable(base_url, error)
    return [wrong('server', message, next === undefined ? hint : `${hint}; or start one here: ${next}`)]
  }
  const answeredAt = now()
  const copy = response.clone()
  const judged = await judge(response, { base: base_url, url })
  if (judged.by === 'other') return [wrong('server', judged.said.message, judged.said.hint)]
  const body = (await copy.json().catch(() => ({}))) as Ready
  if (body.dependencies === undefined)
    return [
      wrong(
        'server',
        `${url} answered ${response.status}: ${judged.error?.message ?? 'it does not say what it depends on.'}`,
        judged.error?.hint ?? 'ASSAY_BASE_URL names the server itself, with its path prefix where it has one',
      ),
    ]
  return [
    ok('server', `${base_url} answers in ${duration(answeredAt - asked)}`),
    versionFinding(response.headers.get(VERSION_HEADER)),
    ...dependencyFindings(body),
    ...heldFinding(body.held_since ?? null),
    clockFinding(
      'clock',
      "the server's",
      Date.parse(response.headers.get('date') ?? ''),
      (asked + answeredAt) / 2,
    ),
  ]
}

interface Ready {
  dependencies?: Record<string, { status: string; latency_ms?: number; reason?: string | null }>
  held_since?: string | null
  error?: { message: string }
}

function versionFinding(version: string | null): Finding {
  const check = 'version'
  if (version === VERSION) return ok(check, `server and command are ${VERSION}`)
  const found = `server ${version}, this command ${VERSION}`
  return wrong(check, found, 'install the same version on both sides')
}

/** What is well with a dependency that is read in PostgreSQL, whose time to answer says nothing about it. */
const WELL: Record<string, string> = {
  schema: 'the tables are those that this version needs',
  role: 'the server has the rights in PostgreSQL that it needs',
  master_key: 'it is the key with which the data was sealed',
}

/** One finding per dependency in the readiness answer, with the server's own reason if it gives one. */
function dependencyFindings({ dependencies = {}, error }: Ready): Finding[] {
  return Object.entries(dependencies).map(([name, { status, latency_ms, reason }]): Finding => {
    const check = name.replaceAll('_', ' ')
    const took = latency_ms === undefined ? '' : duration(latency_ms)
    const well = WELL[name] ?? (took === '' ? 'answers' : `answers in ${took}`)
    if (status === 'ok') return ok(check, well)
    if (status === 'unknown') return unknown(check, 'not looked at: what it takes to look is away')
    const found = `${status}${took && ` after ${took}`}: `
    if (reason) return wrong(check, found + reason)
    const setting = { redis: 'REDIS_URL', postgres: 'DATABASE_URL' }[name]
    return wrong(
      check,
      found + (error?.message ?? 'it gives no reason'),
      setting
        ? `is it running, and does the server's ${setting} name it?`
        : 'its log says more, where the server runs',
    )
  })
}

const heldFinding = (since: string | null): Finding[] =>
  since === null
    ? []
    : [
        wrong(
          'held',
          `restored from a backup; nothing is dispatched, fired or sent since ${since}`,
          'where the server runs: assay admin go-on',
        ),
      ]

/** Compares two clocks. A Date header has whole seconds only, so half a second is added. */
function clockFinding(check: string, whose: string, theirs: number, ours: number): Finding {
  if (Number.isNaN(theirs)) return unknown(check, `the answer does not say ${whose} time`)
  const skew = theirs + 500 - ours
  const apart = `${whose} clock and this one are ${duration(Math.abs(skew))} apart`
  if (Math.abs(skew) <= SKEW_MS) return ok(check, apart)
  return wrong(check, apart, 'set both by NTP; signatures are refused from five minutes on')
}

/** Checks whether the server accepts the key or the signed-in member, and with which role. */
export async function keyFinding(api: Api, api_key: string | undefined): Promise<Finding> {
  const check = 'key'
  const projects = await tried(() => answered(api.GET('/v1/projects')))
  if ('refused' in projects) {
    const fix = 'set ASSAY_API_KEY to a key of this server, or sign in: assay login'
    return wrong(check, projects.refused, projects.elsewhere ?? fix)
  }
  const role = await tried(() => roleOf(api, api_key, projects[0]?.id))
  const as = typeof role === 'string' ? `, as ${role}` : ''
  return ok(check, `reads ${plural(projects.length, 'project')}${as}`)
}

async function roleOf(
  api: Api,
  api_key: string | undefined,
  projectId: string | undefined,
): Promise<string | undefined> {
  if (api_key === undefined) return (await answered(api.GET('/v1/account'))).member.role
  if (projectId === undefined) return undefined
  const params = { path: { projectId } }
  const keys = await answered(api.GET('/v1/projects/{projectId}/api-keys', { params }))
  return keys.find(({ prefix }) => api_key.startsWith(prefix))?.role
}

const WHY_NO_METRICS: Record<NoMetrics['why'], Pick<Finding, 'found' | 'fix'>> = {
  no_token: {
    found: 'leases, the master key and retention need the metrics, whose bearer is not at hand',
    fix: 'set ASSAY_METRICS_TOKEN to the bearer that the server was started with, and ASSAY_BASE_URL where a profile names the server',
  },
  refused: {
    found: 'leases, the master key and retention need the metrics, whose bearer is another',
    fix: 'set ASSAY_METRICS_TOKEN to the bearer that the server was started with',
  },
  elsewhere: {
    found: 'leases, the master key and retention need the metrics, and no router leads there',
    fix: 'on platforms the tick answers GET /metrics, within the cluster alone; infra/README.md says where',
  },
}

/** Findings that only the operator's metrics can give. */
export function installationFindings(metrics: Metrics | NoMetrics, now: number): Finding[] {
  if ('why' in metrics) return [{ check: 'operation', state: 'unknown', ...WHY_NO_METRICS[metrics.why] }]
  const { values, labels } = metrics
  const value = (name: string) => values[`assay_${name}`] ?? 0
  const judged = (check: string, isOk: boolean, found: string, fix: string) =>
    isOk ? ok(check, found) : wrong(check, found, fix)
  const { postgres = '?', redis = '?' } = labels
  return [
    ok('stores', `PostgreSQL ${postgres}, Redis ${redis || '?'}`),
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
      'sealed data',
      value('master_key_opens') === 1,
      value('master_key_opens') === 1
        ? 'the newest opens with the master key'
        : 'the newest does not open with the master key',
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
      'is a consumer running? assay queue shows which runs wait',
    ),
    judged(
      'retention',
      value('purges_waiting') < LIMITS.metrics_counted,
      `${count(value('purges_waiting'))} parts of runs still to be removed`,
      'the tick removes them: is it called often enough?',
    ),
    ok('disk', `the database takes ${bytes(value('database_bytes'))}`),
  ]
}
