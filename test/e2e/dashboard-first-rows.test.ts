// Lists that show only their first rows say of how many, and lead to all of them: in a browser, over real stores.

import { beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { makeAgent, makeRun } from '../conformance/make.ts'
import { deploy, fails, recordId, workOff } from '../conformance/play.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

const GROUPS = LIMITS.failure_groups + 1
const REPLAYS = 12
const STOPPED = 5

describe.skipIf(CHROMIUM === undefined)('a list of first rows (needs Chromium)', () => {
  const browser = browserWorld()
  let project: string
  let run: string
  beforeAll(async () => {
    const { world } = browser
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    // Of each prompt two items, and of each partition two.
    const items = Array.from({ length: 2 * GROUPS }, (_, n) => ({
      input: `prompt ${'abcdefghijklmnopqrstuvwxyz'[n % GROUPS]}`,
      partition_key: `customer ${n % GROUPS}`,
    }))
    run = await makeRun(world, agent.id, items, { name: 'the night', tags: ['a', 'b', 'c', 'd', 'e'] })
    for (let n = 0; n < GROUPS - 1; n++) await makeRun(world, agent.id, [{ input: n }])
    await workOff(world, fails())
    for (let n = 1; n <= REPLAYS; n++)
      await world.call('POST', `/v1/durable/runs/${recordId(run, n)}/replay`, { body: {} })
    await workOff(world, fails())
    // As after too many failures in a row: what it did not get to is in no triage.
    await world.ctx.sql`
      update runs set name = 'stopped ' || id, stop_reason = 'consecutive_failures', cancelled = 3, total_items = total_items + 3
      where id in (select id from runs where name is null and replay_of is null order by id limit ${STOPPED})`
    project = `/dashboard/projects/${world.first.project_id}`
  })

  it('of replays of a run', async () => {
    const page = await browser.open(`/dashboard/runs/${run}`)
    await page.locator('#replays').getByText(`10 of ${REPLAYS}`).waitFor()
    await page.getByRole('link', { name: 'All replays' }).click()
    await page.locator('#only-those').getByRole('link', { name: 'one run' }).waitFor()
    expect(await page.locator('#runs tbody tr').count()).toBe(REPLAYS)
    await page.getByRole('button', { name: 'Show' }).click()
    await expect.poll(() => page.locator('#runs tbody tr').count()).toBe(REPLAYS)
  })

  it('of similar failures and of partitions of a run', async () => {
    const page = await browser.open(`/dashboard/runs/${run}`)
    await page.getByText(`${LIMITS.failure_groups} of ${GROUPS} prompts`).waitFor()
    await page.getByText(`${LIMITS.failure_groups} of ${GROUPS} partitions`).waitFor()
    await page.getByRole('link', { name: 'All items that did not work' }).first().click()
    await expect.poll(() => page.url()).toContain('outcome=not_ok')
  })

  it('of runs with a cause', async () => {
    const page = await browser.open(`${project}/causes`)
    await page.locator('#causes tbody a').first().click()
    await page.getByText(`${LIMITS.failure_groups} of ${GROUPS + REPLAYS}`).waitFor()
    await page.getByRole('link', { name: 'All runs' }).click()
    await page.locator('#only-those').getByRole('link', { name: 'one cause' }).waitFor()
    expect(await page.locator('#runs tbody tr').count()).toBe(GROUPS + REPLAYS)
  })

  it('of tags of a run among others', async () => {
    const page = await browser.open(`${project}/runs?tag=a`)
    await page.getByRole('link', { name: '3 of 5 tags' }).last().click()
    await page.locator('#tags').getByRole('link', { name: 'e', exact: true }).waitFor()
  })

  it.each(['', '/triage'])('of runs that were stopped, on %s', async path => {
    const page = await browser.open(`${project}${path}`)
    const lines = page.locator('main a').filter({ hasText: 'was stopped' }).filter({ visible: true })
    expect(await lines.count()).toBe(3)
    await page.getByText(`3 of ${STOPPED} runs that were stopped`).click()
    await expect.poll(() => lines.count()).toBe(STOPPED)
  })
})
