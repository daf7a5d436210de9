// What an operator relies on the morning after, mostly on a phone: in a browser, over real stores.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { deploy, fails, type Play, ran, recordId, workOff, works } from '../conformance/play.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

describe.skipIf(CHROMIUM === undefined)('an operator (needs Chromium)', () => {
  const browser = browserWorld()
  const ofProject = (path = '') => `/dashboard/projects/${browser.world.first.project_id}${path}`
  const yes = (page: Page) => page.locator('.toast').getByRole('button', { name: 'Yes' })
  const replay = (record: string) =>
    browser.world.call('POST', `/v1/durable/runs/${record}/replay`, { body: {} })

  it('sees the same score of a day after replays that failed, and these apart', async () => {
    const { world } = browser
    const some: Play = item => (item.seq > 3 ? fails('code_of_score')(item) : works(item))
    const items = Array.from({ length: 4 }, (_, n) => ({ item_id: `score-${n}`, input: n }))
    const { run, agent } = await ran(world, some, items)
    const page = await browser.open(ofProject())
    const today = page.locator('#today')
    const score = async () => (await today.textContent())!.match(/Ok, of what ran(\d+ \([\d.]+ %\))/)![1]
    const before = await score()
    const { json } = await replay(recordId(run, 4))
    await workOff(world, fails('code_of_score'))
    await page.reload()
    expect(await score()).toBe(before)
    await today.getByText('· 0 of 1 replay ok').waitFor()
    await replay(json.record_id)
    await workOff(world, works)
    await page.reload()
    expect(await score()).toBe(before)
    await today.getByText('· 1 of 2 replays ok').waitFor()
    await page.goto(ofProject('/agents'))
    await page.getByRole('row', { name: agent.slug }).getByText('75 % ok').waitFor()
  })

  it('who watches a replay is offered what can be done when it has failed, without loading the page', async () => {
    const { world } = browser
    const { run } = await ran(world, fails('code_of_watched'), [{ item_id: 'watched', input: 1 }])
    const { json } = await replay(recordId(run))
    const page = await browser.open(`/dashboard/items/${json.record_id}`)
    await page.locator('#state').getByText('queued').waitFor()
    expect(await page.locator('#actions').count()).toBe(0)
    await workOff(world, fails('code_of_watched'))
    await page.locator('#actions').getByRole('button', { name: 'Dismiss' }).waitFor()
    const cause = page.locator('#cause').getByRole('link')
    await cause.waitFor()
    expect(await axeProblems(page)).toEqual([])
    await cause.click()
    await page.waitForURL(/\/causes\/cause_/)
    await page.getByText('2 times in 2 runs').waitFor()
  })

  it('reaches an item from the notice that it cannot be decided about', async () => {
    const { world } = browser
    const { run } = await ran(world, fails('code_of_conflict'), [{ item_id: 'conflict', input: 1 }])
    const page = await browser.open(ofProject(`/triage?run_id=${run}`))
    await world.call('POST', `/v1/durable/runs/${recordId(run)}/dismiss`)
    await page.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.locator('.toast').getByRole('link').click()
    await page.waitForURL(new RegExp(`/items/${recordId(run)}`))
    await page.locator('#cause').getByRole('link').waitFor()
  })

  it('closes the jump and the list of keys by a tap, on the button or beside them', async () => {
    const page = await browser.open(ofProject('/runs'), PHONE)
    const dialog = page.locator('dialog[open]')
    const jump = page.getByRole('link', { name: 'Jump' })
    await jump.tap()
    await dialog.getByRole('button', { name: 'Close' }).tap()
    await expect.poll(() => dialog.count()).toBe(0)
    await jump.tap()
    await dialog.getByRole('searchbox').tap() // within it
    expect(await dialog.count()).toBe(1)
    await page.touchscreen.tap(195, 830)
    await expect.poll(() => dialog.count()).toBe(0)
    await page.keyboard.press('?')
    await dialog.getByRole('button', { name: 'Close' }).tap()
    await expect.poll(() => dialog.count()).toBe(0)
  })

  it('finds an item by the number in its own id, in the jump and in the search', async () => {
    const { world } = browser
    const items = [1043, 1044, 1045].map(n => ({ item_id: `T-${n}`, input: n }))
    await ran(world, works, items)
    const page = await browser.open(ofProject('/runs'))
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText('1044')
    const found = page.locator('dialog#jump').getByText('T-1044 in')
    await found.waitFor()
    expect(await page.locator('dialog#jump [data-href]').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/dashboard\/items\//)
    await page.goto(ofProject('/search?q=1044'))
    await page.locator('#by-id').getByRole('link', { name: 'T-1044' }).waitFor()
    await page.goto(ofProject('/jump?q=9999'))
    await page.getByText('like those of the newest').waitFor()
  })

  it('is asked before a tap starts what costs money, and another tap is no answer', async () => {
    const { world } = browser
    const { run } = await ran(world, fails('code_of_tap'), [{ item_id: 'tapped', input: 1 }])
    const runs = async () => (await world.call('GET', '/v2/runs?item_id=tapped')).json.length
    const page = await browser.open(ofProject(`/triage?run_id=${run}`), PHONE)
    const button = page.getByRole('button', { name: 'Replay', exact: true })
    await button.tap()
    await page.locator('.toast').getByText('Replay tapped?').waitFor()
    await button.tap()
    await yes(page).waitFor()
    expect(await runs()).toBe(1)
    await page.locator('.toast').getByRole('button', { name: 'Close' }).tap()
    await button.tap()
    await yes(page).tap()
    await page.getByText('1 item is replayed').waitFor()
    expect(await runs()).toBe(2)
    await page.locator('.toast').getByRole('link', { name: 'See how it ends' }).tap()
    await page.waitForURL(/\/dashboard\/items\//)
    await page.locator('#state').getByText('queued').waitFor()
  })

  it('has the first decision on the first screen of a phone', async () => {
    const { world } = browser
    const ways: Play = item => fails(`code_of_way_${String.fromCharCode(97 + (item.seq % 12))}`)(item)
    await ran(
      world,
      ways,
      Array.from({ length: 24 }, (_, input) => ({ input })),
    )
    const page = await browser.open(ofProject('/triage'), PHONE)
    const first = (await page.locator('.row-buttons button').first().boundingBox())!
    expect(first.y + first.height).toBeLessThan(844)
    await page.getByText(/^\s*\d+ causes$/).tap()
    await page.locator('#causes').waitFor()
    await page.getByText('Filter', { exact: true }).tap()
    await page.getByLabel('Partition').waitFor()
    expect(await axeProblems(page)).toEqual([])
  })

  it('who said that an ok item did not work is named until it is decided', async () => {
    const { world } = browser
    const { run } = await ran(world, works, [{ item_id: 'praised', input: 1 }])
    const page = await browser.open(`/dashboard/items/${recordId(run)}`)
    await page.getByRole('button', { name: 'The verdict is wrong' }).click()
    const { email } = world.first.account
    await page.locator('#state').getByText(`(people say degraded: ${email}`).waitFor()
    const { json } = await world.call('GET', `/v1/durable/runs/${recordId(run)}`)
    expect(json).toMatchObject({ disposition: null, decided_by: email, decided_at: expect.any(String) })
  })

  it.each(['invalid_input', 'schema_check_limit', 'output_too_large'])(
    'is warned of %s that a replay would end by again, until another version is deployed',
    async code => {
      const { world } = browser
      const { run, agent } = await ran(world, fails(code), [{ item_id: `hopeless-${code}`, input: 1 }])
      const page = await browser.open(`/dashboard/items/${recordId(run)}`)
      const warning = page.locator('#actions').getByText('fails again')
      await warning.waitFor()
      expect(await page.locator('#actions .primary').count()).toBe(0)
      await deploy(world, agent.id, { max_steps: 7 })
      await page.reload()
      await page.locator('#actions .primary').waitFor()
      expect(await warning.count()).toBe(0)
    },
  )

  it('is not warned by what an agent writes, nor of a whole group by one of its items', async () => {
    const { world } = browser
    const error = { code: 'code_of_words', message: 'egress denied: the gate is shut' }
    const denies: Play = ({ seq, attempt }) => [{ type: 'error', seq, attempt, error }]
    const { run } = await ran(world, denies, [{ item_id: 'gate', input: 1 }])
    const page = await browser.open(`/dashboard/items/${recordId(run)}`)
    await page.locator('#actions .primary').waitFor()
    expect(await page.getByText('fails again').count()).toBe(0)
    const { run: other } = await ran(world, fails('invalid_input'), [{ item_id: 'group', input: 1 }])
    await page.goto(ofProject(`/triage?run_id=${other}`))
    await page.locator('#inbox').getByText('group').first().waitFor()
    expect(await page.getByText('fails again').count()).toBe(0)
  })

  it('sees a message of exactly as many characters as are shown whole, and a longer one marked', async () => {
    const { world } = browser
    const most = LIMITS.triage_message_characters
    const says: Play = ({ seq, attempt, input }) => [
      { type: 'error', seq, attempt, error: { code: 'code_of_length', message: String(input) } },
    ]
    const texts = [-1, 0, 1].map(by => `${'wide '.repeat(most).slice(0, most + by - 1)}.`)
    const { run } = await ran(
      world,
      says,
      texts.map(input => ({ input })),
    )
    const page = await browser.open(ofProject(`/triage?run_id=${run}`))
    const inbox = page.locator('#inbox')
    expect(await inbox.locator('td bdi', { hasText: '…' }).count()).toBe(1)
    for (const whole of texts.slice(0, 2)) await inbox.locator('td bdi', { hasText: whole }).first().waitFor()
  })

  it('sees in a search whether the item worked, not the step alone', async () => {
    const { world } = browser
    const half: Play = item => {
      const [step] = fails()(item)
      const { seq, attempt } = item
      return [step!, { type: 'result', seq, attempt, output: 'half', degraded: 'the rest is missing' }]
    }
    await ran(world, half, [{ item_id: 'half-done', input: 1 }])
    const page = await browser.open(ofProject('/search?item=half-done'))
    const cells = page.locator('#found tbody tr').first()
    await cells.locator('[data-label="Item worked"]').getByText('degraded').waitFor()
    await cells.locator('[data-label="Step"]').getByText('ok', { exact: true }).waitFor()
  })
})
