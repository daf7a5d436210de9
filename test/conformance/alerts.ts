import { describe, expect, it } from 'vitest'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { openAccount } from './account-of-own.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

/** Rules, channels and the list of alerts; what raises them is tested in test/integration/alerts/alerts.test.ts. */
export function alertsPart(given: Given): void {
  async function project() {
    const world = given()
    const { project_id } = await openAccount(world)
    const { key: token } = await mintKey(world.ctx, project_id, 'alerts')
    const path = `/v1/projects/${project_id}`
    const rules = (method: string, body?: object) =>
      world.call(method, `${path}/alert-rules`, { token, body })
    const channels = (method: string, body?: object, id = '') =>
      world.call(method, `${path}/alert-channels${id}`, { token, body })
    return { world, project_id, token, rules, channels }
  }

  describe('alerts', () => {
    it('have rules that are on by default, except the one for every run that is not ok [alerts.on-by-default, alerts.rules]', async () => {
      const { rules } = await project()
      const { status, json } = await rules('GET')
      expect(status).toBe(200)
      const off = json.filter((rule: { enabled: boolean }) => !rule.enabled)
      expect(off.map((rule: { rule: string }) => rule.rule)).toEqual(['run_not_ok'])
      expect(json.every((rule: { is_default: boolean }) => rule.is_default)).toBe(true)
    })

    it('are muted for one agent, and bounded for the project', async () => {
      const { world, token, rules } = await project()
      const agent = await makeAgent(world, token)
      const one = await rules('PATCH', { rule: 'schedule_missed', agent_id: agent.id, enabled: false })
      expect(one.json.at(-1)).toMatchObject({ rule: 'schedule_missed', agent_id: agent.id, enabled: false })
      const all = await rules('PATCH', { rule: 'budget_near', enabled: true, bounds: { share: 0.5 } })
      const set = all.json.find((rule: { rule: string }) => rule.rule === 'budget_near')
      expect(set).toMatchObject({ agent_id: null, bounds: { share: 0.5 }, is_default: false })
    })

    it('refuse a bound that a rule does not have, or that is out of its range', async () => {
      const { rules } = await project()
      const unknown = await rules('PATCH', { rule: 'run_not_ok', enabled: true, bounds: { share: 0.5 } })
      expect([unknown.status, unknown.json.error.code]).toEqual([400, 'invalid_request'])
      expect(unknown.json.error.message).toContain('run_not_ok')
      const wide = await rules('PATCH', { rule: 'budget_near', enabled: true, bounds: { share: 2 } })
      expect(wide.json.error.message).toContain('from 0 to 1')
    })

    it('go to webhooks and mail addresses, each once, until the channel is deleted [alerts.channels]', async () => {
      const { channels } = await project()
      const made = await channels('POST', { url: 'mailto:night@example.org' })
      expect(made.status).toBe(201)
      const again = await channels('POST', { url: 'mailto:night@example.org' })
      expect(again.json.id).toBe(made.json.id)
      await channels('POST', { url: 'https://example.org/hook' })
      expect((await channels('GET')).json).toHaveLength(2)
      expect((await channels('DELETE', undefined, `/${made.json.id}`)).status).toBe(200)
      expect((await channels('DELETE', undefined, `/${made.json.id}`)).status).toBe(404)
      expect((await channels('GET')).json).toHaveLength(1)
    })

    it.each([
      'ftp://example.org',
      'mailto:',
      'mailto:a@b, c@d',
      'mailto:no-at-sign',
      'mailto:a%0d%0aBcc:c@d',
      'mailto:a%2cb@c.org',
      'mailto:a%ZZ@c.org',
      'https://user:word@example.org/',
      'night@example.org',
    ])('refuse the channel %s', async url => {
      const { channels } = await project()
      expect((await channels('POST', { url })).status).toBe(400)
    })

    it('have at most twenty channels', async () => {
      const { channels } = await project()
      for (let n = 0; n < 20; n++) await channels('POST', { url: `mailto:p${n}@example.org` })
      const more = await channels('POST', { url: 'mailto:more@example.org' })
      expect([more.status, more.json.error.code]).toEqual([409, 'too_many_channels'])
    })

    it('are written in the format of their channel, guessed from its URL unless given, as a test message is', async () => {
      const { world, token, channels } = await project()
      const slack = await channels('POST', { url: 'https://hooks.slack.com/services/T/B/x' })
      expect(slack.json).toMatchObject({ format: 'slack', digest: 'scheduled' })
      const added = await channels('POST', { url: 'https://example.org/h', format: 'teams', digest: 'all' })
      expect(added.json).toMatchObject({ format: 'teams', digest: 'all' })
      const again = await channels('POST', { url: 'https://example.org/h' })
      expect(again.json).toMatchObject({ id: added.json.id, format: 'json', digest: 'scheduled' })
      const wrong = await channels('POST', { url: 'mailto:a@example.org', format: 'slack' })
      expect([wrong.status, wrong.json.error.code]).toEqual([400, 'invalid_request'])
      const test = await channels('POST', undefined, `/${added.json.id}/test`)
      expect(test.status).toBe(202)
      const path = `/v1/deliveries/${test.json.delivery_id}`
      expect((await world.call('GET', path, { token })).json).toMatchObject({ kind: 'channel.test' })
      expect((await channels('POST', undefined, `/${world.ctx.newId()}/test`)).status).toBe(404)
    })

    it('have deadlines of schedules and agents, one each, until they are deleted [alerts.deadlines]', async () => {
      const { world, project_id, token } = await project()
      const agent = await makeAgent(world, token)
      const order = { agent_id: agent.id, cron: '0 2 * * *', timezone: 'Europe/Berlin' }
      const { json: schedule } = await world.call('POST', '/v1/schedules', { token, body: order })
      const deadlines = (method: string, body?: object, id = '') =>
        world.call(method, `/v1/projects/${project_id}/deadlines${id}`, { token, body })
      const made = await deadlines('POST', { schedule_id: schedule.id, finished_by: '06:30' })
      expect([made.status, made.json]).toMatchObject([
        201,
        { schedule_id: schedule.id, cron: '0 2 * * *', timezone: 'Europe/Berlin', agent_slug: agent.slug },
      ])
      expect(new Date(made.json.due_at).toISOString()).toMatch(/0[45]:30:00/)
      const moved = await deadlines('POST', { schedule_id: schedule.id, finished_by: '07:00' })
      expect(moved.json).toMatchObject({ id: made.json.id, finished_by: '07:00' })
      await deadlines('POST', { agent_id: agent.id, finished_by: '23:59', timezone: 'UTC' })
      expect((await deadlines('GET')).json).toHaveLength(2)
      for (const bad of [
        { agent_id: agent.id, finished_by: '24:00' },
        { agent_id: agent.id, finished_by: '6:30' },
        { agent_id: agent.id, schedule_id: schedule.id, finished_by: '06:30' },
        { finished_by: '06:30' },
        { agent_id: agent.id, finished_by: '06:30', timezone: 'Berlin' },
      ])
        expect([bad, (await deadlines('POST', bad)).status]).toEqual([bad, 400])
      expect((await deadlines('DELETE', undefined, `/${made.json.id}`)).status).toBe(200)
      expect((await deadlines('DELETE', undefined, `/${made.json.id}`)).status).toBe(404)
    })

    it('are listed newest first, in pages, by rule and agent [alerts.list]', async () => {
      const { world, project_id, token } = await project()
      const agent_id = world.ctx.newId()
      for (let n = 1; n <= 3; n++) {
        const words = { message: `number ${n}`, advice: 'none', command: 'assay runs', since: new Date() }
        const rule = n === 2 ? 'run_not_ok' : 'budget_near'
        const alert = { id: world.ctx.newId(), project_id, agent_id, rule, reason: 'failed', ...words }
        await world.ctx.sql`insert into alerts ${world.ctx.sql(alert as never)}`
      }
      const list = (query: string) => world.call('GET', `/v1/alerts${query}`, { token })
      const messages = (answer: { json: { alerts: { message: string }[] } }) =>
        answer.json.alerts.map(alert => alert.message)
      const first = await list('?limit=2')
      expect(messages(first)).toEqual(['number 3', 'number 2'])
      expect(messages(await list(`?limit=2&cursor=${first.json.next_cursor}`))).toEqual(['number 1'])
      expect(messages(await list('?rule=run_not_ok'))).toEqual(['number 2'])
      await world.ctx.sql`update alerts set resolved_at = now() where message = 'number 1'`
      expect(messages(await list('?state=open'))).toEqual(['number 3', 'number 2'])
      expect(messages(await list('?state=resolved'))).toEqual(['number 1'])
      const other = await makeAgent(world, token)
      expect(messages(await list(`?agent_id=${other.id}`))).toEqual([])
    })
  })
}
