// What steps return of the answers of the models' own clients: the same at first and later, with all that their pages read.
// The clients are installed into test/clients, since they are 350 MB.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readStep, stepRow } from '../grading/rules/step-row.ts'
import { LIST_PRICES } from '../prices/rules/price-book.ts'
import type { AgentLine } from '../protocol/rules/protocol.ts'
import { agent } from './agent.ts'
import type { Context } from './context.ts'
import { kept } from './kept.ts'
import { revived } from './revived.ts'
import { serve } from './serve.ts'
import { recorded } from './stream.ts'

const FOLDER = join(import.meta.dirname, '../../test/clients')

interface ClientCall {
  name: string
  /** What the client's pages read of its answer. */
  reads: string[]
  /** The model answers JSON. */
  json?: true
  /** A message inside of the answer. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of all clients
  inner?: (answer: any) => any
  call(url: string): Promise<Record<string, unknown>>
}

function install(): void {
  const lock = readFileSync(join(FOLDER, 'package-lock.json'), 'utf8')
  const mark = join(FOLDER, 'node_modules/.installed')
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'pipe' })
  writeFileSync(mark, lock)
}

install()
const { CALLS, STRUCTURED } = (await import('../../test/clients/clients.mjs' as string)) as {
  CALLS: ClientCall[]
  STRUCTURED: ClientCall[]
}
const { startProvider } = await import('../../test/clients/provider.mjs' as string)

const says: { text: string; calls: { name: string; input: unknown } } = {
  text: 'billing',
  calls: { name: 'get_order', input: { id: 'A-17' } },
}
let provider: { url: string; close(): void }
beforeAll(async () => {
  provider = await startProvider(says)
})
afterAll(() => provider.close())

const call = async ({ call, json }: ClientCall) => {
  if (json) says.text = '{"id":"A-17"}'
  return call(provider.url)
}
/** A stream is read to its end, as ctx.llm does. */
const ask = async (client: ClientCall): Promise<Record<string, unknown>> =>
  (await recorded(await call(client))) as Record<string, unknown>

const json = (value: unknown) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

/** All that can be read of a value: also what is not enumerable. */
function all(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(all)
  const read: Record<string, unknown> = {}
  for (const [name, own] of Object.entries(Object.getOwnPropertyDescriptors(value)))
    read[`${name}${own.enumerable ? '' : ' (hidden)'}`] = own.get ? String(own.get).length : all(own.value)
  return read
}

/** A value without the forms that classes have: messages of LangChain have another JSON. */
const plain = (value: unknown) => json(kept(value, 'the value').value)

const later = (text: string | undefined) => revived(JSON.parse(JSON.stringify(JSON.parse(text!))))

describe.each(CALLS)('$name', client => {
  it('gives the same at first and later, with all that its pages read', async () => {
    says.text = 'billing'
    const live = await ask(client)
    const { text, value } = kept(live, 'the answer')
    expect(all(later(text))).toEqual(all(value))
    const first = value as Record<string, unknown>
    for (const name of client.reads) expect([name, plain(first[name])]).toEqual([name, plain(live[name])])
    if (!client.inner) return
    const [message, liveMessage] = [client.inner(value), client.inner(live)]
    for (const name of ['content', 'text', 'tool_calls', 'usage_metadata'])
      expect([name, plain(message[name])]).toEqual([name, plain(liveMessage[name])])
  })

  it('writes hardly more than its JSON', async () => {
    says.text = 'A long answer. '.repeat(500)
    const live = await ask(client)
    const { text } = kept(live, 'the answer')
    expect(text!.length).toBeLessThan(JSON.stringify(live).length * 1.6 + 2000)
  })

  it('gives the same for any text and any input of a tool', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        // Clients refuse to read what sets a prototype.
        fc.dictionary(fc.string(), fc.jsonValue()).filter(one => !JSON.stringify(one).includes('__proto__')),
        async (words, input) => {
          says.text = words === '' ? 'x' : words
          says.calls = { name: 'get_order', input: { ...input, id: 'A-17' } }
          const { text, value } = kept(await ask(client), 'the answer')
          expect(all(later(text))).toEqual(all(value))
        },
      ),
      { numRuns: 10 },
    )
    says.calls = { name: 'get_order', input: { id: 'A-17' } }
  })
})

/** An agent that notes what it can read of an answer. */
function agentOf(client: ClientCall, reads: unknown[]) {
  class Reads {
    async run(ctx: Context) {
      const answer = await ctx.llm('ask', { model: 'm' }, () => call(client))
      reads.push(all(answer))
      await ctx.hold('a person looks at it')
      return answer
    }
  }
  agent({ name: 'reads' })(Reads, { kind: 'class', name: 'Reads' } as never)
  return serve(Reads)
}

async function linesOf(handle: ReturnType<typeof serve>, line: object): Promise<AgentLine[]> {
  const response = await handle(
    new Request('http://agent/', { method: 'POST', body: JSON.stringify({ seq: 1, attempt: 1, ...line }) }),
  )
  return (await response.text())
    .trim()
    .split('\n')
    .map(text => JSON.parse(text))
}

it.each(CALLS)('$name: an item that was held, or is recovered, reads what it read at first', async client => {
  says.text = 'billing'
  const reads: unknown[] = []
  const handle = agentOf(client, reads)
  const lines = await linesOf(handle, {})
  const steps = lines.flatMap(line => (line.type === 'step' ? [line.step] : []))
  expect(lines.at(-1)?.type).toBe('hold')
  const found = steps.map(({ key, output }) => ({ key, output }))
  const [resumed] = await linesOf(handle, { attempt: 2, recorded: found })
  const hold = found.filter(({ key }) => key === 'hold')
  const recovered = await linesOf(handle, { recorded: hold, recorded_for_input: steps.slice(0, 1) })
  expect(reads).toHaveLength(3)
  expect(reads[1]).toEqual(reads[0])
  expect(reads[2]).toEqual(reads[0])
  expect(resumed).toEqual(recovered.at(-1) && { ...recovered.at(-1), attempt: 2 })
})

it.each(STRUCTURED)(
  '$name: an answer that does not fit is kept with the error, and its tokens are read',
  async client => {
    says.text = 'Sure! Here is the order.'
    class Throws {
      run(ctx: Context) {
        return ctx.llm('ask', { model: 'm' }, () => client.call(provider.url))
      }
    }
    agent({ name: 'throws' })(Throws, { kind: 'class', name: 'Throws' } as never)
    const [line] = await linesOf(serve(Throws), {})
    if (line?.type !== 'step') throw new Error(JSON.stringify(line))
    const row = stepRow(
      readStep(line.step, JSON.stringify(line.step)),
      { seq: 1, attempt: 1, step_no: 1 },
      LIST_PRICES,
    )
    expect(row).toMatchObject({
      key: 'ask',
      outcome: 'failed',
      outcome_reason: 'step_error',
      error_code: 'llm_call_error',
    })
    expect(row.input_tokens).toBeGreaterThanOrEqual(100)
    expect(row.output_tokens).toBe(20)
  },
)
