// A member is removed, or a key is revoked, after it has made things that go on without it. Guarantee: the answer names
// them with what is a credential, revokes what it is asked to, and a link for a password ends with the session that
// made it.

import { sql as query } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findMade, revokeMade } from '../../shared/accounts/queries/made.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent } from '../conformance/make.ts'
import { deploy, fails, workOff } from '../conformance/play.ts'
import { type Answer, openWorld, type World } from '../conformance/world.ts'

const PASSWORD = 'a long enough password'

let world: World
let owner: string
let agent_id: string
let project: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  owner = (await signedIn(world.first.account)).token
  project = `/v1/projects/${world.first.project_id}`
  agent_id = (
    await done(
      'POST',
      '/v1/agents',
      { project_id: world.first.project_id, name: 'Left', slug: 'left' },
      owner,
    )
  ).id
})
afterAll(() => world.end())

async function signedIn({ email, password }: { email: string; password: string }) {
  const { json } = await world.call('POST', '/v1/sessions', { body: { email, password }, token: null })
  return { token: json.access_token as string, session_id: json.session_id as string }
}

/** The answer of what has to work. */
async function done(method: string, path: string, body: unknown, token: string) {
  const answer = await world.call(method, path, { body, token })
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  return answer.json
}

let members = 0
async function added(role = 'owner') {
  const body = { email: `left-${++members}@example.com`, password: PASSWORD, role }
  const { id } = await done('POST', '/v1/members', body, owner)
  return { id: id as string, ...body }
}
async function member() {
  const one = await added()
  return { ...one, ...(await signedIn(one)) }
}

interface Made {
  kind: string
  id: string
  how: string
  knows_secret: boolean
}

const remove = async (id: string, query = '') =>
  (await done('DELETE', `/v1/members/${id}${query}`, undefined, owner)) as { made: Made[] }

const shortOf = ({ made }: { made: Made[] }) =>
  made.map(({ kind, id, how, knows_secret }) => [kind, id, how, knows_secret])

const mint = (token: string, name = 'theirs') => done('POST', `${project}/api-keys`, { name }, token)

let names = 0
const trigger = (token: string) => done('POST', '/v1/triggers', { agent_id, name: `left-${++names}` }, token)

const codeOf = ({ status, json }: Answer) => [status, json?.error?.code]

