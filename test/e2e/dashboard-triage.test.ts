// Triage, recovery and search as a person uses them: in a browser, over real stores; only the agent is played.

import type { Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { advanceRecoveries } from '../../shared/recovery/verbs/recover.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { fails, holds, type Play, ran, recordId, workOff, works } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { chat, failsAtTheEnd, step, XSS } from '../support/agents-played.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

describe.skipIf(CHROMIUM === undefined)('triage (needs Chromium)', () => {
  let world: World
  let visit: Visitor | undefined
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
  })
  beforeEach(async () => {
    await world.ctx.sql`delete from triage`
    await world.ctx.sql`delete from runs`
    await world.ctx.sql`delete from causes`
    await world.ctx.sql`delete from step_index`
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  async function open(pathname: string, options: object = {}) {
    visit = await visitor(world.url, options)
    const { page } = visit
    await signIn(page, world.first.account)
    visit.complaints.length = 0 // other tests check the overview
    await page.goto(`/dashboard/projects/${world.first.project_id}/${pathname}`)
    return page
  }

  const waiting = async () =>
    (await world.call('GET', '/v1/triage')).json.rows.map((row: { item_id: string }) => row.item_id).sort()

  it('is walked, selected, acknowledged and undone by keys', async () => {
    await ran(world, failsAtTheEnd, [
      { item_id: 'a', input: 1 },
      { item_id: 'b', input: 2 },
      { item_id: 'c', input: 3 },
    ])
    const page = await open('triage')
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.getByRole('button', { name: 'Acknowledge 2 items' }).waitFor()
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('a')
    await page.getByRole('status').getByText('2 items left triage; nothing was decided about them.').waitFor()
    expect(await waiting()).toHaveLength(1)
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('2 items wait for a decision again.').waitFor()
    expect(await waiting()).toEqual(['a', 'b', 'c'])
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/dashboard\/items\//)
  })

  it('takes one key for each decision: the next row follows, on its page and by its filter', async () => {
    const items = ['a', 'b', 'c', 'd', 'e'].map((item_id, input) => ({ item_id, input }))
    await ran(world, holds, items)
    const page = await open('triage?kind=quarantine')
    const decided = async (key: string, words: string) => {
      await page.keyboard.press(key)
      await page.getByRole('status').getByText(words).waitFor()
    }
    for (const key of ['j', 'j', 'j']) await page.keyboard.press(key)
    const here = page.locator('tr[data-here]')
    const third = await here.getByRole('link').first().textContent()
    await page.keyboard.press('r')
    await decided('r', '1 item goes on.')
    expect(await here.getByRole('link').first().textContent()).not.toBe(third)
    for (const left of [3, 2, 1]) {
      await decided('a', '1 item left triage')
      await page.getByText(left === 1 ? '1 item waits here' : `${left} items wait here`).waitFor()
    }
    expect(new URL(page.url()).search).toBe('?kind=quarantine')
    await page.keyboard.press('d')
    await page.getByText('1 held item would end as cancelled, for good.').waitFor()
    await page.keyboard.press('d')
    await decided('d', '1 item is dismissed.')
  })

  it('says what it shows and how many items that is, and acts on all of them, on this page or not', async () => {
    const both: Play = item => (item.seq > 2 ? holds(item) : fails()(item))
    const { run } = await ran(
      world,
      both,
      [1, 2, 3].map(input => ({ item_id: `i${input}`, input })),
    )
    await ran(world, fails(), [{ input: 4 }])
    const page = await open(`triage?run_id=${run}`)
    const scope = page.getByRole('region', { name: 'Scope' })
    await scope.getByText('3 items wait here').waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.getByLabel('What').selectOption('dlq')
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await scope.getByText('2 items wait here').waitFor()
    await scope.getByRole('link', { name: 'Dismiss…' }).click()
    await page.getByText('2 items can be dismissed. Nothing has been done yet.').waitFor()
    await page.getByRole('button', { name: 'Dismiss 2 items' }).click()
    await page.getByText('completed: 2 items dismissed.').waitFor()
    expect(await waiting()).toHaveLength(2)
    await page.goto(`/dashboard/projects/${world.first.project_id}/triage?run_id=${run}`)
    await scope.getByRole('link', { name: 'any' }).click()
    await scope.getByText('2 items wait').waitFor()
  })

  it('of 40 items fits a phone: no wider than its screen, and less than 3,000 pixels high', async () => {
    await ran(
      world,
      fails(),
      Array.from({ length: 40 }, (_, input) => ({ input })),
    )
    const page = await open('triage', { viewport: { width: 390, height: 844 } })
    const tall = await page.evaluate(() => document.documentElement.scrollHeight)
    expect(tall).toBeLessThan(3000)
    const [needs, has] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return [scrollWidth, clientWidth] as const
    })
    expect(needs).toBeLessThanOrEqual(has)
    await page.getByRole('button', { name: 'Dismiss', exact: true }).first().click()
    await page.getByText('1 item is dismissed.').waitFor()
  })

  it('applies each action to the selected items that take it, and says what it costs', async () => {
    const both: Play = item => (item.seq === 1 ? holds(item) : failsAtTheEnd(item))
    await ran(world, both, [
      { item_id: 'held', input: 1 },
      { item_id: 'one', input: 2 },
      { item_id: 'two', input: 3 },
    ])
    const page = await open('triage')
    for (const name of ['held', 'one', 'two']) await page.getByLabel(`Select ${name}`).check()
    await page.getByRole('button', { name: 'Resume 1 item' }).waitFor()
    await page.getByRole('button', { name: 'Replay 2 items' }).click()
    await page.getByRole('button', { name: 'Yes' }).click()
    await page.getByText('2 items are replayed, each in a run of its own.').waitFor()
    expect(await waiting()).toEqual(['held'])
    await page.getByLabel('Select held').check()
    await page.getByRole('button', { name: 'Dismiss 1 item' }).click()
    await page.getByText('1 held item would end as cancelled, for good.').waitFor()
    expect(await waiting()).toEqual(['held'])
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('1 item is dismissed.').waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.getByText('Nothing waits for a decision.').waitFor()
  })

  it('works without a script', async () => {
    await ran(world, fails(), [
      { item_id: 'a', input: 1 },
      { item_id: 'b', input: 2 },
    ])
    const page = await open('triage', { javaScriptEnabled: false })
    await page.getByRole('row', { name: 'Select a' }).getByRole('button', { name: 'Dismiss' }).click()
    await page.getByText('1 item is dismissed.').waitFor()
    await page.getByLabel('Select b').check()
    await page.getByRole('button', { name: 'Acknowledge selected' }).click()
    await page.getByText('1 item left triage').waitFor()
    expect(await waiting()).toEqual([])
  })

  it('is grouped by cause, and replays all of one in a recovery that says which items it cannot replay', async () => {
    const prompts = ['same prompt', 'same prompt', 'same prompt', 'another']
    const { run } = await ran(
      world,
      fails(),
      prompts.map((prompt, n) => ({ item_id: `i${n}`, input: { prompt } })),
    )
    await world.call('POST', `/v1/durable/runs/${recordId(run, 1)}/dismiss`)
    const page = await open('triage')
    await page.getByText('3 items on this page, 3 in all').waitFor()
    await page
      .getByRole('region', { name: 'Why items wait' })
      .getByRole('link', { name: 'no answer' })
      .click()
    await page.getByText('4 times in').waitFor()
    await page.getByRole('link', { name: 'Replay all 3…' }).click()
    await page.getByText('3 of 4 items can be replayed; 1 cannot: dismissed.').waitFor()
    await page.getByRole('button', { name: 'Replay 3 items' }).click()
    await page.getByText('0 of 3 items ended.').waitFor()
    await workOff(world, works)
    await advanceRecoveries(world.ctx)
    await page.getByText('all at once: 3 items, 3 worked, 0 still fail').waitFor()
    expect(await waiting()).toEqual([])
    const { json: runs } = await world.call('GET', '/v2/runs')
    expect(runs[0]).toMatchObject({ status: 'completed', worst_outcome_status: 'ok', total_items: 3 })
  })

  it('replays a few of many first, and if they do no better says what was tried and what to do next', async () => {
    const items = Array.from({ length: 12 }, (_, n) => ({ item_id: `i${n}`, input: { prompt: `no ${n}` } }))
    const { agent, run } = await ran(world, failsAtTheEnd, items, { name: 'nightly' })
    const page = await open(`recover?run_id=${run}`)
    await page.getByRole('heading', { level: 1, name: 'Replay what did not work in nightly' }).waitFor()
    expect(await page.getByLabel('Try this many first').isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Replay all 12' }).waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Try 3 first, the rest if they do better' }).click()
    await page.getByText('the first 3 of 12 items run').waitFor()
    await page.getByRole('button', { name: 'Abort' }).waitFor()
    await workOff(world, failsAtTheEnd)
    await advanceRecoveries(world.ctx)
    await page
      .getByText('stopped: the first 3 did no better than before; 9 items were left in triage.')
      .waitFor()
    expect(await page.getByRole('button', { name: 'Abort' }).count()).toBe(0)
    expect(await page.getByRole('status').count()).toBe(0)
    const tried = page.getByRole('region', { name: 'first-items' })
    expect(await tried.getByText('the disk is full').count()).toBe(3)
    await page.getByRole('link', { name: 'Dismiss the other 9…' }).waitFor()
    await page.getByRole('heading', { level: 1, name: 'Replay what did not work in nightly' }).waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('link', { name: 'Look at what still fails' }).click()
    await page.getByRole('heading', { level: 1, name: 'nightly' }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Replay the other 9 anyway…' }).click()
    await page.getByRole('button', { name: 'Replay all 9' }).click()
    await page.getByText('0 of 9 items ended.').waitFor()
    const { json: runs } = await world.call('GET', `/v2/runs?agent=${agent.slug}`)
    const named = ({ name, replay_of }: Record<string, unknown>) => [name, replay_of]
    expect(runs.map(named)).toEqual([
      ['nightly', run],
      ['nightly', run],
      ['nightly', null],
    ])
  })

  it('shows a cause by an example and the names of its runs, and names replays after it', async () => {
    const input = { prompt: 'where is my parcel' }
    const { run } = await ran(world, failsAtTheEnd, [{ item_id: 'ticket 7', input }], { name: 'nightly' })
    const { json: causes } = await world.call('GET', `/v1/causes?run_id=${run}`)
    const [{ id, title }] = causes.rows
    const page = await open(`causes/${id}`)
    const example = page.getByRole('region', { name: 'An example' })
    await example.getByRole('link', { name: 'ticket 7' }).waitFor()
    await example.getByText('where is my parcel').waitFor()
    await example.getByText('the disk is full').waitFor()
    await page.getByRole('region', { name: 'runs' }).getByRole('link', { name: 'nightly' }).waitFor()
    expect(await page.locator('main').textContent()).not.toContain(run)
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('link', { name: /^Replay all/ }).click()
    await page.getByRole('button', { name: /^Replay/ }).click()
    await page.getByRole('heading', { level: 1, name: `Replay “${title}”` }).waitFor()
    await page.getByRole('link', { name: 'The run' }).click()
    await page.getByRole('heading', { level: 1, name: `replay of ${title}` }).waitFor()
  })

  it('leads from item to item in the order of the list they were opened from, of search too, and back to it', async () => {
    const items = ['a', 'b', 'c'].map(item_id => ({ item_id, partition_key: 'acme', input: 1 }))
    await ran(world, failsAtTheEnd, items)
    await ran(world, failsAtTheEnd, [{ item_id: 'other', partition_key: 'zeta', input: 1 }])
    const page = await open('triage?partition_key=acme')
    const title = () => page.getByRole('heading', { level: 1 }).textContent()
    const shown = page.locator('.inbox [data-rows] td:nth-child(2) > a')
    const order = await shown.allTextContents()
    expect(order.toSorted()).toEqual(['a', 'b', 'c'])
    await shown.first().click()
    await expect.poll(title).toBe(order[0])
    expect(await page.getByRole('link', { name: 'Previous' }).count()).toBe(0)
    for (const next of order.slice(1)) {
      await page.getByRole('link', { name: 'Next' }).click()
      await expect.poll(title).toBe(next)
    }
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByRole('status').waitFor()
    await page.getByRole('link', { name: 'Next' }).click() // it has left the list, whose first item is next
    await expect.poll(title).toBe(order[0])
    await page.locator('.crumbs').getByRole('link', { name: 'Triage' }).click()
    await page.waitForURL(/triage\?partition_key=acme$/)
    await page.goto(`/dashboard/projects/${world.first.project_id}/search?q=disk&item=b`)
    await page.locator('#found a').first().click()
    await expect.poll(title).toBe('b')
    await page.locator('.crumbs').getByRole('link', { name: 'Search' }).click()
    await page.waitForURL(/search\?q=disk&item=b$/)
  })

  it('opens a recovery at once however large it is, and loads what it comes to afterwards', async () => {
    const { agent, run } = await ran(world, failsAtTheEnd, [{ input: 1 }])
    const { sql } = world.ctx
    await sql`
      insert into items (project_id, run_id, seq, line, status, outcome, attempt, step_count, item_id, error_code, outcome_reason, input)
      select ${world.first.project_id}, ${run}, n, n, 'failed', 'failed', 1, 0, 'more-' || n, 'tool_call_error', 'step_error', '1'
      from generate_series(2, ${LIMITS.activity_counted}::int) n`
    await sql`
      insert into triage (run_id, seq, project_id, agent_id, lane, reason, error_code)
      select run_id, seq, project_id, ${agent.id}, 'dlq', outcome_reason, error_code from items where run_id = ${run} and seq > 1`
    const page = await open(`recover?run_id=${run}&kind=dlq`)
    await page.getByRole('button', { name: 'Replay all 10,000' }).waitFor()
    await page.getByText('10,000 items').first().waitFor()
    expect(await axeProblems(page)).toEqual([])
    const unscripted = await (await page.request.get(page.url())).text()
    expect(unscripted).toContain('plan=now')
    expect(unscripted).not.toContain('Replay all 10,000')
    const isPart = (url: URL) => url.searchParams.get('plan') === 'now'
    for (const fail of [
      (route: Route) => route.fulfill({ status: 500, contentType: 'text/html', body: '<h1>Away</h1>' }),
      (route: Route) => route.abort(),
    ]) {
      await page.route(isPart, fail)
      await page.reload()
      await page.getByText('It could not be had now.').waitFor()
      await page.unroute(isPart)
      await page.getByRole('link', { name: 'What it comes to' }).click()
      await page.getByRole('button', { name: 'Replay all 10,000' }).waitFor()
      await page.goBack()
    }
    visit!.complaints.length = 0 // Chromium logs both
  })

  it('dismisses a cause in one order, and leaves the others', async () => {
    const two: Play = item => (item.seq === 1 ? holds(item) : failsAtTheEnd(item))
    await ran(world, two, [{ input: 1 }, { input: 2 }, { item_id: 'c', input: 3 }])
    const page = await open('triage')
    const group = page.getByRole('row', { name: /2 items on this page/ })
    await group.getByRole('button', { name: 'Dismiss all…' }).click()
    await page.getByText('2 items can be dismissed. Nothing has been done yet.').waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Dismiss 2 items' }).click()
    await page.getByText('completed: 2 items dismissed.').waitFor()
    expect(await waiting()).toHaveLength(1)
  })

  it('says if there is nothing, and what would come there', async () => {
    const page = await open('triage')
    await page.getByText('Nothing waits for a decision.').waitFor()
    await page.getByText('Items come here when they fail').waitFor()
  })

  it('finds items by words of their steps, marks the hit and links to the step', async () => {
    await ran(world, failsAtTheEnd, [{ item_id: 'ticket 7', input: 1 }])
    const page = await open('search')
    await page.getByText('Search finds steps').waitFor()
    await page.getByText('logs of containers and of providers are not recorded').waitFor()
    await page.getByLabel('Words, a tool, an error code').fill('disk')
    await page.getByRole('button', { name: 'Search' }).click()
    expect(await page.locator('mark').allTextContents()).toEqual(['disk'])
    expect(new URL(page.url()).searchParams.get('q')).toBe('disk')
    await page.getByRole('link', { name: 'write' }).first().click()
    await page.getByText('the disk is full').last().waitFor()
    await page.goBack()
    const wrong = page.getByRole('region', { name: 'What goes wrong' })
    await wrong.getByRole('link', { name: /a step failed/ }).click()
    await page.locator('mark').first().waitFor()
    await page.getByLabel('Worked').selectOption('ok')
    await page.getByLabel('Why not').selectOption('')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('No step fits.').waitFor()
  })

  it('shows whatever an item, an agent or a model says as text', async () => {
    const hostile: Play = item => [
      step(item, XSS, { ...chat(XSS, XSS), name: XSS }),
      step(item, 'second', { name: XSS, error: { code: 'tool_call_error', message: XSS } }),
      {
        type: 'error',
        seq: item.seq,
        attempt: item.attempt,
        error: { code: 'tool_call_error', message: XSS },
      },
    ]
    const items = [1, 2].map(n => ({ item_id: `${XSS}${n}`, partition_key: XSS, input: { prompt: XSS } }))
    await ran(world, hostile, items, { name: XSS })
    const page = await open('triage')
    let dialogs = 0
    page.on('dialog', dialog => {
      dialogs++
      void dialog.dismiss()
    })
    const paths = [
      'triage',
      `triage?partition_key=${encodeURIComponent(XSS)}`,
      `search?q=onerror`,
      `recover?partition_key=${encodeURIComponent(XSS)}`,
    ]
    for (const path of paths) {
      await page.goto(`/dashboard/projects/${world.first.project_id}/${path}`)
      expect(await page.locator('main').textContent()).toContain(
        path.startsWith('search') ? '<img src=x' : XSS,
      )
      expect(await page.locator('main img, main script').count()).toBe(0)
    }
    expect(dialogs).toBe(0)
  })

  it('has no accessibility problems, in light and in dark', async () => {
    await ran(world, failsAtTheEnd, [
      { item_id: 'a', input: { prompt: 'same' } },
      { item_id: 'b', input: { prompt: 'same' } },
    ])
    const page = await open('triage')
    expect(await axeProblems(page)).toEqual([])
    for (const path of ['search?q=disk', 'search', 'recover']) {
      await page.goto(`/dashboard/projects/${world.first.project_id}/${path}`)
      expect(await axeProblems(page)).toEqual([])
    }
  })

  it('shows viewers nothing that they may not do', async () => {
    await ran(world, fails(), [{ item_id: 'seen', input: 1 }])
    const viewer = { email: 'viewer@example.com', password: 'a long enough password' }
    const owner = await world.call('POST', '/v1/sessions', { token: null, body: world.first.account })
    const made = await world.call('POST', '/v1/members', {
      token: owner.json.access_token,
      body: { ...viewer, role: 'viewer' },
    })
    expect(made.status).toBe(201)
    visit = await visitor(world.url)
    const { page } = visit
    await signIn(page, viewer)
    visit.complaints.length = 0
    await page.goto(`/dashboard/projects/${world.first.project_id}/triage`)
    await page.getByRole('link', { name: 'seen' }).waitFor()
    expect(await page.getByRole('button', { name: /Replay|Dismiss|Acknowledge/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'seen' }).click()
    await page.getByRole('heading', { name: 'seen' }).waitFor()
    expect(await page.getByRole('button', { name: /Replay|Dismiss|Acknowledge/ }).count()).toBe(0)
  })
})
