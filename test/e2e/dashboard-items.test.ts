// An item as a person sees it: in a browser, over real stores; only the agent is played.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { holds, type Play, ran, recordId, workOff, works } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { chat, failsAtTheEnd, step, XSS } from '../support/agents-played.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

describe.skipIf(CHROMIUM === undefined)('the page of an item (needs Chromium)', () => {
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

  /** Signed in, at the item. */
  async function open(id: string, options: object = {}) {
    visit = await visitor(world.url, options)
    const { page } = visit
    await signIn(page, world.first.account)
    visit.complaints.length = 0 // the overview is another page's matter
    await page.goto(`/dashboard/items/${id}`)
    return page
  }

  it('open an item and read its trace: tells why it did not work and what to do, and opens each step to what was said', async () => {
    const { run } = await ran(world, failsAtTheEnd, [
      { item_id: 'ticket 7', partition_key: 'north', input: { text: 'a cat?', n: 1 } },
    ])
    const page = await open(recordId(run))
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('ticket 7')
    await page.getByText('A tool call of the agent raised.').waitFor()
    await page.getByText('Fix what it called, then replay').waitFor()
    await page.getByText('partition north').waitFor()
    const trace = page.getByRole('region', { name: 'Trace' })
    await expect.poll(() => trace.locator('.step > summary').allTextContents()).toHaveLength(3)
    await trace.getByText('ask', { exact: true }).click()
    await trace.getByText('What is it?').first().waitFor()
    await trace.getByText('It is a cat.').first().waitFor()
    await trace.getByText('1,000 → 20 tokens').waitFor()
    await trace.getByText('write', { exact: true }).click()
    await trace.getByText('the disk is full').waitFor()
  })

  it('gives the input byte for byte', async () => {
    const { run } = await ran(world, works, [{ item_id: 'exact', input: 0 }])
    const text = '{"n" : 1.50,  "big": 12345678901234567890}'
    const line = `{"item_id": "bytes", "input": ${text}}\n`
    const { json: item } = await world.call('GET', `/v1/durable/runs/${recordId(run)}`)
    const batch = await world.call('POST', `/v1/batches?agent_id=${item.agent_id}`, {
      raw: line,
      headers: { 'content-type': 'application/x-ndjson' },
    })
    const page = await open(recordId(batch.json.group_id))
    await page.getByText('"big": 12345678901234567890').waitFor()
    await page.getByRole('region', { name: 'Input' }).getByRole('link', { name: 'raw' }).click()
    expect(await page.locator('body').textContent()).toBe(text)
  })

  it('texts are copied by a button, and ages count on', async () => {
    const { run } = await ran(world, works, [{ item_id: 'copied', input: { text: 'a cat?' } }])
    const page = await open(recordId(run), { permissions: ['clipboard-read', 'clipboard-write'] })
    const input = page.getByRole('region', { name: 'Input' })
    await input.locator('pre').hover()
    await input.getByRole('button', { name: 'Copy' }).click()
    await input.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(JSON.parse(copied)).toEqual({ text: 'a cat?' })
    const age = page.locator('time[data-age]').first()
    const told = await age.textContent()
    await expect.poll(() => age.textContent()).not.toBe(told)
  })

  it('edit input and replay from a step: replays from a step with another input, keeps what was typed when it is no JSON, and shows what became of it', async () => {
    const { run } = await ran(world, failsAtTheEnd, [{ item_id: 'again', input: { text: 'a dog?' } }])
    const page = await open(recordId(run))
    await page.getByRole('link', { name: 'Replay with another input' }).click()
    const input = page.getByLabel('Input, as JSON')
    expect(await input.inputValue()).toContain('"text": "a dog?"')
    await input.fill('{"text": 1.50')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByRole('alert').getByText('The input is not JSON').waitFor()
    expect(await input.inputValue()).toBe('{"text": 1.50')
    visit!.complaints.length = 0 // Chromium logs the 400
    await input.fill('{"text": 1.50}')
    await page.getByLabel('Begin at').selectOption('write')
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('2 steps of the original are reused').waitFor()
    await workOff(world, works)
    await page.reload()
    await page.getByText('It ran, and it worked.').waitFor()
    await page.getByText('2 steps, not paid again').waitFor()
    await page.getByText('"text": 1.50').waitFor()
    await page.getByRole('link', { name: 'compare with this one' }).click()
    await page.getByRole('region', { name: 'Difference' }).getByText('+   "ok": true').waitFor()
    await page.getByRole('link', { name: 'Original' }).click()
    await page.getByText('replayed', { exact: false }).first().waitFor()
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  })

  it('shows a long trace in parts, and the part with the step that a link names', async () => {
    const many: Play = item => [
      ...Array.from({ length: 120 }, (_, n) => step(item, `step ${n + 1}.`, { output: n })),
      ...works(item),
    ]
    const { run } = await ran(world, many, [{ item_id: 'long', input: 1 }])
    const page = await open(recordId(run))
    await page.getByText('step 120.', { exact: true }).waitFor()
    expect(await page.getByText('step 1.', { exact: true }).count()).toBe(0)
    await page.getByText('These are 100 steps of 120.').waitFor()
    await page.getByRole('link', { name: 'Earlier steps' }).click()
    await page.getByText('step 1.', { exact: true }).waitFor()
    await page.goto(`/dashboard/items/${recordId(run)}?step=7#step-7`)
    await page.getByRole('region', { name: 'Out of step 7.' }).getByText('6', { exact: true }).waitFor()
  })

  it('takes decisions by keys, and takes them back', async () => {
    const { run } = await ran(world, failsAtTheEnd, [{ item_id: 'decide', input: 1 }])
    const page = await open(recordId(run))
    await page.keyboard.press('a')
    await page.getByRole('status').getByText('The item has left triage, undecided.').waitFor()
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
    await page.getByText('The item waits for a decision again.').waitFor()
    await page.keyboard.press('d')
    await page.getByText('The item is dismissed.').waitFor()
    expect((await world.call('GET', `/v1/durable/runs/${recordId(run)}`)).json.disposition).toBe('dismissed')
    await page.goto(`/dashboard/items/${recordId(run)}`)
    await page.getByRole('button', { name: 'Undo dismissing' }).click()
    await page.getByText('The item waits for a decision again.').waitFor()
    expect((await world.call('GET', `/v1/durable/runs/${recordId(run)}`)).json.disposition).toBeNull()
  })

  it('says why a held item waits, and lets it go on', async () => {
    const { run } = await ran(world, holds, [{ item_id: 'held', input: 1 }])
    const page = await open(recordId(run))
    await page.getByText('Its agent holds it for a person: looks like fraud').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('The item goes on after its last step.').waitFor()
    await workOff(world, holds)
    await page.reload()
    await page.getByText('It ran, and it worked.').waitFor()
  })

  it('shows whatever an item, an agent or a model says as text', async () => {
    const hostile: Play = item => [
      step(item, XSS, { ...chat(XSS, XSS), name: XSS }),
      step(item, `${XSS} 2`, {
        name: XSS,
        input: { [XSS]: XSS },
        error: { code: 'tool_call_error', message: XSS },
      }),
      {
        type: 'error',
        seq: item.seq,
        attempt: item.attempt,
        error: { code: 'tool_call_error', message: XSS },
      },
    ]
    const item = { item_id: XSS, partition_key: XSS, input: { [XSS]: XSS } }
    const { run } = await ran(world, hostile, [item], { name: XSS })
    const page = await open(recordId(run))
    let dialogs = 0
    page.on('dialog', dialog => {
      dialogs++
      void dialog.dismiss()
    })
    const escaped = JSON.stringify(XSS).slice(1, -1)
    for (const path of ['', '?step=1', '?step=2', '/replay']) {
      await page.goto(`/dashboard/items/${recordId(run)}${path}`)
      await page.getByText(XSS).first().waitFor()
      expect(await page.title()).toContain(XSS)
      expect(await page.locator('main img, main script').count()).toBe(0)
    }
    expect(await page.getByLabel('Input, as JSON').inputValue()).toContain(escaped)
    await page.goto(`/dashboard/items/${recordId(run)}/raw/input`)
    expect(await page.locator('body').textContent()).toContain(escaped)
    expect(dialogs).toBe(0)
  })

  it('can be used by everybody, in light and in dark', async () => {
    const { run } = await ran(world, failsAtTheEnd, [{ item_id: 'for all', input: { text: 'a cat?' } }])
    const page = await open(recordId(run))
    for (const summary of await page.locator('.step > summary').all()) await summary.click()
    expect(await axeProblems(page)).toEqual([])
    await page.goto(`/dashboard/items/${recordId(run)}/replay`)
    expect(await axeProblems(page)).toEqual([])
  })
})
