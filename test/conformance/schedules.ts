import { describe, expect, it } from 'vitest'
import { fireDue } from '../../shared/schedules/verbs/fire.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

/** Requests and answers; what the tick does is tested in test/integration/schedules/schedules.test.ts. */
export function schedulesPart(given: Given): void {
  async function made(order: object = {}) {
    const world = given()
    const agent = await makeAgent(world)
    const create = (order: object) =>
      world.call('POST', '/v1/schedules', { body: { agent_id: agent.id, cron: '0 9 * * *', ...order } })
    const { status, json } = await create(order)
    expect(status).toBe(201)
    const path = `/v1/schedules/${json.id}`
    const call = (method: string, more = '', body?: object) =>
      world.call(method, path + more, body && { body })
    return { world, agent, schedule: json, path, call, create }
  }
  const codeOf = (answer: { status: number; json: { error: { code: string } } }) => [
    answer.status,
    answer.json.error?.code,
  ]

  describe('schedules', () => {
    it('are created, listed, read, changed and deleted [schedules.crud]', async () => {
      const { world, agent, schedule, call } = await made()
      expect(schedule).toMatchObject({
        agent_id: agent.id,
        agent_slug: agent.slug,
        cron: '0 9 * * *',
        timezone: 'UTC',
        enabled: true,
        disabled_reason: null,
        declared: false,
        input: null,
        budget_cents: null,
        last_run_at: null,
        last_event: null,
      })
      expect(schedule.next_fires).toHaveLength(5)
      for (const at of schedule.next_fires) expect(at).toMatch(/T09:00:00.000Z$/)
      const { ending, ...read } = (await call('GET')).json
      expect(read).toEqual(schedule)
      expect(ending).toMatchObject({ run_id: null, deadline_at: null })
      const list = await world.call('GET', `/v1/schedules?agent_id=${agent.id}`)
      expect(list.json).toEqual([schedule])
      const changed = await call('PATCH', '', { budget_cents: 7, timeout_seconds: 60 })
      expect(changed.json).toMatchObject({ budget_cents: 7, timeout_seconds: 60, cron: '0 9 * * *' })
      expect((await call('PATCH', '', { budget_cents: null })).json).toMatchObject({
        budget_cents: null,
        timeout_seconds: 60,
      })
      expect((await call('DELETE')).status).toBe(200)
      expect(codeOf(await call('GET'))).toEqual([404, 'not_found'])
    })

    it('whose budget cannot hold unpriced models are refused, as are triggers, unless the caller allows that [prices.refuse-starts]', async () => {
      const { world, agent, call, create } = await made()
      await world.call('POST', `/v1/agents/${agent.id}/runs`, { body: { input: {} } })
      await world.ctx.sql`update runs set unpriced_model = 'strange-model' where agent_id = ${agent.id}`
      const refused = await create({ cron: '0 10 * * *', budget_cents: 500 })
      expect(codeOf(refused)).toEqual([400, 'unpriced_model'])
      expect(refused.json.error.hint).toContain('assay prices set strange-model')
      expect(codeOf(await call('PATCH', '', { budget_cents: 500 }))).toEqual([400, 'unpriced_model'])
      const known = { budget_cents: 500, allow_unpriced: true }
      expect((await call('PATCH', '', known)).json).toMatchObject(known)
      expect(codeOf(await call('PATCH', '', { allow_unpriced: false }))).toEqual([400, 'unpriced_model'])
      expect((await create({ cron: '0 10 * * *', ...known })).json).toMatchObject(known)

      const trigger = (more: object) =>
        world.call('POST', '/v1/triggers', { body: { agent_id: agent.id, name: 'fires', ...more } })
      await world.call('PATCH', `/v1/agents/${agent.id}`, { body: { day_budget_cents: 500 } })
      expect(codeOf(await trigger({}))).toEqual([400, 'unpriced_model'])
      expect((await trigger({ allow_unpriced: true })).json).toMatchObject({ allow_unpriced: true })
      const body = {
        kind: 'url',
        url: 'https://example.org/agent',
        declaration: { name: 'Priceless', models: ['gpt-5-mini', 'declared-model'] },
      }
      const deployed = await world.call('POST', `/v1/agents/${agent.id}/deployments`, { body })
      expect(deployed.json.unpriced).toEqual(['strange-model', 'declared-model'])
    })

    it('are listed newest first, in pages', async () => {
      const { world, agent, schedule, create } = await made()
      const second = (await create({ cron: '0 10 * * *' })).json.id
      const third = (await create({ cron: '0 11 * * *' })).json.id
      const query = `/v1/schedules?agent_id=${agent.id}&limit=2`
      const first = await world.call('GET', query)
      expect(first.json.map((one: { id: string }) => one.id)).toEqual([third, second])
      const cursor = first.headers.get('x-next-cursor')
      const last = await world.call('GET', `${query}&cursor=${cursor}`)
      expect(last.json.map((one: { id: string }) => one.id)).toEqual([schedule.id])
      expect(last.headers.get('x-next-cursor')).toBeNull()
    })

    it('are unique by agent and cron [schedules.one-per-cron]', async () => {
      const { call, create, schedule } = await made()
      const refused = await create({ timezone: 'Europe/Berlin' })
      expect(codeOf(refused)).toEqual([409, 'schedule_cron_taken'])
      expect(refused.json.error.message).toContain(schedule.id)
      expect(codeOf(await create({ cron: ' 0  9 * * * ' }))).toEqual([409, 'schedule_cron_taken'])
      expect((await create({ cron: '0 10 * * *' })).status).toBe(201)
      expect(codeOf(await call('PATCH', '', { cron: '0 10 * * *' }))).toEqual([409, 'schedule_cron_taken'])
      expect((await call('PATCH', '', { cron: '0 9 * * *' })).status).toBe(200)
      const other = await made()
      expect(other.schedule.cron).toBe('0 9 * * *')
    })

    it.each([
      '0 0 * * * *',
      '@daily',
      '0 0 30 2 *',
      '0 9 * *',
      '',
      'TZ=UTC 0 9 * * *',
      'CRON_TZ=UTC 0 9 * * *',
    ])('refuse the cron %j [schedules.cron]', async cron => {
      const { create, call } = await made()
      expect(codeOf(await create({ cron }))).toEqual([400, 'invalid_cron'])
      expect(codeOf(await call('PATCH', '', { cron }))).toEqual([400, 'invalid_cron'])
    })

    it.each(['Local', '+02:00', 'Europe/Nowhere', 'europe/berlin', 'IST', ''])(
      'refuse the timezone %j [schedules.timezone]',
      async timezone => {
        const { create, call } = await made()
        expect(codeOf(await create({ cron: '1 1 * * *', timezone }))).toEqual([400, 'invalid_timezone'])
        expect(codeOf(await call('PATCH', '', { timezone }))).toEqual([400, 'invalid_timezone'])
      },
    )

    it('refuse max_steps, saying where it belongs [schedules.no-max-steps]', async () => {
      const { create, call } = await made()
      const refused = await create({ cron: '1 1 * * *', max_steps: 5 })
      expect(codeOf(refused)).toEqual([400, 'max_steps_rejected'])
      expect(refused.json.error.hint).toContain("agent's declaration")
      expect(codeOf(await call('PATCH', '', { max_steps: 5 }))).toEqual([400, 'max_steps_rejected'])
    })

    it('keep their input byte for byte', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const input = '{"big":12345678901234567890,"e":1.0e2,"z":"\\u0041"}'
      const raw = `{"agent_id":"${agent.id}","cron":"0 9 * * *","input":${input}}`
      const headers = { 'content-type': 'application/json' }
      const { text, json } = await world.call('POST', '/v1/schedules', { raw, headers })
      expect(text).toContain(`"input":${input}`)
      const other = `{"input":[ 1 ]}`
      const changed = await world.call('PATCH', `/v1/schedules/${json.id}`, { raw: other, headers })
      expect(changed.text).toContain('"input":[ 1 ]')
    })

    it('follow a new cron or time zone from the next occurrence on [schedules.edit-recomputes]', async () => {
      const { call } = await made()
      const later = await call('PATCH', '', { timezone: 'Asia/Kathmandu' })
      for (const at of later.json.next_fires) expect(at).toMatch(/T03:15:00.000Z$/)
      const often = await call('PATCH', '', { cron: '* * * * *' })
      expect(Date.parse(often.json.next_fires[0]) - Date.now()).toBeLessThan(61_000)
    })

    it('are disabled by a person and enabled again [schedules.operator-disables, schedules.enable]', async () => {
      const { call } = await made()
      const off = await call('POST', '/disable')
      expect(off.json).toMatchObject({ enabled: false, disabled_reason: 'operator', next_fires: [] })
      expect((await call('POST', '/disable')).json).toEqual(off.json)
      const on = await call('POST', '/enable')
      expect(on.json).toMatchObject({ enabled: true, disabled_reason: null })
      expect(on.json.next_fires).toHaveLength(5)
      const born = await made({ enabled: false })
      expect(born.schedule).toMatchObject({ enabled: false, disabled_reason: 'operator' })
    })

    it('with an invalid cron are not enabled', async () => {
      const { world, schedule, call } = await made({ enabled: false })
      await world.ctx.sql`
        update schedules set cron = 'never', disabled_reason = 'invalid_cron' where id = ${schedule.id}`
      expect((await call('GET')).json).toMatchObject({ disabled_reason: 'invalid_cron', next_fires: [] })
      expect(codeOf(await call('POST', '/enable'))).toEqual([400, 'invalid_cron'])
      await call('PATCH', '', { cron: '0 9 * * *' })
      expect((await call('POST', '/enable')).json).toMatchObject({ enabled: true })
    })

    it('are triggered by hand, disabled or not [schedules.trigger, occurrences.manual, schedules.last-event]', async () => {
      const { world, agent, call } = await made({ enabled: false, input: { by: 'hand' }, budget_cents: 30 })
      const { status, json } = await call('POST', '/trigger')
      expect(status).toBe(202)
      const run = (await world.call('GET', `/v2/runs/${json.run_id}`)).json
      expect(run).toMatchObject({
        agent_id: agent.id,
        total_items: 1,
        budget_cents: 30,
        name: 'schedule 0 9 * * *',
      })
      const [item] = (await world.call('GET', `/v2/runs/${json.run_id}/items`)).json
      expect(item).toMatchObject({ id: json.record_id, input: { by: 'hand' } })
      const after = (await call('GET')).json
      expect(after.last_event).toMatchObject({ outcome: 'fired', reason: 'manual', run_id: json.run_id })
      expect(after.last_run_at).not.toBeNull()
      expect(after).toMatchObject({ enabled: false, next_fires: [] })
    })

    it('have tags, which their runs get [schedules.tags]', async () => {
      const { world, schedule, call, create } = await made()
      expect(schedule.tags).toEqual([])
      const other = await create({ cron: '0 10 * * *', tags: ['acme', 'nightly'] })
      expect([other.status, other.json.tags]).toEqual([201, ['acme', 'nightly']])
      const changed = await call('PATCH', '', { tags: ['Ticket 7'] })
      expect([changed.status, changed.json.tags]).toEqual([200, ['Ticket 7']])
      expect((await call('PATCH', '', { name: 'Tagged' })).json.tags).toEqual(['Ticket 7'])
      const { json } = await call('POST', '/trigger')
      expect((await call('PATCH', '', { tags: [] })).json.tags).toEqual([])
      // The run keeps the tags it started with; later changes of the schedule apply to later runs.
      expect((await world.call('GET', `/v2/runs/${json.run_id}`)).json.tags).toEqual(['Ticket 7'])
      for (const wrong of [['a,b'], ['a', 'a'], null])
        expect(codeOf(await call('PATCH', '', { tags: wrong }))).toEqual([400, 'invalid_request'])
    })

    it('have a concurrency, which their runs get [schedules.concurrency]', async () => {
      const { world, schedule, call, create } = await made()
      expect(schedule.concurrency).toBeNull()
      const other = await create({ cron: '0 10 * * *', concurrency: 1 })
      expect([other.status, other.json.concurrency]).toEqual([201, 1])
      const changed = await call('PATCH', '', { concurrency: 3 })
      expect([changed.status, changed.json.concurrency]).toEqual([200, 3])
      expect((await call('PATCH', '', { name: 'Gentle' })).json.concurrency).toBe(3)
      const { json } = await call('POST', '/trigger')
      expect((await call('PATCH', '', { concurrency: null })).json.concurrency).toBeNull()
      expect((await world.call('GET', `/v2/runs/${json.run_id}`)).json.concurrency).toBe(3)
      for (const concurrency of [0, 1.5, 100_001, '3'])
        expect(codeOf(await call('PATCH', '', { concurrency }))).toEqual([400, 'invalid_request'])
    })

    it('list their events, newest first, in pages [schedules.events, occurrences.row]', async () => {
      const { world, schedule, call } = await made({ cron: '* * * * *' })
      await world.ctx.sql`
        update schedules set next_at = date_trunc('minute', now()) - interval '3 minutes' where id = ${schedule.id}`
      await fireDue(world.ctx)
      await call('POST', '/trigger')
      const all = (await call('GET', '/events')).json
      expect(all.map((event: { outcome: string; reason: string }) => [event.outcome, event.reason])).toEqual([
        ['fired', 'manual'],
        ['skipped', 'no_deployed_version'],
        ['missed', 'overdue'],
        ['missed', 'overdue'],
        ['missed', 'overdue'],
      ])
      expect(all[1]).toMatchObject({
        schedule_id: schedule.id,
        tries: 1,
        retry_at: expect.any(String),
        run_id: null,
      })
      const pages: object[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const page = await call('GET', `/events?limit=2${cursor && `&cursor=${cursor}`}`)
        pages.push(...page.json)
        cursor = page.headers.get('x-next-cursor')
      }
      expect(pages).toEqual(all)
      expect((await call('GET')).json.last_event).toEqual(all[0])
      // Fired does not mean worked: an event says how its run ended.
      const nothing_yet = {
        worst_outcome_status: null,
        stop_reason: null,
        finished_at: null,
        completed: 0,
        degraded_count: 0,
        failed: 0,
        budget_exceeded_count: 0,
        cost_usd: 0,
      }
      expect(all[0].run).toEqual({ status: 'queued', total_items: 1, ...nothing_yet })
      expect(all[1].run).toBeNull()
    })

    it('are previewed on the wall clock of their time zone [schedules.preview]', async () => {
      const { json } = await given().call(
        'GET',
        `/v1/schedules/preview?cron=${encodeURIComponent('30 2 * * *')}&timezone=Europe/Berlin`,
      )
      expect(json.moments).toHaveLength(5)
      for (const { wall_clock, at, note } of json.moments) {
        expect(wall_clock).toMatch(/T02:30$/)
        if (note === null) expect(at).toMatch(/T0[01]:30:00.000Z$/)
      }
      const bad = await given().call('GET', '/v1/schedules/preview?cron=%40daily')
      expect(codeOf(bad)).toEqual([400, 'invalid_cron'])
      const zone = await given().call('GET', '/v1/schedules/preview?cron=*+*+*+*+*&timezone=Local')
      expect(codeOf(zone)).toEqual([400, 'invalid_timezone'])
    })
  })
}
