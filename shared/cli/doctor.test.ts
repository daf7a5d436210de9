import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { answering } from '../../test/support/cli-session.ts'
import { VERSION } from '../kernel/version.ts'
import { connect } from './api.ts'
import { findingText } from './doctor.ts'
import { installationFindings, keyFinding, serverFindings } from './doctor-installation.ts'
import { bodyLimitOf, pagesOf } from './doctor-way.ts'
import { openRunsOf, schedulesOf } from './doctor-work.ts'
import { metricsOf } from './metrics.ts'

const NOW = Date.parse('2026-03-02T08:00:00Z')
const screen = { columns: 60, paint: (_: unknown, text: string) => text, program: 'npx --no assay' }

const metrics = (change: Record<string, number> = {}) =>
  metricsOf(
    `${Object.entries({
      assay_database_clock_seconds: NOW / 1000,
      assay_database_durable: 1,
      assay_master_key_opens: 1,
      assay_leases_expired: 0,
      ...change,
    })
      .map(([name, value]) => `${name} ${value}\n`)
      .join('')}assay_info{version="${VERSION}",postgres="18.4",redis="8.2"} 1\n`,
  )
const wrongOf = (change: Record<string, number>) =>
  installationFindings(metrics(change), NOW).filter(finding => finding.state === 'wrong')

it('a healthy installation has no wrong finding', () => {
  expect(wrongOf({})).toEqual([])
  expect(installationFindings(metrics(), NOW)[0]!.found).toBe('PostgreSQL 18.4, Redis 8.2')
})

it.each([
  ['durability', { assay_database_durable: 0 }, /turn fsync/],
  ['db clock', { assay_database_clock_seconds: NOW / 1000 - 60 }, /NTP/],
  ['sealed data', { assay_master_key_opens: 0 }, /ASSAY_MASTER_KEY/],
  ['leases', { assay_leases_expired: 2 }, /tick/],
  ['waiting', { assay_oldest_wait_seconds: 900 }, /consumer/],
])('a problem with the %s is reported with its fix', (check, change, fix) => {
  expect(wrongOf(change)).toEqual([
    expect.objectContaining({ check, state: 'wrong', fix: expect.stringMatching(fix) }),
  ])
})

it.each([
  ['no_token', /ASSAY_METRICS_TOKEN/],
  ['refused', /ASSAY_METRICS_TOKEN/],
  ['elsewhere', /the tick answers GET \/metrics/],
] as const)('without metrics (%s) the finding is unknown, and says how to get them', (why, fix) => {
  expect(installationFindings({ why }, NOW)).toMatchObject([
    { check: 'operation', state: 'unknown', fix: expect.stringMatching(fix) },
  ])
})

it('a finding fits the screen, and its fix is a command as the user types it', () => {
  const finding = {
    check: 'open runs',
    state: 'wrong' as const,
    found: 'one run at a standstill, with 12 items that nobody takes',
    fix: 'assay watch 01a1 says what it waits for',
  }
  const lines = findingText(finding, screen).split('\n')
  expect(lines[0]).toMatch(/^WRONG {2}open runs {3}one run/)
  expect(lines.join('\n')).toContain('npx --no assay watch 01a1')
  expect(lines.every(line => line.length <= 60)).toBe(true)
})

const OLD = { running: 0, paused: 0, queued: 12, started_at: null, created_at: '2025-12-31T00:00:00.000Z' }
const openRunsWhere = (run: object, token: string, waiting_runs: object[] = []) =>
  openRunsOf(
    answering({
      'GET /v2/runs': [{ id: 'the-run', project_id: 'p1', ...OLD, ...run }],
      'GET /v1/projects/p1/queue': { waiting_runs },
      'GET /v2/runs/the-run/items': [{ id: 'the-item' }],
      'GET /v1/durable/runs/the-item/why': { token, message: 'as it says' },
    })(80),
  )

