// Agents that answer later: with 202, or with `later` at the end of a response, and then with lines by POST.
// The test plays the agent, as the other tests of the consumer do; its POSTs go through the endpoint.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerItems } from '../../../functions/runs/answer-items.ts'
import { listen } from '../../../infra/node/listen.ts'
import { createInvoker } from '../../../infra/runtime/invoker.ts'
import { deploy } from '../../../shared/agents/verbs/deploy.ts'
import { whyItem } from '../../../shared/claims/verbs/why.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import { cancelRun } from '../../../shared/items/verbs/cancel.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { type AgentLine, ANSWER_URL_HEADER, type ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { agent } from '../../../shared/sdk/agent.ts'
import type { Context as AgentContext } from '../../../shared/sdk/context.ts'
import { serve } from '../../../shared/sdk/serve.ts'
import { countBacklog } from '../../../shared/upkeep/queries/backlog.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import {
  centStep,
  conservation,
  failure,
  result,
  step,
  type TestEngine,
  testEngine,
} from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { countWaiting } from '../../support/on-cluster.ts'

const CENT_MICRO = 10_000

const python = spawnSync('python3', ['--version'])

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** One request to the agent: its items, and the address for later answers. */
interface Asked {
  items: ItemLine[]
  address: string
}

/** An agent that sends these lines in its response and the rest later; without such lines it responds with 202. */
function laterAgent(openly: (items: ItemLine[]) => AgentLine[] = () => []) {
  const asked: Asked[] = []
  const ctx: Context = {
    ...engine.ctx,
    async invokeAgent(_, { body, headers }) {
      const items = body
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as ItemLine)
      asked.push({ items, address: headers[ANSWER_URL_HEADER]! })
      const lines = openly(items)
      return {
        status: lines.length === 0 ? 202 : 200,
        contentType: 'application/x-ndjson',
        body: chunksOf(lines),
      }
    },
  }
  return { asked, ctx }
}

async function* chunksOf(lines: readonly AgentLine[]): AsyncGenerator<Uint8Array> {
  for (const line of lines) yield new TextEncoder().encode(`${JSON.stringify(line)}\n`)
}

async function send(address: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/x-ndjson') {
  const app = createApp([answerItems], () => engine.ctx)
  const response = await app.request(address, { method: 'POST', headers: { 'content-type': type }, body })
  const json = (await response.json()) as {
    open?: number[]
    passed_over?: { line: number; problem: string }[]
    error?: { code: string; message: string }
  }
  return { status: response.status, ...json }
}

const post = (address: string, lines: readonly (AgentLine | object)[]) =>
  send(address, lines.map(line => JSON.stringify(line)).join('\n'))

const leases = () => engine.sql`select seqs, handed_from is not null as handed from claims order by id`

/** Submits `items` items, has a consumer send them, and returns what the agent got once the consumer has ended. */
async function handedOver(items: number, openly?: (items: ItemLine[]) => AgentLine[]) {
  const runId = await engine.submit(items)
  const agent = laterAgent(openly)
  const consumed = await consume(agent.ctx)
  const { items: sent, address } = agent.asked[0]!
  return { runId, agent, consumed, sent, address }
}

it('a consumer that gets a 202 ends, and the items stay running under a lease of their own [runs.answer-later]', async () => {
  const { runId, consumed, sent, address } = await handedOver(3)
  expect(consumed).toMatchObject({ claimed: 3, more: false })
  expect(await leases()).toEqual([{ seqs: [1, 2, 3], handed: true }])
  expect(await engine.run(runId)).toMatchObject({ status: 'running', running: 3 })
  expect(await conservation(engine, runId)).toEqual([])
  expect(await whyItem(engine.ctx, engine.item(runId, 1))).toMatchObject({ token: 'answer_later' })
  expect(await countBacklog(engine.sql)).toMatchObject({ in_flight: 3, answered_later: 3 })
  // Neither another consumer nor the tick touches them while the lease lasts.
  await sweep(engine.ctx)
  expect(await consume(laterAgent().ctx)).toMatchObject({ claimed: 0 })

  const first = await post(address, [centStep(sent[0]!, 'call'), result(sent[0]!), { type: 'heartbeat' }])
  expect(first).toMatchObject({ status: 200, open: [2, 3] })
  expect(await conservation(engine, runId)).toEqual([])
  expect(await post(address, [result(sent[2]!), result(sent[1]!)])).toMatchObject({ status: 200, open: [] })
  expect(await engine.run(runId)).toMatchObject({
    status: 'completed',
    ok: 3,
    cost_micro: CENT_MICRO,
    running: 0,
  })
  expect(await leases()).toEqual([])
  expect(await conservation(engine, runId)).toEqual([])
})

