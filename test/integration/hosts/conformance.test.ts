// The conformance check against agents that keep the protocol and agents that break one rule each.

import { execFile } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { conformance } from '../../../infra/runtime/conformance.ts'
import { type AgentLine, type ItemLine, NDJSON } from '../../../shared/protocol/rules/protocol.ts'

type Answer = (items: ItemLine[]) => AgentLine[] | string

const step = (key: string) => ({
  key,
  kind: 'step' as const,
  name: key,
  output: 1,
  started_at: new Date(0).toISOString(),
  duration_ms: 1,
})

/** Records one step and returns the input as output. */
const good = (items: ItemLine[]): AgentLine[] =>
  items.flatMap(({ seq, attempt, recorded, input }): AgentLine[] => [
    ...(recorded.length ? [] : [{ type: 'step' as const, seq, attempt, step: step('look') }]),
    { type: 'result', seq, attempt, output: input },
  ])

async function failuresOf(
  answer: Answer,
  type: string = NDJSON,
  generators: string[] = [],
): Promise<Record<string, string>> {
  const server = http.createServer(async (request, response) => {
    if (request.method === 'GET') return response.end(JSON.stringify({ declaration: { generators } }))
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const items = body.trimEnd().split('\n')
    const lines = answer(items.map(line => JSON.parse(line)))
    if (lines === 'unknown') return response.writeHead(400).end()
    response.writeHead(200, { 'content-type': type })
    response.end(typeof lines === 'string' ? lines : lines.map(line => `${JSON.stringify(line)}\n`).join(''))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const failures: Record<string, string> = {}
  for await (const { name, verdict, why } of conformance(url, { n: 1 }, 256)) {
    if (verdict === 'fail') failures[name] = why!
  }
  server.closeAllConnections()
  server.close()
  return failures
}

const final = 'answers an item with one final line that names its seq and attempt'

it('the check passes an agent that keeps the protocol, whatever the order of its lines', async () => {
  expect(await failuresOf(good)).toEqual({})
  expect(await failuresOf(items => [{ type: 'heartbeat' }, ...good(items).reverse()])).toEqual({})
})

it.each<[string, Answer, string]>([
  ['never ends an item', () => [{ type: 'heartbeat' }], 'got 0 final lines'],
  ['ends an item twice', items => [...good(items), good(items).at(-1)!], 'got 2 final lines'],
  ['forgets the attempt', items => good(items).map(line => ({ ...line, attempt: 1 })), 'repeat the attempt'],
  ['answers for another item', items => good(items).map(line => ({ ...line, seq: 9999 })), 'not offered'],
  ['sends lines that are not JSON', () => 'hello\n', 'not JSON'],
  [
    'omits the output',
    ([item]) => [{ type: 'result', seq: item!.seq, attempt: item!.attempt } as AgentLine],
    'no output',
  ],
])('the check fails an agent that %s', async (_, answer, why) => {
  expect((await failuresOf(answer))[final]).toContain(why)
})

describe('an agent that declares a generator', () => {
  const making =
    (lines: object[], known: (name: string) => boolean = name => name === 'tickets'): Answer =>
    items => {
      const { generator } = items[0] as unknown as { generator?: string }
      if (generator === undefined) return good(items)
      return known(generator) ? (lines as AgentLine[]) : 'unknown'
    }
  const one = { type: 'item', input: { id: 1 } }

  it.each<[string, Answer, string | undefined]>([
    [
      'yields its items and their number',
      making([one, { type: 'heartbeat' }, { type: 'end', items: 1 }]),
      undefined,
    ],
    ['reports an error', making([one, { type: 'error', error: { code: 'a', message: 'b' } }]), undefined],
    ['miscounts its items', making([one, { type: 'end', items: 2 }]), 'ends with 2 items, and 1 came'],
    ['ends without its last line', making([one]), 'ends without a last line'],
    ['continues after its last line', making([{ type: 'end', items: 0 }, one]), 'goes on after its end'],
    [
      'sends a line of another type',
      making([{ type: 'result' }]),
      'is none of item, heartbeat, end and error',
    ],
    [
      'accepts any name of a generator',
      making([{ type: 'end', items: 0 }], () => true),
      'an unknown generator is answered 200',
    ],
  ])('is checked when it %s', async (_, answer, why) => {
    const failures = await failuresOf(answer, NDJSON, ['tickets'])
    if (why === undefined) expect(failures).toEqual({})
    else expect(failures['makes items where it declares generators']).toContain(why)
  })
})

it('the check fails an agent that runs recorded steps again', async () => {
  const forgetful: Answer = items => good(items.map(item => ({ ...item, recorded: [] })))
  expect(await failuresOf(forgetful)).toEqual({
    'does not run recorded steps again': 'the recorded step "look" ran again',
  })
})

it('the check fails an agent that answers only part of a large request', async () => {
  expect(await failuresOf(items => good(items.slice(0, 100)))).toEqual({
    'answers each of 256 items in one request exactly once': expect.stringContaining('seq 100 got 0'),
  })
})

it('the check fails a content type other than NDJSON', async () => {
  expect(await failuresOf(good, 'text/plain')).toEqual({
    'names its content type': expect.stringContaining('text/plain'),
  })
})

it('the check says so when nothing answers at the URL', async () => {
  const checks = []
  for await (const check of conformance('http://127.0.0.1:1/', {}, 1)) checks.push(check)
  expect(checks).toEqual([
    { name: 'answers a request', verdict: 'fail', why: expect.stringContaining('request failed') },
  ])
})

it('the command prints its usage, and refuses an unknown option', async () => {
  const file = join(import.meta.dirname, '../../../infra/runtime/conformance.ts')
  const called = (option: string) =>
    promisify(execFile)(process.execPath, [file, option]).catch(error => error)
  expect(await called('--help')).toMatchObject({ stdout: expect.stringMatching(/^usage: /), stderr: '' })
  expect(await called('--item')).toMatchObject({ code: 1, stderr: expect.stringContaining("'--item'") })
})
