// Somebody holds a stolen credential when it is revoked. Guarantee: from the commit of the revocation on, by whatever
// process, it makes nothing and reads no secret, so nothing of it outlasts it; and the process that revoked it forgets
// it at once.

import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { hashPassword } from '../../shared/sessions/verbs/passwords.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { ROWS } from '../conformance/sweep-rows.ts'
import { type Answer, openWorld, type World } from '../conformance/world.ts'

const PASSWORD = 'a long enough password'

let world: World
let owner: string
let agent_id: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  owner = await signedIn(world.first.account)
  const agent = await world.call('POST', '/v1/agents', { body: { name: 'Made', slug: 'made' } })
  agent_id = agent.json.id
})
afterAll(() => world.end())

async function signedIn({ email, password }: { email: string; password: string }): Promise<string> {
  const body = { email, password }
  const answer = await world.call('POST', '/v1/sessions', { body, token: null })
  expect(answer.status).toBe(201)
  return answer.json.access_token
}

let made = 0
async function member(role = 'owner') {
  const body = { email: `member-${++made}@example.com`, password: PASSWORD, role }
  const { json } = await world.call('POST', '/v1/members', { body, token: owner })
  const token = await signedIn(body)
  return { id: json.id as string, token, ...body }
}

async function key() {
  const path = `/v1/projects/${world.first.project_id}/api-keys`
  const { json } = await world.call('POST', path, { body: { name: 'stolen' }, token: owner })
  return { id: json.id as string, token: json.key as string }
}

/** What has to be remembered of a caller is remembered after a read. */
async function remembered(token: string): Promise<void> {
  expect((await world.call('GET', '/v1/projects', { token })).status).toBe(200)
}

const codeOf = ({ status, json }: Answer) => [status, json?.error?.code]

/** What a viewer may do: it is of its own account alone. */
const OF_VIEWERS = ['saveView', 'deleteSavedView', 'changePassword', 'revokeSession', 'deleteCurrentSession']

/** They take another credential. */
const OTHERS = ['fireTrigger', 'answerItems']

interface Operation {
  id: string
  method: string
  path: string
  takesSession: boolean
}

/** Every operation that writes, or reads a secret, as a member or a key. */
function operations(): Operation[] {
  const document = world.contract.document
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { operationId: string; security?: unknown[] }>).flatMap(
      ([method, { operationId: id, security }]) => {
        const isOpen = security?.length === 0 || ROWS[id]?.operator || OTHERS.includes(id)
        const counts = method !== 'get' || id === 'getSigningSecret'
        return isOpen || !counts
          ? []
          : [{ id, method: method.toUpperCase(), path, takesSession: ROWS[id]?.session === true }]
      },
    ),
  )
}

/** The path with ids that nobody has, but for the caller's own project and agent. */
const filled = (path: string) =>
  path
    .replace('{projectId}', world.first.project_id)
    .replace('{agentId}', agent_id)
    .replaceAll(/\{\w+\}/g, '01920000-0000-7000-8000-000000000000')

/** As another process revokes: nothing notifies this one. */
const elsewhere = {
  'a revoked key': async () => {
    const { id, token } = await key()
    await remembered(token)
    await world.ctx.sql`update api_keys set revoked_at = now() where id = ${id}`
    return token
  },
  'a session that was ended': async () => {
    const { id, token } = await member()
    await remembered(token)
    await world.ctx.sql`update sessions set revoked_at = now() where member_id = ${id}`
    return token
  },
  'a member who was removed': async () => {
    const { id, token } = await member()
    await remembered(token)
    await world.ctx.sql`delete from members where id = ${id}`
    return token
  },
  'an owner who was made a viewer': async () => {
    const { id, token } = await member()
    await remembered(token)
    await world.ctx.sql`update members set role = 'viewer' where id = ${id}`
    return token
  },
}