it('a POST renews the lease; without one the items are retried, and lines of the old attempt are refused [runs.answer-later]', async () => {
  const { runId, agent, sent, address } = await handedOver(2)
  await engine.expireLeases()
  expect(await post(address, [{ type: 'heartbeat' }])).toMatchObject({ status: 200, open: [1, 2] })
  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ running: 2 })

  await engine.expireLeases()
  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ running: 0 })
  const refused = { status: 409, error: { code: 'claim_ended' } }
  expect(await post(address, [result(sent[0]!)])).toMatchObject(refused)
  await consume(agent.ctx)
  expect(await post(address, [result(sent[0]!)])).toMatchObject(refused)
  // One of them may have ended the agent, so each is sent without the other.
  const [one, two] = agent.asked.slice(1).sort((a, b) => a.items[0]!.seq - b.items[0]!.seq)
  expect([one, two].map(request => request!.items.map(item => item.attempt))).toEqual([[2], [2]])
  // Lines of the earlier attempt are ignored at the new address too.
  const late = await post(one!.address, [result(sent[0]!), { type: 'heartbeat' }])
  expect(late).toMatchObject({ status: 200, open: [1] })
  expect(late.passed_over).toBeUndefined()
  for (const { items, address } of [one!, two!]) await post(address, [result(items[0]!)])
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 2 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('lines that are sent twice, in pieces or concurrently count once [runs.answer-later]', async () => {
  const { runId, sent, address } = await handedOver(2)
  const [a, b] = sent as [ItemLine, ItemLine]
  await post(address, [centStep(a, 'one')])
  await post(address, [centStep(a, 'one')])
  const steps = ['two', 'three', 'four'].map(key => [centStep(a, key), centStep(b, key)])
  const beside = await Promise.all([...steps, ...steps].map(lines => post(address, lines)))
  // POSTs that met at one item may have to be sent again; accepted lines count once.
  for (const [nth, { status }] of beside.entries())
    if (status !== 200) expect(await post(address, steps[nth % 3]!)).toMatchObject({ status: 200 })
  expect((await engine.items(runId)).map(item => [item.step_count, item.cost_micro])).toEqual([
    [4, 4 * CENT_MICRO],
    [3, 3 * CENT_MICRO],
  ])
  await post(address, [result(a), result(b)])
  expect(await post(address, [result(a), result(b)])).toMatchObject({ status: 409 })
  expect(await engine.run(runId)).toMatchObject({ ok: 2, cost_micro: 7 * CENT_MICRO })
  expect(await conservation(engine, runId)).toEqual([])
})

it('answers about the same items in different orders do not deadlock, nor keep heartbeats waiting', async () => {
  const { runId, sent, address } = await handedOver(3)
  const { project_id } = engine
  let answered: Promise<{ status: number }[]> | undefined
  await engine.sql.begin(async tx => {
    await tx`select from items where project_id = ${project_id} and run_id = ${runId} and seq = 2 for update`
    const orders = [sent, [...sent].reverse()]
    answered = Promise.all(
      orders.map(items =>
        post(
          address,
          items.map(item => result(item)),
        ),
      ),
    )
    await eventually(async () => expect(await countWaiting(engine.sql)).toBe(2))
    // As a heartbeat locks the claim, which must not wait for these answers.
    const free = await engine.sql`
      select id from claims where project_id = ${project_id} and run_id = ${runId} for no key update skip locked`
    expect(free).toHaveLength(1)
  })
  await answered
  expect(engine.log.filter(line => line.includes('settle_failed'))).toEqual([])
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 3 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('lines before a `later` in the response count, and the rest comes by POST [runs.answer-later]', async () => {
  const { runId, sent, address } = await handedOver(3, items => [
    centStep(items[0]!, 'openly'),
    result(items[1]!),
    { type: 'later' },
  ])
  expect(await leases()).toEqual([{ seqs: [1, 3], handed: true }])
  expect(await post(address, [centStep(sent[0]!, 'openly')])).toMatchObject({ open: [1, 3] })
  await post(address, [centStep(sent[0]!, 'after'), result(sent[0]!), failure(sent[2]!, 'agent_error')])
  const items = await engine.items(runId)
  expect(items.map(item => [item.status, item.step_count])).toEqual([
    ['completed', 2],
    ['completed', 0],
    ['failed', 0],
  ])
  expect(await conservation(engine, runId)).toEqual([])
})

it('later lines count against the budget of their item, and once it is exceeded the claim ends [runs.answer-later]', async () => {
  await engine.deploy({ item_budget_cents: 2 })
  const { runId, sent, address } = await handedOver(1)
  const [item] = sent as [ItemLine]
  expect(await post(address, [centStep(item, 'first')])).toMatchObject({ open: [1] })
  expect(await post(address, [centStep(item, 'second')])).toMatchObject({ open: [] })
  expect(await post(address, [result(item)])).toMatchObject({ status: 409, error: { code: 'claim_ended' } })
  expect(await engine.run(runId)).toMatchObject({ budget_exceeded: 1, cost_micro: 2 * CENT_MICRO })
  expect(await conservation(engine, runId)).toEqual([])
})

it('later lines are refused after a cancel that aborts, and count after a cancel that lets items finish [runs.answer-later, runs.cancel-now]', async () => {
  const aborted = await handedOver(2)
  await post(aborted.address, [centStep(aborted.sent[0]!, 'call')])
  const order = { project_id: engine.project_id, in_flight: 'abort' as const }
  expect(await cancelRun(engine.ctx, { ...order, run_id: aborted.runId })).toEqual({
    items: 2,
    cost_micro: CENT_MICRO,
  })
  const refused = await post(aborted.address, [result(aborted.sent[0]!)])
  expect(refused).toMatchObject({ status: 409, error: { code: 'claim_ended' } })
  expect(await conservation(engine, aborted.runId)).toEqual([])

  const finishing = await handedOver(2)
  await cancelRun(engine.ctx, { project_id: engine.project_id, run_id: finishing.runId })
  expect(
    await post(
      finishing.address,
      finishing.sent.map(item => result(item)),
    ),
  ).toMatchObject({ open: [] })
  expect(await engine.run(finishing.runId)).toMatchObject({ status: 'cancelled', ok: 2 })
  expect(await conservation(engine, finishing.runId)).toEqual([])
})

it('a POST of which no line can be used, with too large a body or of another content type has no effect [runs.answer-later]', async () => {
  const { runId, sent, address } = await handedOver(1)
  const good = JSON.stringify(centStep(sent[0]!, 'call'))
  const refusals: [string, string][] = [
    ['\n\nnot json', 'Line 3: the line is not JSON: not json. No line of this POST was taken'],
    ['[1]\n{}', 'Line 1: the line is not a JSON object'],
    ['{"type":"song"}', 'Line 1: the line names no item by its seq'],
    ['{"type":"result","seq":7,"attempt":1,"output":1}', 'Line 1: no item of this address has seq 7'],
    [`"${'x'.repeat(LIMITS.agent_line_bytes)}"`, 'Line 1: the line is longer than'],
  ]
  for (const [body, message] of refusals)
    expect(await send(address, body)).toMatchObject({
      status: 400,
      error: { code: 'invalid_line', message: expect.stringContaining(message) },
    })
  const huge = `${good}\n`.repeat(Math.ceil(LIMITS.answer_bytes / good.length))
  const many = `${good}\n${'{}\n'.repeat(LIMITS.answer_lines)}`
  for (const body of [huge, many])
    expect(await send(address, body)).toMatchObject({ status: 400, error: { code: 'body_too_large' } })
  expect(await send(address, good, 'text/plain')).toMatchObject({ status: 400 })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'running', step_count: 0 })
})