describe('what a removed member leaves is named:', () => {
  it('a deployment with the triggers and schedules that it declares, while it is the current one', async () => {
    const agent = await done(
      'POST',
      '/v1/agents',
      { project_id: world.first.project_id, name: 'Deployed', slug: 'deployed' },
      owner,
    )
    const someone = await member()
    const deploy = (cron: string, token: string, place: string) =>
      done(
        'POST',
        `/v1/agents/${agent.id}/deployments`,
        {
          kind: 'url',
          url: `https://agents.example/${place}`,
          declaration: {
            name: 'Deployed',
            schedules: [{ cron }],
            triggers: [{ name: 'declared', secret_env: 'DECLARED_SECRET' }],
          },
        },
        token,
      )
    const deployed = await deploy('0 5 * * *', someone.token, 'one')
    const [declared] = deployed.plan.triggers
    const [fired] = deployed.plan.schedules
    expect(shortOf(await remove(someone.id))).toEqual([
      ['trigger', declared.id, 'made', true],
      ['deployment', deployed.id, 'made', true],
      ['schedule', fired.id, 'made', false],
    ])
    const another = await member()
    await deploy('10 5 * * *', another.token, 'two')
    const last = await deploy('20 5 * * *', owner, 'two')
    expect(shortOf(await remove(another.id))).toEqual([['deployment', last.id, 'read', true]])
  })

  it('a member whom they raised, and one whose password a link of theirs set', async () => {
    const [someone, raised, linked, asked] = [
      await member(),
      await added('viewer'),
      await added('viewer'),
      await added('viewer'),
    ]
    await done('PATCH', `/v1/members/${raised.id}`, { role: 'owner' }, someone.token)
    const { url } = await done('POST', `/v1/members/${linked.id}/password-link`, undefined, someone.token)
    await done('POST', `/v1/members/${asked.id}/password-link`, undefined, someone.token)
    await use(url)
    expect(shortOf(await remove(someone.id))).toEqual([
      ['member', raised.id, 'changed', false],
      ['member', linked.id, 'changed', false],
    ])
  })

  it('triggers that they renamed, gave a secret or changed, and which of these secrets they know', async () => {
    const someone = await member()
    const [renamed, changed, theirs, taken] = [
      await trigger(owner),
      await trigger(owner),
      await trigger(someone.token),
      await trigger(someone.token),
    ]
    await done('PATCH', `/v1/triggers/${renamed.id}`, { name: `left-${++names}` }, someone.token)
    await done('PATCH', `/v1/triggers/${changed.id}`, { secret_env: 'OTHER' }, someone.token)
    await done('PATCH', `/v1/triggers/${taken.id}`, { name: `left-${++names}` }, owner)
    const github = await done(
      'POST',
      '/v1/triggers',
      { agent_id, name: `left-${++names}`, scheme: 'github' },
      owner,
    )
    const signing_secret = 'a secret that they know, long enough'
    await done('PATCH', `/v1/triggers/${github.id}`, { signing_secret }, someone.token)
    const gone = await remove(someone.id, '?revoke_triggers=true')
    expect(gone).toMatchObject({ revoked_keys: 0, revoked_triggers: 3 })
    expect(shortOf(gone)).toEqual([
      ['trigger', taken.id, 'made', false],
      ['trigger', changed.id, 'changed', false],
    ])
    const left = async (id: string) =>
      (await world.call('GET', `/v1/triggers/${id}`, { token: owner })).status
    const statuses = await Promise.all([renamed, theirs, github, changed, taken].map(({ id }) => left(id)))
    expect(statuses).toEqual([404, 404, 404, 200, 200])
  })

  it('schedules, channels, configurations and open runs, and a signing secret until it is rolled', async () => {
    const someone = await member()
    const { token } = someone
    const schedule = await done('POST', '/v1/schedules', { agent_id, cron: '1 2 3 4 *', input: 1 }, owner)
    const callback_url = 'https://theirs.example/hook'
    await done('PATCH', `/v1/schedules/${schedule.id}`, { callback_url }, token)
    const channel = await done(
      'POST',
      `${project}/alert-channels`,
      { url: 'https://theirs.example/alerts' },
      token,
    )
    await done('PATCH', `/v1/agents/${agent_id}`, { config: { mode: 'theirs' } }, token)
    const run = await done('POST', `/v1/agents/${agent_id}/runs`, { input: 1, callback_url }, token)
    await done('GET', `${project}/signing-secret`, undefined, token)
    await expect.poll(async () => (await entriesOf(someone.id)).includes('startRun')).toBe(true)
    const reader = await member()
    await done('GET', `${project}/signing-secret`, undefined, reader.token)
    expect(shortOf(await remove(someone.id))).toEqual([
      ['signing_secret', world.first.project_id, 'read', true],
      ['schedule', schedule.id, 'changed', false],
      ['alert_channel', channel.id, 'made', false],
      ['agent', agent_id, 'changed', false],
      ['run', run.run_id, 'made', false],
    ])
    await done('POST', `${project}/signing-secret/roll`, undefined, owner)
    expect(shortOf(await remove(reader.id))).toEqual([])
  })

  it('runs of a replay, a recovery and a schedule that a member set off by hand, in a session', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const batch = { agent_id: agent.id, items: [{ input: 1 }, { input: 2 }] }
    const { run_id } = await done('POST', '/v1/batches', batch, owner)
    await workOff(world, fails())
    const path = `/v2/runs/${run_id}/items`
    await expect
      .poll(
        async () => {
          await workOff(world, fails())
          return (await done('GET', path, undefined, owner))[0].status
        },
        { timeout: 10_000 },
      )
      .toBe('failed')
    const [item] = await done('GET', path, undefined, owner)
    const someone = await member()
    const { token } = someone
    const replay = await done('POST', `/v1/durable/runs/${item.id}/replay`, {}, token)
    const order = { project_id: world.first.project_id, filter: { run_id } }
    const recovery = await done('POST', '/v1/recoveries', order, token)
    const daily = { agent_id: agent.id, cron: '1 2 3 4 *', input: 1 }
    const schedule = await done('POST', '/v1/schedules', daily, owner)
    const fired = await done('POST', `/v1/schedules/${schedule.id}/trigger`, undefined, token)
    await expect.poll(async () => (await entriesOf(someone.id)).includes('triggerSchedule')).toBe(true)
    const [recovered] = await world.ctx
      .sql`select id from runs where replay_of = ${run_id} and recovery_id is not null`
    const ids = [replay.run_id, recovered!.id, fired.run_id]
    expect(shortOf(await remove(someone.id))).toEqual([
      ['recovery', recovery.id, 'made', false],
      ...ids.sort().map(id => ['run', id, 'made', false]),
    ])
  })

  it('a recovery that only decides, until it has ended or is aborted', async () => {
    const { sql, newId } = world.ctx
    const [someone, starter] = [await member(), await mint(owner, 'starter')]
    const recovery = async (by: object, given: object = {}) => {
      const id = newId()
      const row = {
        id,
        project_id: world.first.project_id,
        action: 'dismiss',
        eligible: 9,
        filter: sql.json({}),
      }
      await sql`insert into recoveries ${sql({ ...row, created_by: sql.json(by as never), status: 'running', ...given } as never)}`
      return id
    }
    const by = { kind: 'member', id: someone.id, name: someone.email }
    const left = await recovery(by)
    await recovery(by, { status: 'completed', finished_at: new Date() })
    await recovery(by, { status: 'aborting' })
    const keys = await recovery({ kind: 'key', id: starter.id, name: 'starter' }, { name: 'all of them' })
    const gone = await remove(someone.id)
    expect(shortOf(gone)).toEqual([['recovery', left, 'made', false]])
    const revoked = await done('DELETE', `${project}/api-keys/${starter.id}`, undefined, owner)
    expect(revoked.made).toMatchObject([{ kind: 'recovery', id: keys, name: 'all of them' }])
  })

  it('what a member makes since a link of theirs set the password, and what was made with that', async () => {
    const [thief, taken, later] = [await member(), await member(), await member()]
    const before = await mint(taken.token)
    const { url } = await done('POST', `/v1/members/${taken.id}/password-link`, undefined, thief.token)
    const between = await mint(taken.token)
    const password = 'the password that the link sets'
    expect((await use(url, password)).status).toBeLessThan(300)
    const session = await signedIn({ ...taken, password })
    const stolen = await mint(session.token)
    const hook = await trigger(stolen.key)
    const next = await done('POST', `/v1/members/${later.id}/password-link`, undefined, session.token)
    expect((await use(next.url, password)).status).toBeLessThan(300)
    const last = await mint((await signedIn({ ...later, password })).token)
    const gone = await remove(thief.id, '?revoke_keys=true&revoke_triggers=true')
    expect(gone).toMatchObject({ revoked_keys: 0, revoked_triggers: 0 })
    expect(shortOf(gone)).toEqual([
      ...[stolen, last].map(({ id }) => ['key', id, 'made', true]),
      ['trigger', hook.id, 'made', true],
      ...[taken, later].map(({ id }) => ['member', id, 'changed', false]),
    ])
    for (const { key } of [before, between, stolen]) await done('GET', '/v1/agents', undefined, key)
  })

  const entriesOf = async (id: string) =>
    (await world.ctx.sql`select action from audit_log where actor_id = ${id}`).map(({ action }) => action)
})

