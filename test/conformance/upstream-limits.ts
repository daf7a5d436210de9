import { describe, expect, it } from 'vitest'
import { addMember } from '../../shared/accounts/verbs/members.ts'
import { limitedUpstream } from '../../shared/upstreams/rules/upstream.ts'
import { openAccount, PASSWORD, signIn } from './account-of-own.ts'
import { OPERATOR_KEY } from './hosts.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'
import type { World } from './world.ts'

interface Listed {
  id: string
  host: string
  label: string | null
  agent_id: string | null
  declared_limits: { id: string; label: string | null; set_in: string; requests?: string }[]
}

/** An account with its owner, who sets limits. */
async function withOwner(world: World) {
  const { project_id, token, account_id, key } = await openAccount(world)
  const put = (body: object) => world.call('PUT', '/v1/upstreams', { body: { project_id, ...body }, token })
  const listed = async (host: string): Promise<Listed[]> => {
    const { json } = await world.call('GET', `/v1/upstreams?project_id=${project_id}`, { token })
    return json.filter((one: Listed) => one.host === host)
  }
  const fields = async (): Promise<string[]> => {
    const { json } = await world.call('GET', `/v1/audit?project_id=${project_id}`, { token })
    return json.entries.flatMap((entry: { fields: string[] }) => entry.fields)
  }
  return { project_id, token, account_id, key, put, listed, fields }
}

/** Rows as a first call with a credential of this variable makes them. */
async function call(world: World, project_id: string, host: string, label: string) {
  const [row] = await world.ctx.sql<{ id: string }[]>`
    insert into upstreams (project_id, id, kind, host, key, model, label, state, since, words, used_at)
    values (${project_id}, ${world.ctx.newId()}, 'credential', ${host}, ${label}, '', ${label}, 'open', now(), '', now()) returning id`
  return row!.id
}