describe('one bad line of a POST for three items', () => {
  const head = (item: ItemLine, type = 'result') =>
    `{"type":"${type}","seq":${item.seq},"attempt":${item.attempt}`
  const aStep = (item: ItemLine, fields: string) =>
    `${head(item, 'step')},"step":{"key":"k","kind":"tool_call","name":"t","output":1,${fields}}}`

  /** A wrong line that names its item. */
  const NAMED: [what: string, line: (item: ItemLine) => string, words: string, code?: string][] = [
    ['not JSON', item => `${head(item)},"output":{"score":NaN}}`, 'the line is not JSON: {"type":"result"'],
    ['cut off', item => `${head(item)},"outp`, 'the line is not JSON'],
    ['a byte of Latin-1', item => `${head(item)},"output":"caf\xe9"}`, 'the line is not valid UTF-8'],
    ['too long', item => `${head(item)},"output":"${'x'.repeat(2_200_000)}"}`, 'longer than 2097152 bytes'],
    [
      'too long, and named at its end',
      ({ seq, attempt }) =>
        `{"type":"result","output":"${'x'.repeat(2_200_000)}","seq":${seq},"attempt":${attempt}}`,
      'longer than 2097152 bytes',
    ],
    [
      'a repeated key',
      ({ seq, attempt }) => `{"type":"result","output":{"a":1,"a":2},"seq":${seq},"attempt":${attempt}}`,
      'The key "a" is repeated',
      'invalid_output',
    ],
    [
      'a depth of 70',
      ({ seq, attempt }) =>
        `{"type":"result","output":${'['.repeat(70)}${']'.repeat(70)},"seq":${seq},"attempt":${attempt}}`,
      '64 levels',
      'invalid_output',
    ],
    ['degraded is 5', item => `${head(item)},"degraded":5,"output":1}`, 'degraded must be a string'],
    ['a bad time', item => aStep(item, '"started_at":"yesterday","duration_ms":1'), 'step.started_at must'],
    ['no step', item => `${head(item, 'step')}}`, 'step must be an object'],
    ['an unknown type', item => `${head(item, 'song')}}`, 'unknown line type "song"'],
    ['no type', ({ seq, attempt }) => `{"seq":${seq},"attempt":${attempt}}`, 'unknown line type'],
    ['a bad hold', item => `${head(item, 'hold')},"reason":[]}`, 'reason must be a string'],
    [
      'a step of a hold without its line',
      item => JSON.stringify(step(item, 'hold')),
      'the step "hold" records a hold, and the item\'s line "hold" is not in the same POST',
    ],
    [
      'a step of a hold with a bad line',
      item => `${JSON.stringify(step(item, 'hold'))}\n${head(item, 'hold')},"reason":[]}`,
      'reason must be a string',
    ],
  ]
  /** Bytes as they are, so that a line can hold what is not UTF-8. */
  const bytesOf = (lines: readonly string[]) => new Uint8Array(Buffer.from(lines.join('\n'), 'latin1'))

  it.for(NAMED)(
    'ends the item that it names and no other: %s [runs.answer-later]',
    async ([, bad, words, error_code = 'protocol_error']) => {
      const { runId, sent, address } = await handedOver(3)
      const [one, guilty, other] = sent as [ItemLine, ItemLine, ItemLine]
      const body = bytesOf([
        JSON.stringify(result(one)),
        bad(guilty),
        JSON.stringify(centStep(other, 'call')),
      ])
      const answer = await send(address, body)
      expect(answer).toMatchObject({ status: 200, open: [3] })
      expect(answer.passed_over).toBeUndefined()
      const items = await engine.items(runId)
      expect(items.map(({ status, attempt, step_count }) => [status, attempt, step_count])).toEqual([
        ['completed', 1, 0],
        ['failed', 1, 0],
        ['running', 1, 1],
      ])
      expect(items[1]).toMatchObject({ error_code })
      expect(items[1]!.error_message).toContain(words)
      // Sent again, it is about an item that has ended.
      expect(await send(address, body)).toEqual({ status: 200, run_id: runId, open: [3] })
      expect(await post(address, [result(other)])).toMatchObject({ status: 200, open: [] })
      expect(await engine.run(runId)).toMatchObject({ ok: 2, failed: 1 })
      expect(await conservation(engine, runId)).toEqual([])
    },
  )

  const NAMELESS: [what: string, lines: string, passed_over: [number, string][]][] = [
    ['a print', 'DEBUG loading model...', [[2, 'the line is not JSON']]],
    ['a print that quotes a line', 'sent {"seq":2}', [[2, 'the line is not JSON']]],
    ['a list', '[{"seq":2}]', [[2, 'the line is not a JSON object']]],
    ['no object', '17\n"text"', [2, 3].map(line => [line, 'the line is not a JSON object'])],
    ['a byte of Latin-1', 'caf\xe9', [[2, 'the line is not valid UTF-8']]],
    ['no seq', '{"type":"result","output":1}', [[2, 'the line names no item by its seq']]],
    ['a seq in quotes', '{"type":"result","seq":"2"}', [[2, 'the line names no item by its seq']]],
    ['a foreign seq', '{"type":"result","seq":9,"attempt":1}', [[2, 'no item of this address has seq 9']]],
    ['blank lines before it', '\n \r\n\t\n{}', [[5, 'the line names no item by its seq']]],
    ['blank lines alone', '\n \r\n\t\n', []],
    ['`later`', '{"type":"later"}\n{"type":"later"}', []],
    [
      'twelve prints',
      Array(12).fill('x').join('\n'),
      Array.from({ length: 10 }, (_, at) => [at + 2, 'the line is not JSON']),
    ],
  ]
  it.for(NAMELESS)(
    'is passed over and listed if it names none: %s [runs.answer-later]',
    async ([, lines, passed_over]) => {
      const { runId, sent, address } = await handedOver(3)
      const body = bytesOf([JSON.stringify(result(sent[0]!)), lines, JSON.stringify(result(sent[2]!))])
      const listed = passed_over.map(([line, problem]) => ({ line, problem }))
      const answer = await send(address, body)
      expect(answer).toEqual({
        status: 200,
        run_id: runId,
        open: [2],
        ...(listed.length > 0 && { passed_over: listed }),
      })
      expect(await engine.run(runId)).toMatchObject({ ok: 2, running: 1 })
      const logged = engine.log.filter(line => line.includes('agent_lines_passed_over'))
      expect(logged).toHaveLength(listed.length > 0 ? 1 : 0)
      expect(await conservation(engine, runId)).toEqual([])
    },
  )

  const FLOODS: [what: string, lines: string, words: string][] = [
    ['prints', 'tqdm: 10%|#    |\n'.repeat(5000), 'bytes that record nothing, such as: tqdm: 10%'],
    ['blank lines', '\n'.repeat(100_000), 'bytes that record nothing'],
    ['heartbeats', '{"type":"heartbeat"}\n'.repeat(5000), 'bytes that record nothing'],
    [
      'foreign items',
      '{"type":"result","seq":9,"attempt":1}\n'.repeat(3000),
      'such as: {"type":"result","seq":9',
    ],
    ['a long line', 'x'.repeat(2_200_000), 'bytes that record nothing, such as: xxx'],
  ]
  it.for(FLOODS)(
    'is refused as one of too many among several items, and ends the only one: %s',
    async ([, lines, words]) => {
      const { runId, sent, address } = await handedOver(2)
      const body = (item: ItemLine) => `${JSON.stringify(centStep(item, 'call'))}\n${lines}`
      const message = expect.stringContaining(words)
      expect(await send(address, body(sent[0]!))).toMatchObject({
        status: 400,
        error: { code: 'invalid_line', message },
      })
      expect((await engine.items(runId)).map(item => item.step_count)).toEqual([0, 0])
      await post(address, [result(sent[0]!)])
      expect(await send(address, body(sent[1]!))).toMatchObject({ status: 200, open: [] })
      expect((await engine.items(runId))[1]).toMatchObject({
        status: 'failed',
        error_code: 'protocol_error',
        error_message: message,
        step_count: 1,
      })
      expect(await conservation(engine, runId)).toEqual([])
    },
  )

  it('does not make lines of ended items count as a flood: they may be sent again [runs.answer-later]', async () => {
    const { runId, sent, address } = await handedOver(3)
    const lines = sent.slice(0, 2).map(item => result(item, 'x'.repeat(100_000)))
    expect(await post(address, lines)).toMatchObject({ status: 200, open: [3] })
    expect(await post(address, [...lines, result(sent[2]!)])).toEqual({
      status: 200,
      run_id: runId,
      open: [],
    })
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 3 })
  })
})

