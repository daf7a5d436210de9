// A credential is revoked while its request is at work, after the caller was looked up and before anything is stored.
// Guarantee: what has not begun to commit is not made, however it is made: starts, batches, fires by hand, replays,
// recoveries and decisions.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signAccessToken } from '../../shared/http/auth.ts'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { type Answer, openWorld, type World } from '../conformance/world.ts'

let world: World
let owner: string
let agent_id: string
let schedule_id: string
let failed: { run_id: string; first_id: string }

async function signedIn({ email, password }: { email: string; password: string }): Promise<string> {
  const { json } = await world.call('POST', '/v1/sessions', { body: { email, password }, token: null })
  return json.access_token
}

async function done(method: string, path: string, body: unknown, token: string) {
  const answer = await world.call(method, path, { body, token })
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  return answer.json
}

beforeAll(async () => {
  world = await openWorld(startNodeHost)
  owner = await signedIn(world.first.account)
  const { project_id } = world.first
  agent_id = (await done('POST', '/v1/agents', { project_id, name: 'Midway', slug: 'midway' }, owner)).id
  schedule_id = (await done('POST', '/v1/schedules', { agent_id, cron: '1 2 3 4 *' }, owner)).id
  const items = Array.from({ length: 20 }, (_, n) => ({ input: n }))
  const { group_id } = await done('POST', '/v1/batches', { agent_id, items }, owner)
  await done('POST', `/v2/runs/${group_id}/cancel`, undefined, owner)
  // Half of them did not work, and wait for a decision.
  const { sql } = world.ctx
  await sql`update items set status = 'failed', outcome = 'failed' where run_id = ${group_id} and seq > 10`
  await sql`
    insert into triage (project_id, run_id, seq, agent_id, lane, reason)
    select project_id, run_id, seq, ${agent_id}, 'dlq', 'error' from items where run_id = ${group_id} and seq > 10`
  failed = { run_id: group_id, first_id: itemRecordId(group_id, 1) }
})
afterAll(() => world.end())

let names = 0
async function key() {
  const path = `/v1/projects/${world.first.project_id}/api-keys`
  const { id, key: token } = await done('POST', path, { name: `midway ${++names}` }, owner)
  return { token, revoke: `update api_keys set revoked_at = now() where id = '${id}'` }
}
/** An owner who is signed in, without a password, which takes long to hash. */
async function member() {
  const { ctx } = world
  const [id, session_id, email] = [ctx.newId(), ctx.newId(), `midway-${++names}@example.com`]
  await ctx.sql`
    insert into members (id, account_id, email, role, password_hash)
    select ${id}, account_id, ${email}, 'owner', '' from projects where id = ${world.first.project_id}`
  await ctx.sql`
    insert into sessions (id, member_id, refresh_hash, expires_at)
    values (${session_id}, ${id}, sha256(${email}::text::bytea), now() + interval '1 day')`
  return { id, token: (await signAccessToken(ctx, session_id)).access_token }
}
const CALLERS = {
  'a key that is revoked': key,
  'a session that is ended': async () => {
    const { id, token } = await member()
    return { token, revoke: `update sessions set revoked_at = now() where member_id = '${id}'` }
  },
  'an owner who is made a viewer': async () => {
    const { id, token } = await member()
    return { token, revoke: `update members set role = 'viewer' where id = '${id}'` }
  },
}

/** Waits until a statement waits for a lock of another transaction. */
async function isBlocked(): Promise<void> {
  for (let looks = 0; looks < 500; looks++) {
    const [row] = await world.ctx.sql`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    if (row!.count > 0) return
    await pause(10)
  }
  throw new Error('nothing waits for a lock')
}

/** Sends a request, and revokes its caller while it waits for a table that it reads after it was let in. */
async function midway(
  { token, revoke }: { token: string; revoke: string },
  send: (token: string) => Promise<Answer>,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined
  await world.ctx.sql.begin(async tx => {
    await tx.unsafe('lock table agents in access exclusive mode')
    answer = send(token)
    await isBlocked()
    await world.ctx.sql.unsafe(revoke)
  })
  return answer!
}

/** All that the requests below would make. */
async function made() {
  const [row] = await world.ctx.sql`
    select (select count(*) from runs where not materializing) as runs, (select count(*) from recoveries) as recoveries,
      (select count(*) from triage where disposition is not null) as decisions`
  return row
}

const lines = '{"input":1}\n'
const WAYS: Record<string, (token: string) => Promise<Answer>> = {
  'a run': token => world.call('POST', `/v1/agents/${agent_id}/runs`, { body: { input: 1 }, token }),
  'a one-off run, under an idempotency key': token =>
    world.call('POST', '/v1/runs', { body: { agent_id, input: 1, idempotency_key: `k${++names}` }, token }),
  'a batch': token => world.call('POST', '/v1/batches', { body: { agent_id, items: [{ input: 1 }] }, token }),
  'a batch of several chunks': token =>
    world.call('POST', '/v1/batches', {
      body: { agent_id, items: Array.from({ length: 12_000 }, (_, n) => ({ input: n })) },
      token,
    }),
  'a batch of lines': token =>
    world.call('POST', `/v1/batches?agent_id=${agent_id}`, {
      raw: lines,
      headers: { 'content-type': 'application/x-ndjson' },
      token,
    }),
  'a fire by hand': token => world.call('POST', `/v1/schedules/${schedule_id}/trigger`, { token }),
  'a replay': token => world.call('POST', `/v1/durable/runs/${failed.first_id}/replay`, { token }),
  'a recovery': token =>
    world.call('POST', '/v1/recoveries', {
      body: { project_id: world.first.project_id, action: 'replay', filter: { run_id: failed.run_id } },
      token,
    }),
}

describe.each(Object.entries(CALLERS))('%s while its request is at work makes nothing:', (name, caller) => {
  it.each(Object.entries(WAYS))('%s', async (_, send) => {
    const before = await made()
    const { status, text } = await midway(await caller(), send)
    expect(status, text).toBe(name === 'an owner who is made a viewer' ? 403 : 401)
    expect(await made()).toEqual(before)
  })
})

it('nobody who was not revoked is kept from any of that', async () => {
  const { token } = await key()
  for (const send of Object.values(WAYS)) {
    const { status, text } = await send(token)
    expect(status, text).toBe(202)
  }
})
