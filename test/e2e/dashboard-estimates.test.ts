// How long runs take, as people see it on the page of a run and of a schedule: in a browser, over real stores.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeLimits } from '../../shared/upstreams/verbs/set-limits.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent, makeRun } from '../conformance/make.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

const WIDTHS = [390, 1440, 2560]
const GATEWAY =
  'https://functions.eu-central-1.northwind-traders.example/function/classify-refund-requests-of-customers'

describe.skipIf(CHROMIUM === undefined)('estimates (needs Chromium)', () => {
  let world: World
  let visit: Visitor | undefined
  let run: string
  let schedule: string
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    const { sql } = world.ctx
    const { project_id } = world.first
    const { id: agent_id } = await makeAgent(world)
    const deployment = { kind: 'url', url: GATEWAY, declaration: { name: 'a' } }
    await world.call('POST', `/v1/agents/${agent_id}/deployments`, { body: deployment })
    await changeLimits(world.ctx, { project_id, host: GATEWAY, label: '' }, { requests: '1/min' })
    const items = Array.from({ length: 120 }, (_, i) => ({ input: i }))
    const run_id = await makeRun(world, agent_id, items)
    await sql`update runs set ok = 20, next_seq = 21, started_at = now(), model_calls = 20 where id = ${run_id}`
    const cron = '0 3 * * *'
    const source = { url: 'https://example.com/export', format: 'ndjson' }
    const { json } = await world.call('POST', '/v1/schedules', { body: { agent_id, cron, source } })
    const body = { schedule_id: json.id, finished_by: '04:00' }
    await world.call('POST', `/v1/projects/${project_id}/deadlines`, { body })
    await sql`
      insert into occurrences (project_id, schedule_id, scheduled_for, outcome, run_id)
      values (${project_id}, ${json.id}, now() - interval '1 minute', 'fired', ${run_id})`
    run = `/dashboard/runs/${run_id}`
    schedule = `/dashboard/schedules/${json.id}`
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  async function open(path: string, width = 1440): Promise<Page> {
    visit = await visitor(world.url, { viewport: { width, height: 900 } })
    await signIn(visit.page, world.first.account)
    visit.complaints.length = 0 // other tests check the overview
    await visit.page.goto(path)
    return visit.page
  }

  it.for(WIDTHS)('fit a window of %i pixels, without accessibility problems', async width => {
    const page = await open(run, width)
    for (const path of [run, schedule]) {
      await page.goto(path)
      const wide = await page.evaluate(() => document.scrollingElement!.scrollWidth)
      expect([path, Math.max(wide, width)]).toEqual([path, width])
      expect([path, await axeProblems(page)]).toEqual([path, []])
    }
  })

  it('are on the page of a run, with what binds it', async () => {
    const page = await open(run)
    const facts = await page.locator('#run-facts').textContent()
    expect(facts).toContain('Time leftabout 1 h 41 minends in 1 h 41 min')
    expect(facts).toContain(`about 1 h 41 min at 1 request a minute of ${GATEWAY}`)
  })

  it('are on the page of a schedule, with its deadline and a link to the run', async () => {
    const page = await open(schedule)
    const ending = page.locator('#schedule-ending')
    expect(await ending.textContent()).toMatch(
      /^Its run ends at about \d\d:\d\d, (after its deadline at|its deadline is) (\w+ \d+ \w+ )?04:00: about 1 h 41 min at 1 request a minute of /,
    )
    await ending.getByRole('link').click()
    await page.waitForURL(`**${run}`)
  })
})