it('a forged or altered answer address is refused, and a real one does not reveal its run [runs.answer-address]', async () => {
  const { runId, sent, address } = await handedOver(1)
  const to = new URL(address).searchParams.get('to')!
  expect(to).not.toContain(runId)
  expect(atob(to.split('.')[2]!.replaceAll('-', '+').replaceAll('_', '/'))).not.toContain(runId)
  const swapped = `${to.slice(0, -2)}${to.endsWith('AA') ? 'BB' : 'AA'}`
  const made = `1-1.${'A'.repeat(16)}.${'A'.repeat(70)}`
  for (const other of ['x', 'a.b', swapped, made, `${to}A`, to.replace('1-1.', ''), to.replace('-', '.')])
    expect(await post(address.replace(to, other), [result(sent[0]!)])).toMatchObject({
      status: 401,
      error: { code: 'unauthenticated' },
    })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'running' })
})

describe('concurrent answers by POST', () => {
  let clock_reads = 0
  let now_ms = 0
  beforeEach(() => {
    now_ms = Date.now()
  })
  afterEach(() => void vi.useRealTimers())

  /** A POST that reports when its body is first read, and ends its body when the test says so. */
  function slowly(address: string, headers: Record<string, string> = {}) {
    const read = Promise.withResolvers<void>()
    const over = Promise.withResolvers<void>()
    let isRead = false
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          if (isRead) {
            await over.promise
            return controller.close()
          }
          isRead = true
          read.resolve()
          controller.enqueue(new TextEncoder().encode('{"type":"heartbeat"}\n'))
        },
        cancel: () => over.resolve(),
      },
      { highWaterMark: 0 },
    )
    const app = createApp([answerItems], () => ({
      ...engine.ctx,
      now: () => {
        clock_reads++
        return now_ms
      },
    }))
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...headers },
      body,
      duplex: 'half',
    }
    const status = Promise.resolve(app.request(new Request(address, init as RequestInit))).then(
      answer => answer.status,
    )
    return { read: read.promise, isRead: () => isRead, end: over.resolve, status }
  }
  const heartbeat = (address: string) => {
    const heartbeat = slowly(address, { 'content-length': '21' })
    heartbeat.end()
    return heartbeat.status
  }
  /** As many POSTs as a run may have at once if their length is unknown. */
  const asMany = (address: string) =>
    Array.from({ length: LIMITS.answers_bytes_per_run / LIMITS.answer_bytes }, () => slowly(address))
  const allRead = (posts: { read: Promise<void> }[]) => Promise.all(posts.map(({ read }) => read))

  /** Expires the leases, sends a POST, and resolves when the POST has renewed its lease and waits for its turn. */
  async function waits(runId: string, send: () => ReturnType<typeof slowly>) {
    await engine.expireLeases()
    const post = send()
    await eventually(async () =>
      expect(
        await engine.sql`select from claims where run_id = ${runId} and lease_until > now()`,
      ).not.toEqual([]),
    )
    // The lease is renewed before the wait begins, and each check for the POST's turn reads the clock.
    const reads = clock_reads
    await eventually(async () => expect(clock_reads).toBeGreaterThan(reads + 4))
    return post
  }

  it('are limited per run: the others wait unread, renew their lease, and delay neither heartbeats nor other runs [runs.answer-later]', async () => {
    const [slow, other] = [await handedOver(1), await handedOver(1)]
    const taken = asMany(slow.address)
    await allRead(taken)
    const next = await waits(slow.runId, () => slowly(slow.address))
    expect(await post(other.address, [result(other.sent[0]!)])).toMatchObject({ status: 200 })
    await engine.expireLeases()
    expect(await heartbeat(slow.address)).toBe(200)
    await sweep(engine.ctx)
    expect(await engine.run(slow.runId)).toMatchObject({ running: 1 })
    expect(next.isRead()).toBe(false)
    taken[0]!.end()
    await next.read

    const refused = await waits(slow.runId, () => slowly(slow.address))
    now_ms += LIMITS.answer_early_ms
    refused.end() // the rest of a body is read before the refusal is sent
    expect(await refused.status).toBe(409)
    for (const one of [...taken, next]) one.end()
    expect(await Promise.all([...taken, next].map(one => one.status))).toEqual(
      Array(taken.length + 1).fill(200),
    )
  })

  it('are read side by side if their content-length is small', async () => {
    const { address } = await handedOver(1)
    const short = Array.from({ length: LIMITS.answers_bytes_per_run / LIMITS.answer_least_bytes }, () =>
      slowly(address, { 'content-length': `${LIMITS.answer_least_bytes}` }),
    )
    await allRead(short)
    for (const one of short) one.end()
    expect(new Set(await Promise.all(short.map(one => one.status)))).toEqual(new Set([200]))
  })

  it('are limited per process over all runs, and the next turn goes to the run with the fewest', async () => {
    const [one, two, three] = [await handedOver(1), await handedOver(1), await handedOver(1)]
    const left = (LIMITS.answers_bytes - LIMITS.answers_bytes_per_run) / LIMITS.answer_bytes
    const taken = [...asMany(one.address), ...Array.from({ length: left }, () => slowly(two.address))]
    await allRead(taken)
    const again = await waits(one.runId, () => slowly(one.address))
    const first = await waits(three.runId, () => slowly(three.address))
    expect([again, first].map(post => post.isRead())).toEqual([false, false])
    taken[0]!.end()
    await first.read
    expect(again.isRead()).toBe(false)
    for (const post of [...taken, again, first]) post.end()
    expect(new Set(await Promise.all([...taken, again, first].map(post => post.status)))).toEqual(
      new Set([200]),
    )
  })

  /** Waits with the clock stopped: the driver of PostgreSQL opens a connection by a timer of 0 ms. */
  async function connecting<T>(awaited: Promise<T>): Promise<T> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    void awaited.then(end, end)
    while (!isOver) await vi.advanceTimersByTimeAsync(0)
    return awaited
  }

  it('that stall midway lose their turn before their lease ends, and are to be sent again', async () => {
    const { address } = await handedOver(1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const taken = asMany(address)
    await connecting(allRead(taken))
    expect(LIMITS.answer_early_ms + LIMITS.answer_read_ms).toBeLessThan(LIMITS.lease_ms)
    // Whether PostgreSQL is silent is asked meanwhile, and it must have the time to answer that.
    for (let passed_ms = 0; passed_ms < LIMITS.answer_read_ms; passed_ms += 500) {
      await vi.advanceTimersByTimeAsync(500)
      await connecting(engine.sql`select 1`)
    }
    const statuses = await connecting(Promise.all(taken.map(post => post.status)))
    expect(statuses).toEqual(taken.map(() => 409))
    const next = slowly(address)
    await connecting(next.read)
    next.end()
    expect(await connecting(next.status)).toBe(200)
  })

  it('whose requests vanished without notice keep their turns for a limited time', async () => {
    const { address } = await handedOver(1)
    const gone = asMany(address)
    await allRead(gone)
    now_ms += LIMITS.answer_turn_ms
    const next = slowly(address)
    await next.read
    for (const post of [...gone, next]) post.end()
    expect(await next.status).toBe(200)
  })
})