describe('a key that is revoked', () => {
  it('names the keys and triggers that were made with it, however many keys lie between', async () => {
    const stolen = await mint(owner, 'stolen')
    const second = await mint(stolen.key, 'second')
    const hook = await trigger(second.key)
    const path = `${project}/api-keys/${stolen.id}`
    const gone = await done('DELETE', path, undefined, owner)
    expect(gone).toMatchObject({ id: stolen.id, revoked_keys: 0, revoked_triggers: 0 })
    expect(shortOf(gone)).toEqual([
      ['key', second.id, 'made', true],
      ['trigger', hook.id, 'made', true],
    ])
    await done('GET', '/v1/agents', undefined, second.key)
  })

  it('takes these with it where asked to', async () => {
    const stolen = await mint(owner, 'stolen')
    const second = await mint(stolen.key, 'second')
    const hook = await trigger(second.key)
    const path = `${project}/api-keys/${stolen.id}?revoke_keys=true&revoke_triggers=true`
    expect(await done('DELETE', path, undefined, owner)).toMatchObject({
      revoked_keys: 1,
      revoked_triggers: 1,
      made: [],
    })
    expect(codeOf(await world.call('GET', '/v1/agents', { token: second.key }))).toEqual([
      401,
      'unauthenticated',
    ])
    const fired = await world.call('POST', new URL(hook.url).pathname, { body: 1, token: hook.secret })
    expect(fired.status).toBe(404)
  })
})

