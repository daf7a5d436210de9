// Submitting a file as a person does: in a browser, over real stores; only the agent is played.

import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent } from '../conformance/make.ts'
import { called, deploy, type Play, workOff, works } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

const XSS = `<img src=x onerror=alert(1)>"'</td><script>alert(2)</script>`

const jsonl = (name: string, rows: readonly unknown[]) => ({
  name,
  mimeType: 'application/x-ndjson',
  buffer: Buffer.from(rows.map(row => `${typeof row === 'string' ? row : JSON.stringify(row)}\n`).join('')),
})

/** Fails for every fifth item; each costs a thousandth of a dollar. */
const reads: Play = item => [
  called(item, 'gpt-4o', 400),
  (item.input as { n: number }).n % 5 === 0
    ? {
        type: 'error',
        seq: item.seq,
        attempt: item.attempt,
        error: { code: 'tool_call_error', message: 'cannot read it' },
      }
    : works(item)[0]!,
]

describe.skipIf(CHROMIUM === undefined)('submitting a file (needs Chromium)', () => {
  let world: World
  let visit: Visitor | undefined
  let slug: string
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    const agent = await makeAgent(world)
    slug = agent.slug
    await deploy(world, agent.id)
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  async function open(options: object = {}, account = world.first.account): Promise<Page> {
    visit = await visitor(world.url, options)
    const { page } = visit
    await signIn(page, account)
    visit.complaints.length = 0 // other tests check the overview
    await page.goto(`/dashboard/projects/${world.first.project_id}/submit?agent=${slug}`)
    return page
  }

  const runsThere = async () => (await world.call('GET', '/v2/runs?limit=500')).json as { id: string }[]
  const runAt = async (page: Page) => {
    await page.waitForURL(/\/dashboard\/runs\/[0-9a-f-]{36}$/)
    return (await world.call('GET', `/v2/runs/${page.url().split('/').at(-1)}`)).json
  }
  const itemsOf = async (run: string) =>
    (await world.call('GET', `/v2/runs/${run}/items?limit=500`)).json as { id: string; item_id: string }[]
  const inputOf = async (page: Page, id: string) =>
    (await page.request.get(`/dashboard/items/${id}/raw/input`)).text()

  it('runs a pilot of 20 items, says what the rest would come to, and leaves the pilot out of the rest', async () => {
    const rows = Array.from({ length: 50 }, (_, at) => ({ id: `row ${at}`, n: at }))
    const page = await open()
    await page.getByLabel('or choose one').setInputFiles(jsonl('rows.jsonl', rows))
    await page.getByRole('region', { name: 'First rows' }).getByText('row 4').waitFor()
    expect(await page.getByLabel('Item id').inputValue()).toBe('id')
    await page.getByLabel('Budget in dollars').fill('5')
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    await page.getByRole('heading', { name: 'Pilot: 20 of 50 items' }).waitFor()
    await page.getByText('The pilot is at work.').waitFor()
    const pilot = new URL(page.url()).searchParams.get('pilot')!
    await workOff(world, reads)
    await page.getByRole('heading', { name: 'The other 30 items, if they are like these' }).waitFor()
    await page.getByText('cannot read it').waitFor()
    await page.getByText('$4.98').waitFor()
    expect(await page.getByText('Choose rows.jsonl again').isVisible()).toBe(false)
    const answers = page.locator('#answers tbody tr')
    await answers.first().getByText('failed').waitFor()
    await page.locator('#answers').getByText('"ok":true').first().waitFor()
    await page.getByRole('button', { name: 'Go on with the other 30' }).click()
    const rest = await runAt(page)
    expect(rest).toMatchObject({ total_items: 30, budget_cents: 498, name: 'rows.jsonl' })
    expect((await world.call('GET', `/v2/runs/${pilot}`)).json.name).toBe('rows.jsonl, pilot')
    const all = [...(await itemsOf(pilot)), ...(await itemsOf(rest.id))].map(item => item.item_id)
    expect(all.sort()).toEqual(rows.map(row => row.id).sort())
    await workOff(world, works)
  })

  it.each([true, false])('names all faults of the form at once, scripts %s', async javaScriptEnabled => {
    const page = await open({ javaScriptEnabled })
    await page.getByLabel('Budget in dollars').fill('much')
    await page.getByLabel('Concurrency').fill('many')
    await page.getByLabel('Callback address').fill('not an address')
    await page.getByRole('button', { name: 'Submit all' }).click()
    const wrong = page.locator('#submit-wrong li')
    await wrong.first().waitFor()
    expect(await wrong.allTextContents()).toEqual([
      'The budget is no amount, such as 2.50, $2 or 250c.',
      'Choose a file, or paste lines.',
      expect.stringMatching(/^Concurrency: /),
      expect.stringMatching(/^Callback address: /),
    ])
    await page.locator('summary', { hasText: 'Or paste lines' }).click()
    await page.getByLabel('Lines', { exact: true }).fill('{"n":1}\n{"n":')
    await page.getByRole('button', { name: 'Submit all' }).click()
    await page.locator('#submit-wrong').getByText(/ine 2/).first().waitFor()
    expect((await wrong.allTextContents()).join(' ')).toMatch(/The budget.*Concurrency: .*Callback address: /)
    visit!.complaints.length = 0 // the browser's lines about the refusals
  })

  it('asks for the file again if the page of the pilot was reloaded, and takes no other file', async () => {
    const rows = Array.from({ length: 25 }, (_, at) => ({ n: at + 1 }))
    const page = await open()
    await page.getByLabel('or choose one').setInputFiles(jsonl('rows.jsonl', rows))
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    await page.getByRole('heading', { name: 'Pilot: 20 of 25 items' }).waitFor()
    await workOff(world, works)
    await page.reload()
    const again = page.getByLabel('Choose rows.jsonl again')
    await page.getByRole('button', { name: 'Go on with the other 5' }).click()
    await page.getByText('Choose a file, or paste lines.').waitFor()
    await again.setInputFiles(jsonl('rows.jsonl', rows.slice(1)))
    await page.getByRole('button', { name: 'Go on with the other 5' }).click()
    await page.getByText('This is not the file of the pilot').waitFor()
    await again.setInputFiles(jsonl('rows.jsonl', rows))
    await page.getByRole('button', { name: 'Go on with the other 5' }).click()
    expect(await runAt(page)).toMatchObject({ total_items: 5 })
    await workOff(world, works)
  })

  it('takes a file of 50,000 lines that is dropped on the page', async () => {
    const page = await open()
    const dropped = await page.evaluateHandle(() => {
      const lines = Array.from({ length: 50_000 }, (_, at) => `{"id":${at},"text":"${'x'.repeat(100)}"}\n`)
      const transfer = new DataTransfer()
      transfer.items.add(new File([lines.join('')], 'large.jsonl'))
      return transfer
    })
    await page.dispatchEvent('form.submit', 'drop', { dataTransfer: dropped })
    await page.getByRole('heading', { name: 'large.jsonl, 6 MB' }).waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('large')
    await page.getByRole('button', { name: 'Submit all' }).click()
    const run = await runAt(page)
    expect(run).toMatchObject({ total_items: 50_000, name: 'large' })
    await page.getByRole('heading', { name: 'large' }).waitFor()
    await world.call('POST', `/v2/runs/${run.id}/cancel`)
  })

  it('names bad lines by their numbers, and accepts nothing', async () => {
    const before = (await runsThere()).length
    const page = await open()
    const rows = [{ n: 1 }, '{"n": 2', '', { n: 3 }, 'nope']
    await page.getByLabel('or choose one').setInputFiles(jsonl('bad.jsonl', rows))
    await page.getByRole('button', { name: 'Submit all' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText(/^line 2: is not JSON/).waitFor()
    await alert.getByText(/^line 5: is not JSON/).waitFor()
    // What only the server can find.
    const twice = [{ id: 'a' }, { id: 'b' }, { id: 'a' }]
    await page.getByLabel('or choose one').setInputFiles(jsonl('twice.jsonl', twice))
    await page.getByRole('region', { name: 'First rows' }).waitFor()
    await page.getByLabel('Item id').selectOption('id') // not guessed: its values repeat
    await page.getByRole('button', { name: 'Submit all' }).click()
    await alert.getByText(/lines? 1 and 3/i).waitFor()
    visit!.complaints.length = 0 // Chromium logs the 400
    expect(await runsThere()).toHaveLength(before)
  })

  it('takes CSV, with the chosen fields, and inputs as text', async () => {
    const page = await open()
    const text = 'ticket;tenant;body\n007;acme;"say ""hi""; please"\n8;;1.50\n'
    await page
      .getByLabel('or choose one')
      .setInputFiles({ name: 'tickets.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
    await page.getByRole('region', { name: 'First rows' }).getByText('say "hi"; please').waitFor()
    await page.getByLabel('Item id').selectOption('ticket')
    await page.getByLabel('Partition').selectOption('tenant')
    await page.getByLabel('Input').selectOption('body')
    await page.getByRole('button', { name: 'Submit all' }).click()
    const run = await runAt(page)
    const items = await itemsOf(run.id)
    expect(items).toMatchObject([
      { item_id: '007', partition_key: 'acme' },
      { item_id: '8', partition_key: null },
    ])
    expect(await Promise.all(items.map(item => inputOf(page, item.id)))).toEqual([
      '"say \\"hi\\"; please"',
      '"1.50"',
    ])
    await workOff(world, works)
  })

  it.each([
    ['gz', gzipSync],
    ['zst', zstdCompressSync],
  ] as const)(
    'unpacks .%s, with scripts and without, and refuses what only the command reads',
    async (ending, pack) => {
      const rows = Array.from({ length: 3 }, (_, at) => `{"id":"p${at}","text":"héllo ${at}"}\n`)
      const buffer = pack(Buffer.from(rows.join('')))
      const file = { name: `rows.jsonl.${ending}`, mimeType: 'application/octet-stream', buffer }
      for (const javaScriptEnabled of [true, false]) {
        await visit?.[Symbol.asyncDispose]()
        const page = await open({ javaScriptEnabled })
        await page.getByLabel('or choose one').setInputFiles(file)
        if (javaScriptEnabled)
          await page.getByRole('region', { name: 'First rows' }).getByText('héllo 2').waitFor()
        else await page.getByLabel('Item id').fill('id')
        await page.getByRole('button', { name: 'Submit all' }).click()
        expect(await runAt(page)).toMatchObject({ total_items: 3 })
        await workOff(world, works)
      }
      const page = await open()
      const parquet = Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(600)])
      await page
        .getByLabel('or choose one')
        .setInputFiles({ name: 'a.parquet', mimeType: 'application/octet-stream', buffer: parquet })
      await page.getByText(/is a Parquet file: .*submit it by the command/).waitFor()
    },
  )

  it('guesses what the fields of a row are, says that it is a guess, and lets it be changed', async () => {
    const page = await open()
    const tickets = ['T-1', 'T-2'].map(ticket_id => ({ ticket_id, tenant: 'north', text: 'the lamp' }))
    await page.getByLabel('or choose one').setInputFiles(jsonl('tickets.jsonl', tickets))
    await page.getByRole('region', { name: 'First rows' }).waitFor()
    const [item, partition, input] = ['Item id', 'Partition', 'Input'].map(name => page.getByLabel(name))
    const said = page.getByText('Guessed from the first rows.')
    expect(await Promise.all([item, partition, input].map(one => one!.inputValue()))).toEqual([
      'ticket_id',
      'tenant',
      '',
    ])
    expect(await said.count()).toBe(2)
    await partition!.selectOption('')
    expect(await said.count()).toBe(1)
    await page.getByRole('button', { name: 'Submit all' }).click()
    expect(await itemsOf((await runAt(page)).id)).toMatchObject([
      { item_id: 'T-1', partition_key: null },
      { item_id: 'T-2', partition_key: null },
    ])
    await workOff(world, works)
  })

  it('guesses the field of the input again for each agent that is chosen', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id, { input_schema: { type: 'string' } })
    const rows = Array.from({ length: 5 }, (_, n) => ({ id: `row ${n}`, text: `words of row ${n}` }))
    const page = await open()
    const input = page.locator('[name=input]')
    await page.locator('select[name=agent]').selectOption(agent.slug)
    await page.getByLabel('or choose one').setInputFiles(jsonl('rows.jsonl', rows))
    await expect.poll(() => input.inputValue()).toBe('text')
    await page.locator('select[name=agent]').selectOption(slug)
    await expect.poll(() => input.inputValue()).toBe('')
    await page.locator('select[name=agent]').selectOption(agent.slug)
    await expect.poll(() => input.inputValue()).toBe('text')
  })

  it('says before anything runs which fields that the agent requires are missing from the rows', async () => {
    const agent = await makeAgent(world)
    await deploy(world, agent.id, {
      input_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    })
    const cases = Array.from({ length: 30 }, (_, n) => ({
      reference: `CASE-${9000 + n}`,
      customer: 'north',
      message: 'the lamp is broken',
    }))
    const page = await open()
    await page.locator('select[name=agent]').selectOption(agent.slug)
    await page.getByLabel('or choose one').setInputFiles(jsonl('cases.jsonl', cases))
    await page.getByText(`${agent.slug} wants text; the rows have reference, customer, message.`).waitFor()
    expect(await page.getByLabel('Item id').inputValue()).toBe('reference')
    await page.locator('select[name=agent]').selectOption(slug)
    await page.getByText('wants text').waitFor({ state: 'hidden' })
    await page.locator('select[name=agent]').selectOption(agent.slug)
    await page.getByLabel('Go on with calls that the budget does not count').check()
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    await page.getByRole('heading', { name: 'Pilot: 20 of 30 items' }).waitFor()
    const { json: declared } = await world.call('GET', `/v1/agents/${agent.id}/deployments`)
    expect(declared[0].declaration.input_schema.required).toEqual(['text'])
    await workOff(world, item => [
      {
        type: 'error',
        seq: item.seq,
        attempt: item.attempt,
        error: { code: 'invalid_input', message: 'input.text: is missing' },
      },
    ])
    await page.getByText(`The columns do not fit: ${agent.slug} refused every input.`).waitFor()
    await page.getByRole('heading', { name: 'What they answered 10 of 20' }).waitFor()
    await page.locator('#answers').getByText('the lamp is broken').first().waitFor()
    await page.getByRole('link', { name: 'Change the columns' }).click()
    await page.getByRole('heading', { name: 'Submit items' }).waitFor()
    expect(await page.getByLabel('Item id').inputValue()).toBe('reference')
    expect(await page.locator('select[name=agent]').inputValue()).toBe(agent.slug)
  })

  it('guesses on request without scripts, from pasted lines and from a file', async () => {
    const page = await open({ javaScriptEnabled: false })
    const guess = page.getByRole('button', { name: 'Guess them from the first rows' })
    await page.getByText('Or paste lines').click()
    await page.getByRole('textbox', { name: 'Lines' }).fill('{"id":1,"org":"a"}\n{"id":2,"org":"a"}')
    await guess.click()
    expect(await page.getByText('Guessed from the first rows.').count()).toBe(2)
    expect(await page.getByLabel('Item id').inputValue()).toBe('id')
    expect(await page.getByLabel('Partition').inputValue()).toBe('org')
    await page.getByRole('button', { name: 'Submit all' }).click()
    const run = await runAt(page)
    expect((await itemsOf(run.id)).map(item => item.item_id)).toEqual(['1', '2'])
    await page.goto(`/dashboard/projects/${world.first.project_id}/submit?agent=${slug}`)
    await page
      .getByLabel('or choose one')
      .setInputFiles(jsonl('rows.jsonl', [{ order_id: 7 }, { order_id: 8 }]))
    await guess.click()
    await page.getByRole('alert').getByText('Choose the file again').waitFor()
    visit!.complaints.length = 0 // Chromium logs the 400
    expect(await page.getByLabel('Item id').inputValue()).toBe('order_id')
    await workOff(world, works)
  })

  it('takes pasted lines once the file is removed', async () => {
    const page = await open()
    await page.getByLabel('or choose one').setInputFiles(jsonl('rows.jsonl', [{ n: 1 }, { n: 2 }, { n: 3 }]))
    await page.getByRole('region', { name: 'First rows' }).waitFor()
    await page.getByLabel('or choose one').setInputFiles([])
    await page.getByText('Or paste lines').click()
    await page.getByRole('textbox', { name: 'Lines' }).fill('n\n4\n5\n')
    await page.getByLabel('They are').selectOption('CSV')
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    const run = await runAt(page)
    expect(run).toMatchObject({ total_items: 2 })
    const inputs = await Promise.all((await itemsOf(run.id)).map(item => inputOf(page, item.id)))
    expect(inputs.sort()).toEqual(['{"n":"4"}', '{"n":"5"}'])
    await workOff(world, works)
  })

  it('works without scripts, and keeps what was typed', async () => {
    const page = await open({ javaScriptEnabled: false })
    await page.getByText('Or paste lines').click()
    const lines = Array.from({ length: 22 }, (_, at) => `{"id":"r${at}","big":1234567890123456789${at}}\n`)
    await page.getByRole('textbox', { name: 'Lines' }).fill(`${lines.join('')}nope`)
    await page.getByLabel('Item id').fill('id')
    await page.getByRole('textbox', { name: 'Name' }).fill('by hand')
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    await page.getByRole('alert').getByText('line 23: is not JSON').waitFor()
    visit!.complaints.length = 0 // Chromium logs the 400
    expect(await page.getByLabel('Item id').inputValue()).toBe('id')
    await page.getByRole('textbox', { name: 'Lines' }).fill(lines.join(''))
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    await page.getByRole('heading', { name: 'Pilot: 20 of 22 items' }).waitFor()
    await workOff(world, works)
    await page.reload()
    await page.getByLabel('Paste the same lines again').fill(lines.join(''))
    await page.getByRole('button', { name: 'Go on with the other 2' }).click()
    const rest = await runAt(page)
    expect(rest).toMatchObject({ total_items: 2, name: 'by hand' })
    const [item] = await itemsOf(rest.id)
    expect(lines).toContain(`${await inputOf(page, item!.id)}\n`)
    await workOff(world, works)
  })

  it('shows whatever is in a file as text', async () => {
    const page = await open()
    let dialogs = 0
    page.on('dialog', dialog => {
      dialogs++
      void dialog.dismiss()
    })
    const rows = Array.from({ length: 21 }, (_, at) => ({ [XSS]: XSS, n: at }))
    await page.getByLabel('or choose one').setInputFiles(jsonl(`${XSS}.jsonl`.replaceAll('/', ''), rows))
    await page.getByRole('cell', { name: XSS }).first().waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill(XSS)
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    await page.getByRole('heading', { name: 'Pilot: 20 of 21 items' }).waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    await page.reload()
    await page.getByText('<img src=x').first().waitFor()
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(dialogs).toBe(0)
    await workOff(world, works)
  })

  it('says to a viewer why there is nothing to press', async () => {
    const viewer = { email: 'reads@example.test', password: 'only reads, nothing else' }
    const made = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
    await world.call('POST', '/v1/members', {
      body: { ...viewer, role: 'viewer' },
      token: made.json.access_token,
    })
    const page = await open({}, viewer)
    await page.getByText('Your role is viewer').waitFor()
    expect(await page.getByRole('button', { name: /Submit|Run 20/ }).count()).toBe(0)
  })

  it('has no accessibility problems, in light and in dark', async () => {
    const page = await open()
    const rows = Array.from({ length: 30 }, (_, at) => ({ id: at, n: at, text: 'a text '.repeat(20) }))
    await page.getByLabel('or choose one').setInputFiles(jsonl('rows.jsonl', rows))
    await page.getByRole('region', { name: 'First rows' }).waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Run 20 first' }).click()
    await page.getByText('The pilot is at work.').waitFor()
    await workOff(world, reads)
    await page.getByRole('button', { name: 'Go on with the other 10' }).waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.reload()
    await page.getByLabel('Choose rows.jsonl again').waitFor()
    expect(await axeProblems(page)).toEqual([])
  })
})