describe.each(Object.entries(elsewhere))('%s, whom this process remembers', (name, revoke) => {
  it('may write nothing and read no secret', async () => {
    const token = await revoke()
    const isViewer = name === 'an owner who was made a viewer'
    const answers: [string, number][] = []
    for (const { id, method, path, takesSession } of operations()) {
      if ((name === 'a revoked key' && takesSession) || (isViewer && OF_VIEWERS.includes(id))) continue
      const body = method === 'GET' || method === 'DELETE' ? undefined : { any: 'body' }
      const { status } = await world.call(method, filled(path), { token, body })
      answers.push([id, status])
    }
    expect(answers.length).toBeGreaterThan(40)
    const wrong = answers.filter(([, status]) => status !== (isViewer ? 403 : 401))
    expect(wrong).toEqual([])
  })
})

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

const ways: [string, () => Promise<{ token: string; revoke: string; id: string }>][] = [
  [
    'a key',
    async () => ({ ...(await key()), revoke: 'update api_keys set revoked_at = now() where id = $1' }),
  ],
  [
    'a member',
    async () => ({ ...(await member()), revoke: `update members set role = 'viewer' where id = $1` }),
  ],
  [
    'a session',
    async () => ({
      ...(await member()),
      revoke: 'update sessions set revoked_at = now() where member_id = $1',
    }),
  ],
]
describe.each(ways)('%s that is revoked while it mints a key', (_, make) => {
  it('mints none: the change waits for the revocation', async () => {
    const { token, revoke, id } = await make()
    await remembered(token)
    const path = `/v1/projects/${world.first.project_id}/api-keys`
    let minting: Promise<Answer> | undefined
    await world.ctx.sql.begin(async tx => {
      await tx`select pg_advisory_xact_lock(hashtextextended('assay caller ' || ${id}::text, 0))` // as each revocation does
      await tx.unsafe(revoke, [id])
      minting = world.call('POST', path, { body: { name: 'lasting' }, token })
      await isBlocked()
    })
    expect([401, 403]).toContain((await minting!).status)
    const rows = await world.ctx.sql`select 1 from api_keys where name = 'lasting'`
    expect(rows).toHaveLength(0)
  })
})

describe('the process that revokes forgets', () => {
  const expectDead = async (token: string, expected = [401, 'unauthenticated']) =>
    expect(codeOf(await world.call('GET', '/v1/projects', { token }))).toEqual(expected)

  it('a key', async () => {
    const { id, token } = await key()
    await remembered(token)
    await world.call('DELETE', `/v1/projects/${world.first.project_id}/api-keys/${id}`, { token: owner })
    await expectDead(token)
  })

  it('a member who is removed, and the sessions before a new password', async () => {
    const [removed, changed] = [await member(), await member()]
    for (const { token } of [removed, changed]) await remembered(token)
    await world.call('DELETE', `/v1/members/${removed.id}`, { token: owner })
    await expectDead(removed.token)
    const body = { current_password: PASSWORD, new_password: `${PASSWORD}!` }
    const second = await signedIn(changed)
    await remembered(second)
    await world.call('POST', '/v1/account/password', { body, token: second })
    await expectDead(changed.token)
  })

  it('the role of a member', async () => {
    const { id, token } = await member()
    await remembered(token)
    await world.call('PATCH', `/v1/members/${id}`, { body: { role: 'viewer' }, token: owner })
    const secret = await world.call('GET', `/v1/projects/${world.first.project_id}/signing-secret`, { token })
    expect(codeOf(secret)).toEqual([403, 'forbidden'])
  })

  it('a session that signs out, and one that another revokes', async () => {
    const someone = await member()
    await remembered(someone.token)
    await world.call('DELETE', '/v1/sessions/current', { token: someone.token })
    await expectDead(someone.token)
    const [one, other] = [await signedIn(someone), await signedIn(someone)]
    await remembered(other)
    const { json: sessions } = await world.call('GET', '/v1/sessions', { token: one })
    const otherId = sessions.find((session: { current: boolean }) => !session.current).id
    await world.call('DELETE', `/v1/sessions/${otherId}`, { token: one })
    await expectDead(other)
  })

  it('the keys of a project that is deleted', async () => {
    const { json: project } = await world.call('POST', '/v1/projects', {
      body: { name: 'Gone' },
      token: owner,
    })
    const path = `/v1/projects/${project.id}`
    const { json } = await world.call('POST', `${path}/api-keys`, { body: { name: 'its' }, token: owner })
    await remembered(json.key)
    await world.call('DELETE', `${path}?confirm=Gone`, { token: owner })
    await expectDead(json.key)
  })
})

