// Alerts as people read them, and what a viewer sees of settings: in a browser, over real stores.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Alert } from '../../shared/alerts/rules/alerts.ts'
import { raiseAlerts } from '../../shared/alerts/verbs/alerts.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent } from '../conformance/make.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

const VIEWER = { email: 'reads@example.test', password: 'only reads, nothing else' }

describe.skipIf(CHROMIUM === undefined)('alerts and settings (needs Chromium)', () => {
  let world: World
  let visit: Visitor | undefined
  let agent: { id: string; slug: string }
  let of_project: string
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    agent = await makeAgent(world)
    of_project = `/dashboard/projects/${world.first.project_id}`
    const { json } = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
    const body = { ...VIEWER, role: 'viewer' }
    await world.call('POST', '/v1/members', { body, token: json.access_token })
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  async function open(path: string, account = world.first.account): Promise<Page> {
    visit = await visitor(world.url)
    await signIn(visit.page, account)
    visit.complaints.length = 0 // other tests check the overview
    await visit.page.goto(path)
    return visit.page
  }

  const alert = (more: Partial<Alert>): Alert => ({
    project_id: world.first.project_id,
    agent_id: agent.id,
    schedule_id: null,
    run_id: null,
    rule: 'failure_share',
    subject_id: world.ctx.newId(),
    reason: 'failure_share',
    message: 'Too many did not work.',
    advice: 'Look at them.',
    command: 'assay triage',
    since: new Date(),
    ...more,
  })

  it('fold resolved alerts of one rule and agent into one line, and no open ones; each line links what it is about', async () => {
    const body = { agent_id: agent.id, cron: '0 2 * * *', name: 'Nightly tickets', input: 1 }
    const { json: schedule } = await world.call('POST', '/v1/schedules', { body })
    const nightly = { schedule_id: schedule.id, rule: 'schedule_missed', message: 'It passed.' } as const
    const run_ids = [1, 2, 3, 4, 5].map(() => world.ctx.newId())
    const ofRuns = run_ids.map(run_id => alert({ run_id }))
    // In sequence, since alerts of one statement have the same time.
    for (const one of ofRuns) await raiseAlerts(world.ctx, world.ctx.sql, [one])
    await world.ctx.sql`
      update alerts set resolved_at = now() where run_id = any(${run_ids.slice(0, 3)}::uuid[])`
    for (const one of [alert(nightly), alert({ rule: 'budget_near', agent_id: null })])
      await raiseAlerts(world.ctx, world.ctx.sql, [one])
    const page = await open(`${of_project}/alerts`)
    const lines = page.locator('#alerts tbody tr')
    expect(await lines.locator('td:first-child').allTextContents()).toEqual([
      ...['The project', 'Nightly tickets', agent.slug, agent.slug, agent.slug],
    ])
    const linked = await lines
      .locator('td:first-child a')
      .evaluateAll(all => all.map(a => a.getAttribute('href')))
    expect(linked).toEqual([
      `${of_project}/settings`,
      `/dashboard/schedules/${schedule.id}`,
      ...[4, 3, 2].map(at => `/dashboard/runs/${run_ids[at]}`),
    ])
    await page.getByText('and 2 alerts like it before').click()
    const earlier = await lines.locator('li a').evaluateAll(all => all.map(a => a.getAttribute('href')))
    expect(earlier).toEqual([run_ids[1], run_ids[0]].map(id => `/dashboard/runs/${id}`))
    expect(await axeProblems(page)).toEqual([])
  })

  it('name the agent of a rule that is for one agent only', async () => {
    await world.call('PATCH', `/v1/projects/${world.first.project_id}/alert-rules`, {
      body: { rule: 'failure_share', agent_id: agent.id, enabled: true, bounds: { share: 0.5 } },
    })
    const page = await open(`${of_project}/alerts`)
    await page.locator('#rules').getByText(`Only ${agent.slug}.`).waitFor()
  })

  it('count undelivered messages of alerts apart from callbacks of runs', async () => {
    const { project_id } = world.first
    for (const kind of ['alert.raised', 'alert.raised', 'run.finished'])
      await world.ctx.sql`
        insert into deliveries (id, project_id, kind, url, due_at)
        values (${world.ctx.newId()}, ${project_id}, ${kind}, 'https://example.com/gone', null)`
    const page = await open(`${of_project}/alerts`)
    const said = 'given up since yesterday, besides 1 callback of runs.'
    await page.locator('#given-up').getByText('2 messages to these addresses').waitFor()
    expect(await page.locator('#given-up').textContent()).toContain(said)
  })

  it('show at its field what is wrong with a channel, and with a deadline', async () => {
    const page = await open(`${of_project}/alerts`)
    await page.getByLabel('Webhook, or mailto').fill('nowhere')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.locator('#wrong-url').waitFor()
    expect(await page.getByLabel('Webhook, or mailto').inputValue()).toBe('nowhere')
    await page.getByLabel('Finished by').fill('half past six')
    await page.locator('form').filter({ hasText: 'Finished by' }).getByRole('button', { name: 'Set' }).click()
    await page.locator('#wrong-finished_by').waitFor()
    expect(await page.getByLabel('Finished by').inputValue()).toBe('half past six')
    await page.getByText('Must be a time of day: 06:30, 6:30, 6.30, 18h30 or 6:30 pm.').first().waitFor()
    await page.getByLabel('Finished by').fill('6:30 am')
    await page.locator('form').filter({ hasText: 'Finished by' }).getByRole('button', { name: 'Set' }).click()
    await page.getByText('It must have finished by 06:30.').waitFor()
    visit!.complaints.length = 0 // Chromium logs the 400
  })

  it('show a viewer no field that looks editable, and say once which role is required', async () => {
    const page = await open(`${of_project}/settings`, VIEWER)
    expect(await page.getByText('Owner role required').count()).toBe(1)
    expect(await page.getByText('Items at work at once').count()).toBe(1)
    const operators = ['alerts', 'keys', 'prices', 'triggers', 'schedules', 'submit']
    for (const path of operators) {
      await page.goto(`${of_project}/${path}`)
      expect([path, await page.getByText('Operator role required').count()]).toEqual([path, 1])
      expect([path, await page.locator('main :is(input, select, textarea)').count()]).toEqual([path, 0])
    }
    await page.goto('/dashboard/members')
    expect(await page.getByText('Owner role required').count()).toBe(1)
    expect(await page.locator('main :is(input, select, textarea)').count()).toBe(0)
  })
})