it('a POST that overtakes the 202 of its own request waits for the consumer', async () => {
  const runId = await engine.submit(1)
  let posted: Promise<unknown> | undefined
  const ctx: Context = {
    ...engine.ctx,
    async invokeAgent(_, { body, headers }) {
      const item = JSON.parse(body) as ItemLine
      posted = post(headers[ANSWER_URL_HEADER]!, [result(item)])
      await eventually(async () => expect(await engine.sql`select from claims`).toHaveLength(1))
      return { status: 202, contentType: '', body: chunksOf([]) }
    },
  }
  await consume(ctx)
  expect(await posted).toMatchObject({ status: 200, open: [] })
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
})

it('an item that is not finished in time fails with step_timeout, however often its agent sends heartbeats', async () => {
  const { runId, address } = await handedOver(1)
  await engine.sql`update claims set answer_until = now() - interval '1 second'`
  expect(await post(address, [{ type: 'heartbeat' }])).toMatchObject({ status: 200, open: [] })
  expect((await engine.items(runId))[0]).toMatchObject({ status: 'failed', error_code: 'step_timeout' })
  expect(await conservation(engine, runId)).toEqual([])
})

it('without a base_url no answer address is handed out, and a 202 is a protocol error', async () => {
  const runId = await engine.submit(1)
  const agent = laterAgent()
  const config = { ...engine.ctx.config, base_url: '' }
  await consume({ ...agent.ctx, config }, { time_ms: LIMITS.yield_before_end_ms + 1000 })
  expect(agent.asked[0]!.address).toBeUndefined()
  const [item] = await engine.items(runId)
  expect(item).toMatchObject({ status: 'failed', error_code: 'protocol_error' })
  expect(item!.error_message).toContain('no address')
})