it('an old run is stuck if nothing holds its items back and nobody takes them, or if no item is left', async () => {
  expect(await openRunsWhere({}, 'next')).toMatchObject({
    state: 'wrong',
    found: expect.stringMatching(/the-run .*with 12 items that nobody takes/),
    fix: expect.stringContaining('consumer'),
  })
  expect(await openRunsWhere({ queued: 0 }, 'next')).toMatchObject({ state: 'wrong' })
})

it('a run of which no consumer takes anything is named at once', async () => {
  const waiting = [{ id: 'the-run', waited_ms: 45_000, token: 'no_consumer', message: 'as it says' }]
  expect(await openRunsWhere({ created_at: new Date().toISOString() }, 'next', waiting)).toMatchObject({
    state: 'wrong',
    found: 'the-run waits for 45 s and no consumer takes its items',
    fix: expect.stringContaining('start a consumer'),
  })
})

it.each(['retry_backoff', 'project_cap', 'no_deployment'])(
  'a run that waits for %s is not stuck',
  async token => {
    expect(await openRunsWhere({}, token)).toMatchObject({ state: 'ok' })
  },
)

it.each([
  ['at its cron’s next moment', '2026-03-03T02:00:00.000Z', 'ok', '1, none overdue'],
  [
    'two days late, since a clock was ahead',
    '2026-03-05T02:00:00.000Z',
    'wrong',
    '1 whose next moment is later',
  ],
  ['overdue', '2026-03-02T02:00:00.000Z', 'wrong', '1 overdue'],
])('a schedule whose next moment is %s', async (_, next, state, found) => {
  const schedule = {
    id: 's',
    enabled: true,
    cron: '0 2 * * *',
    timezone: 'UTC',
    next_fires: [next],
    disabled_reason: null,
  }
  const session = answering({ 'GET /v1/schedules': [schedule] })(80)
  expect(await schedulesOf({ ...session, now: () => NOW })).toMatchObject({
    state,
    found: expect.stringContaining(found),
  })
})

it('a run that is young or has running items is not stuck', async () => {
  expect(await openRunsWhere({ started_at: '2026-01-01T00:00:00.000Z' }, 'next')).toMatchObject({
    state: 'ok',
  })
  expect(await openRunsWhere({ running: 1 }, 'next')).toMatchObject({ state: 'ok' })
})

type Answer = [status: number, body: unknown, headers: Record<string, string>]

/** The findings about a server that gives one answer. */
const foundOf = <T>(answer: Answer, look: (base_url: string) => Promise<T>): Promise<T> =>
  foundBy(() => answer, look)

