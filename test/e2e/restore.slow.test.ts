// A backup, restored with an empty Redis and an empty data folder, is all of Assay except the master key. The file and
// its checks are tested in test/integration/hosts/backup.test.ts.

import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, expect, it, vi } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { assay, type Stack, type StackOptions, startStack } from '../support/stack.ts'
import { durableDatabase } from '../support/stores.ts'
import { tempFolder } from '../support/temp-folder.ts'

const AGENT = `
import { agent, type Context } from 'assay'
@agent({ name: 'Halfway', network: ['$GATE'] })
export default class Halfway {
  async run(ctx: Context, input: { wait: boolean }) {
    await ctx.step('before', () => input.wait)
    if (input.wait) await fetch(process.env.GATE!)
    return process.env.SECRET
  }
}
`
const WHOLE_MS = 180_000
const WAIT_MS = 60_000
const ITEMS = 40
const WAITING = 15

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

const started = async (options?: StackOptions) =>
  parts.adopt(await startStack(options), stack => stack.close())

async function deployed(stack: Stack, gate: string): Promise<string> {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const file = join(folder.path, 'agent.ts')
  await writeFile(file, AGENT)
  const ran = await assay(stack, ['deploy', file, '--env', `GATE=${gate}`, '--env', 'SECRET=kept']).done
  expect(ran).toMatchObject({ code: 0 })
  return ran.events[0].agent_id
}

async function call(stack: Stack, path: string, body?: object) {
  const response = await fetch(`${stack.base_url}${path}`, {
    headers: { authorization: `Bearer ${stack.api_key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, json: await response.json() }
}

it('a half-done run continues from a backup once it may, and a start with another master key is refused', {
  timeout: WHOLE_MS,
}, async () => {
  const gate = parts.adopt(await startReceiver(), gate => gate.close())
  const waiting: ServerResponse[] = []
  gate.answer = response => void waiting.push(response)

  const before = await started()
  const agent_id = await deployed(before, gate.url)
  const items = Array.from({ length: ITEMS }, (_, n) => ({ input: { wait: n >= ITEMS - WAITING } }))
  const { json: batch } = await call(before, '/v1/batches', { agent_id, items })
  const run = `/v2/runs/${batch.group_id}`
  await gate.got(WAITING)
  await vi.waitFor(
    async () => expect((await call(before, run)).json).toMatchObject({ completed: ITEMS - WAITING }),
    WAIT_MS,
  )
  const page = await call(before, `${run}/items?limit=10`)
  const next = `${run}/items?limit=10&cursor=${page.json.next_cursor ?? page.headers.get('x-next-cursor')}`
  const second = await call(before, next)
  expect(second.status).toBe(200)
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const file = join(folder.path, 'assay.backup')
  const at = (databaseUrl: string) => ({ env: { DATABASE_URL: databaseUrl, ASSAY_DATA_DIR: folder.path } })
  const taken = await assay(at(before.databaseUrl), ['backup', file]).done // while its items are in flight
  expect(taken.events[0]).toMatchObject({ event: 'backed_up', rows: { items: ITEMS, runs: 1 } })
  await before.kill()
  gate.answer = response => response.end()

  const databaseUrl = parts.adopt(await durableDatabase(), one => one.drop()).url
  const restored = await assay(at(databaseUrl), ['restore', file, '--unsigned']).done
  expect(restored.events[0]).toMatchObject({ event: 'restored', rows: taken.events[0].rows, key: 'wanted' })
  const sql = parts.adopt(postgres(databaseUrl, { max: 1 }), sql => sql.end())
  await sql`update claims set lease_until = now() - interval '1 second'` // a backup is older than a lease
  const on = { databaseUrl, api_key: before.api_key }

  await expect(started({ on, masterKey: 'a5'.repeat(32) })).rejects.toThrow(
    /master_key_differs: the master key is another .* than the one this installation was sealed under/,
  )

  const after = await started({ on })
  expect((await call(after, next)).json).toEqual(second.json)
  expect((await call(after, '/health/ready')).json).toMatchObject({
    held_since: restored.events[0].held_since,
  })
  expect((await call(after, run)).json).toMatchObject({ completed: ITEMS - WAITING })
  expect((await assay(at(databaseUrl), ['admin', 'go-on']).done).events[0]).toMatchObject({
    event: 'went_on',
  })
  await vi.waitFor(
    async () => expect((await call(after, run)).json).toMatchObject({ status: 'completed' }),
    WAIT_MS,
  )
  expect((await call(after, `${run}/verify`)).json).toMatchObject({
    balanced: true,
    differences: [],
    counted: { ok: ITEMS },
    double_verdicts: 0,
  })
  const more = await call(after, '/v1/batches', { agent_id, items: [{ input: { wait: false } }] })
  expect(more.status).toBe(202)
})