it('steps from the response and steps by POST are stored in the order they were sent', async () => {
  const { runId, sent, address } = await handedOver(1, items => [
    step(items[0]!, 'a'),
    step(items[0]!, 'b'),
    { type: 'later' },
  ])
  expect(await post(address, [step(sent[0]!, 'c'), result(sent[0]!)])).toMatchObject({ open: [] })
  const rows = await engine.sql`select key, step_no from steps where run_id = ${runId} order by step_no`
  expect(rows.map(row => row.key)).toEqual(['a', 'b', 'c'])
})

it('a POST for items that the consumer still holds waits for it, although another request of their claim was handed over', async () => {
  await engine.deploy({ item_budget_cents: 5 }) // so that each item is a request of its own
  const runId = await engine.submit(2)
  const second = Promise.withResolvers<void>()
  const asked: Asked[] = []
  const ctx: Context = {
    ...engine.ctx,
    async invokeAgent(_, { body, headers }) {
      asked.push({ items: [JSON.parse(body) as ItemLine], address: headers[ANSWER_URL_HEADER]! })
      if (asked.length === 2) await second.promise
      return { status: 202, contentType: '', body: chunksOf([]) }
    },
  }
  const consuming = consume(ctx)
  await eventually(async () => expect(await leases()).toHaveLength(2))
  const [one, other] = asked as [Asked, Asked]
  expect(await post(one.address, [{ type: 'heartbeat' }])).toMatchObject({
    status: 200,
    open: [one.items[0]!.seq],
  })
  const early = post(other.address, [result(other.items[0]!)])
  second.resolve()
  await consuming
  expect(await early).toMatchObject({ status: 200, open: [] })
  await post(one.address, [result(one.items[0]!)])
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 2 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('requests of one claim are awaited separately: a POST for one neither keeps nor ends another [runs.answer-later]', async () => {
  await engine.deploy({ item_budget_cents: 5 }) // so that each item is a request of its own
  const { runId, agent } = await handedOver(3)
  const [one, silent, late] = agent.asked.toSorted((a, b) => a.items[0]!.seq - b.items[0]!.seq) as Asked[]
  await engine.sql`update claims set answer_until = now() - interval '1 second' where seqs = '{3}'`
  await engine.expireLeases()
  expect(await post(one!.address, [{ type: 'heartbeat' }])).toMatchObject({ status: 200, open: [1] })
  expect(await leases()).toHaveLength(3)
  expect(await post(late!.address, [result(late!.items[0]!)])).toMatchObject({ status: 200, open: [] })

  await sweep(engine.ctx)
  expect(await engine.run(runId)).toMatchObject({ running: 1 })
  expect(await post(silent!.address, [{ type: 'heartbeat' }])).toMatchObject({ status: 409 })
  expect(await post(one!.address, [result(one!.items[0]!)])).toMatchObject({ status: 200, open: [] })
  await consume(agent.ctx)
  const again = agent.asked.at(-1)!
  await post(again.address, [result(again.items[0]!)])
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 3 })
  expect(await conservation(engine, runId)).toEqual([])
})

