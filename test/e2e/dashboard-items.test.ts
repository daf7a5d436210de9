// An item as a person sees it: in a browser, over real stores; only the agent is played.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
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

  /** Signs in and opens the item. */
  async function open(id: string, options: object = {}) {
    visit = await visitor(world.url, options)
    const { page } = visit
    await signIn(page, world.first.account)
    visit.complaints.length = 0 // other tests check the overview
    await page.goto(`/dashboard/items/${id}`)
    return page
  }

  it('says why the item did not work and what to do, and opens each step to what was said', async () => {
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
    await trace.getByText('the disk is full').waitFor() // of the failed step, which is open from the start
    expect(await trace.locator('.step[open]').count()).toBe(1)
    await trace.getByText('ask', { exact: true }).click()
    await trace.getByText('What is it?').first().waitFor()
    await trace.getByText('It is a cat.').first().waitFor()
    await trace.getByText('1,000 → 20 tokens').waitFor()
    await page.goto(`/dashboard/items/${recordId(run)}?step=1`)
    await trace.getByRole('region', { name: 'Out of look_up' }).waitFor()
    expect(await trace.locator('.step[open]').count()).toBe(1)
    const { length } = await (await page.request.get(page.url())).body()
    expect(length).toBeLessThan(60_000)
  })

  it('shows Markdown rendered, also inside objects and in what a model says, and as text by a link', async () => {
    const report = '# Findings\n\nThe cat is **well**.\n\n| what | kg |\n|---|---:|\n| cat | 4 |'
    const says: Play = item => [
      step(item, 'ask', chat('What is it?', report)),
      { type: 'result', seq: item.seq, attempt: item.attempt, output: { report, score: 1.5 } },
    ]
    const { run } = await ran(world, says, [{ item_id: 'report', input: report }])
    const page = await open(recordId(run))
    const output = page.getByRole('region', { name: 'Output' })
    await output.getByRole('heading', { name: 'Findings' }).waitFor()
    await output.getByRole('cell', { name: '4' }).waitFor()
    await output.getByText('"score": 1.5').waitFor()
    await page.getByRole('region', { name: 'Input' }).getByRole('heading', { name: 'Findings' }).waitFor()
    await output.getByRole('link', { name: 'Text' }).click()
    await output.getByText('# Findings').waitFor()
    await output.getByRole('link', { name: 'JSON' }).click()
    await output.getByText('"# Findings\\n\\nThe cat').waitFor()
    await output.getByRole('link', { name: 'Markdown' }).click()
    await output.getByRole('heading', { name: 'Findings' }).waitFor()
    await page.getByText('ask', { exact: true }).click()
    await page
      .getByRole('region', { name: 'Out of ask' })
      .getByRole('heading', { name: 'Findings' })
      .waitFor()
    expect(await axeProblems(page)).toEqual([])
  })

  it('runs nothing that Markdown holds, loads nothing it names, and links to no script', async () => {
    const links = ['javascript:alert(3)', 'data:text/html,x', 'vbscript:x'].map(url => `[here](${url})`)
    const hostile = `# Hi\n\n${XSS}\n\n${links.join(' ')} ![a cat](https://elsewhere.invalid/a.png) <javascript:alert(4)>\n\n[by name][a]\n\n[a]: javascript:alert(5)`
    const says: Play = item => [
      step(item, 'ask', chat(hostile, hostile)),
      { type: 'result', seq: item.seq, attempt: item.attempt, output: { [XSS]: hostile } },
    ]
    const { run } = await ran(world, says, [{ item_id: 'hostile', input: hostile }])
    const page = await open(recordId(run))
    let dialogs = 0
    page.on('dialog', dialog => {
      dialogs++
      void dialog.dismiss()
    })
    await page.goto(`/dashboard/items/${recordId(run)}?step=1`)
    const rendered = page.locator('.markdown')
    expect(await rendered.count()).toBe(4)
    await rendered.first().getByText('<script>alert(2)</script>').waitFor()
    expect(await page.locator('main :is(img, script, iframe, [style], [onerror])').count()).toBe(0)
    const led = await rendered.locator('a').evaluateAll(all => all.map(one => one.getAttribute('href')))
    expect(new Set(led)).toEqual(new Set(['https://elsewhere.invalid/a.png']))
    expect(dialogs).toBe(0)
  })

  it('shows word by word how two outputs differ', async () => {
    const says =
      (output: string): Play =>
      ({ seq, attempt }) => [{ type: 'result', seq, attempt, output, degraded: 'not sure' }]
    const { run } = await ran(world, says('The cat sat on the mat.'), [{ item_id: 'differs', input: 1 }])
    const replay = await world.call('POST', `/v1/durable/runs/${recordId(run)}/replay`, { body: {} })
    await workOff(world, says('The cat sat on a big mat.'))
    for (const [one, other] of [
      [recordId(run), replay.json.record_id],
      [replay.json.record_id, recordId(run)],
    ]) {
      const page = await open(`${one}?with=${other}#difference`)
      const difference = page.getByRole('region', { name: 'Difference' }).locator('pre')
      expect((await difference.locator('del').allTextContents()).join('')).toBe('the')
      const added = await difference.locator('ins').allTextContents()
      expect(added.map(words => words.trim())).toEqual(['a', 'big'])
      await visit![Symbol.asyncDispose]()
    }
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

  it('copies texts by a button, and keeps ages counting', async () => {
    const { run } = await ran(world, works, [{ item_id: 'copied', input: { text: 'a cat?' } }])
    const page = await open(recordId(run), { permissions: ['clipboard-read', 'clipboard-write'] })
    const input = page.getByRole('region', { name: 'Input' })
    await input.locator('pre').hover()
    await input.getByRole('button', { name: 'Copy' }).click()
    await input.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(JSON.parse(copied)).toEqual({ text: 'a cat?' })
    const age = page.locator('time[data-age]').first()
    const before = await age.textContent()
    await expect.poll(() => age.textContent()).not.toBe(before)
  })

  it('replays from a step with another input, keeps what was typed if it is not JSON, and shows the result', async () => {
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
    await page.getByRole('region', { name: 'Difference' }).locator('ins', { hasText: '"ok": true' }).waitFor()
    await page.getByRole('region', { name: 'Difference' }).locator('pre del', { hasText: 'null' }).waitFor()
    await page.getByRole('link', { name: 'Original' }).click()
    await page.getByText('replayed', { exact: false }).first().waitFor()
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
  })

  it('links to the previous and the next item of the list it was opened from, also by keys', async () => {
    const byInput: Play = item => (item.input === 'ok' ? works : failsAtTheEnd)(item)
    const items = ['fail', 'ok', 'fail', 'ok'].map((input, at) => ({ item_id: `one of ${at}`, input }))
    const { run } = await ran(world, byInput, items)
    const page = await open(recordId(run, 2))
    const title = () => page.getByRole('heading', { level: 1 }).textContent()
    await page.getByRole('link', { name: 'Previous' }).click() // of all items, since no list was opened before
    await expect.poll(title).toBe('one of 0')
    await page.goto(`/dashboard/runs/${run}`)
    await page.getByRole('link', { name: 'one of 0' }).click()
    await expect.poll(title).toBe('one of 0')
    expect(await page.getByRole('link', { name: 'Previous' }).count()).toBe(0)
    await page.keyboard.press(']')
    await expect.poll(title).toBe('one of 2')
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0)
    await page.keyboard.press('[')
    await expect.poll(title).toBe('one of 0')
    await page.locator('.crumbs a').nth(1).click()
    await page.waitForURL(/outcome=not_ok#items/)
  })

  it('shows the state of the replay of an item as it happens', async () => {
    const { run } = await ran(world, failsAtTheEnd, [{ item_id: 'replayed', input: 1 }])
    const { json: first } = await world.call('POST', `/v1/durable/runs/${recordId(run)}/replay`, { body: {} })
    await workOff(world, failsAtTheEnd)
    const page = await open(recordId(run))
    const became = page.locator('#became')
    await became.getByText('failed').first().waitFor()
    await world.call('POST', `/v1/durable/runs/${first.record_id}/replay`, { body: {} })
    await page.reload()
    await became.getByText('queued').waitFor()
    await workOff(world, works)
    await became.getByText('completed').waitFor() // without a reload
    await became.getByText('ok', { exact: true }).waitFor()
    expect(await page.getByRole('region', { name: 'Lineage' }).getByText('queued').count()).toBe(0)
    await became.getByRole('link', { name: 'its replay' }).click()
    await page.getByText('It ran, and it worked.').waitFor()
  })

  it('shows paragraphs in the direction of their own text', async () => {
    const arabic = '# مرحبا\n\nهذه **رسالة** من العميل'
    const hebrew = 'שלום, זו הודעה מהלקוח'
    const says: Play = item => [
      step(item, 'ask', chat(hebrew, arabic)),
      { type: 'result', seq: item.seq, attempt: item.attempt, output: arabic, degraded: hebrew },
    ]
    const { run } = await ran(world, says, [{ item_id: 'to the right', input: hebrew }])
    const page = await open(`${recordId(run)}?step=1`)
    const directions = (selector: string) =>
      page.locator(selector).evaluateAll(all => all.map(one => getComputedStyle(one).direction))
    const asWritten = ['.markdown :is(h4, p)', '#input pre', '.role-user pre', '#reason p[dir]']
    for (const selector of asWritten) {
      const found = await directions(selector)
      expect([selector, found.length > 0, new Set(found)]).toEqual([selector, true, new Set(['rtl'])])
    }
  })

  it('shows of a value that is too long its exact beginning, says where it was cut, and copies all of it', async () => {
    const long = (characters: number) => ({
      html: 'Lorem ipsum, refund: dolor: sit, '.repeat(characters / 33),
    })
    const [input, output, recorded] = [long(120_000), long(60_000), long(400_000)]
    const says: Play = item => [
      step(item, 'read', { output }),
      step(item, 'write', { output: recorded }),
      ...works(item),
    ]
    const { run } = await ran(world, says, [{ item_id: 'long', input }])
    const page = await open(recordId(run), { permissions: ['clipboard-read', 'clipboard-write'] })
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    const inputText = JSON.stringify(input)
    const shown = page.getByRole('region', { name: 'Input', exact: true })
    const most = LIMITS.page_text_characters
    const cutAt = `at ${most.toLocaleString('en')} of 119,999 characters`
    await shown.getByText(`Show more, cut ${cutAt}`).click()
    expect(await shown.locator('.copyable pre').textContent()).toBe(inputText.slice(0, most))
    await shown.getByText(`Cut ${cutAt}; the raw form has all of them.`).waitFor()
    await shown.getByRole('button', { name: 'Copy all as JSON' }).click()
    await expect.poll(copied).toBe(inputText)
    await page.getByText('read', { exact: true }).click()
    const out = page.getByRole('region', { name: 'Out of read' })
    await out.getByText(/^Show more, cut at/).click()
    expect(await out.locator('.copyable pre').textContent()).toBe(JSON.stringify(output).slice(0, most))
    await page.getByText('write', { exact: true }).click()
    const kept = page.getByRole('region', { name: 'Out of write' })
    const bytes = JSON.stringify(recorded).length.toLocaleString('en')
    await kept.getByText(new RegExp(`^Cut at [\\d,]+ of ${bytes} bytes when it was recorded`)).waitFor()
    await kept.getByText(/^Show (more|all)/).click()
    const head = (await kept.locator('.copyable pre').textContent())!
    expect(JSON.stringify(recorded).startsWith(head) && head.length > 1000).toBe(true)
    await kept.getByRole('button', { name: 'Copy what is shown' }).click()
    await expect.poll(copied).toBe(head)
    await shown.getByRole('button', { name: 'Copy all as JSON' }).click()
    await expect.poll(copied).toBe(inputText)
    await refreshAnew(page)
    await kept.getByRole('button', { name: 'Copy what is shown' }).click()
    await expect.poll(copied).toBe(head)
    await page.context().clearCookies()
    await shown.getByRole('button', { name: /^Cop/ }).click()
    await shown.getByRole('button', { name: 'Not loaded' }).waitFor()
    expect(await copied()).toBe(head)
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

  it('takes decisions by keys, and undoes them', async () => {
    const { run } = await ran(world, failsAtTheEnd, [{ item_id: 'decide', input: 1 }])
    const page = await open(recordId(run))
    await page.keyboard.press('a')
    await page.getByRole('status').getByText('The item left triage; nothing was decided about it.').waitFor()
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

  it('says why an item is held, and resumes it', async () => {
    const { run } = await ran(world, holds, [{ item_id: 'held', input: 1 }])
    const page = await open(recordId(run))
    await page.getByText('Its agent holds it for a person: looks like fraud').waitFor()
    await page.locator('#figures > div', { hasText: 'Took' }).getByText('0 ms').waitFor() // up to its step
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Yes' }).click()
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

  it('has no accessibility problems, in light and in dark', async () => {
    const { run } = await ran(world, failsAtTheEnd, [{ item_id: 'for all', input: { text: 'a cat?' } }])
    const page = await open(recordId(run))
    for (const summary of await page.locator('.step > summary').all()) await summary.click()
    expect(await axeProblems(page)).toEqual([])
    await page.goto(`/dashboard/items/${recordId(run)}/replay`)
    expect(await axeProblems(page)).toEqual([])
  })
})

/** Has every live part replaced, as when what it shows has changed. */
async function refreshAnew(page: Page): Promise<void> {
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement).blur()
    for (const part of document.querySelectorAll('[data-live][id]')) part.setAttribute('data-old', '')
    dispatchEvent(new Event('online'))
  })
  await page.waitForFunction(() => document.querySelector('[data-old]') === null)
}