export function upstreamLimits(given: Given) {
  describe('limits of upstreams', () => {
    it('limits are set for a host before anything calls it, replaced, and unset [upstreams.limits]', async () => {
      const world = given()
      const { project_id, token } = await openAccount(world)
      const put = (body: object) =>
        world.call('PUT', '/v1/upstreams', { body: { project_id, ...body }, token })
      const listed = async () => {
        const { json } = await world.call('GET', `/v1/upstreams?project_id=${project_id}`, { token })
        return json.filter((one: { host: string }) => one.host === 'api.limits.test')
      }
      expect((await put({ host: 'api.limits.test', requests: '500/min' })).status).toBe(200)
      const set = { host: 'api.limits.test', label: 'MODEL_KEY', tokens: '200000/min', in_flight: 20 }
      expect((await put(set)).json).toEqual({ project_id, ...set })
      const [, keyed] = (await listed()).toSorted((a: { label: string | null }) =>
        a.label === null ? -1 : 1,
      )
      expect(keyed).toMatchObject({ state: 'open', label: 'MODEL_KEY' })
      const own = { id: expect.any(String), set_in: 'project' }
      // Both hold for this key.
      expect(keyed.declared_limits).toHaveLength(2)
      expect(keyed.declared_limits).toEqual(
        expect.arrayContaining([
          { ...own, label: 'MODEL_KEY', tokens: '200000/min', in_flight: 20 },
          { ...own, label: null, requests: '500/min' },
        ]),
      )
      await put({ ...set, tokens: undefined, in_flight: 5 })
      expect((await listed()).flatMap((one: { declared_limits: object[] }) => one.declared_limits)).toEqual(
        expect.arrayContaining([
          { ...own, label: null, requests: '500/min' },
          { ...own, label: 'MODEL_KEY', in_flight: 5 },
        ]),
      )
      for (const { id, label } of await listed()) {
        const own = `/v1/upstreams/${id}/limits?label=${label ?? ''}`
        expect((await world.call('DELETE', own, { token })).status).toBe(204)
      }
      expect(await listed()).toEqual([])
      const { json: log } = await world.call('GET', `/v1/audit?project_id=${project_id}`, { token })
      expect(log.entries.flatMap((entry: { fields: string[] }) => entry.fields)).toEqual(
        expect.arrayContaining([
          'api.limits.test (MODEL_KEY)',
          'in_flight: 20 in flight → 5 in flight',
          'tokens: 200,000 tokens a minute → no limit',
          'requests: 500 requests a minute → no limit',
        ]),
      )
    })

    it.for([
      ['60 rpm', '60/min'],
      ['500', '500/min'],
      ['200k/day', '200000/d'],
    ])(
      'a limit of %s is refused with the nearest one, and nothing is set [upstreams.limits]',
      async ([text, nearest]) => {
        const world = given()
        const { project_id, token } = await openAccount(world)
        const body = { project_id, host: 'api.refused.test', requests: text }
        const { status, json } = await world.call('PUT', '/v1/upstreams', { body, token })
        expect([status, json.error.code]).toEqual([400, 'invalid_request'])
        expect(json.error.message).toContain(`write ${nearest}`)
        const { json: rows } = await world.call('GET', `/v1/upstreams?project_id=${project_id}`, { token })
        expect(rows.filter((one: { host: string }) => one.host === 'api.refused.test')).toEqual([])
      },
    )

    it('a limit for one variable and one for the host are unset apart [upstreams.limits]', async () => {
      const world = given()
      const { project_id, token, put, listed, fields } = await withOwner(world)
      const host = 'api.apart.test'
      await put({ host, requests: '500/min' })
      await put({ host, label: 'KEY', requests: '60/min' })
      const id = await call(world, project_id, host, 'KEY')
      const labels = async () =>
        (await listed(host)).flatMap(one =>
          one.id === id ? one.declared_limits.map(({ label }) => label) : [],
        )
      expect(await labels()).toEqual(expect.arrayContaining(['KEY', null]))
      const unset = (label: string) =>
        world.call('DELETE', `/v1/upstreams/${id}/limits?label=${label}`, { token })
      expect((await unset('OTHER')).status).toBe(204)
      expect(await labels()).toHaveLength(2)
      expect((await unset('')).status).toBe(204)
      expect(await labels()).toEqual(['KEY'])
      expect((await unset('KEY')).status).toBe(204)
      expect(await labels()).toEqual([])
      expect(await fields()).toEqual(expect.arrayContaining(['requests: 500 requests a minute → no limit']))
    })

    it('a link from before the first call leads to the upstream that was called [upstreams.limits]', async () => {
      const world = given()
      const { project_id, token, put, listed } = await withOwner(world)
      const host = 'api.linked.test'
      await put({ host, requests: '500/min' })
      const [before] = await listed(host)
      const id = await call(world, project_id, host, 'KEY')
      const tried = await world.call('POST', `/v1/upstreams/${before!.id}/retry`, { token })
      expect([tried.status, tried.json.id]).toEqual([202, id])
      expect(tried.json.declared_limits[0].id).toBe(before!.id)
      expect((await world.call('DELETE', `/v1/upstreams/${before!.id}/limits`, { token })).status).toBe(204)
      expect((await listed(host)).flatMap(one => one.declared_limits)).toEqual([])
    })

    it('a declaration carries limits, which the plan of its deploy shows [upstreams.declared]', async () => {
      const world = given()
      const { token, key } = await withOwner(world)
      const { id } = await makeAgent(world, key)
      const deploy = (limits: object[], more: object = {}) =>
        world.call('POST', `/v1/agents/${id}/deployments`, {
          token,
          body: {
            kind: 'url',
            url: 'http://127.0.0.1:9/limited',
            protocol: 'ndjson',
            declaration: { name: 'limited', limits },
            ...more,
          },
        })
      const limit = { host: 'api.declared.test', credential: 'KEY', requests: '60/min' }
      const first = await deploy([limit])
      expect(first.status).toBe(201)
      expect(first.json.plan.limits).toEqual([
        { action: 'created', host: limit.host, credential: 'KEY', from: null, to: '60 requests a minute' },
      ])
      const dry = await deploy([{ ...limit, requests: '90/min' }], { dry_run: true })
      expect(dry.json).toMatchObject({
        changes: ['limits'],
        plan: { limits: [{ action: 'changed', from: '60 requests a minute', to: '90 requests a minute' }] },
      })
      expect((await deploy([])).json.plan.limits).toMatchObject([{ action: 'deleted', to: null }])
    })

    it.for([
      [{ host: 'a.test', requests: '60 rpm' }, 'write 60/min'],
      [{ host: 'a.test', tokens: '200k' }, 'write 200000/min'],
      [{ host: 'a.test', in_flight: 0 }, 'write 1'],
      [{ host: 'a.test', in_flight: 2.5 }, 'write 3'],
      [{ host: 'a.test', in_flight: 1e9 }, 'write 8000'],
      [{ host: 'a test', requests: '1/s' }, 'without spaces'],
      [{ host: '$OPENAI_BASE_URL', requests: '1/s' }, 'is a variable'],
      [{ host: 'a.test', credential: 'sk-1', requests: '1/s' }, 'name of a variable'],
      [{ host: 'a.test' }, 'at least one of requests'],
      [{ requests: '1/s' }, 'host'],
      [{ host: 'a.test', requests: '1/s', bananas: 1 }, 'bananas'],
    ] as const)(
      'of a declaration or a schedule, %j is refused with what to write [upstreams.declared, schedules.limits]',
      async ([limit, words]) => {
        const world = given()
        const { token, key } = await withOwner(world)
        const { id } = await makeAgent(world, key)
        const url = { kind: 'url', url: 'http://127.0.0.1:9/refused', protocol: 'ndjson' }
        const declaration = { name: 'refused', limits: [limit] }
        const sent = [
          await world.call('POST', `/v1/agents/${id}/deployments`, { token, body: { ...url, declaration } }),
          await world.call('POST', '/v1/schedules', {
            token,
            body: { agent_id: id, cron: '0 3 * * *', limits: [limit] },
          }),
        ]
        for (const { status, json } of sent) {
          expect([status, json.error.code]).toEqual([400, 'invalid_request'])
          expect(json.error.message).toContain(words)
        }
      },
    )

    it('of a list, one upstream is named once [upstreams.declared]', async () => {
      const world = given()
      const { token, key } = await withOwner(world)
      const { id } = await makeAgent(world, key)
      const limit = { host: 'a.test', requests: '1/s' }
      const { status, json } = await world.call('POST', `/v1/agents/${id}/deployments`, {
        token,
        body: {
          kind: 'url',
          url: 'http://127.0.0.1:9/twice',
          protocol: 'ndjson',
          declaration: { name: 'twice', limits: [limit, { ...limit, credential: 'KEY' }, limit] },
        },
      })
      expect(status).toBe(400)
      expect(json.error.message).toContain('"a.test" is named twice')
    })

    it('a schedule carries limits that owners set, and the log has old and new [schedules.limits]', async () => {
      const world = given()
      const { account_id, token, key, fields } = await withOwner(world)
      const { id: agent_id } = await makeAgent(world, key)
      const limits = [{ host: 'api.night.test', credential: 'KEY', requests: '600/min' }]
      const order = { agent_id, cron: '0 4 * * *', limits }
      const byKey = await world.call('POST', '/v1/schedules', { token: key, body: order })
      expect([byKey.status, byKey.json.error.code]).toEqual([403, 'forbidden'])
      const { status, json: made } = await world.call('POST', '/v1/schedules', { token, body: order })
      expect([status, made.limits]).toEqual([201, limits])
      expect(await fields()).toContain('api.night.test (KEY) requests: no limit → 600 requests a minute')

      const email = `operator-${account_id}@example.org`
      await addMember(world.ctx, { account_id, email, role: 'operator', password: PASSWORD })
      const { access_token: operator } = await signIn(world, email)
      const patch = (token: string, body: object) =>
        world.call('PATCH', `/v1/schedules/${made.id}`, { token, body })
      for (const body of [{ limits: null }, { limits: [] }, { limits: [{ ...limits[0], requests: '1/s' }] }])
        for (const caller of [operator, key]) expect((await patch(caller, body)).status).toBe(403)
      // A form sends all fields back.
      expect((await patch(operator, { name: 'Night', limits })).json.limits).toEqual(limits)
      expect((await patch(token, { limits: [{ ...limits[0], requests: '90/min' }] })).status).toBe(200)
      expect(await fields()).toContain(
        'api.night.test (KEY) requests: 600 requests a minute → 90 requests a minute',
      )
      expect((await patch(token, { limits: [] })).json.limits).toBeNull()
    })

    it('the operator sees which projects call with one credential, and nobody else does [accounts.shared-credentials]', async () => {
      const world = given()
      const value = `sk-shared-${world.ctx.newId()}`
      const host = `api-${world.ctx.newId()}.shared.test`
      const users = [await withOwner(world), await withOwner(world), await withOwner(world)]
      for (const [at, { project_id, token, key }] of users.entries()) {
        const { id } = await makeAgent(world, key)
        const { json } = await world.call('POST', `/v1/agents/${id}/deployments`, {
          token,
          body: {
            kind: 'url',
            url: 'http://127.0.0.1:9/shared',
            protocol: 'ndjson',
            declaration: { name: 'shared' },
            env: { [`KEY_${at}`]: at === 2 ? `${value}-other` : value },
          },
        })
        const row = await call(world, project_id, host, `KEY_${at}`)
        await world.ctx.sql`update upstreams set deployments = array[${json.id}::uuid] where id = ${row}`
      }
      const path = '/v1/admin/shared-credentials'
      const { status, json, text } = await world.call('GET', path, { token: OPERATOR_KEY })
      expect(status).toBe(200)
      const [found] = json.filter((one: { host: string }) => one.host === host)
      expect(found.used_by).toHaveLength(2)
      expect(found.used_by).toEqual(
        expect.arrayContaining([
          { project_id: users[0]!.project_id, label: 'KEY_0' },
          { project_id: users[1]!.project_id, label: 'KEY_1' },
        ]),
      )
      expect(text).not.toContain(value)
      expect((await world.call('GET', path, { token: users[0]!.token })).status).toBe(403)
    })

    it("an agent's own limit is listed with the agent, and stays out of what owners unset [upstreams.declared]", async () => {
      const world = given()
      const { project_id, token, key, put, listed } = await withOwner(world)
      const { id: agent_id } = await makeAgent(world, key)
      const host = 'api.own.test'
      const own = limitedUpstream(project_id, agent_id, { host, requests: '60/min' })
      await put({ host, requests: '90/min' })
      await world.ctx.sql`
        insert into upstreams (project_id, id, kind, host, key, model, agent_id, state, since, words, used_at)
        values (${project_id}, ${world.ctx.newId()}, 'credential', ${host}, ${own.key}, '', ${agent_id}, 'open', now(), '', now())`
      const rows = await listed(host)
      expect(
        rows.map(one => [one.agent_id, one.declared_limits.map(limit => [limit.set_in, limit.requests])]),
      ).toEqual(
        expect.arrayContaining([
          [agent_id, [['declaration', '60/min']]],
          [null, [['project', '90/min']]],
        ]),
      )
      for (const { id } of rows)
        expect((await world.call('DELETE', `/v1/upstreams/${id}/limits`, { token })).status).toBe(204)
      expect((await listed(host)).map(one => one.agent_id)).toEqual([agent_id])
    })
  })
}
