// The disk of both stores is full for a while during a run.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type SmallDisk, smallDisk } from '../support/small-disk.ts'
import { ITEM_COST_MICRO, PATIENCE_MS, type Stack, startStack } from './support/stack.ts'

const ITEMS = 200
/** More than fits into the free space of the existing pages. */
const LARGE = Array.from({ length: 2000 }, () => ({ text: 'x'.repeat(2000) }))

let disk: SmallDisk | undefined
let stack: Stack | undefined
let isOver = false
beforeEach(async () => {
  disk = await smallDisk(500)
  if (disk !== undefined) stack = await startStack({ place: disk })
}, PATIENCE_MS)
afterEach(async () => {
  isOver = true
  await stack?.close()
  await disk?.remove()
})

/** The errors of a PostgreSQL that has ended or is starting again, or lets nobody in: a new session writes a file of its own. */
const HAS_ENDED =
  /ECONNREFUSED|ECONNRESET|CONNECTION_CLOSED|terminating connection|not yet accepting|in recovery mode|is starting up|could not write init file/

const WELL = { status: 'ok', reason: null }

/** Posts many items, and returns the answer. */
async function posted({ base_url, api_key }: Stack, agentId: string) {
  const response = await fetch(`${base_url}/v1/batches?agent_id=${agentId}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/x-ndjson' },
    body: LARGE.map(input => `${JSON.stringify({ input })}\n`).join(''),
  })
  return { status: response.status, retry: response.headers.get('retry-after'), body: await response.json() }
}

const readiness = async ({ base_url }: Stack) => {
  const response = await fetch(`${base_url}/health/ready`)
  return { http: response.status, ...(await response.json()) }
}

it('a full disk is reported to callers and in readiness, costs no item, and all continues by itself when there is room [health.degraded]', {
  timeout: 2 * PATIENCE_MS,
}, async context => {
  if (disk === undefined || stack === undefined)
    return context.skip('mounting a small disk takes rights that this user lacks')
  const whole = stack
  const agentId = await whole.deploy()
  const consumer = await whole.startConsumer()
  const release = whole.probe.hold(call => call.step === 's2')
  const runId = await whole.submit(agentId, Array<object>(ITEMS).fill({}))
  await whole.probe.until(calls => calls.filter(call => call.step === 's2').length === ITEMS)

  await disk.fill()
  release() // results arrive that cannot be written
  const refused = await vi.waitFor(
    async () => {
      const answer = await posted(whole, agentId)
      expect(answer.status).toBe(500)
      return answer
    },
    { timeout: PATIENCE_MS / 2, interval: 500 },
  )
  expect([refused.retry, refused.body.error.code]).toEqual(['30', 'store_full'])
  const ready = await vi.waitFor(
    async () => {
      await posted(whole, agentId) // the fault shows only while something is written
      const ready = await readiness(whole)
      expect(ready.dependencies.postgres.status).not.toBe('ok')
      return ready
    },
    { timeout: PATIENCE_MS / 2, interval: 500 },
  )
  console.info(`while the disk is full: ${ready.http} ${JSON.stringify(ready.dependencies)}`)
  const { postgres } = ready.dependencies
  // It still reads, until it ends because its log cannot be written either: before readiness was queried, or after.
  if (postgres.status === 'degraded') {
    expect([ready.http, postgres.reason]).toEqual([200, expect.stringContaining('its disk is full')])
    const headers = { authorization: `Bearer ${whole.api_key}` }
    const { status } = await fetch(`${whole.base_url}/v2/runs/${runId}`, { headers })
    const refusedReads = () => whole.control.log.filter(line => /"event":"request_failed".*"GET"/.test(line))
    if (status !== 200) await vi.waitFor(() => expect(refusedReads()).not.toEqual([])) // the log comes through a pipe
    expect(refusedReads().filter(line => !HAS_ENDED.test(line))).toEqual([])
  } else expect([ready.http, postgres.status]).toEqual([503, 'unreachable'])

  await disk.empty()
  // If it could not even recover, its supervisor starts it again, as `npm start` does.
  const { postgres: database, redis, restartPostgres, restartRedis } = whole.stores
  void database.exited.then(() => (isOver ? undefined : restartPostgres()))
  void redis.exited.then(() => (isOver ? undefined : restartRedis()))
  expect(await whole.finished(runId)).toMatchObject({ ok: ITEMS, status: 'completed' })
  expect((await whole.run(runId)).cost_micro).toBeGreaterThanOrEqual(ITEMS * ITEM_COST_MICRO)
  expect(await whole.breaches(runId)).toEqual([])
  const after = await whole.submit(agentId, [{}])
  expect(await whole.finished(after)).toMatchObject({ ok: 1 })
  await vi.waitFor(
    async () => expect((await readiness(whole)).dependencies).toMatchObject({ postgres: WELL, redis: WELL }),
    {
      timeout: PATIENCE_MS / 2,
    },
  )
  const ended = [consumer, whole.control].map(one => Promise.race([one.exited, 'alive']))
  expect(await Promise.all(ended)).toEqual(['alive', 'alive'])
})
