// Ending, pausing and resuming undispatched items. Guarantee: the run's row is not held while the process that does so
// does something else, or nothing more.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pauseForMoney, resumeFunded, sweepStopped } from '../../../shared/items/queries/stop.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'

let engine: TestEngine
let standing: { sql: TestEngine['sql']; socket: () => Socket }
beforeEach(async () => {
  engine = await testEngine()
  const { hostname, port } = new URL(engine.urls.databaseUrl)
  let socket: Socket
  const open = async () => {
    socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return socket
  }
  const sql = postgres(engine.urls.databaseUrl, { max: 1, socket: open } as never)
  standing = { sql: sql as unknown as TestEngine['sql'], socket: () => socket }
})
afterEach(async () => {
  standing.socket().destroy()
  await standing.sql.end({ timeout: 0 })
  await engine.close()
})

const noCredit = (sql: TestEngine['sql']) => sql`update projects set credit_micro = 0`

it.for([
  {
    what: 'sweeping a cancelled run',
    act: sweepStopped,
    before: ({ sql }: TestEngine) => sql`update runs set stop_reason = 'cancelled'`,
    after: { status: 'cancelled', cancelled: 3 },
  },
  {
    what: 'pausing items that wait for money',
    act: pauseForMoney,
    before: ({ sql }: TestEngine) => noCredit(sql),
    after: { paused: 3 },
  },
  {
    what: 'resuming such items',
    act: resumeFunded,
    before: async ({ sql, key }: TestEngine, runId: string) => {
      await noCredit(sql)
      await pauseForMoney(sql, key(runId), 100)
      await sql`update projects set credit_micro = null`
    },
    after: { paused: 0, waits_for_credit: false },
  },
])(
  '$what is committed even if the process reads one answer and then nothing more',
  async ({ act, before, after }) => {
    const { sql, socket } = standing
    await act(sql, engine.key(crypto.randomUUID()), 100) // for no run, so that all its statements are prepared
    const runId = await engine.submit(3)
    await before(engine, runId)
    socket().once('data', () => socket().pause())
    act(sql, engine.key(runId), 100).catch(() => {}) // its connection is cut at the end
    await eventually(async () => expect(await engine.run(runId)).toMatchObject(after))
  },
)
