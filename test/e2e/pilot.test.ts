// `assay submit --pilot`: a few rows first, then the question, then the rest or nothing.

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startModelServer } from '../../examples/model-server/server.ts'
import { assay, CHECKOUT, type Stack, startStack } from '../support/stack.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { assayInTerminal, noTerminal } from '../support/terminal.ts'

const TICKETS = join(CHECKOUT, 'examples/ticket-triage/tickets.jsonl')
const parts = new AsyncDisposableStack()
let stack: Stack
let folder: string
beforeAll(async () => {
  folder = parts.adopt(await tempFolder(), temporary => temporary.remove()).path
  const model = parts.adopt(await startModelServer({ port: 0 }), server => server.close())
  stack = parts.adopt(await startStack(), running => running.close())
  const env = ['--env', `OPENAI_BASE_URL=${model.url}/v1`, '--env', 'OPENAI_API_KEY=none']
  const deployed = await assay(stack, ['deploy', 'examples/ticket-triage/agent.ts', ...env]).done
  expect(deployed.code).toBe(0)
})
afterAll(() => parts.disposeAsync())

const submit = (file: string, ...more: string[]) => [
  ...['submit', file, '--agent', 'ticket-triage', '--item-id', 'ticket_id', '--partition-key', 'tenant'],
  ...more,
]
const itemsOf = async (run: string) =>
  (await assay(stack, ['items', run, '--limit', '100']).done).events.map(item => item.item_id as string)
const newestRuns = async () => (await assay(stack, ['runs']).done).events

describe.skipIf(noTerminal !== undefined)('on a terminal, a pilot', () => {
  it('shows its result and what the rest would come to, asks, and leaves its rows out of the rest', async () => {
    const terminal = await assayInTerminal(stack, submit(TICKETS, '--pilot', '6', '--budget', '5'), {
      columns: 100,
      rows: 40,
    })
    await terminal.until(/the other 55 rows, if they are like the pilot:/)
    const shown = await terminal.until(/Submit the other 55\? \[y\/N\] $/m)
    expect(shown.join('\n')).toMatch(/a pilot over 6 of 61 rows, spread over the file/)
    expect(shown.join('\n')).toMatch(/about \$0\.\d+, \d+ ok/)
    terminal.type('y\r')
    await terminal.until(/55 items submitted to ticket-triage/)
    expect(await terminal.ended).toBe(0)

    const [rest, pilot] = await newestRuns()
    expect(pilot).toMatchObject({ total_items: 6, name: 'pilot', budget_cents: 500 })
    expect(rest).toMatchObject({ total_items: 55, budget_cents: 499 })
    const all = [...(await itemsOf(pilot.id)), ...(await itemsOf(rest.id))]
    const rows = (await readFile(TICKETS, 'utf8')).trim().split('\n')
    expect(all.sort()).toEqual(rows.map(row => String(JSON.parse(row).ticket_id)).sort())
    await terminal.close()
  })

  it('is all that runs if the answer is no', async () => {
    const before = (await newestRuns()).length
    const terminal = await assayInTerminal(stack, submit(TICKETS, '--pilot', '3'))
    await terminal.until(/Submit the other 58\? \[y\/N\] $/m)
    terminal.type('n\r')
    await terminal.until(/stopped, as you say: 58 rows not submitted/)
    expect(await terminal.ended).toBe(13)
    expect(await newestRuns()).toHaveLength(before + 1)
    await terminal.close()
  })
})

describe.skipIf(noTerminal !== undefined)(
  'on a terminal, a file whose rows lack what the agent requires',
  () => {
    it.each([
      ['n', /nothing was submitted/, 13, 0],
      ['y', /2 items submitted/, 0, 1],
    ])('is submitted only if the answer is yes: %s', async (typed, expected, code, more) => {
      const before = (await newestRuns()).length
      const file = join(folder, 'messages.csv')
      await writeFile(file, 'ticket_id,message\n1,Where is my card?\n2,I need a new PIN.\n')
      const terminal = await assayInTerminal(stack, ['submit', file, '--agent', 'ticket-triage'], {
        columns: 100,
        rows: 20,
      })
      const shown = await terminal.until(/Submit the file all the same\? \[y\/N\] $/m)
      expect(shown.join(' ')).toContain('none of the first 2 rows fits: ticket-triage wants text;')
      terminal.type(`${typed}\r`)
      await terminal.until(expected)
      expect(await terminal.ended).toBe(code)
      expect(await newestRuns()).toHaveLength(before + more)
      await terminal.close()
    })
  },
)