it('an agent that never sends its later answer is asked once more, and then its item fails with answer_never_came [runs.answer-later]', async () => {
  const { runId, agent } = await handedOver(1)
  for (let nth = 1; nth <= 2; nth++) {
    await engine.expireLeases()
    await sweep(engine.ctx)
    await consume(agent.ctx)
  }
  expect(agent.asked).toHaveLength(2)
  expect((await engine.items(runId))[0]).toMatchObject({
    status: 'failed',
    error_code: 'answer_never_came',
    error_message: expect.stringContaining('Can it reach http://127.0.0.1?'),
  })
  expect(await conservation(engine, runId)).toEqual([])
})

it.for([
  ['nothing', []],
  ['a heartbeat', [{ type: 'heartbeat' }]],
] as const)(
  'an item whose process dies with it, after %s, ends without the others that it was sent with [runs.answer-later]',
  async ([, before]) => {
    const runId = await engine.submit(60)
    const agent = laterAgent()
    let sends = 0
    for (let rounds = 0; rounds < 12 && (await engine.run(runId)).finished_at === null; rounds++) {
      await engine.skipBackoff()
      await consume(agent.ctx)
      for (const { items, address } of agent.asked.slice(sends)) {
        if (before.length > 0) await post(address, before)
        // Each request has a process of its own, as a function has; nothing follows the item that ends it.
        if (items.some(item => item.seq === 7)) continue
        await post(
          address,
          items.map(item => result(item)),
        )
      }
      sends = agent.asked.length
      await engine.expireLeases()
      await sweep(engine.ctx)
    }
    expect(await engine.run(runId)).toMatchObject({ status: 'partial', ok: 59, failed: 1 })
    const rows = await engine.items(runId)
    expect(rows[6]).toMatchObject({
      status: 'failed',
      error_code: before.length === 0 ? 'answer_never_came' : 'lease_lost',
    })
    expect(rows.filter(row => Number(row.seq) !== 7 && Number(row.transport_failures) > 0)).toEqual([])
    // Once together, in two halves, those of one half alone, and the item until it has failed often enough.
    expect(sends).toBeLessThanOrEqual(1 + 2 + 30 + LIMITS.transport_attempts - 1)
    expect(await conservation(engine, runId)).toEqual([])
  },
)

it('an agent that sent a heartbeat and then died is asked again, like one whose consumer died [runs.answer-later]', async () => {
  const { runId, agent } = await handedOver(1)
  for (let nth = 1; nth <= 2; nth++) {
    const { address } = agent.asked.at(-1)!
    expect(await post(address, [{ type: 'heartbeat' }])).toMatchObject({ status: 200, open: [1] })
    await engine.expireLeases()
    await sweep(engine.ctx)
    await consume(agent.ctx)
  }
  const { items, address } = agent.asked[2]!
  expect(await post(address, [result(items[0]!)])).toMatchObject({ status: 200, open: [] })
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })
  const codes = await engine.sql`select code from attempts where run_id = ${runId} order by attempt`
  expect(codes.map(row => row.code)).toEqual(['lease_lost', 'lease_lost'])
  expect(await conservation(engine, runId)).toEqual([])
})

it('the running time of an item that yields by POST counts from its request on', async () => {
  const runId = await engine.submit(1)
  const agent = laterAgent()
  await consume({ ...agent.ctx, now: () => Date.now() - 60_000 })
  const { items, address } = agent.asked[0]!
  const { seq, attempt } = items[0]!
  expect(await post(address, [{ type: 'yield', seq, attempt }])).toMatchObject({ open: [] })
  const [item] = await engine.items(runId)
  expect(item).toMatchObject({ status: 'queued' })
  expect(item!.ran_ms).toBeGreaterThanOrEqual(60_000)
})

it('a step that records a hold is recorded with its hold line, or with another line that ends its item', async () => {
  const { runId, sent, address } = await handedOver(2)
  const [item, other] = sent as [ItemLine, ItemLine]
  const { seq, attempt } = item
  const hold = { type: 'hold', seq, attempt, reason: 'look at it' }
  expect(await post(address, [step(item, 'first'), step(item, 'hold'), hold])).toMatchObject({ open: [2] })
  expect(await post(address, [step(other, 'hold'), result(other)])).toMatchObject({ open: [] })
  expect((await engine.items(runId)).map(one => [one.status, one.step_count])).toEqual([
    ['paused', 2],
    ['completed', 1],
  ])
  expect(await conservation(engine, runId)).toEqual([])
})

it('lines in the body of a 202 count like those of any response, and any other body is ignored whatever its length', async () => {
  const runId = await engine.submit(1)
  const answering = (
    contentType: string,
    body: (items: ItemLine[]) => AsyncIterable<Uint8Array>,
  ): Context => ({
    ...engine.ctx,
    async invokeAgent(_, { body: sent }) {
      return { status: 202, contentType, body: body([JSON.parse(sent) as ItemLine]) }
    },
  })
  await consume(answering('application/x-ndjson', items => chunksOf(items.map(item => result(item)))))
  expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 1 })

  const other = await engine.submit(1)
  await consume(answering('text/html', () => chunksOf([{ type: 'hold', reason: 'x'.repeat(8192) } as never])))
  expect(await engine.run(other)).toMatchObject({ status: 'running', running: 1 })
  expect(await leases()).toEqual([{ seqs: [1], handed: true }])
})