it('who removes a member sees what they made, also with what they made, and may revoke its keys', async () => {
  const someone = await member()
  const path = `/v1/projects/${world.first.project_id}/api-keys`
  const mint = async (name: string, token: string) =>
    (await world.call('POST', path, { body: { name }, token })).json
  const first = await mint('theirs', someone.token)
  const second = await mint('made with theirs', first.key)
  const { json: trigger } = await world.call('POST', '/v1/triggers', {
    body: { agent_id, name: 'theirs' },
    token: second.key,
  })
  const gone = await world.call('DELETE', `/v1/members/${someone.id}?revoke_keys=true`, { token: owner })
  expect(gone.json).toMatchObject({ revoked_keys: 2, made: [{ id: trigger.id }] })
  for (const { key: token } of [first, second])
    expect(codeOf(await world.call('GET', '/v1/projects', { token }))).toEqual([401, 'unauthenticated'])
})

it('all keys of a member who is removed are revoked, also those beyond what is listed', async () => {
  const someone = await member()
  const { sql } = world.ctx
  await sql`
    with made as (
      insert into api_keys (id, project_id, name, prefix, hash)
      select gen_random_uuid(), ${world.first.project_id}, 'one of many', 'pk_many', sha256(n::text::bytea)
      from generate_series(1, ${LIMITS.made_listed + 10}) n returning id)
    insert into audit_log (id, account_id, actor_kind, actor_id, actor_name, action, target_id)
    select gen_random_uuid(), (select account_id from projects where id = ${world.first.project_id}), 'member', ${someone.id}, ${someone.email}, 'createApiKey', id from made`
  const gone = await world.call('DELETE', `/v1/members/${someone.id}?revoke_keys=true`, { token: owner })
  expect(gone.json).toMatchObject({ revoked_keys: LIMITS.made_listed + 10, made: [] })
  const [left] =
    await sql`select count(*)::int as n from api_keys where name = 'one of many' and revoked_at is null`
  expect(left).toEqual({ n: 0 })
})

it('a sign-in whose password is changed while it is checked opens no session', async () => {
  const { id, email, password } = await member()
  const password_hash = await hashPassword(world.ctx, 'quite another password')
  let signing: Promise<Answer> | undefined
  await world.ctx.sql.begin(async tx => {
    await tx`select pg_advisory_xact_lock(hashtextextended('assay caller ' || ${id}::text, 0))`
    await tx`update members set password_hash = ${password_hash} where id = ${id}`
    signing = world.call('POST', '/v1/sessions', { body: { email, password }, token: null })
    await isBlocked()
  })
  expect(codeOf(await signing!)).toEqual([401, 'unauthenticated'])
})

describe('a body that is still on its way when its key is revoked', () => {
  /** Sends the first part, revokes the key, and sends the rest after `pause_ms`. */
  async function sent(path: string, type: string, [first, rest]: [string, string], pause_ms: number) {
    const { id, token } = await key()
    await remembered(token)
    const isUnderWay = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const body = async function* () {
      yield new TextEncoder().encode(first)
      isUnderWay.resolve()
      await goOn.promise
      yield new TextEncoder().encode(rest)
    }
    const answer = fetch(`${world.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
      body: Readable.toWeb(Readable.from(body())),
      duplex: 'half',
    } as unknown as RequestInit)
    await isUnderWay.promise
    await pause(pause_ms)
    await world.ctx.sql`update api_keys set revoked_at = now() where id = ${id}`
    goOn.resolve()
    return (await answer).status
  }
  const runs = async () =>
    (await world.ctx.sql`select count(*)::int as n from runs where not materializing`)[0]!.n

  it('starts no batch of lines', async () => {
    const before = await runs()
    const lines: [string, string] = ['{"input":1}\n', '{"input":2}\n']
    expect(await sent('/v1/batches?agent=made', 'application/x-ndjson', lines, 50)).toBe(401)
    expect(await runs()).toBe(before)
  })

  it('starts no run', async () => {
    const before = await runs()
    const parts: [string, string] = [`{"agent_id":"${agent_id}",`, '"input":1}']
    expect(await sent('/v1/runs', 'application/json', parts, LIMITS.quick_body_ms + 100)).toBe(401)
    expect(await runs()).toBe(before)
  })
})
