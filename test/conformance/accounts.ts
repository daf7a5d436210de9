import { describe, expect, it } from 'vitest'
import { openAccount, signIn } from './account-of-own.ts'
import { OPERATOR_KEY } from './hosts.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

const SOON = { timeout: 5000, interval: 100 }
const ACCOUNTS = '/v1/admin/accounts'
const operator = { token: OPERATOR_KEY }
let made = 0

/** Accounts as the operator of the installation opens, suspends and resumes them. */
export function accountsPart(given: Given): void {
  async function open(more: object = {}) {
    const body = { name: `opened ${++made}`, email: `opened-${made}@example.org`, ...more }
    return { body, answer: await given().call('POST', ACCOUNTS, { ...operator, body }) }
  }

  describe('an account', () => {
    it('is opened with an owner, who signs in with a password that is shown once [accounts.open]', async () => {
      const world = given()
      const { body, answer } = await open()
      expect([answer.status, answer.json]).toEqual([
        201,
        expect.objectContaining({
          name: body.name,
          status: 'active',
          owners: [body.email],
          members: 1,
          projects: 1,
          open_runs: 0,
          open_runs_limit: null,
          spent_cents: 0,
          owner: expect.objectContaining({ email: body.email, role: 'owner' }),
        }),
      ])
      const { access_token: token } = await signIn(world, body.email, answer.json.password)
      const projects = await world.call('GET', '/v1/projects', { token })
      expect(projects.json).toEqual([
        expect.objectContaining({ id: answer.json.project_id, name: 'default' }),
      ])
      const listed = await world.call('GET', `${ACCOUNTS}?limit=200`, operator)
      expect(listed.text).not.toContain(answer.json.password)
      const audit = await world.call('GET', '/v1/audit?action=createAccount', { token })
      expect(audit.json.entries).toEqual([
        expect.objectContaining({
          actor: { kind: 'operator', id: '00000000-0000-0000-0000-000000000000', name: 'operator' },
          target_id: answer.json.id,
          fields: ['name', 'email'],
        }),
      ])
    })

    it('is not opened for an e-mail that is taken, and leaves nothing behind [accounts.open, errors.409]', async () => {
      const { body } = await open()
      const before = await given().ctx.sql`select count(*) from accounts`
      const { answer } = await open({ email: body.email.toUpperCase() })
      expect([answer.status, answer.json.error.code]).toEqual([409, 'email_taken'])
      expect(await given().ctx.sql`select count(*) from accounts`).toEqual(before)
    })

    it('is listed with all others, page by page [accounts.list]', async () => {
      const world = given()
      await open()
      const all = await world.call('GET', `${ACCOUNTS}?limit=200`, operator)
      const first = await world.call('GET', `${ACCOUNTS}?limit=1`, operator)
      const cursor = first.headers.get('x-next-cursor')
      const rest = await world.call('GET', `${ACCOUNTS}?limit=200&cursor=${cursor}`, operator)
      const ids = (answer: typeof all) => answer.json.map((one: { id: string }) => one.id)
      expect([...ids(first), ...ids(rest)]).toEqual(ids(all))
      expect(ids(all)).toContain(world.stranger.account_id)
      const elsewhere = await world.call('GET', `${ACCOUNTS}?cursor=${cursor}x`, operator)
      expect([elsewhere.status, elsewhere.json.error.code]).toEqual([400, 'invalid_cursor'])
    })

    it('has no more open runs than its plan allows [accounts.plan, errors.402]', async () => {
      const world = given()
      const { account_id, key } = await openAccount(world)
      const agent = await makeAgent(world, key)
      const path = `${ACCOUNTS}/${account_id}`
      const planned = await world.call('PATCH', path, { ...operator, body: { open_runs_limit: 0 } })
      expect([planned.status, planned.json.open_runs_limit]).toEqual([200, 0])
      const start = () =>
        world.call('POST', `/v1/agents/${agent.id}/runs`, { token: key, body: { input: 1 } })
      const refused = await start()
      expect([refused.status, refused.json.error.code]).toEqual([402, 'plan_limit'])
      await world.call('PATCH', path, { ...operator, body: { open_runs_limit: null } })
      expect((await start()).status).toBe(202)
      for (const body of [{}, { open_runs_limit: -1 }, { open_runs_limit: 1.5 }, { name: 'x' }])
        expect((await world.call('PATCH', path, { ...operator, body })).status).toBe(400)
    })

    it('that is suspended has keys that open nothing and members who can only read, until it is resumed [accounts.suspend, accounts.resume, errors.402]', async () => {
      const world = given()
      const { account_id, project_id, key, token } = await openAccount(world)
      const agent = await makeAgent(world, key)
      const set = (verb: string) => world.call('POST', `${ACCOUNTS}/${account_id}/${verb}`, operator)
      const read = (token: string) => world.call('GET', `/v1/agents/${agent.id}`, { token })
      const suspended = await set('suspend')
      expect([suspended.status, suspended.json.status]).toEqual([200, 'suspended'])
      await expect.poll(async () => (await read(key)).json.error?.code, SOON).toBe('suspended')
      expect((await read(key)).status).toBe(403)
      const start = { token: key, body: { input: 1 } }
      const started = await world.call('POST', `/v1/agents/${agent.id}/runs`, start)
      expect([started.status, started.json.error.code]).toEqual([402, 'account_suspended'])
      expect((await read(token)).status).toBe(200)
      const body = { name: 'k' }
      const keys = `/v1/projects/${project_id}/api-keys`
      await expect
        .poll(async () => (await world.call('POST', keys, { token, body })).json.error?.code, SOON)
        .toBe('suspended')
      expect((await world.call('GET', '/v1/account', { token })).json.status).toBe('suspended')
      expect((await set('suspend')).status).toBe(200)
      expect((await set('resume')).json.status).toBe('active')
      await expect.poll(async () => (await read(key)).status, SOON).toBe(200)
      expect((await world.call('POST', `/v1/agents/${agent.id}/runs`, start)).status).toBe(202)
      const audit = await world.call('GET', '/v1/audit?limit=200', { token })
      const actions = audit.json.entries
        .filter((one: { actor: { kind: string } }) => one.actor.kind === 'operator')
        .map((one: { action: string }) => one.action)
      expect(actions).toEqual(['resumeAccount', 'suspendAccount', 'suspendAccount'])
    })
  })

  describe("the operator's credential", () => {
    it('opens accounts but nothing in them, and no key or session opens accounts [accounts.operator, errors.403]', async () => {
      const world = given()
      const { token, key } = await openAccount(world)
      for (const other of [token, key]) {
        const answer = await world.call('GET', ACCOUNTS, { token: other })
        expect([answer.status, answer.json.error.code]).toEqual([403, 'forbidden'])
      }
      for (const [method, path] of [
        ['GET', '/v1/projects'],
        ['GET', '/v1/account'],
        ['GET', '/v1/durable/runs'],
        ['POST', '/v1/members'],
      ] as const) {
        const answer = await world.call(method, path, operator)
        // With a function each, only that of accounts knows the credential; to the others it is a stranger's.
        const stranger = path !== '/v1/account' && answer.status === 401
        const [status, code] = stranger ? [401, 'unauthenticated'] : [403, 'forbidden']
        expect([path, answer.status, answer.json.error.code]).toEqual([path, status, code])
      }
      for (const other of [null, `${OPERATOR_KEY}x`, OPERATOR_KEY.slice(1)])
        expect((await world.call('GET', ACCOUNTS, { token: other })).status).toBe(401)
    })
  })
}
