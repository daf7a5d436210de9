// A credential is revoked while its request is at work, after the caller was looked up and before anything is stored.
// Guarantee: what has not started to commit is not made, by no operation: those that are `atomic` keep their caller until
// they commit, all others are here.

import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { signAccessToken } from '../../shared/http/session-tokens.ts'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import { hashPassword } from '../../shared/sessions/verbs/passwords.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { type Answer, openWorld, type World } from '../conformance/world.ts'
import { startSource, type TestSource, ticketLines, body as whole } from '../support/source.ts'
import { shut } from '../support/upstreams.ts'

let world: World
let owner: string
let agent_id: string
let schedule_id: string
let failed: { run_id: string; first_id: string }
let source: TestSource
const open = { run_id: '', recovery_id: '', upstream_id: '', delivery_id: '' }

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
  await done('POST', `/v1/durable/runs/${item(15)}/acknowledge`, undefined, owner)
  source = await startSource(whole(ticketLines(2).join('')))
  open.run_id = (await done('POST', '/v1/batches', { agent_id, items }, owner)).group_id
  open.upstream_id = world.ctx.newId()
  await shut(sql, { project_id, id: open.upstream_id })
  open.recovery_id = world.ctx.newId()
  const recovery = { id: open.recovery_id, project_id, eligible: 1, filter: '{}', status: 'pilot' }
  await sql`insert into recoveries ${sql({ ...recovery, pilot_run_ids: [open.run_id] } as never)}`
  open.delivery_id = world.ctx.newId()
  const delivery = {
    id: open.delivery_id,
    project_id,
    run_id: open.run_id,
    kind: 'run.finished',
    due_at: null,
  }
  await sql`insert into deliveries ${sql({ ...delivery, url: `${source.url}/taken`, body: '{}' } as never)}`
})
afterAll(async () => {
  await world.end()
  await source.close()
})

const item = (seq: number) => itemRecordId(failed.run_id, seq)

const PASSWORD = 'a long enough password'

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
  return { id, email, token: (await signAccessToken(ctx, session_id)).access_token }
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
  { send, table = 'runs' }: Way,
): Promise<Answer> {
  let answer: Promise<Answer> | undefined
  await world.ctx.sql.begin(async tx => {
    await tx.unsafe(`lock table ${table} in access exclusive mode`)
    answer = send(token)
    await isBlocked()
    await world.ctx.sql.unsafe(revoke)
  })
  return answer!
}

/** All that the requests below would make or end. */
async function made() {
  const [row] = await world.ctx.sql`
    select (select count(*) from runs where not materializing) as runs, (select count(*) from recoveries) as recoveries,
      (select count(*) from triage where disposition is not null) as decisions,
      (select stop_reason from runs where id = ${open.run_id}) as stopped,
      (select status from recoveries where id = ${open.recovery_id}) as recovery,
      (select due_at from deliveries where id = ${open.delivery_id}) as sent,
      (select next_at from upstreams where id = ${open.upstream_id}) as retried`
  return row
}

interface Way {
  send(token: string): Promise<Answer>
  /** What it reads once it was let in. */
  table?: string
}

const post =
  (path: () => string, body?: () => unknown) =>
  (token: string): Promise<Answer> =>
    world.call('POST', path(), { body: body?.(), token })
const ofItem = (seq: number, action: string): Way => ({
  send: post(() => `/v1/durable/runs/${item(seq)}/${action}`),
})