it('a member who may do less leaves what they made as well', async () => {
  const someone = await member()
  const theirs = await mint(someone.token)
  const raise = `/v1/members/${someone.id}?revoke_keys=true&revoke_triggers=true`
  const nothing = { revoked_keys: 0, revoked_triggers: 0, made: [] }
  expect(await done('PATCH', raise, { role: 'owner' }, owner)).toMatchObject(nothing)
  const lowered = await done('PATCH', `/v1/members/${someone.id}?revoke_keys=true`, { role: 'viewer' }, owner)
  expect(lowered).toMatchObject({ ...nothing, revoked_keys: 1 })
  expect(codeOf(await world.call('GET', '/v1/agents', { token: theirs.key }))).toEqual([
    401,
    'unauthenticated',
  ])
})

it('whoever removes the member who invited them keeps their keys, and so do others who were invited', async () => {
  const ana = await member()
  const invite = async (by: string) => {
    const body = { email: `left-${++members}@example.com`, password: PASSWORD, role: 'owner' }
    const { id } = await done('POST', '/v1/members', body, by)
    return { id: id as string, ...(await signedIn(body)) }
  }
  const [bob, cleo] = [await invite(ana.token), await invite(ana.token)]
  const [hers, his, cleos] = [await mint(ana.token), await mint(bob.token), await mint(cleo.token)]
  const minted = await mint(hers.key)
  const [her_hook, his_hook] = [await trigger(hers.key), await trigger(bob.token)]
  const path = `/v1/members/${ana.id}?revoke_keys=true&revoke_triggers=true`
  const gone = await done('DELETE', path, undefined, bob.token)
  expect(gone).toMatchObject({ revoked_keys: 2, revoked_triggers: 1 })
  expect(shortOf(gone)).toEqual([
    ['key', cleos.id, 'made', true],
    ['member', cleo.id, 'made', false],
  ])
  const answers = [hers, minted, his, cleos].map(({ key }) => world.call('GET', '/v1/agents', { token: key }))
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 401, 200, 200])
  const hooks = [her_hook, his_hook].map(({ id }) =>
    world.call('GET', `/v1/triggers/${id}`, { token: owner }),
  )
  expect((await Promise.all(hooks)).map(({ status }) => status)).toEqual([404, 200])
})

