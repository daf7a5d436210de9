// How many clicks lead from the start page to what people want on the morning after, on a desktop and on a phone.
// Typing and pressing keys is no click; every press of the mouse or a finger is one.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent, makeRun } from '../conformance/make.ts'
import { deploy, fails, holds, ran, workOff, works } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { badNight, type Night } from '../support/bad-night.ts'
import { CHROMIUM, closeBrowser, signIn, visitor } from '../support/browser.ts'
import { body, startSource, ticketLines } from '../support/source.ts'

const SCREENS = {
  'on a desktop': { width: 1440, height: 900 },
  'on a phone': { width: 390, height: 844 },
}

describe.skipIf(CHROMIUM === undefined)('a person (needs Chromium)', () => {
  let world: World
  let night: Night
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    // One project, so that the start page is its overview.
    const session = { token: null, body: world.first.account }
    const { json } = await world.call('POST', '/v1/sessions', session)
    const gone = await world.call('DELETE', `/v1/projects/${world.sibling.project_id}?confirm=sibling`, {
      token: json.access_token,
    })
    expect(gone.status).toBe(202)
    night = await badNight(world, { items: 120, days: 2 })
    while ((await indexSteps(world.ctx.sql, 1000)) > 0);
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  describe.each(Object.entries(SCREENS))('%s', (_, viewport) => {
    /** Signs in at the start page, and counts clicks from then on. */
    async function start() {
      const visit = await visitor(world.url, { viewport, acceptDownloads: true })
      const { page } = visit
      await signIn(page, world.first.account)
      await page.addInitScript(() => {
        const count = () =>
          sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1))
        addEventListener('pointerdown', event => event.isTrusted && count(), true)
      })
      await page.goto('/dashboard')
      await page.getByRole('heading', { level: 1, name: 'default' }).waitFor()
      const clicks = () => page.evaluate(() => Number(sessionStorage.getItem('clicks')))
      const overflow = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      return { visit, page, clicks, overflow }
    }
    const lastNight = (page: Awaited<ReturnType<typeof start>>['page']) =>
      page.getByRole('region', { name: 'latest' }).locator('tbody tr').first()

    it('sees whether last night went well, what it cost, and how the night before was: 0 clicks', async () => {
      const { visit, page, clicks, overflow } = await start()
      await using _ = visit
      const row = lastNight(page)
      await row.getByText('Tickets of the day').waitFor()
      expect(await row.textContent()).toMatch(/% ok.*of 120before \d+.*\$[\d.]+before \$[\d.]+/s)
      expect([await clicks(), await overflow()]).toEqual([0, expect.any(Number)])
      expect(await overflow()).toBeLessThanOrEqual(0)
    })

    it('sees why items did not work, with an example each: 1 click', async () => {
      const { visit, page, clicks } = await start()
      await using _ = visit
      await lastNight(page).getByRole('link', { name: 'Tickets of the day' }).click()
      const causes = page.getByRole('region', { name: 'causes' })
      await causes.getByRole('link', { name: 'Example' }).first().waitFor()
      expect(await causes.getByRole('link', { name: 'Example' }).count()).toBeGreaterThan(2)
      expect(await clicks()).toBeLessThanOrEqual(1)
    })

    it('gets from a cause to the trace of an item and its wrong answer: 2 clicks', async () => {
      const { visit, page, clicks } = await start()
      await using _ = visit
      await page
        .getByRole('region', { name: 'causes' })
        .getByRole('row', { name: /refusal/ })
        .getByRole('link', { name: 'Example' })
        .click()
      await page.locator('.step[open]').getByText('It did not work').waitFor()
      await page.locator('.step[open]').getByRole('heading', { name: 'Out' }).waitFor()
      expect(await clicks()).toBeLessThanOrEqual(2)
    })

    it('replays a cause after seeing its cost, a few items first, and the rest if they do better: 4 clicks', async () => {
      const { visit, page, clicks } = await start()
      await using _ = visit
      const causes = page.getByRole('region', { name: 'causes' })
      await causes.getByRole('link', { name: 'Replay all…' }).first().click()
      await page.getByText(/items can be replayed/).waitFor()
      await page.getByText(/cost/).first().waitFor()
      await page.getByRole('button', { name: /^Replay all \d+$/ }).waitFor()
      await page.getByRole('button', { name: /^Try \d+ first, the rest if they do better$/ }).click()
      await page.getByText(/first: \d+ item/).waitFor()
      await page.getByRole('button', { name: 'Abort' }).waitFor()
      expect(await clicks()).toBeLessThanOrEqual(4)
      await page.getByRole('button', { name: 'Abort' }).click()
      await page.getByRole('button', { name: 'Yes' }).click()
      await page.getByText('The recovery is being aborted.').waitFor()
    })

    it('decides on held items with one key each', async () => {
      await ran(
        world,
        holds,
        [1, 2, 3].map(input => ({ item_id: `held-${input}`, input })),
      )
      const { visit, page, clicks } = await start()
      await using _ = visit
      for (const key of ['g', 't']) await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1, name: 'Triage' }).waitFor()
      await page.goto(`${page.url()}?kind=quarantine`)
      await page.keyboard.press('j')
      for (let decided = 0; decided < 3; decided++) {
        await page.keyboard.press('r')
        await page.keyboard.press('r') // it asks first
        await page.getByRole('status').getByText('1 item goes on.').waitFor()
      }
      expect(await clicks()).toBe(0)
    })

    it('gets the newest good results as CSV: 2 clicks', async () => {
      const { visit, page, clicks } = await start()
      await using _ = visit
      await lastNight(page).getByRole('link', { name: 'Results' }).click()
      const coming = page.waitForEvent('download')
      await page.getByRole('link', { name: 'CSV of what worked' }).click()
      expect((await coming).suggestedFilename()).toMatch(/^Tickets-of-the-day-\d{4}-\d\d-\d\d-worked\.csv$/)
      expect(await clicks()).toBeLessThanOrEqual(2)
    })

    it('finds an item by the id that a customer gave it: Ctrl-K and the id', async () => {
      const { json } = await world.call('GET', `/v2/runs/${night.runId}/items?limit=1`)
      const { visit, page, clicks } = await start()
      await using _ = visit
      await page.keyboard.press('Control+k')
      await page.keyboard.insertText(json[0].item_id)
      await page.getByRole('dialog').getByRole('link', { name: 'Tickets of the day' }).first().waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/(items|jump)/)
      expect(await clicks()).toBe(0)
    })

    it('sees why nothing is running: 1 click', async () => {
      const agent = await makeAgent(world)
      await makeRun(world, agent.id, [{ input: 1 }])
      const { visit, page, clicks } = await start()
      await using _ = visit
      await page.getByRole('link', { name: 'What limits it' }).click()
      const waiting = page.getByRole('region', { name: 'waiting' })
      await waiting.getByText('Nothing is deployed for its agent yet.').first().waitFor()
      expect(await clicks()).toBeLessThanOrEqual(1)
    })

    it('stops all runs of one agent, with a choice about the items in flight: 2 clicks', async () => {
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      const runs = await Promise.all([1, 2].map(input => makeRun(world, agent.id, [{ input }])))
      const { visit, page, clicks } = await start()
      await using _ = visit
      const row = page.getByRole('region', { name: 'runs' }).getByRole('row', { name: agent.slug })
      await row.getByRole('link', { name: 'Stop all…' }).first().click()
      await page.getByText('2 open runs would be cancelled').waitFor()
      await page.getByRole('button', { name: /^Stop now, abort/ }).waitFor()
      await page.getByRole('button', { name: /^Stop, let/ }).click()
      await page.getByText('2 runs cancelled; items in flight still finish.').waitFor()
      expect(await clicks()).toBeLessThanOrEqual(2)
      await workOff(world, works)
      for (const run of runs)
        expect((await world.call('GET', `/v2/runs/${run}`)).json).toMatchObject({ status: 'cancelled' })
    })

    it('compares two nights by item, what got worse first: 3 clicks', async () => {
      const agent = await makeAgent(world)
      await deploy(world, agent.id)
      const items = [1, 2, 3].map(input => ({ item_id: `refund-${input}`, input }))
      for (const play of [works, fails()]) {
        await makeRun(world, agent.id, items, { name: 'Refunds of the day' })
        await workOff(world, play)
      }
      const { visit, page, clicks } = await start()
      await using _ = visit
      const refunds = page.getByRole('region', { name: 'latest' }).getByRole('row', { name: /Refunds/ })
      await refunds.getByRole('link', { name: 'Compare' }).first().click()
      await page.getByRole('region', { name: /^Verdicts/ }).waitFor()
      await page.locator('#ok-failed').getByText('refund-3').waitFor()
      await page.goto('/dashboard')
      await lastNight(page).getByRole('link', { name: 'Compare' }).click()
      await page.getByText('The two runs share no item').waitFor()
      expect(await clicks()).toBeLessThanOrEqual(3)
    })

    it('sees which model costs how much over 30 days, by agent: 2 clicks', async () => {
      const { visit, page, clicks } = await start()
      await using _ = visit
      await page.getByRole('link', { name: 'All models' }).click()
      const models = page.getByRole('region', { name: 'models' })
      await models.getByRole('row', { name: /gpt-4.1-mini.*ticket-triage/ }).waitFor()
      await models.getByRole('row', { name: /gpt-4.1-mini.*invoice-reader/ }).waitFor()
      expect(await clicks()).toBeLessThanOrEqual(2)
    })

    it('runs a first batch of their own: a file, guessed fields, 20 with their outputs, then the rest: 4 clicks', async () => {
      const { visit, page, clicks } = await start()
      await using _ = visit
      await page.getByRole('link', { name: 'Submit items' }).click()
      const rows = Array.from({ length: 50 }, (_, at) => ({
        ticket_id: `t-${at}`,
        tenant: at % 3,
        text: 'hello',
      }))
      await page.getByLabel('or choose one').setInputFiles({
        name: 'tickets.jsonl',
        mimeType: 'application/x-ndjson',
        buffer: Buffer.from(rows.map(row => `${JSON.stringify(row)}\n`).join('')),
      })
      await page.getByRole('region', { name: 'First rows' }).getByText('t-4', { exact: true }).waitFor()
      expect(await page.getByLabel('Item id').inputValue()).toBe('ticket_id')
      expect(await page.getByLabel('Partition').inputValue()).toBe('tenant')
      await page.getByRole('button', { name: 'Run 20 first' }).click()
      await page.getByRole('heading', { name: 'Pilot: 20 of 50 items' }).waitFor()
      await workOff(world, works)
      await page.getByText('{"ok":true}').first().waitFor()
      await page.getByRole('button', { name: 'Go on with the other 30' }).click()
      await page.waitForURL(/\/dashboard\/runs\//)
      // Choosing the file takes a click too.
      expect((await clicks()) + 1).toBeLessThanOrEqual(4)
      await workOff(world, works)
    })

    it('makes a nightly schedule from a URL, after a preview of its next runs and first items: 1 form', async () => {
      const source = await startSource(body(ticketLines(7).join('')))
      await using parts = new AsyncDisposableStack()
      parts.defer(() => source.close())
      const { visit, page } = await start()
      parts.use(visit)
      await page.goto(`${page.url()}/schedules/new`)
      const minute = viewport.width % 60 // a different one on each screen
      await page.getByLabel('Cron').fill(`${minute} 3 * * *`)
      await page.locator('[name=source_url]').fill(source.url)
      await page.getByRole('button', { name: 'Preview' }).click()
      await page
        .getByRole('region', { name: 'moments' })
        .getByText(`03:${String(minute).padStart(2, '0')}`)
        .first()
        .waitFor()
      expect(await page.getByRole('region', { name: 'moments' }).locator('tbody tr').count()).toBe(5)
      await page.getByText('T-5').first().waitFor()
      await page.getByRole('button', { name: 'Make the schedule' }).click()
      await page.getByText('The schedule is made.').waitFor()
    })
  })
})
