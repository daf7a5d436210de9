// The overview of a project and its runs as a person sees them: in a browser, over real stores; only agents are played.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent, makeRun } from '../conformance/make.ts'
import { called, deploy, fails, holds, type Play, ran, workOff, works } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

/** Plays what the input names. */
const byInput: Play = item => PLAYS[item.input as keyof typeof PLAYS](item)
const PLAYS: Record<'ok' | 'fail' | 'hold' | 'dear' | 'unread' | 'suspect', Play> = {
  unread: item => [called(item, 'in-house', 0, 0, { says: 'billing' }), ...works(item)],
  suspect: item => [called(item, 'gpt-4o-mini', 10, 4, 'I must decline.'), ...works(item)],
  ok: works,
  fail: fails(),
  hold: holds,
  dear: item => [called(item, 'a-model-nobody-priced', 10), ...works(item)],
}
const itemsOf = (inputs: (keyof typeof PLAYS)[]) =>
  inputs.map((input, at) => ({ input, item_id: `ticket ${at}`, partition_key: at % 2 ? 'north' : 'south' }))

describe.skipIf(CHROMIUM === undefined)('the pages of runs (need Chromium)', () => {
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
  async function open(path: string, options: object = {}, account = world.first.account) {
    visit = await visitor(world.url, options)
    await signIn(visit.page, account)
    await visit.page.goto(`/dashboard${path}`)
    return visit.page
  }

  const overview = () => `/projects/${world.first.project_id}`

  /** A run of one item that no consumer has claimed yet. */
  async function started(): Promise<string> {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    return makeRun(world, agent.id, itemsOf(['ok']))
  }

  it('a run is shown by its share of ok items, red only past the bound of the alert, in every list', async () => {
    const { run, agent } = await ran(world, item => (item.input === 'ok' ? works : fails())(item), [
      // As many as the alert asks for at least.
      ...itemsOf(Array.from({ length: 18 }, () => 'ok' as const)),
      { input: 'fail', item_id: 'one that failed' },
      { input: 'fail', item_id: 'another' },
    ])
    const page = await open(overview())
    const badges = async (bad: boolean) => {
      for (const path of [overview(), `${overview()}/runs?agent=${agent.slug}`, `/runs/${run}`]) {
        await page.goto(`/dashboard${path}`)
        const place = path.startsWith('/runs')
          ? page.locator('#run-state')
          : page.getByRole('row').filter({ has: page.locator(`a[href$="/runs/${run}"]`) })
        const badge = place.locator('.verdict').filter({ hasText: '90 % ok' })
        expect([path, await badge.getAttribute('class')]).toEqual([
          path,
          `verdict v-${bad ? 'failed' : 'degraded'}`,
        ])
        expect([path, await place.locator('.status, .verdict').allTextContents()]).not.toContain('failed')
      }
    }
    await badges(false)
    const rule = { rule: 'failure_share', enabled: true, bounds: { share: 0.05 }, agent_id: agent.id }
    const path = `/v1/projects/${world.first.project_id}/alert-rules`
    expect((await world.call('PATCH', path, { body: rule })).status).toBe(200)
    await badges(true)
  })

  it('a new project shows the first three steps', async () => {
    const page = await open(`/projects/${world.sibling.project_id}`)
    await page.getByText('assay deploy agent.ts').waitFor()
    await page.getByText('assay watch RUN').waitFor()
  })

  it('a list is sorted by the heading that is pressed, in its link, and stays sorted when it refreshes itself', async () => {
    for (const items of [2, 3, 1]) await ran(world, works, itemsOf(Array.from({ length: items }, () => 'ok')))
    const page = await open(`${overview()}/runs`)
    const sizes = async () => {
      const cells = page.getByRole('region', { name: 'runs' }).locator('td[data-label=Items]')
      return (await cells.allTextContents()).map(Number)
    }
    const came = await sizes()
    await page.getByRole('link', { name: 'Items', exact: true }).click()
    await page.waitForURL(/sort\.runs=-items/)
    const down = (await sizes()).toSorted((a, b) => b - a)
    expect(await sizes()).toEqual(down)
    expect(down).not.toEqual(came)
    await page
      .getByRole('columnheader', { name: 'Items' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor()
    await ran(world, works, itemsOf(['ok', 'ok', 'ok', 'ok']))
    await page.getByRole('region', { name: 'runs' }).getByRole('cell', { name: '4', exact: true }).waitFor()
    expect(await sizes()).toEqual([...down, 4].toSorted((a, b) => b - a))
    await page.getByRole('link', { name: 'Items', exact: true }).click()
    await page.waitForURL(/sort\.runs=items/)
    expect(await sizes()).toEqual([...down, 4].toSorted((a, b) => a - b))
    expect(await axeProblems(page)).toEqual([])
  })

  it('agents are listed with their recent verdicts and their newest run, and sorted by verdict', async () => {
    const fine = await ran(world, works, itemsOf(['ok']))
    const bad = await ran(world, item => (item.seq === 1 ? works : fails())(item), itemsOf(['ok', 'fail']))
    const idle = await makeAgent(world)
    const page = await open(`${overview()}/agents`)
    const shareOf = async (slug: string) => {
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: slug, exact: true }) })
      return row.locator('td[data-label="Worked, 7 days"]').textContent()
    }
    expect(await shareOf(fine.agent.slug)).toBe('100 % ok')
    expect(await shareOf(bad.agent.slug)).toBe('50 % ok')
    expect(await shareOf(idle.slug)).toBe('—')
    await page.getByRole('link', { name: 'Worked, 7 days' }).click()
    await page.waitForURL(/sort\.agents=-worked-7-days/)
    const shares = await page.locator('td[data-label="Worked, 7 days"]').allTextContents()
    expect(shares.at(0)).toBe('100 % ok')
    expect(shares.at(-1)).toBe('—')
    await page.locator(`a[href$="${bad.run}"]`).click()
    await page.waitForURL(new RegExp(`/runs/${bad.run}`))
    await page.goBack()
    expect(await axeProblems(page)).toEqual([])
  })

  it('a run is tagged and found by its tag, and the list is saved as a view for everybody', async () => {
    const { run } = await ran(world, works, itemsOf(['ok']))
    const other = await ran(world, works, itemsOf(['ok']))
    const page = await open(`/runs/${run}`)
    await page.getByText('Add tags').click()
    await page.getByLabel('Tags, with commas between them').fill('acme, ticket 7')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'ticket 7' }).click()
    const runs = page.getByRole('region', { name: 'runs' })
    await runs.locator(`a[href$="${run}"]`).waitFor()
    expect(await runs.locator(`a[href$="${other.run}"]`).count()).toBe(0)
    await page.getByText('Save this view').click()
    await page.getByLabel('Name', { exact: true }).fill('ticket seven')
    await page.getByLabel('For everybody in the project').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved as ticket seven, for everybody in the project.').waitFor()
    await page.goto(`/dashboard${overview()}/runs`)
    await page.getByRole('navigation', { name: 'Saved views' }).getByRole('link').click()
    await runs.locator(`a[href$="${run}"]`).waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Delete this shared view' }).click()
    await page.getByText('The view is gone.').waitFor()
    expect(await page.getByText('ticket seven').count()).toBe(0)
  })

  it('a run shows ungraded calls, suspected refusals and unknown costs apart, and what other rules would change', async () => {
    const { run } = await ran(world, byInput, itemsOf(['ok', 'dear', 'unread', 'suspect', 'suspect']))
    const page = await open(`/runs/${run}`)
    await page.getByText('Not every call was graded: graded 3 of 4 calls.').waitFor()
    await page.getByText('The output is no answer that is known: an object with "says".').waitFor()
    await page.getByText('2 calls may be refusals').waitFor()
    await page.getByText('2 items made a call whose cost is not known').waitFor()
    await page.getByText('Without a price: a-model-nobody-priced (1 call)').waitFor()
    await page.getByRole('link', { name: 'See what would differ' }).click()
    await page.getByText('Under these rules 2 items and 2 calls differ.').waitFor()
    await page.getByText('Nothing was asked again, and what was recorded stays.').waitFor()
    const differing = page.getByRole('region', { name: 'changes' })
    await differing.getByText('2 items').waitFor()
    await differing.getByRole('link', { name: 'ticket 4' }).first().waitFor()
    await page.getByLabel('Refusals by wording').selectOption('')
    await page.getByRole('button', { name: 'Grade again' }).click()
    await page.getByText('Under these rules nothing differs.').waitFor()
    expect(await axeProblems(page)).toEqual([])
  })

  it('a run says what ran, what did not work and why, and that its cost is a lower bound', async () => {
    const { run } = await ran(world, byInput, itemsOf(['ok', 'fail', 'fail', 'hold', 'dear']))
    const page = await open(`/runs/${run}`)
    await page.getByText('5 submitted = 2 ok + 0 degraded + 2 failed + 1 held').waitFor()
    await page
      .getByText('1 item made a call whose cost is not known, so the cost is a lower bound.')
      .waitFor()
    await page.getByText('1 item held.').waitFor()
    await page.getByRole('region', { name: 'causes' }).getByText('no answer').waitFor()
    await page.getByRole('region', { name: 'partitions' }).getByRole('link', { name: 'north' }).click()
    const items = page.getByRole('region', { name: 'items' })
    await expect.poll(() => items.getByRole('row').count()).toBe(3) // the header, one failed, one held
    await page.getByRole('link', { name: 'Verify counts' }).click()
    await page.getByText('Everything agrees: 5 items submitted').waitFor()
  })

  it('a cohort is replayed after a dry run that says what can be replayed and what cannot', async () => {
    const { run } = await ran(world, byInput, itemsOf(['fail', 'ok', 'fail', 'fail']))
    const { json: items } = await world.call('GET', `/v2/runs/${run}/items?outcome=failed`)
    await world.call('POST', `/v1/durable/runs/${items[0].id}/dismiss`, { body: {} })
    const page = await open(`/runs/${run}`)
    await page.getByRole('link', { name: /^Replay 2 items that did not end well/ }).click()
    await page.getByText('2 of 3 items can be replayed; 1 cannot: dismissed.').waitFor()
    await page.getByRole('button', { name: 'Replay 2 items' }).click()
    await page.getByText('0 of 2 items ended.').waitFor()
    await workOff(world, works)
    await page.getByRole('link', { name: 'The run' }).click()
    await page.getByRole('link', { name: 'an earlier run' }).click()
    await page.getByText('Replayed by').waitFor()
  })

  it('a run is followed live, and cancelled after a page that says what that does', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const run = await makeRun(world, agent.id, itemsOf(['ok', 'ok', 'ok']))
    const page = await open(`/runs/${run}`)
    await page.getByRole('link', { name: 'Cancel run…' }).click()
    await page.getByText('3 queued items will not run.').waitFor()
    await page.getByRole('link', { name: 'Let it run' }).click()
    await page.getByText('3 queued').first().waitFor()
    await world.call('POST', `/v2/runs/${run}/cancel`)
    // Nobody reloads the page: the events of the run update it.
    await page.getByText('Stopped early. It was cancelled.').waitFor()
    await page.getByText('0 failed + 3 cancelled').waitFor()
    await page.getByRole('link', { name: 'Replay all 3 items that did not end well' }).click()
    await page.getByRole('heading', { name: 'Replay all that did not end well in' }).waitFor()
    await page.getByText('3 items can be replayed.').waitFor()
    await page.getByText('what it costs is not known').waitFor()
    await page.getByRole('button', { name: 'Replay 3 items' }).click()
    await page.getByText('0 of 3 items ended.').waitFor()
  })

  it('a run that stopped by itself and is kept open by a held item can be cancelled', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id, { max_consecutive_failures: 1 })
    const run = await makeRun(world, agent.id, itemsOf(['hold', 'fail', 'ok']), { concurrency: 1 })
    await workOff(world, byInput)
    const page = await open(`/runs/${run}`)
    await page.getByText('Stopped early. Too many items failed one after another').waitFor()
    await page.getByRole('link', { name: 'Cancel run…' }).click()
    await page.getByText('1 held item will be cancelled.').waitFor()
    expect(await page.getByText('queued item').count()).toBe(0)
    await page.getByRole('button', { name: 'Cancel the run' }).click()
    await page.getByText('The run was cancelled; nothing was in flight.').waitFor()
    await page.locator('#run-state').getByText('cancelled').waitFor()
    expect(await page.getByRole('link', { name: /^(Cancel|Abort)/ }).count()).toBe(0)
  })

  it('of held items, a run shows a cause and their decision only while they wait', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const run = await makeRun(world, agent.id, itemsOf(['hold', 'ok', 'fail']))
    await workOff(world, byInput)
    const { json: items } = await world.call('GET', `/v2/runs/${run}/items`)
    await world.call('POST', `/v1/durable/runs/${items[2].id}/dismiss`, { body: {} })
    const page = await open(`/runs/${run}`)
    await page.locator('#causes').getByText('hold: looks like fraud').waitFor()
    // The failed item is decided about, so a replay would have nothing to do.
    await page.locator('#partitions').getByRole('link', { name: 'Resume or dismiss' }).waitFor()
    expect(await page.locator('#partitions').getByRole('link', { name: 'Replay…' }).count()).toBe(0)
    await page.goto(`/dashboard${overview()}/recover?run_id=${run}&kind=quarantine&action=resume`)
    await page.getByRole('heading', { name: `Resume what is held in ${agent.slug}` }).waitFor()
    await page.goto(`/dashboard/runs/${run}`)
    await world.call('POST', `/v1/durable/runs/${items[0].id}/resume`, { body: {} })
    await workOff(world, byInput)
    await page.reload()
    await page.locator('#run-state').getByText('completed').waitFor()
    await page.locator('#causes').getByText('no answer').first().waitFor()
    expect(await page.locator('#failures').getByText('looks like fraud').count()).toBe(0)
  })

  it('of a cancelled run, what is still in flight can be aborted', async () => {
    const run = await started()
    await world.ctx.sql`update items set status = 'running' where run_id = ${run}`
    await world.ctx.sql`update runs set running = 1 where id = ${run}`
    await world.call('POST', `/v2/runs/${run}/cancel`)
    const page = await open(`/runs/${run}`)
    await page.getByRole('link', { name: 'Abort what is in flight…' }).click()
    await page.getByText('1 item in flight still finishes').waitFor()
    await page.getByRole('button', { name: 'Abort 1 item in flight' }).waitFor()
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  })

  it('a run that ends while its page is fetched again is shown as ended', async () => {
    const page = await open(overview())
    const run = await started()
    const address = `${world.url}/dashboard/runs/${run}`
    const [fetched, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    await page.route(address, async route => {
      if (route.request().resourceType() !== 'fetch') return route.continue()
      const response = await route.fetch()
      fetched.resolve()
      await ended.promise
      await route.fulfill({ response })
    })
    await page.addInitScript(() => {
      globalThis.EventSource = class extends EventSource {
        constructor(url: string | URL) {
          super(url)
          this.addEventListener('end', () => document.body.setAttribute('data-heard', 'end'))
        }
      }
    })
    await page.goto(address)
    await fetched.promise
    await workOff(world, works)
    await page.locator('body[data-heard=end]').waitFor()
    ended.resolve()
    await page.locator('#run-state').getByText('completed').waitFor()
  })

  it('a fetch of the page that failed and events that were refused are retried', async () => {
    const page = await open(overview())
    const run = await started()
    const address = `${world.url}/dashboard/runs/${run}`
    const refused = new Set<string>()
    for (const url of [address, `${address}/events`])
      await page.route(url, route => {
        if (refused.has(url) || route.request().isNavigationRequest()) return route.continue()
        refused.add(url)
        return route.fulfill({ status: 503 })
      })
    await page.clock.install()
    await page.goto(address)
    await expect.poll(() => refused.size).toBe(2)
    await workOff(world, works)
    const state = async () => {
      await page.clock.fastForward(5000)
      return page.locator('#run-state').textContent()
    }
    await expect.poll(state).toContain('completed')
    visit!.complaints.length = 0 // Chromium logs each 503
  })

  it('two runs of an agent are compared item by item', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    const before = await makeRun(world, agent.id, itemsOf(['ok', 'ok', 'fail']))
    await workOff(world, byInput)
    const after = await makeRun(world, agent.id, itemsOf(['ok', 'fail', 'ok']))
    await workOff(world, byInput)
    const page = await open(`/runs/${before}/compare`)
    await page.getByText('With the later').waitFor()
    await page.goto(`/dashboard/runs/${after}/compare`)
    const worse = page.locator('#ok-failed')
    await worse.getByText('ticket 1').waitFor()
    await worse.getByRole('link', { name: 'this run' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toContain('ticket 1')
  })

  it('runs are filtered by verdict and by day', async () => {
    const page = await open(`${overview()}/runs`)
    await page.getByLabel('Worked').selectOption('failed')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL(/outcome=failed/)
    const rows = page.getByRole('region', { name: 'runs' }).getByRole('row')
    await expect.poll(() => rows.count()).toBeGreaterThan(1)
    await page.getByLabel('To (UTC)').fill('2026-01-01')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('No run passes these filters.').waitFor()
  })

  it('the overview shows what awaits a decision', async () => {
    await ran(world, byInput, itemsOf(['fail', 'hold']))
    const page = await open(overview())
    const attention = page.getByRole('region', { name: 'What needs somebody' })
    await attention.getByText('did not work and wait for a decision').waitFor()
    await attention.getByText('held until somebody decides').waitFor()
    await attention.getByRole('link', { name: 'Replay all…' }).click()
    await page.getByRole('heading', { name: 'Replay what did not work' }).waitFor()
    await page.getByText('can be replayed').waitFor()
    await page.goBack()
    await page.getByText('As a table').first().click()
    await page.getByRole('columnheader', { name: 'degraded' }).waitFor()
  })

  it('a viewer sees no button that would be refused', async () => {
    const { run } = await ran(world, byInput, itemsOf(['fail', 'ok']))
    await world.ctx.sql`update members set role = 'viewer' where email = ${world.first.account.email}`
    try {
      // A copy has no session yet: the role of one is known from its start.
      const page = await open(`/runs/${run}`, {}, { ...world.first.account })
      await page.getByRole('link', { name: 'Compare' }).waitFor()
      expect(await page.getByRole('link', { name: /Replay/ }).count()).toBe(0)
    } finally {
      await world.ctx.sql`update members set role = 'owner' where email = ${world.first.account.email}`
    }
  })

  it('the pages have no accessibility problems, in light and in dark', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id)
    await makeRun(world, agent.id, itemsOf(['ok', 'ok', 'fail']))
    await workOff(world, byInput)
    const run = await makeRun(world, agent.id, itemsOf(['fail', 'hold', 'dear']))
    await workOff(world, byInput)
    const page = await open(overview(), { bypassCSP: true })
    for (const path of [
      overview(),
      `${overview()}/runs`,
      `/runs/${run}`,
      `${overview()}/recover?run_id=${run}&kind=dlq`,
      `/runs/${run}/cancel`,
      `/runs/${run}/verify`,
      `/runs/${run}/compare`,
    ]) {
      await page.goto(`/dashboard${path}`)
      expect([path, await axeProblems(page)]).toEqual([path, []])
    }
  })
})