describe('the revocation of a busy key', () => {
  it('is committed before what was made with it is listed', async () => {
    const stolen = await mint(owner, 'stolen')
    const sql = world.ctx.sql
    const isRevoked = async () =>
      (await sql`select revoked_at from api_keys where id = ${stolen.id}`)[0]!.revoked_at
    let answer: Promise<Answer> | undefined
    await sql.begin(async sql => {
      await sql`lock table schedules in access exclusive mode`
      answer = world.call('DELETE', `${project}/api-keys/${stolen.id}?revoke_keys=true`, { token: owner })
      await expect.poll(isRevoked, { timeout: 10_000 }).not.toBeNull()
    })
    expect((await answer!).status).toBe(200)
  })

  it('reads of the log what was made with it, however many runs were started', async () => {
    const { db, sql } = world.ctx
    const { account_id } = (
      await sql`select account_id from projects where id = ${world.first.project_id}`
    )[0]!
    const stolen = await mint(owner, 'busy')
    const second = await mint(stolen.key, 'second')
    await trigger(second.key)
    await done('GET', `${project}/signing-secret`, undefined, owner)
    await sql`
      insert into audit_log (id, account_id, project_id, actor_kind, actor_id, actor_name, action, target_id)
      select gen_random_uuid(), ${account_id}, ${world.first.project_id}, 'key', ${stolen.id}, 'busy', 'startRun', gen_random_uuid()
      from generate_series(1, 50000)`
    await sql`analyze audit_log`
    const actor = { account_id, id: stolen.id as string }
    const read = await db.transaction(async tx => {
      const within = tx as unknown as typeof db
      expect(await findMade(within, actor, null)).toHaveLength(2)
      await revokeMade(within, actor, { keys: true, triggers: true })
      const rows = await within.execute<{ rows: number }>(query`
        select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where relname = 'audit_log'`)
      return [...rows][0]!.rows
    })
    expect(read).toBeLessThan(1000)
  })
})

const use = (url: string, new_password = 'the password that the link sets') =>
  world.call('POST', '/v1/account/password/by-link', {
    body: { token: new URL(url).searchParams.get('token'), new_password },
    token: null,
  })

describe('a link for a password ends', () => {
  /** A link that an owner made for another member, and both. */
  async function link() {
    const [maker, other] = [await member(), await added('operator')]
    const { url } = await done('POST', `/v1/members/${other.id}/password-link`, undefined, maker.token)
    return { maker, other, url: url as string }
  }
  const ways: Record<string, (maker: Awaited<ReturnType<typeof member>>) => Promise<unknown>> = {
    'when the session that made it signs out': ({ token }) =>
      done('DELETE', '/v1/sessions/current', undefined, token),
    'when that session is revoked by another': async maker => {
      const { token } = await signedIn(maker)
      return done('DELETE', `/v1/sessions/${maker.session_id}`, undefined, token)
    },
    'when its maker changes their password, even in that session': ({ token }) =>
      done(
        'POST',
        '/v1/account/password',
        { current_password: PASSWORD, new_password: 'another long password' },
        token,
      ),
    'when its maker is no owner any more': ({ id }) =>
      done('PATCH', `/v1/members/${id}`, { role: 'operator' }, owner),
    'when its maker is removed': ({ id }) => remove(id),
    'when a link sets its maker’s password': async ({ id }) => {
      const { url } = await done('POST', `/v1/members/${id}/password-link`, undefined, owner)
      expect((await use(url)).status).toBeLessThan(300)
    },
  }
  it.each(Object.entries(ways))('%s', async (_, end) => {
    const { maker, url } = await link()
    await end(maker)
    expect(codeOf(await use(url))).toEqual([401, 'unauthenticated'])
  })

  it('once it was used, and works until then', async () => {
    const { url } = await link()
    expect((await use(url)).status).toBeLessThan(300)
    expect(codeOf(await use(url))).toEqual([401, 'unauthenticated'])
  })
})
