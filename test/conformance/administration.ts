import { describe, expect, it } from 'vitest'
import { removeDeleted } from '../../shared/upkeep/verbs/removal.ts'
import { openAccount, PASSWORD } from './account-of-own.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

const SOON = { timeout: 5000, interval: 100 }

/** Projects' settings, deletions, and the audit log. */
export function administrationPart(given: Given): void {
  async function removeAll() {
    while ((await removeDeleted(given().ctx)) > 0);
  }
  async function rowsOf(project_id: string) {
    const [row] = await given().ctx.sql`
      select (select count(*)::int from projects where id = ${project_id}) as projects,
        (select count(*)::int from agents where project_id = ${project_id}) as agents,
        (select count(*)::int from runs where project_id = ${project_id}) as runs,
        (select count(*)::int from api_keys where project_id = ${project_id}) as keys,
        (select count(*)::int from items where input = ${JSON.stringify(`of ${project_id}`)}) as items`
    return row
  }
  async function fill(account: { project_id: string; key: string }) {
    const agent = await makeAgent(given(), account.key)
    const items = Array.from({ length: 30 }, () => ({ input: `of ${account.project_id}` }))
    const body = { agent_id: agent.id, items }
    const { json } = await given().call('POST', '/v1/batches', { token: account.key, body })
    return { agent, run_id: json.run_id as string }
  }

  describe('a key', () => {
    const keysOf = (project_id: string) => `/v1/projects/${project_id}/api-keys`

    it('that expires is refused from then on, and makes no key that outlives it [keys.expire]', async () => {
      const world = given()
      const { token, project_id } = await openAccount(world)
      const at = (ms: number) => new Date(Date.now() + ms).toISOString()
      const expires_at = at(4000)
      const body = { name: 'for now', expires_at }
      const made = await world.call('POST', keysOf(project_id), { token, body })
      expect([made.status, made.json.expires_at]).toEqual([201, expires_at])
      const { key } = made.json
      const longer = await world.call('POST', keysOf(project_id), { token: key, body: { name: 'for good' } })
      expect([longer.status, longer.json.error.code]).toEqual([403, 'forbidden'])
      const past = await world.call('POST', keysOf(project_id), {
        token,
        body: { name: 'x', expires_at: at(-1) },
      })
      expect(past.status).toBe(400)
      const refused = async () => (await world.call('GET', '/v1/projects', { token: key })).json.error
      await expect.poll(refused, { timeout: 15_000, interval: 200 }).toMatchObject({
        code: 'unauthenticated',
        message: expect.stringContaining(`expired at ${expires_at}`),
      })
    })

    it('with the viewer role reads, and changes nothing [keys.viewer]', async () => {
      const world = given()
      const { token, project_id, key } = await openAccount(world)
      const made = await world.call('POST', keysOf(project_id), {
        token,
        body: { name: 'reader', role: 'viewer' },
      })
      expect(made.json).toMatchObject({ role: 'viewer', expires_at: null })
      const agent = await makeAgent(world, key)
      const reader = { token: made.json.key }
      expect((await world.call('GET', `/v1/agents/${agent.id}`, reader)).status).toBe(200)
      for (const [path, body] of [
        [`/v1/agents/${agent.id}/runs`, { input: 1 }],
        [keysOf(project_id), { name: 'more' }],
      ] as const) {
        const answer = await world.call('POST', path, { ...reader, body })
        expect([answer.status, answer.json.error.code]).toEqual([403, 'forbidden'])
      }
    })
  })

  describe('a project', () => {
    it('is changed only in the fields that are sent, and null resets a limit [projects.change]', async () => {
      const world = given()
      const { token, project_id, key } = await openAccount(world)
      const path = `/v1/projects/${project_id}`
      const body = {
        name: 'renamed',
        concurrency: 3,
        keys_may_mint: false,
        timezone: 'Europe/Berlin',
        credit_cents: 700,
      }
      const changed = await world.call('PATCH', path, { token, body })
      expect([changed.status, changed.json]).toEqual([200, expect.objectContaining(body)])
      const reset = await world.call('PATCH', path, {
        token,
        body: { concurrency: null, credit_cents: null },
      })
      const after = {
        name: 'renamed',
        concurrency: 256,
        keys_may_mint: false,
        timezone: 'Europe/Berlin',
        credit_cents: null,
      }
      expect(reset.json).toMatchObject(after)
      expect((await world.call('GET', path, { token: key })).json).toMatchObject(after)
      expect((await world.call('PATCH', path, { token: key, body })).status).toBe(403)
    })

    it('and its agents have budgets by day and month, with what is left of them [budgets.set]', async () => {
      const world = given()
      const { token, project_id, key } = await openAccount(world)
      const agent = await makeAgent(world, key)
      const left = (period: string, limit_cents: number) => ({
        period,
        limit_cents,
        spent_cents: 0,
        left_cents: limit_cents,
        ends_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      })
      const limits = { day_budget_cents: 500, month_budget_cents: 9000 }
      const project = await world.call('PATCH', `/v1/projects/${project_id}`, { token, body: limits })
      expect(project.json.budgets).toEqual([left('day', 500), left('month', 9000)])
      const path = `/v1/agents/${agent.id}`
      const body = { month_budget_cents: 700 }
      expect((await world.call('PATCH', path, { token: key, body })).json.budgets).toEqual([
        left('month', 700),
      ])
      const none = { token: key, body: { month_budget_cents: null } }
      expect((await world.call('PATCH', path, none)).json.budgets).toEqual([])
      expect((await world.call('GET', '/v1/projects', { token: key })).json[0].budgets).toHaveLength(2)
    })

    it('has prices of its own, each from a given time on [prices.own]', async () => {
      const world = given()
      const { project_id, key: token } = await openAccount(world)
      const path = `/v1/projects/${project_id}/prices`
      const price = {
        model: 'm',
        input_per_mtok: 0.5,
        output_per_mtok: 1,
        effective_from: '2026-01-01T00:00:00.000Z',
      }
      const first = await world.call('POST', path, { token, body: price })
      expect([first.status, first.json]).toEqual([201, expect.objectContaining(price)])
      const later = { ...price, input_per_mtok: 2, effective_from: '2026-02-01T00:00:00.000Z' }
      await world.call('POST', path, { token, body: later })
      await world.call('POST', path, { token, body: { ...later, input_per_mtok: 3 } })
      const listed = (await world.call('GET', path, { token })).json
      expect(listed).toMatchObject([{ input_per_mtok: 3 }, { input_per_mtok: 0.5 }])
      const gone = await world.call('DELETE', `${path}/${first.json.id}`, { token })
      expect([gone.status, gone.json.id]).toEqual([200, first.json.id])
      expect((await world.call('DELETE', `${path}/${first.json.id}`, { token })).status).toBe(404)
      for (const wrong of [
        { input_per_mtok: -1 },
        { output_per_mtok: undefined },
        { effective_from: 'today' },
      ])
        expect((await world.call('POST', path, { token, body: { ...price, ...wrong } })).status).toBe(400)
    })

    it('lets a key price what no list has, and an owner anything [prices.owner]', async () => {
      const world = given()
      const { project_id, key, token } = await openAccount(world)
      const path = `/v1/projects/${project_id}/prices`
      const cost = { input_per_mtok: 0, output_per_mtok: 0 }
      // Also names that a client's prefix makes a listed one of.
      for (const model of [
        'gpt-4o-mini',
        'openai/gpt-4o-mini',
        'gpt-4o-mini-2024-07-18',
        'claude-sonnet-4-5',
      ]) {
        const body = { model, ...cost }
        expect((await world.call('POST', path, { token: key, body })).json.error.code).toBe('forbidden')
        const set = await world.call('POST', path, { token, body })
        expect(set.status).toBe(201)
        const removing = `${path}/${set.json.id}`
        expect((await world.call('DELETE', removing, { token: key })).json.error.code).toBe('forbidden')
        expect((await world.call('DELETE', removing, { token })).status).toBe(200)
      }
      const own = await world.call('POST', path, { token: key, body: { model: 'house-model', ...cost } })
      expect(own.status).toBe(201)
      expect((await world.call('DELETE', `${path}/${own.json.id}`, { token: key })).status).toBe(200)
    })

    it('reports no models without a price if none was called [prices.check]', async () => {
      const world = given()
      const { project_id, key: token } = await openAccount(world)
      const { status, json } = await world.call('GET', `/v1/projects/${project_id}/prices/check`, { token })
      expect([status, json]).toEqual([200, expect.objectContaining({ runs: 0, is_whole: true, models: [] })])
    })

    it.each([
      ['nothing', {}],
      ['an unknown setting', { colour: 'red' }],
      ['concurrency 0', { concurrency: 0 }],
      ['concurrency 1.5', { concurrency: 1.5 }],
      ['an unknown timezone', { timezone: 'Berlin' }],
      ['a negative budget', { day_budget_cents: -1 }],
      ['credit -1', { credit_cents: -1 }],
      ['credit 2^53', { credit_cents: 2 ** 53 }],
      ['name null', { name: null }],
    ])('is not changed by %s', async (_, body) => {
      const { token, project_id } = await openAccount(given())
      const { status, json } = await given().call('PATCH', `/v1/projects/${project_id}`, { token, body })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    })

    it('is deleted with everything in it, once its name is confirmed [projects.delete]', async () => {
      const world = given()
      const account = await openAccount(world)
      const { token, project_id, key } = account
      const { run_id } = await fill(account)
      const path = `/v1/projects/${project_id}`
      expect((await world.call('DELETE', path, { token })).status).toBe(400)
      expect((await world.call('DELETE', `${path}?confirm=other`, { token })).status).toBe(400)
      expect((await world.call('DELETE', `${path}?confirm=main`, { token })).status).toBe(202)
      expect((await world.call('GET', path, { token })).status).toBe(404)
      expect((await world.call('GET', `/v2/runs/${run_id}`, { token })).status).toBe(404)
      await expect
        .poll(async () => (await world.call('GET', '/v1/agents', { token: key })).status, SOON)
        .toBe(401)
      await removeAll()
      expect(await rowsOf(project_id)).toEqual({ projects: 0, agents: 0, runs: 0, keys: 0, items: 0 })
    })
  })

  describe('an agent', () => {
    it('is deleted with its runs, and its slug is free at once [agents.delete]', async () => {
      const world = given()
      const account = await openAccount(world)
      const { key, project_id } = account
      const { agent } = await fill(account)
      const path = `/v1/agents/${agent.id}`
      expect((await world.call('DELETE', path, { token: key })).status).toBe(202)
      expect((await world.call('GET', path, { token: key })).status).toBe(404)
      expect((await world.call('DELETE', path, { token: key })).status).toBe(404)
      const start = await world.call('POST', `${path}/runs`, { token: key, body: { input: 1 } })
      expect(start.status).toBe(404)
      const body = { name: 'again', slug: agent.slug }
      expect((await world.call('POST', '/v1/agents', { token: key, body })).status).toBe(201)
      await removeAll()
      expect(await rowsOf(project_id)).toMatchObject({ projects: 1, agents: 1, runs: 0, items: 0 })
    })
  })

  describe('an account', () => {
    it('is deleted with everything in it, once its name and the password are confirmed [account.delete]', async () => {
      const world = given()
      const account = await openAccount(world)
      const { token, account_id, project_id, key, name } = account
      await fill(account)
      const ask = (body: object) => world.call('POST', '/v1/account/deletion', { token, body })
      expect((await ask({ account_name: 'other', password: PASSWORD })).status).toBe(400)
      expect((await ask({ account_name: name, password: 'wrong' })).status).toBe(401)
      expect((await ask({ account_name: name, password: PASSWORD })).status).toBe(202)
      // Refused at once, although the session was cached a moment ago: it has nothing left to act on.
      for (const [method, path, body] of [
        ['GET', '/v1/account', undefined],
        ['POST', '/v1/projects', { name: 'late' }],
        ['POST', '/v1/account/deletion', { account_name: name, password: PASSWORD }],
      ] as const)
        expect([path, (await world.call(method, path, { token, body })).status]).toEqual([path, 401])
      for (const dead of [token, key]) {
        await expect
          .poll(async () => (await world.call('GET', '/v1/agents', { token: dead })).status, SOON)
          .toBe(401)
      }
      await removeAll()
      expect(await rowsOf(project_id)).toEqual({ projects: 0, agents: 0, runs: 0, keys: 0, items: 0 })
      const [left] = await world.ctx.sql`
        select (select count(*)::int from members where account_id = ${account_id}) as members,
          (select count(*)::int from audit_log where account_id = ${account_id}) as entries`
      expect(left).toEqual({ members: 0, entries: 0 })
    })
  })

  describe('the audit log', () => {
    it('names who did what to what, in pages, and no value that was sent [audit.list]', async () => {
      const world = given()
      const { token, project_id, key, owner_id, email } = await openAccount(world)
      const agent = await makeAgent(world, key)
      const body = { name: 'secret name' }
      const made = await world.call('POST', `/v1/projects/${project_id}/api-keys`, { token, body })
      await world.call('POST', `/v1/agents/${agent.id}/runs`, { token, body: { input: 'hidden' } })
      await world.call('POST', `/v1/agents/${agent.id}/runs`, { token, body: {} }) // refused: no change
      const read = (query = '', as = token) => world.call('GET', `/v1/audit${query}`, { token: as })
      const actions = async (query = '', as = token) =>
        (await read(query, as)).json.entries.map((entry: { action: string }) => entry.action)
      // The entry of a run is written after its answer.
      await expect.poll(() => actions()).toEqual(['startRun', 'createApiKey', 'createAgent', 'createSession'])
      const all = await read()
      expect(all.json.entries[1]).toMatchObject({
        action: 'createApiKey',
        actor: { kind: 'member', id: owner_id, name: email },
        project_id,
        target_id: made.json.id,
        fields: ['name'],
      })
      expect(all.json.entries[0]).toMatchObject({ project_id, fields: ['input'] })
      expect(all.json.entries[2].actor).toMatchObject({ kind: 'key', name: key.slice(0, 11) })
      expect(all.text).not.toMatch(/secret name|hidden/)

      expect(await actions('', key)).toEqual(['startRun', 'createApiKey', 'createAgent'])
      expect(await actions('?action=createAgent')).toEqual(['createAgent'])
      expect(await actions(`?actor_id=${owner_id}&project_id=${project_id}`)).toEqual([
        'startRun',
        'createApiKey',
      ])
      const first = await read('?limit=3')
      const second = await read(`?limit=3&cursor=${first.json.next_cursor}`)
      expect([first.json.entries.length, second.json.entries.length, second.json.next_cursor]).toEqual([
        3,
        1,
        null,
      ])
      const filtered = await read(`?action=createAgent&cursor=${first.json.next_cursor}`)
      expect(filtered.json.error.code).toBe('invalid_cursor')
    })
  })
}