async function foundBy<T>(
  answerTo: (request: IncomingMessage) => Answer,
  look: (base_url: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [status, body, headers] = answerTo(request)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await look(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

it('a server that is not ready is reported with each dependency, its version and its clock', async () => {
  const dependencies = {
    postgres: { status: 'unusable', latency_ms: 8, reason: 'refused the password: check DATABASE_URL' },
    redis: { status: 'unreachable', latency_ms: 2000 },
    schema: { status: 'unknown', reason: null },
  }
  const error = { code: 'dependency_unreachable', message: 'redis did not answer within 2 s.' }
  const headers = { 'assay-version': '9.9.9', date: new Date(NOW - 60_000).toUTCString() }
  const answer = [503, { status: 'unavailable', dependencies, error }, headers] as const
  const found = await foundOf([...answer], base_url => serverFindings(base_url, () => NOW))
  expect(found).toMatchObject([
    { check: 'server', state: 'ok' },
    { check: 'version', state: 'wrong', found: `server 9.9.9, this command ${VERSION}` },
    { check: 'postgres', state: 'wrong', found: expect.stringMatching(/refused the password/) },
    { check: 'redis', state: 'wrong', fix: expect.stringContaining('REDIS_URL') },
    { check: 'schema', state: 'unknown' },
    { check: 'clock', state: 'wrong', fix: expect.stringContaining('NTP') },
  ])
})

it('a dependency that is well says what is, and only a store how soon it answered', async () => {
  const ok = { status: 'ok', latency_ms: 8, reason: null }
  const dependencies = { postgres: ok, schema: ok, role: ok, master_key: ok }
  const found = await foundOf(
    [200, { status: 'ready', dependencies }, { 'assay-version': VERSION }],
    base_url => serverFindings(base_url, () => NOW),
  )
  expect(found).toMatchObject([
    { check: 'server' },
    { check: 'version' },
    { check: 'postgres', found: 'answers in 8 ms' },
    { check: 'schema', found: 'the tables are those that this version needs' },
    { check: 'role', found: 'the server has the rights in PostgreSQL that it needs' },
    { check: 'master key', found: 'it is the key with which the data was sealed' },
    { check: 'clock' },
  ])
})

it('a proxy that rejects a body of 2 MiB is named with its setting, and an error of the server itself is fine', async () => {
  const page = '<html><body><center><h1>413</h1></center><hr><center>nginx</center></body></html>'
  expect(await foundOf([413, page, { 'content-type': 'text/html' }], bodyLimitOf)).toMatchObject({
    state: 'wrong',
    fix: expect.stringContaining('client_max_body_size'),
  })
  const refused = { error: { code: 'unauthenticated', message: 'no' } }
  expect(await foundOf([401, refused, { 'assay-version': VERSION }], bodyLimitOf)).toMatchObject({
    state: 'ok',
  })
})

it('an error of the server itself is shown with its message and hint', async () => {
  const hint = 'The proxy passed on /assay, which it must take off.'
  const refused = { error: { code: 'not_found', message: 'There is no such operation.', hint } }
  const answer = [404, refused, { 'assay-version': VERSION }] as const
  expect(await foundOf([...answer], base_url => serverFindings(base_url, () => NOW))).toMatchObject([
    { check: 'server', state: 'wrong', found: expect.stringContaining('no such operation'), fix: hint },
  ])
})

it('a key that a proxy in front of the server rejects is not reported as a wrong key', async () => {
  const page = '<html><body><center><h1>401</h1></center><hr><center>nginx</center></body></html>'
  const answer = [401, page, { 'content-type': 'text/html' }] as const
  const key = (base_url: string) => keyFinding(connect({ base_url, api_key: 'pk_x' }), 'pk_x')
  expect(await foundOf([...answer], key)).toMatchObject({ fix: expect.stringContaining('through nginx') })
  const refused = { error: { code: 'unauthenticated', message: 'no' } }
  expect(await foundOf([401, refused, { 'assay-version': VERSION }], key)).toMatchObject({
    fix: expect.stringContaining('ASSAY_API_KEY'),
  })
})

describe('the check of the dashboard’s address', () => {
  /** The finding about a server at `path` that redirects to `location` and answers the form with `formStatus`. */
  const pagesWhere = (location: string, formStatus: number, path: string) =>
    foundBy(
      ({ method }) => (method === 'GET' ? [302, '', { location }] : [formStatus, '', {}]),
      base_url => pagesOf(`${base_url}${path}`),
    )

  it.each([
    ['', '/dashboard'],
    ['/assay', '/assay/dashboard'],
  ])('passes for a server at %j whose pages redirect to %s', async (path, location) => {
    expect(await pagesWhere(location, 400, path)).toMatchObject({ state: 'ok' })
  })

  it.each([
    ['/dashboard', 400, /leads to \/dashboard/],
    ['/another/dashboard', 400, /leads to \/another/],
    ['/assay/dashboard', 403, /cannot sign in at/],
  ] as const)(
    'asks for BASE_URL when pages below a path redirect to %s and the sign-in form gets %i',
    async (location, form, found) => {
      expect(await pagesWhere(location, form, '/assay')).toMatchObject({
        state: 'unknown',
        found: expect.stringMatching(found),
        fix: expect.stringMatching(/set BASE_URL=http:\/\/127\.0\.0\.1:\d+\/assay /),
      })
    },
  )
})
