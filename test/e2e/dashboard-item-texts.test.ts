// What a page of an item with many steps weighs, and how it fetches what it left out: in a browser, over real stores.

import { brotliCompressSync, constants } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { type Play, ran, recordId } from '../conformance/play.ts'
import { chat, step } from '../support/agents-played.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

const STEPS = 40
const order = {
  id: 'A-7',
  notes: 'the parcel "late" – 客户已收到 – تم الاسترداد'.repeat(60),
  html: '<p>"a" & b</p>'.repeat(900),
}

/** Looks orders up and thinks about all of them again and again, as research does. */
const researches: Play = item => {
  const messages: object[] = [{ role: 'system', content: 'You research cases.' }]
  const steps = Array.from({ length: STEPS }, (_, n) => {
    if (n % 2 === 0) return step(item, `look up ${n}`, { input: { n }, output: { ...order, n } })
    messages.push({ role: 'assistant', content: `I think ${n}: ${'it came late. '.repeat(40)}` })
    messages.push({ role: 'tool', tool_call_id: `call_${n}`, content: JSON.stringify(order) })
    const said = chat('', `## Findings ${n}\n\nIt came **late**.`)
    return step(item, `think ${n}`, { ...said, input: { model: 'test-model', messages: [...messages] } })
  })
  const output = { report: '# Report\n\nAll "orders" came late.\n'.repeat(1500), order }
  return [...steps, { type: 'result', seq: item.seq, attempt: item.attempt, output }]
}

describe.skipIf(CHROMIUM === undefined)('the page of an item of 40 steps (needs Chromium)', () => {
  const browser = browserWorld()
  let made: Promise<string> | undefined
  const item = () => {
    const input = { text: 'Where is my "order"? '.repeat(3000) }
    made ??= ran(browser.world, researches, [{ item_id: 'case 7', input }]).then(({ run }) => recordId(run))
    return made
  }

  it('is under 150 KB compressed and 300 KB unpacked, whichever step is open', async () => {
    const id = await item()
    const page = await browser.open(`/dashboard/items/${id}`)
    for (const query of [
      '',
      '?step=2',
      `?step=${STEPS}`,
      `?step=${STEPS}&view=json`,
      `?step=${STEPS}&view=text`,
    ]) {
      const answer = await page.request.get(`/dashboard/items/${id}${query}`)
      const html = await answer.body()
      const packed = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
      expect([query, answer.headers()['content-encoding']]).toEqual([query, 'br'])
      expect(html.length, query).toBeLessThan(LIMITS.item_html_bytes)
      expect(packed.length, query).toBeLessThan(LIMITS.item_html_bytes / 2)
    }
  })

  it('fetches what went in and out of a step when it is opened, once', async () => {
    const page = await browser.open(`/dashboard/items/${await item()}`)
    const trace = page.getByRole('region', { name: 'Trace' })
    expect(await trace.getByText('I think 1:').count()).toBe(0)
    const fetched: string[] = []
    page.on('request', request => void fetched.push(request.url()))
    const summary = trace.getByText('think 3', { exact: true })
    await summary.click()
    await trace
      .getByRole('region', { name: 'Out of think 3' })
      .getByRole('heading', { name: 'Findings 3' })
      .waitFor()
    await trace.getByRole('region', { name: 'In of think 3' }).getByText('I think 3:').first().waitFor()
    expect(fetched).toHaveLength(1)
    await trace.getByRole('region', { name: 'Out of think 3', exact: true }).getByText('As JSON').click()
    await trace.getByRole('region', { name: 'Out of think 3 as JSON' }).getByText('finish_reason').waitFor()
    expect(fetched).toHaveLength(2)
    await summary.click()
    await summary.click()
    expect(fetched).toHaveLength(2)
    expect(await axeProblems(page)).toEqual([])
  })

  it('leads to them by links where no script runs', async () => {
    const page = await browser.open(`/dashboard/items/${await item()}`, { javaScriptEnabled: false })
    const trace = page.getByRole('region', { name: 'Trace' })
    await trace.getByText('think 3', { exact: true }).click()
    await trace.locator('#step-4-row').getByRole('link', { name: 'Show what went in and out' }).click()
    await trace
      .getByRole('region', { name: 'Out of think 3' })
      .getByRole('heading', { name: 'Findings 3' })
      .waitFor()
    await trace.getByRole('region', { name: 'Out of think 3' }).getByText('As JSON').click()
    await trace
      .getByRole('region', { name: 'Out of think 3' })
      .getByRole('link', { name: 'Show the JSON' })
      .click()
    await trace.getByRole('region', { name: 'Out of think 3 as JSON' }).getByText('finish_reason').waitFor()
  })
})
