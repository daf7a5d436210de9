import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'
import type { Answer } from './world.ts'

interface Declared {
  schedules?: { cron: string; timezone?: string }[]
  triggers?: { name: string; secret_env?: string }[]
  schedule_input?: unknown
}

/** Schedules and triggers that code declares, and how a deploy reconciles them. */
export function automationPart(given: Given): void {
  const deploy = (agentId: string, declared: Declared = {}, more: object = {}) =>
    given().call('POST', `/v1/agents/${agentId}/deployments`, {
      body: {
        kind: 'url',
        url: 'http://127.0.0.1:9/',
        declaration: { name: 'declaring', ...declared },
        ...more,
      },
    })
  const schedulesOf = async (agentId: string) =>
    (await given().call('GET', `/v1/schedules?agent_id=${agentId}`)).json as Answer['json'][]
  const triggersOf = async (agentId: string) =>
    (await given().call('GET', `/v1/triggers?agent_id=${agentId}`)).json.triggers as Answer['json'][]
  const crons = async (agentId: string) => (await schedulesOf(agentId)).map(one => one.cron).sort()
  const done = ({ json }: Answer) =>
    [...json.plan.schedules, ...json.plan.triggers].map(one => [one.action, one.cron ?? one.name])
  const fire = (url: string, secret: string) =>
    given().call('POST', new URL(url).pathname, { token: secret, body: { n: 1 } })

  describe('a deploy with declared schedules and triggers', () => {
    const both: Declared = {
      schedules: [{ cron: '30 7 * * 1-5', timezone: 'Europe/Berlin' }, { cron: '0  12 * * 6' }],
      triggers: [{ name: 'orders', secret_env: 'ORDERS_SECRET' }],
      schedule_input: { hours: 24 },
    }

    it('makes them, and returns the secret only this once [declarations.phases]', async () => {
      const { id } = await makeAgent(given())
      const first = await deploy(id, both)
      expect(first.status).toBe(201)
      expect(done(first)).toEqual([
        ['created', '30 7 * * 1-5'],
        ['created', '0 12 * * 6'],
        ['created', 'orders'],
      ])
      expect(await schedulesOf(id)).toEqual(
        expect.arrayContaining([
          expect.objectContaining({
            id: first.json.plan.schedules[0].id,
            cron: '30 7 * * 1-5',
            timezone: 'Europe/Berlin',
            input: { hours: 24 },
            declared: true,
            enabled: true,
          }),
          expect.objectContaining({ cron: '0 12 * * 6', timezone: 'UTC' }),
        ]),
      )
      const [trigger] = first.json.plan.triggers
      expect(trigger).toMatchObject({
        url: expect.stringMatching(/\/v1\/webhooks\/whk_[\w-]+\/trigger$/),
        secret: expect.stringMatching(/^whk_secret_/),
        secret_env: 'ORDERS_SECRET',
      })
      expect((await fire(trigger.url, trigger.secret)).status).toBe(202)

      const again = await deploy(id, both)
      expect(again.status).toBe(200)
      expect(again.json).toMatchObject({ id: first.json.id, created: false })
      expect(new Set(done(again).map(([action]) => action))).toEqual(new Set(['unchanged']))
      expect(again.json.plan.triggers).toMatchObject([{ id: trigger.id, url: trigger.url, secret: null }])
      expect(again.text).not.toContain(trigger.secret)
      expect((await fire(trigger.url, trigger.secret)).status).toBe(202)
    })

    it('changes a time zone in place, and makes another schedule for another cron', async () => {
      const { id } = await makeAgent(given())
      const one = await deploy(id, { schedules: [{ cron: '0 9 * * *' }, { cron: '0 10 * * *' }] })
      const two = await deploy(id, {
        schedules: [{ cron: '0 9 * * *', timezone: 'Asia/Tokyo' }, { cron: '0 11 * * *' }],
      })
      expect(two.json.plan.schedules).toMatchObject([
        {
          action: 'changed',
          id: one.json.plan.schedules[0].id,
          changes: [{ field: 'timezone', from: 'UTC', to: 'Asia/Tokyo' }],
        },
        { action: 'created', cron: '0 11 * * *' },
        { action: 'deleted', id: one.json.plan.schedules[1].id, cron: '0 10 * * *' },
      ])
      const [tokyo] = (await schedulesOf(id)).filter(schedule => schedule.cron === '0 9 * * *')
      expect(tokyo.next_fires[0]).toMatch(/T00:00:00/)
      expect(await crons(id)).toEqual(['0 11 * * *', '0 9 * * *'])
    })

    it('deletes those that are no longer declared, even the last, and keeps those made by hand [declarations.removal, declarations.none]', async () => {
      const { id } = await makeAgent(given())
      await deploy(id, both)
      const own = { agent_id: id, cron: '1 1 * * *' }
      expect((await given().call('POST', '/v1/schedules', { body: own })).status).toBe(201)
      expect(
        (await given().call('POST', '/v1/triggers', { body: { agent_id: id, name: 'own' } })).status,
      ).toBe(201)
      const bare = await deploy(id)
      expect(done(bare)).toEqual([
        ['deleted', '30 7 * * 1-5'],
        ['deleted', '0 12 * * 6'],
        ['deleted', 'orders'],
      ])
      expect(await crons(id)).toEqual(['1 1 * * *'])
      expect((await triggersOf(id)).map(one => one.name)).toEqual(['own'])
      expect(done(await deploy(id, {}, { env: { A: '1' } }))).toEqual([])
    })

    it('enables again what an operator disabled, even if the version exists already [schedules.deploy-reconciles]', async () => {
      const { id } = await makeAgent(given())
      const first = await deploy(id, both)
      const schedule = `/v1/schedules/${first.json.plan.schedules[0].id}`
      expect((await given().call('POST', `${schedule}/disable`)).status).toBe(200)
      const again = await deploy(id, both)
      expect(again.status).toBe(200)
      expect(again.json.plan.schedules[0]).toMatchObject({
        action: 'changed',
        changes: [{ field: 'enabled', from: 'false', to: 'true' }],
      })
      const after = (await given().call('GET', schedule)).json
      expect(after).toMatchObject({ enabled: true, disabled_reason: null })
      expect(after.next_fires).toHaveLength(5)
    })

    it('keeps an occurrence due that has no row yet, unless the time zone changes', async () => {
      const { id } = await makeAgent(given())
      const schedules = [{ cron: '0 0 1 1 *' }]
      const [schedule] = (await deploy(id, { schedules })).json.plan.schedules
      const due = new Date('2026-01-01T00:00:00Z')
      await given().ctx.sql`update schedules set next_at = ${due} where id = ${schedule.id}`
      const nextAt = async () =>
        (await given().ctx.sql`select next_at from schedules where id = ${schedule.id}`)[0]!.next_at
      await deploy(id, { schedules, schedule_input: { hours: 1 } })
      expect(await nextAt()).toEqual(due)
      await deploy(id, { schedules: [{ cron: '0 0 1 1 *', timezone: 'Asia/Tokyo' }] })
      expect(await nextAt()).not.toEqual(due)
    })

    it('replaces an input that is longer than code may declare, and leaves those of other schedules alone', async () => {
      const { id } = await makeAgent(given())
      const input = 'x'.repeat(LIMITS.configuration_bytes)
      for (const cron of ['0 12 * * 6', '1 12 * * 6'])
        await given().call('POST', '/v1/schedules', { body: { agent_id: id, cron, input } })
      const [schedule] = (await deploy(id, { ...both, schedules: [{ cron: '0 12 * * 6' }] })).json.plan
        .schedules
      expect(schedule).toMatchObject({
        action: 'changed',
        changes: [{ field: 'input', to: '{"hours":24}' }, {}],
      })
      const inputs = (await schedulesOf(id)).map(one => [one.cron, one.input])
      expect(inputs).toEqual(
        expect.arrayContaining([
          ['0 12 * * 6', { hours: 24 }],
          ['1 12 * * 6', input],
        ]),
      )
    })

    it('takes over those made by hand under the same key, with their settings and URL', async () => {
      const { id } = await makeAgent(given())
      const made = await given().call('POST', '/v1/schedules', {
        body: { agent_id: id, cron: '0 12 * * 6', timezone: 'Asia/Tokyo', budget_cents: 7 },
      })
      const trigger = await given().call('POST', '/v1/triggers', { body: { agent_id: id, name: 'orders' } })
      const { plan } = (await deploy(id, both)).json
      expect(plan.schedules[1]).toMatchObject({
        action: 'changed',
        id: made.json.id,
        changes: [
          { field: 'timezone', from: 'Asia/Tokyo', to: 'UTC' },
          { field: 'input', from: 'null', to: '{"hours":24}' },
          { field: 'declared', from: 'false', to: 'true' },
        ],
      })
      expect((await given().call('GET', `/v1/schedules/${made.json.id}`)).json.budget_cents).toBe(7)
      expect(plan.triggers[0]).toMatchObject({
        action: 'changed',
        id: trigger.json.id,
        url: trigger.json.url,
        secret: null,
      })
      expect((await fire(trigger.json.url, trigger.json.secret)).status).not.toBe(404)
      expect(done(await deploy(id)).map(([action]) => action)).toEqual(['deleted', 'deleted', 'deleted'])
    })

    it('gives a renamed trigger another URL and secret and the settings of its runs, and ends the old ones [triggers.settings]', async () => {
      const { id } = await makeAgent(given())
      const [before] = (await deploy(id, { triggers: [{ name: 'orders' }] })).json.plan.triggers
      await given().call('PATCH', `/v1/triggers/${before.id}`, { body: { budget_cents: 500, tags: ['o'] } })
      const [after] = (await deploy(id, { triggers: [{ name: 'sales' }] })).json.plan.triggers
      expect(after).toMatchObject({ action: 'rotated', replaces: 'orders' })
      expect((await fire(before.url, before.secret)).status).toBe(404)
      expect((await fire(after.url, before.secret)).status).toBe(401)
      expect((await fire(after.url, after.secret)).status).toBe(202)
      expect(await triggersOf(id)).toMatchObject([{ name: 'sales', budget_cents: 500, tags: ['o'] }])
    })

    it('by promotion to an older name of a trigger gives it the settings of the newer one, which is kept [triggers.settings]', async () => {
      const { id } = await makeAgent(given())
      const old = await deploy(id, { triggers: [{ name: 'orders' }] })
      const [sales] = (await deploy(id, { triggers: [{ name: 'sales' }] })).json.plan.triggers
      const settings = { budget_cents: 500, pilot_items: 3, tags: ['o'] }
      await given().call('PATCH', `/v1/triggers/${sales.id}`, { body: settings })
      await given().call('POST', `/v1/agents/${id}/deployments/${old.json.id}/promote`)
      const both = await triggersOf(id)
      expect(both.map((one: { name: string }) => one.name).sort()).toEqual(['orders', 'sales'])
      expect(both).toMatchObject([settings, settings])
    })

    it('as a dry run returns the same plan and does nothing [declarations.dry-run]', async () => {
      const { id } = await makeAgent(given())
      const nothing = await deploy(id, both, { dry_run: true })
      expect(nothing.status).toBe(200)
      expect(nothing.json).toMatchObject({
        dry_run: true,
        version: 1,
        created: true,
        current_version: null,
        changes: ['everything'],
      })
      expect(done(nothing).map(([action]) => action)).toEqual(['created', 'created', 'created'])
      expect(await schedulesOf(id)).toEqual([])
      expect((await given().call('GET', `/v1/agents/${id}/deployments`)).json).toEqual([])

      await deploy(id, both)
      const before = [await schedulesOf(id), await triggersOf(id)]
      const next: Declared = { schedules: [{ cron: '5 5 * * *' }], triggers: [{ name: 'sales' }] }
      const planned = await deploy(id, next, { dry_run: true, env: { A: '1' } })
      expect(planned.json).toMatchObject({ version: 2, current_version: 1 })
      expect(planned.json.changes.sort()).toEqual(['env', 'schedule_input', 'schedules', 'triggers'])
      expect([await schedulesOf(id), await triggersOf(id)]).toEqual(before)
      const dated = done(await deploy(id, next, { env: { A: '1' } }))
      expect(dated).toEqual(done(planned))
      expect((await deploy(id, next, { env: { A: '1' }, dry_run: true })).json).toMatchObject({
        version: 2,
        created: false,
        changes: [],
      })
    })

    it('by promotion follows the promoted version but keeps its triggers, and says so before in a dry run', async () => {
      const { id } = await makeAgent(given())
      const one = await deploy(id, { schedules: [{ cron: '0 1 * * *' }] })
      const two = await deploy(id, { schedules: [{ cron: '0 2 * * *' }], triggers: [{ name: 'orders' }] })
      const path = `/v1/agents/${id}/deployments/${one.json.id}/promote`
      const planned = await given().call('POST', path, { body: { dry_run: true } })
      expect(planned.json).toMatchObject({ dry_run: true, version: 1, created: false, current_version: 2 })
      expect(await crons(id)).toEqual(['0 2 * * *'])
      const promoted = await given().call('POST', path)
      expect(promoted.json).toMatchObject({ version: 1, is_current: true })
      expect(done(promoted)).toEqual(done(planned))
      expect(done(promoted)).toEqual([
        ['created', '0 1 * * *'],
        ['deleted', '0 2 * * *'],
        ['kept', 'orders'],
      ])
      expect(await crons(id)).toEqual(['0 1 * * *'])
      const [trigger] = two.json.plan.triggers
      expect((await fire(trigger.url, trigger.secret)).status).toBe(202)
      const forward = `/v1/agents/${id}/deployments/${two.json.id}/promote`
      expect((await given().call('POST', forward)).json.plan.triggers).toMatchObject([
        { action: 'unchanged', url: trigger.url },
      ])
      expect(done(await deploy(id, { schedules: [{ cron: '0 1 * * *' }] }))).toContainEqual([
        'deleted',
        'orders',
      ])
    })

    it.each<[string, unknown]>([
      [
        'the same cron twice',
        { schedules: [{ cron: '0 9 * * *' }, { cron: '0 9  * * *', timezone: 'UTC' }] },
      ],
      ['the same name twice', { triggers: [{ name: 'a' }, { name: 'a' }] }],
      ['a cron of six fields', { schedules: [{ cron: '0 0 9 * * *' }] }],
      ['a date that never comes', { schedules: [{ cron: '0 0 30 2 *' }] }],
      ['the zone Local', { schedules: [{ cron: '0 9 * * *', timezone: 'Local' }] }],
      ['max_steps on a schedule', { schedules: [{ cron: '0 9 * * *', max_steps: 3 }] }],
      ['an input on a schedule', { schedules: [{ cron: '0 9 * * *', input: {} }] }],
      ['a name with a space', { triggers: [{ name: 'a b' }] }],
      ['a variable in lower case', { triggers: [{ name: 'a', secret_env: 'secret' }] }],
      ['too many', { triggers: Array.from({ length: 101 }, (_, n) => ({ name: `t${n}` })) }],
    ])('is refused as a whole with %s', async (_, declared) => {
      const { id } = await makeAgent(given())
      const good: Declared = { schedules: [{ cron: '5 5 * * *' }], triggers: [{ name: 'good' }] }
      const merged = {
        schedules: [...good.schedules!, ...((declared as Declared).schedules ?? [])],
        triggers: [...good.triggers!, ...((declared as Declared).triggers ?? [])],
      }
      const answer = await deploy(id, merged)
      expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
      expect(answer.json.error.message).toMatch(/declaration\.(schedules|triggers)/)
      expect([await schedulesOf(id), await triggersOf(id)]).toEqual([[], []])
      expect((await given().call('GET', `/v1/agents/${id}`)).json.deployed_version).toBeNull()
    })

    it('ends like one deploy after the other when many deploy at once', async () => {
      const { id } = await makeAgent(given())
      const wanted = [1, 2, 3, 4, 5, 6].map(hour => ({
        schedules: [{ cron: '0 0 * * *' }, { cron: `0 ${hour} * * *` }],
        triggers: [{ name: 'always' }, { name: `hour-${hour}` }],
      }))
      const answers = await Promise.all(wanted.map(declared => deploy(id, declared)))
      expect(answers.map(answer => answer.status)).toEqual(wanted.map(() => 201))
      const version = (await given().call('GET', `/v1/agents/${id}`)).json.deployed_version
      const current = answers.findIndex(answer => answer.json.version === version)
      const declared = wanted[current]!
      expect(await crons(id)).toEqual(declared.schedules.map(one => one.cron).sort())
      expect((await triggersOf(id)).map(one => one.name).sort()).toEqual(
        declared.triggers.map(one => one.name).sort(),
      )
      const always = answers.flatMap(answer => answer.json.plan.triggers.filter(isAlways))
      expect(new Set(always.map(one => one.url)).size).toBe(1)
      expect(always.filter(one => one.secret !== null)).toHaveLength(1)
    })
    const isAlways = ({ name }: { name: string }) => name === 'always'

    it('takes over a schedule that is made by hand at the same time', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await makeAgent(given())
        const [deployed, made] = await Promise.all([
          deploy(id, { schedules: [{ cron: '0 9 * * *' }] }),
          given().call('POST', '/v1/schedules', { body: { agent_id: id, cron: '0 9 * * *' } }),
        ])
        expect(deployed.status).toBe(201)
        expect([201, 409]).toContain(made.status)
        expect(await schedulesOf(id)).toMatchObject([{ cron: '0 9 * * *', declared: true }])
      }
    })
  })

  describe('versions', () => {
    it('are listed in pages, and by an external id', async () => {
      const { id } = await makeAgent(given())
      for (const n of [1, 2, 3]) await deploy(id, {}, { env: { N: `${n}` }, external_id: `sha-${n % 2}` })
      const same = await deploy(id, {}, { env: { N: '3' }, external_id: 'sha-9' })
      expect(same.json).toMatchObject({ version: 3, external_id: 'sha-1' })
      const path = `/v1/agents/${id}/deployments`
      const versions = async (query: string) => {
        const { json, headers } = await given().call('GET', `${path}?${query}`)
        return {
          next: headers.get('x-next-cursor'),
          list: json.map((row: { version: number }) => row.version),
        }
      }
      const first = await versions('limit=2')
      expect(first.list).toEqual([3, 2])
      expect(await versions(`limit=2&cursor=${first.next}`)).toEqual({ list: [1], next: null })
      expect((await versions('external_id=sha-1')).list).toEqual([3, 1])
      expect((await versions('external_id=sha-9')).list).toEqual([])
    })
  })
}
