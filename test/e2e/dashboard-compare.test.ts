// A run compared with others, as a person sees it, and what is usual for it; only the agent is played.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent, makeRun } from '../conformance/make.ts'
import { called, deploy, fails, holds, type Play, workOff, works } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

const byInput: Play = item => (item.input === 'ok' ? works : fails())(item)

describe.skipIf(CHROMIUM === undefined)('the comparison of a run (needs Chromium)', () => {
  let world: World
  let visit: Visitor | undefined
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  /** Signs in and opens the page. */
  async function open(path: string) {
    visit = await visitor(world.url)
    await signIn(visit.page, world.first.account)
    await visit.page.goto(`/dashboard${path}`)
    return visit.page
  }

  /** Runs an agent in this order, each time with this name and these inputs; returns the ids of its runs. */
  async function history(...runs: [name: string, inputs: string[]][]): Promise<string[]> {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const ids: string[] = []
    for (const [name, inputs] of runs) {
      const items = inputs.map((input, at) => ({ input, item_id: `ticket ${at}` }))
      ids.push(await makeRun(world, agent.id, items, { name }))
      await workOff(world, byInput)
    }
    return ids
  }

  const THREE = ['ok', 'ok', 'ok']

  it('of a large run shows its items on request, with and without a script', async () => {
    const [before, run] = await history(['nightly', THREE], ['nightly', ['ok', 'fail', 'ok']])
    await world.ctx.sql`update runs set total_items = 30000 where id in ${world.ctx.sql([before!, run!])}`
    const page = await open(`/runs/${run}/compare`)
    await page.getByRole('link', { name: 'Compare 30,000 items' }).click()
    await page.getByRole('link', { name: '1', exact: true }).waitFor()
    await page.getByText('ok → failed: 1 item').waitFor()
    expect(new URL(page.url()).searchParams.get('items')).toBe('1')
    await visit?.[Symbol.asyncDispose]()
    visit = await visitor(world.url, { javaScriptEnabled: false })
    await signIn(visit.page, world.first.account)
    await visit.page.goto(`/dashboard/runs/${run}/compare?items=1`)
    await visit.page.getByRole('link', { name: 'Compare 30,000 items' }).click()
    await visit.page.getByText('ok → failed: 1 item').waitFor()
  })

  it('is with the latest run of its name and size, not with a later try of one item', async () => {
    const [, before, , , run] = await history(
      ['nightly', THREE],
      ['nightly', ['ok', 'ok', 'fail', 'ok']],
      ['weekly', THREE],
      ['nightly', ['ok']],
      ['nightly', ['fail', ...THREE]],
    )
    const page = await open(`/runs/${run}/compare`)
    const choice = page.getByLabel('Compare with')
    expect(await choice.inputValue()).toBe(before)
    expect(await choice.locator('option:checked').textContent()).toMatch(
      /^nightly · \d{4}-\d\d-\d\d \d\d:\d\d UTC · 4 items$/,
    )
    expect(await choice.locator('option').count()).toBe(4)
    await page.getByRole('columnheader', { name: 'Earlier run' }).first().waitFor()
    const differing = page.locator('main section[id] > h3')
    expect(await differing.allTextContents()).toEqual([
      expect.stringContaining('ok → failed'),
      expect.stringContaining('failed → ok'),
    ])
    expect(await axeProblems(page)).toEqual([])
  })

  it('is with a run of the same items and about as many, rather than with a small one of its name', async () => {
    const [, weekly, , run] = await history(
      ['nightly', ['ok']],
      ['weekly', [...THREE, ...THREE]],
      ['nightly', ['ok']],
      ['nightly', [...THREE, ...THREE]],
    )
    const page = await open(`/runs/${run}/compare`)
    expect(await page.getByLabel('Compare with').inputValue()).toBe(weekly)
  })

  it('divides costs and times by the items that ran', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const priced: Play = item => [called(item, 'gpt-4o-mini', 1_000_000), ...works(item)]
    const night = async (more: object) => {
      const items = Array.from({ length: 8 }, (_, at) => ({ input: 'ok', item_id: `ticket ${at}` }))
      const run = await makeRun(world, agent.id, items, { name: 'nightly', ...more })
      await workOff(world, priced)
      return run
    }
    const whole = await night({})
    const cut = await night({ concurrency: 1, budget_cents: 20 })
    const { json } = await world.call('GET', `/v2/runs/${cut}`)
    expect(json).toMatchObject({ status: 'budget_exceeded', total_items: 8 })
    expect(json.budget_exceeded_count).toBeGreaterThan(3)
    const page = await open(`/runs/${cut}/compare?with=${whole}`)
    const row = page.locator('#totals').getByRole('row', { name: 'Cost per item that ran' })
    expect((await row.getByRole('cell').allTextContents()).slice(1)).toEqual(['$0.15', '$0.15', '—'])
    await page.locator('#after').getByText('100 %').waitFor()
    await page.goto(`/dashboard/runs/${cut}`)
    await page.locator('#run-state').getByText('100 % ok').waitFor()
    await page
      .locator('#run-facts')
      .getByText(/^usually \$0\.\d/)
      .first()
      .waitFor()
  })

  it('is with a run that shares items if none has its name, and says so if two runs share no item', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const runOver = async (name: string, item_id: string) => {
      const run = await makeRun(world, agent.id, [{ input: 'ok', item_id }], { name })
      await workOff(world, byInput)
      return run
    }
    const sharing = await runOver('first', 'shared')
    const other = await runOver('second', 'of its own')
    const run = await runOver('third', 'shared')
    const page = await open(`/runs/${run}/compare`)
    expect(await page.getByLabel('Compare with').inputValue()).toBe(sharing)
    await page.getByText('No item has another verdict in one than in the other.').waitFor()
    await page.goto(`/dashboard/runs/${run}/compare?with=${other}`)
    await page.getByText('The two runs share no item').waitFor()
    expect(await page.getByText('not in it').count()).toBe(0)
  })

  it('shows held items as held, and can show only what got worse', async () => {
    const held: Play = item => (item.input === 'hold' ? holds : byInput)(item)
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const night = async (inputs: string[]) => {
      const items = inputs.map((input, at) => ({ input, item_id: `ticket ${at}` }))
      const run = await makeRun(world, agent.id, items, { name: 'nightly' })
      await workOff(world, held)
      return run
    }
    const before = await night(['ok', 'hold', 'fail', 'ok', 'hold'])
    const run = await night(['hold', 'hold', 'ok', 'fail', 'ok'])
    const { json: waits } = await world.call('GET', `/v2/runs/${run}/items?status=paused`)
    await world.call('POST', `/v1/durable/runs/${waits[1].id}/dismiss`, { body: {} })
    const page = await open(`/runs/${run}/compare`)
    expect(await page.getByLabel('Compare with').inputValue()).toBe(before)
    const differing = page.locator('main section[id] > h3')
    const words = async () => (await differing.allTextContents()).map(text => text.split(':')[0])
    const all = ['ok → failed', 'ok → held', 'failed → ok', 'held → ok', 'held → no verdict']
    expect(await words()).toEqual(all)
    await page.reload()
    expect(await words()).toEqual(all)
    await page.locator('#ok-failed').getByText('a step failed').waitFor()
    await page.getByRole('link', { name: 'Show only what got worse' }).click()
    await page.getByText('Only what got worse.').waitFor()
    expect(await words()).toEqual(all.slice(0, 2))
    expect(await axeProblems(page)).toEqual([])
  })

  it('calls a later run later, and links to its items', async () => {
    const [first, later] = await history(['nightly', ['ok', 'ok']], ['nightly', ['ok', 'fail']])
    const page = await open(`/runs/${first}/compare?with=${later}`)
    await page.getByText('With the later nightly').waitFor()
    await page.getByRole('columnheader', { name: 'Later run' }).first().waitFor()
    expect(await page.getByText('Before').count()).toBe(0)
    await page.locator('#ok-failed').getByRole('link', { name: 'later run' }).click()
    await page.getByText('A tool call of the agent raised.').waitFor()
  })

  it('takes the usual time and pace only from runs of about the same size', async () => {
    const [, , similar, , alone] = await history(
      ['small', ['ok']],
      ['small', ['ok', 'ok']],
      ['small', THREE],
      ['large', Array(30).fill('ok')],
      ['huge', Array(100).fill('ok')],
    )
    const page = await open(`/runs/${alone}`)
    const ranFor = page.locator('#run-facts > div', { hasText: 'Ran for' })
    await ranFor.waitFor()
    expect(await ranFor.getByText('usually').count()).toBe(0)
    expect(await page.locator('#run-facts > div', { hasText: 'Pace' }).getByText('usually').count()).toBe(0)
    await page.goto(`/dashboard/runs/${similar}`)
    await ranFor.getByText('usually').waitFor()
  })
})