describe('without a terminal, a pilot', () => {
  it('is refused without --yes, before anything is submitted', async () => {
    const before = (await newestRuns()).length
    const refused = await assay(stack, submit(TICKETS, '--pilot', '3')).done
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--yes continues without asking') })
    expect(await newestRuns()).toHaveLength(before)
  })

  it('continues by itself with --yes, and takes CSV', async () => {
    const csv = join(folder, 'tickets.csv')
    await writeFile(
      csv,
      'ticket_id,tenant,text\n1,acme,Where is my card?\n2,acme,I need a new PIN.\n3,north,"Top up\nfailed."\n',
    )
    const ran = await assay(stack, submit(csv, '--pilot', '1', '--yes', '--watch')).done
    expect(ran.events.map(line => line.event).filter(event => event !== 'progress')).toEqual(
      expect.arrayContaining(['pilot', 'ended', 'outlook', 'submitted', 'ended']),
    )
    expect(ran.events.at(-1).run).toMatchObject({ total_items: 2 })
  })

  it('stops by itself if none of its items is ok, and says so by its exit code', async () => {
    const file = join(folder, 'empty.jsonl')
    await writeFile(file, ['{"text":""}', '{"text":" "}', '{"text":""}'].map(row => `${row}\n`).join(''))
    const ran = await assay(stack, ['submit', file, '--agent', 'ticket-triage', '--pilot', '2', '--yes']).done
    expect(ran.code).toBe(11)
    expect(ran.events.at(-1)).toMatchObject({ event: 'stopped', rows: 1, why: 'no item of the pilot is ok' })
  })

  it('is not needed to learn which fields of the agent the rows lack', async () => {
    const file = join(folder, 'messages.csv')
    await writeFile(file, 'ticket_id,message\n1,Where is my card?\n')
    const ran = await assay(stack, ['submit', file, '--agent', 'ticket-triage']).done
    expect(ran).toMatchObject({
      code: 0,
      err: expect.stringContaining(
        'the first row does not fit: ticket-triage wants text; the rows have ticket_id, message.',
      ),
    })
  })

  it('costs nothing if a row further down is bad', async () => {
    const before = (await newestRuns()).length
    const file = join(folder, 'bad.csv')
    await writeFile(file, 'ticket_id,tenant,text\n1,a,b\n2,a\n3,a,c\n')
    const ran = await assay(stack, submit(file, '--pilot', '1', '--yes')).done
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('line 3: has 2 fields') })
    expect(await newestRuns()).toHaveLength(before)
  })
})

describe('two runs', () => {
  it('are compared by item, by verdict and output, after a summary', async () => {
    const [same, other] = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')]
    const row = (ticket_id: number, text: string) =>
      `${JSON.stringify({ ticket_id, tenant: 'acme', text })}\n`
    await writeFile(
      same,
      row(1, 'Where is my card?') + row(2, 'I need a new PIN.') + row(3, 'Top up failed.'),
    )
    await writeFile(other, row(1, 'Where is my card?') + row(2, ' ') + row(4, 'Thank you.'))
    const runOf = async (file: string) =>
      (await assay(stack, submit(file, '--watch')).done).events.at(-1).run.id
    const [first, second] = [await runOf(same), await runOf(other)]
    const compared = await assay(stack, ['diff', first, second]).done
    expect(compared.events[0]).toMatchObject({
      event: 'diff',
      in_both: 2,
      only_first: 1,
      only_second: 1,
      outputs_changed: 1,
      verdicts: [{ from: 'ok', to: 'failed', count: 1 }],
    })
    expect(compared.events[1]).toMatchObject({ item_id: '2', verdict: ['ok', 'failed'] })
    const shown = await assay(stack, ['diff', first, second], { terminal: 80 }).done
    expect(shown.out).toMatch(/in both runs, 1 only in the first, 1 only in the second/)
    expect(shown.out).toMatch(/ok → failed/)
    expect((await assay(stack, ['diff', first, first]).done).events).toHaveLength(1)
  })
})
