import { describe, expect, it } from 'vitest'
import { openAccount } from './account-of-own.ts'
import { OPERATOR_KEY } from './hosts.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

const operator = { token: OPERATOR_KEY }

interface Quota {
  name: string
  limit: number | null
  used: number | null
  set_by: string
}

/** What an account may have in all, as the operator sets it and an owner sees it. */
export function quotasPart(given: Given): void {
  const pathOf = (account_id: string) => `/v1/admin/accounts/${account_id}/quotas`
  const set = (account_id: string, body: object) =>
    given().call('PATCH', pathOf(account_id), { ...operator, body })
  const list = async (token: string) => (await given().call('GET', '/v1/quotas', { token })).json as Quota[]
  const quotaOf = async (token: string, name: string) => (await list(token)).find(one => one.name === name)

  describe('quotas', () => {
    it('are listed for members and keys, with how full they are and who set them [quotas.list, quotas.set]', async () => {
      const { account_id, token, key } = await openAccount(given())
      await makeAgent(given(), key)
      const before = await list(token)
      expect(before.map(one => one.name)).toEqual([
        ...[
          'concurrency',
          'open_runs',
          'requests_per_second',
          'projects',
          'agents',
          'schedules',
          'triggers',
          'keys',
        ],
        ...['bundles', 'kept_bytes', 'members'],
      ])
      expect(before).toContainEqual(
        expect.objectContaining({ name: 'agents', limit: 10_000, used: 1, set_by: 'default' }),
      )
      const changed = await set(account_id, { agents: 7, bundles: 3 })
      expect(changed.status).toBe(200)
      const after = await list(key)
      expect(after).toEqual(changed.json)
      expect(after).toEqual((await given().call('GET', pathOf(account_id), operator)).json)
      expect(after).toContainEqual(
        expect.objectContaining({ name: 'agents', limit: 7, used: 1, set_by: 'operator' }),
      )
      await set(account_id, { agents: null })
      expect(await quotaOf(key, 'agents')).toMatchObject({ limit: 10_000, set_by: 'default' })
      expect(await quotaOf(key, 'bundles')).toMatchObject({ limit: 3, set_by: 'operator' })
      const audit = await given().call('GET', '/v1/audit?action=setAccountQuotas', { token })
      expect(audit.json.entries.map((one: { fields: string[] }) => one.fields)).toEqual([
        ['agents'],
        ['agents', 'bundles'],
      ])
      for (const body of [{}, { agents: -1 }, { agents: 1.5 }, { concurrency: 0 }, { apples: 1 }])
        expect([body, (await set(account_id, body)).status]).toEqual([body, 400])
      expect((await set(given().ctx.newId(), { agents: 1 })).status).toBe(404)
    })

    it('set the same open runs as a plan [accounts.plan]', async () => {
      const { account_id, key } = await openAccount(given())
      await set(account_id, { open_runs: 0, agents: 2 })
      const agent = await makeAgent(given(), key)
      const start = { token: key, body: { input: 1 } }
      const refused = await given().call('POST', `/v1/agents/${agent.id}/runs`, start)
      expect([refused.status, refused.json.error.code]).toEqual([402, 'plan_limit'])
      expect(refused.json.error.message).toContain('"open_runs" of the account allows 0 open runs')
      const plan = { ...operator, body: { open_runs_limit: 4 } }
      await given().call('PATCH', `/v1/admin/accounts/${account_id}`, plan)
      expect(await quotaOf(key, 'open_runs')).toMatchObject({ limit: 4 })
      expect(await quotaOf(key, 'agents')).toMatchObject({ limit: 2 })
    })

    it('refuse an agent, a schedule, a deployment and a project too many, and deletions make room again [quotas.exceeded, quotas.lowered, errors.402]', async () => {
      const world = given()
      const { account_id, token, key, project_id } = await openAccount(world)
      const agent = await makeAgent(world, key)
      let made = 0
      const deploy = (what: object) => world.call('POST', `/v1/agents/${agent.id}/deployments`, what)
      const tries = {
        agents: () => world.call('POST', '/v1/agents', { token: key, body: { name: `further ${++made}` } }),
        schedules: () =>
          world.call('POST', '/v1/schedules', {
            token: key,
            body: { agent_id: agent.id, cron: `${++made % 60} 4 * * *` },
          }),
        bundles: () =>
          deploy({
            token: key,
            body: {
              kind: 'bundle',
              code: `export default { fetch() {} } // ${++made}`,
              declaration: { name: 'bundled' },
            },
          }),
        projects: () => world.call('POST', '/v1/projects', { token, body: { name: `p${++made}` } }),
      }
      for (const [name, make] of Object.entries(tries)) {
        const { used } = (await quotaOf(token, name))!
        await set(account_id, { [name]: used! + 1 })
        const first = await make()
        expect([name, first.status]).toEqual([name, 201])
        const second = await make()
        expect([name, second.status, second.json.error.code]).toEqual([name, 402, 'quota_exceeded'])
        expect(second.json.error.message).toContain(`"${name}"`)
        expect(second.json.error.message).toContain(`has ${used! + 1}`)
        expect(second.json.error.hint).toContain(`assay admin accounts quota ${account_id} --${name}`)
        expect(await quotaOf(token, name)).toMatchObject({ limit: used! + 1, used: used! + 1 })
        await set(account_id, { [name]: 0 })
        expect([name, (await make()).status]).toEqual([name, 402])
      }
      // Everything that exists still works.
      const start = { token: key, body: { input: 1 } }
      expect((await world.call('POST', `/v1/agents/${agent.id}/runs`, start)).status).toBe(202)
      const [schedule] = (await world.call('GET', '/v1/schedules', { token: key })).json
      const changed = await world.call('PATCH', `/v1/schedules/${schedule.id}`, {
        token: key,
        body: { cron: '1 1 1 1 *' },
      })
      expect(changed.status).toBe(200)
      // Deletions make room again.
      await set(account_id, { schedules: 1, agents: 2, projects: 2 })
      expect((await tries.schedules()).status).toBe(402)
      await world.call('DELETE', `/v1/schedules/${schedule.id}`, { token: key })
      expect((await tries.schedules()).status).toBe(201)
      await world.call('DELETE', `/v1/agents/${agent.id}`, { token: key })
      expect((await tries.agents()).status).toBe(201)
      expect((await tries.agents()).status).toBe(402)
      await world.call('DELETE', `/v1/projects/${project_id}?confirm=main`, { token })
      expect((await tries.projects()).status).toBe(201)
      expect((await tries.projects()).status).toBe(402)
    })

    it('hold under concurrent requests [quotas.exceeded]', async () => {
      const { account_id, token, key } = await openAccount(given())
      await set(account_id, { agents: 3 })
      const names = Array.from({ length: 12 }, (_, at) => `further ${at}`)
      const answers = await Promise.all(
        names.map(name => given().call('POST', '/v1/agents', { token: key, body: { name } })),
      )
      const statuses = answers.map(one => one.status).sort()
      expect(statuses).toEqual([201, 201, 201, ...Array(9).fill(402)])
      expect(await quotaOf(token, 'agents')).toMatchObject({ used: 3 })
    })

    it('bound the requests of all keys and sessions together, and say when to come back [quotas.requests, errors.429]', async () => {
      const world = given()
      const { account_id, token, key } = await openAccount(world)
      await set(account_id, { requests_per_second: 1 })
      const ask = (token: string) => world.call('GET', '/v1/quotas', { token })
      const refused = (answers: Awaited<ReturnType<typeof ask>>[]) => answers.find(one => one.status === 429)
      const both = async () => refused(await Promise.all([key, token, key, token].map(ask)))
      await expect.poll(both, { timeout: 8000, interval: 50 }).toBeDefined() // keys are cached for 2 s
      const last = (await both())!
      expect(last.json.error.code).toBe('rate_limited')
      expect(last.json.error.message).toContain('"requests_per_second" of the account allows 1 requests')
      expect(last.json.error.hint).toContain('--requests-per-second N')
      expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
      await set(account_id, { requests_per_second: null })
      await expect.poll(both, { timeout: 8000, interval: 50 }).toBeUndefined()
    })

    it('bound the stored bytes of inputs and code [quotas.bytes]', async () => {
      const world = given()
      const { account_id, token, key } = await openAccount(world)
      const agent = await makeAgent(world, key)
      const start = () =>
        world.call('POST', `/v1/agents/${agent.id}/runs`, { token: key, body: { input: 'x'.repeat(998) } })
      const deploy = (code: string) => {
        const body = { kind: 'bundle', code, declaration: { name: 'bundled' } }
        return world.call('POST', `/v1/agents/${agent.id}/deployments`, { token: key, body })
      }
      expect((await start()).status).toBe(202)
      expect((await quotaOf(token, 'kept_bytes'))!.used).toBeNull()
      await set(account_id, { kept_bytes: 3000 })
      expect(await quotaOf(token, 'kept_bytes')).toMatchObject({ limit: 3000, used: 1000 })
      const code = (word: string) =>
        `export default { fetch() {} } // ${world.ctx.newId()} ${word}`.padEnd(1500, '.')
      const answers = await Promise.all([deploy(code('one')), deploy(code('two'))])
      expect(answers.map(one => one.status).sort()).toEqual([201, 402])
      const refused = answers.find(one => one.status === 402)!.json.error
      expect(refused.code).toBe('quota_exceeded')
      expect(refused.message).toContain('has 2500; 1500 more were asked for')
      expect(await quotaOf(token, 'kept_bytes')).toMatchObject({ used: 2500 })
      expect((await start()).status).toBe(202)
      await set(account_id, { kept_bytes: 3500 }) // measured again
      const full = await start()
      expect([full.status, full.json.error.code]).toEqual([402, 'quota_exceeded'])
      expect(full.json.error.message).toContain('"kept_bytes" of the account allows 3500 bytes')
      await set(account_id, { kept_bytes: null })
      expect((await start()).status).toBe(202)
    })

    it('bound the concurrency of all projects together [quotas.concurrency]', async () => {
      const world = given()
      const { account_id, token, project_id } = await openAccount(world)
      const change = (id: string, concurrency: number | null) =>
        world.call('PATCH', `/v1/projects/${id}`, { token, body: { concurrency } })
      await set(account_id, { concurrency: 100 })
      // The default of 256 is above that: it may come down in steps, but not go up.
      const raised = await change(project_id, 300)
      expect([raised.status, raised.json.error.code]).toEqual([402, 'quota_exceeded'])
      expect((await change(project_id, 200)).status).toBe(200)
      expect((await change(project_id, 80)).status).toBe(200)
      const create = (body: object) => world.call('POST', '/v1/projects', { token, body })
      expect((await create({ name: 'as it comes' })).status).toBe(402)
      const second = await create({ name: 'small', concurrency: 20 })
      expect(second.status).toBe(201)
      expect((await change(second.json.id, 21)).status).toBe(402)
      expect((await change(project_id, null)).status).toBe(402)
      expect((await change(project_id, 79)).status).toBe(200)
      expect((await change(second.json.id, 21)).status).toBe(200)
      expect(await quotaOf(token, 'concurrency')).toMatchObject({ limit: 100, used: 100 })
      const name = { token, body: { name: 'renamed' } }
      expect((await world.call('PATCH', `/v1/projects/${project_id}`, name)).status).toBe(200)
    })
  })
}