it('a step of an SDK agent that outlasts its consumer is executed once, and its item ends ok [runs.answer-later]', async () => {
  const model = Promise.withResolvers<string>()
  let calls = 0
  class Slow {
    async run(ctx: AgentContext, input: { n: number }) {
      if (input.n === 2) return 'quick'
      const answer = await ctx.step('call', () => {
        calls++
        return model.promise
      })
      return ctx.step('after', () => `${answer}, and more`)
    }
  }
  agent({ name: 'slow' })(Slow, { kind: 'class', name: 'Slow' } as never)
  const handler = serve(Slow)
  const app = createApp([answerItems], () => engine.ctx)
  await using listener = await disposable({ port: 0, host: '127.0.0.1' }, request => app.fetch(request))
  const ctx: Context = {
    ...engine.ctx,
    config: { ...engine.ctx.config, base_url: listener.url },
    async invokeAgent(_, { headers, body }) {
      const response = await handler(new Request('http://agent/', { method: 'POST', headers, body }))
      const contentType = response.headers.get('content-type') ?? ''
      return { status: response.status, contentType, body: response.body as never }
    },
  }
  const runId = await engine.submit(2)
  const consumed = await consume(ctx, { time_ms: LIMITS.yield_before_end_ms + 200 })
  expect(consumed).toMatchObject({ claimed: 2 })
  expect(await engine.run(runId)).toMatchObject({ ok: 1, running: 1 })
  model.resolve('the answer')
  await eventually(async () => expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 2 }))
  expect(calls).toBe(1)
  const [item] = await engine.items(runId)
  expect(item).toMatchObject({ output: '"the answer, and more"', attempt: 1, step_count: 2 })
  // The claim is ended after the commit that ends its item.
  await eventually(async () => expect(await conservation(engine, runId)).toEqual([]))
})

it('an SDK agent that answers everything later sends only `later` in its response, and its results by POST [runs.answer-later]', async () => {
  class Quick {
    async run(ctx: AgentContext) {
      return ctx.step('call', () => 'done')
    }
  }
  agent({ name: 'quick' })(Quick, { kind: 'class', name: 'Quick' } as never)
  const handler = serve(Quick, { answer: 'later' })
  const app = createApp([answerItems], () => engine.ctx)
  await using listener = await disposable({ port: 0, host: '127.0.0.1' }, request => app.fetch(request))
  const responses: string[] = []
  // Like OpenFaaS's queue, which answers at once and calls the function itself.
  const ctx: Context = {
    ...engine.ctx,
    config: { ...engine.ctx.config, base_url: listener.url },
    async invokeAgent(_, { headers, body }) {
      const request = new Request('http://agent/', { method: 'POST', headers, body })
      void handler(request).then(async response => responses.push(await response.text()))
      return { status: 202, contentType: '', body: chunksOf([]) }
    },
  }
  const runId = await engine.submit(3)
  await consume(ctx)
  await eventually(async () => expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 3 }))
  expect(responses).toEqual(['{"type":"later"}\n'])
  const openly = await handler(
    new Request('http://agent/', { method: 'POST', body: '{"seq":1,"attempt":1}' }),
  )
  expect(await openly.text()).toContain('"type":"result"')
})

it.skipIf(python.error)(
  `an agent in Python answers slow items later, and other items at once [runs.answer-later]${python.error ? ' (no python3 here)' : ''}`,
  async () => {
    await using parts = new AsyncDisposableStack()
    const app = createApp([answerItems], () => engine.ctx)
    const listener = parts.use(
      await disposable({ port: 0, host: '127.0.0.1' }, request => app.fetch(request)),
    )
    const path = join(import.meta.dirname, '../../../examples/python-http/server.py')
    const child = spawn('python3', [path, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    parts.defer(() => void child.kill())
    const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
    const invoker = createInvoker({
      loadBundle: () => Promise.reject(new Error('no bundles')),
      dataDir: tmpdir(),
      allowPrivateNetworks: ['127.0.0.0/8'],
    })
    parts.defer(() => invoker.close())
    const code = { kind: 'url', url: /http:\S+\d/.exec(said)![0], protocol: 'json' } as const
    const { project_id, agent_id } = engine
    const declaration = { name: 'python' }
    await deploy(engine.ctx, { project_id, agent_id, code, declaration, env: {}, external_id: null })
    const runId = await engine.submit([
      { input: '{"text":"a slow bird","seconds":1.2}' },
      { input: '{"text":"a bird"}' },
    ])
    const config = { ...engine.ctx.config, base_url: listener.url }
    await consume(
      { ...engine.ctx, config, invokeAgent: invoker.invoke },
      { time_ms: LIMITS.yield_before_end_ms + 500 },
    )
    await vi.waitFor(
      async () => expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 2 }),
      10_000,
    )
    expect((await engine.items(runId)).map(item => [item.attempt, item.output])).toEqual([
      [1, '{"words": 3, "longest": "slow"}'],
      [1, '{"words": 2, "longest": "bird"}'],
    ])
    // The claim is ended after the commit that ends its item.
    await eventually(async () => expect(await conservation(engine, runId)).toEqual([]))
  },
)

async function disposable(...given: Parameters<typeof listen>) {
  const listener = await listen(...given)
  return { url: listener.url, [Symbol.asyncDispose]: () => listener.close() }
}