const lines = '{"input":1}\n'
/** By the operation, and what is special about it. */
const WAYS: Record<string, Way> = {
  startRun: {
    send: post(
      () => `/v1/agents/${agent_id}/runs`,
      () => ({ input: 1 }),
    ),
    table: 'agents',
  },
  'startOneOffRun under an idempotency key': {
    send: post(
      () => '/v1/runs',
      () => ({ agent_id, input: 1, idempotency_key: `k${++names}` }),
    ),
    table: 'agents',
  },
  submitBatch: {
    send: post(
      () => '/v1/batches',
      () => ({ agent_id, items: [{ input: 1 }] }),
    ),
    table: 'agents',
  },
  'submitBatch of several chunks': {
    send: post(
      () => '/v1/batches',
      () => ({ agent_id, items: Array.from({ length: 12_000 }, (_, n) => ({ input: n })) }),
    ),
    table: 'agents',
  },
  'submitBatch of lines': {
    send: token =>
      world.call('POST', `/v1/batches?agent_id=${agent_id}`, {
        raw: lines,
        headers: { 'content-type': 'application/x-ndjson' },
        token,
      }),
    table: 'agents',
  },
  triggerSchedule: { send: post(() => `/v1/schedules/${schedule_id}/trigger`), table: 'agents' },
  replayItem: { ...ofItem(1, 'replay'), table: 'agents' },
  acknowledgeItem: ofItem(12, 'acknowledge'),
  dismissItem: ofItem(13, 'dismiss'),
  callItemWrong: ofItem(14, 'wrong'),
  reopenItem: ofItem(15, 'reopen'),
  confirmItem: ofItem(16, 'confirm'),
  resumeItem: ofItem(17, 'resume'),
  createRecovery: {
    send: post(
      () => '/v1/recoveries',
      () => ({
        project_id: world.first.project_id,
        action: 'replay',
        filter: { run_id: failed.run_id, status: 'cancelled' },
      }),
    ),
    table: 'agents',
  },
  'createRecovery that only decides': {
    send: post(
      () => '/v1/recoveries',
      () => ({
        project_id: world.first.project_id,
        action: 'acknowledge',
        filter: { run_id: failed.run_id },
      }),
    ),
    table: 'agents',
  },
  abortRecovery: { send: post(() => `/v1/recoveries/${open.recovery_id}/abort`), table: 'recoveries' },
  cancelRun: { send: post(() => `/v2/runs/${open.run_id}/cancel`) },
  resendDelivery: { send: post(() => `/v1/deliveries/${open.delivery_id}/resend`), table: 'deliveries' },
  retryUpstream: { send: post(() => `/v1/upstreams/${open.upstream_id}/retry`), table: 'upstreams' },
  previewSource: {
    send: post(
      () => '/v1/sources/preview',
      () => ({ agent_id, source: { url: source.url, format: 'ndjson', item_id: 'id' } }),
    ),
    table: 'agents',
  },
}

/** There is nothing of them here to do: they are refused because of their item. */
const IDLE = ['confirmItem', 'resumeItem']

it('is every operation that writes for a key or a member, and is not atomic', () => {
  const ofCallers = endpoints.filter(
    ({ method, auth }) => method !== 'get' && ['any', 'session'].includes(auth),
  )
  const others = ofCallers.filter(({ atomic }) => !atomic).map(({ operation_id }) => operation_id)
  const tried = new Set(Object.keys(WAYS).map(name => name.split(' ')[0]!))
  expect([...tried].sort()).toEqual(others.sort())
})

describe.each(Object.entries(CALLERS))('%s while its request is at work makes nothing:', (name, caller) => {
  it.each(Object.entries(WAYS))('%s', async (_, way) => {
    const before = await made()
    const { status, text } = await midway(await caller(), way)
    expect(status, text).toBe(name === 'an owner who is made a viewer' ? 403 : 401)
    expect(await made()).toEqual(before)
  })
})

/** As each revocation does: what an operation keeps of its caller waits for it. */
async function whileChanged(id: string, change: string, send: () => Promise<Answer>): Promise<Answer> {
  let answer: Promise<Answer> | undefined
  await world.ctx.sql.begin(async tx => {
    await tx`select pg_advisory_xact_lock(hashtextextended('assay caller ' || ${id}::text, 0))`
    await tx.unsafe(change)
    answer = send()
    await isBlocked()
  })
  return answer!
}

it('an owner who is made a viewer while they delete the account deletes nothing', async () => {
  const { id, email, token } = await member()
  await world.ctx
    .sql`update members set password_hash = ${await hashPassword(world.ctx, PASSWORD)} where id = ${id}`
  const { status, text } = await whileChanged(
    id,
    `update members set role = 'viewer' where email = '${email}'`,
    async () => {
      const { json } = await world.call('GET', '/v1/account', { token: owner })
      const body = { account_name: json.name, password: PASSWORD }
      return world.call('POST', '/v1/account/deletion', { body, token })
    },
  )
  expect(status, text).toBe(403)
  expect((await world.call('GET', '/v1/account', { token: owner })).status).toBe(200)
})

it('an owner whose session ends while they read the signing secret learns nothing', async () => {
  const { token, id } = await member()
  const { status, text } = await midway(
    { token, revoke: `update sessions set revoked_at = now() where member_id = '${id}'` },
    {
      send: token => world.call('GET', `/v1/projects/${world.first.project_id}/signing-secret`, { token }),
      table: 'projects',
    },
  )
  expect(status, text).toBe(401)
})

it('nobody who was not revoked is kept from any of that', async () => {
  const { token } = await key()
  for (const [name, { send }] of Object.entries(WAYS)) {
    const { status, text } = await send(token)
    if (IDLE.includes(name)) expect(status, text).toBe(409)
    else expect(status, `${name}: ${text}`).toBeLessThan(300)
  }
})
