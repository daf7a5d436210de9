// One bad item among many, sent to real agents over real connections: whatever it does, the others work.

import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createInvoker, type Invoker } from '../../../infra/runtime/invoker.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import {
  ANSWERED,
  type BadAgent,
  type Behaviour,
  startBadAgent,
  startMortalAgent,
} from '../../support/bad-agent.ts'
import { conservation, type TestEngine, testEngine } from '../../support/engine.ts'
import { freePort } from '../../support/ports.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

let engine: TestEngine
let folder: TempFolder
let invoker: Invoker
let ctx: Context
beforeAll(async () => {
  folder = await tempFolder()
})
afterAll(() => folder.remove())
beforeEach(async () => {
  engine = await testEngine()
  invoker = createInvoker({
    loadBundle: () => Promise.reject(new Error('no bundle')),
    dataDir: folder.path,
    allowPrivateNetworks: ['127.0.0.0/8'],
  })
  ctx = { ...engine.ctx, invokeAgent: (target, request) => invoker.invoke(target, request) }
})
afterEach(async () => {
  await invoker.close()
  await engine.close()
})

const ITEMS = 60

interface Night {
  agent: BadAgent
  bad: Record<number, string>
  protocol?: 'ndjson' | 'json'
  items?: number
}

/** Runs the items to their end; returns those that did not complete. */
async function night({ agent, bad, protocol = 'ndjson', items = ITEMS }: Night) {
  await engine.sql`update deployments set url = ${agent.url}, protocol = ${protocol}`
  const inputs = Array.from({ length: items }, (_, i) => ({
    input: JSON.stringify(bad[i + 1] === undefined ? {} : { do: bad[i + 1] }),
  }))
  const runId = await engine.submit(inputs, { timeout_seconds: 5 })
  const timer = setInterval(() => void engine.skipBackoff().catch(() => {}), 200)
  try {
    while ((await engine.run(runId)).finished_at === null) await consume(ctx)
  } finally {
    clearInterval(timer)
  }
  expect(await conservation(engine, runId)).toEqual([])
  const rows = await engine.items(runId)
  const others = rows.filter(row => bad[Number(row.seq)] === undefined)
  expect(others.filter(row => row.status !== 'completed' || row.outcome !== 'ok')).toEqual([])
  expect(others.filter(row => Number(row.agent_failures) + Number(row.transport_failures) > 0)).toEqual([])
  return rows.filter(row => bad[Number(row.seq)] !== undefined)
}

describe('of an agent that answers in lines', () => {
  let agent: BadAgent
  beforeEach(async () => {
    agent = await startBadAgent()
  })
  afterEach(() => agent.close())

  /** A fault in a line that names its item: one request is enough. */
  const LINES: [Behaviour, string, string?][] = [
    ['long', 'the line is longer than 2097152 bytes'],
    ['longNamedLast', 'the line is longer than 2097152 bytes'],
    ['badUtf8', 'the line is not valid UTF-8'],
    ['twice', 'The key "a" is repeated', 'invalid_output'],
    ['deep', '64 levels', 'invalid_output'],
    ['notANumber', 'the line is not JSON'],
    ['dict', 'the line is not JSON'],
    ['badVerdict', 'degraded must be a string'],
    ['badSchemaError', 'schema_error must be a string'],
    ['badHold', 'reason must be a string'],
    ['badError', 'error must have a code and a message'],
    ['badType', 'unknown line type "resullt"'],
    ['badStep', 'step.started_at must be'],
    ['noStep', 'step must be an object'],
  ]
  it.for(LINES)(
    'a line that is wrong ends its item and no other: %s [items.own-faults]',
    async ([behaviour, words, error_code = 'protocol_error']) => {
      const [guilty] = await night({ agent, bad: { 7: behaviour } })
      expect(guilty).toMatchObject({ status: 'failed', error_code, attempt: 1 })
      expect(guilty!.error_message).toContain(words)
      expect(agent.sends()).toEqual([ITEMS])
    },
  )

  it.for(['print', 'printLine', 'list'] as Behaviour[])(
    'a line that names no item is passed over: %s',
    async behaviour => {
      const [guilty] = await night({ agent, bad: { 7: behaviour } })
      expect(guilty).toMatchObject({ status: 'completed', attempt: 1 })
      expect(agent.sends()).toEqual([ITEMS])
    },
  )

  /** What ends the request for all, until the item is alone. */
  const SHARED: [string, string, string][] = [
    ['drop', 'agent_unreachable', 'connection'],
    ['halfLine', 'agent_unreachable', 'connection'],
    ['longNameless', 'protocol_error', 'bytes that record nothing'],
    ['flood', 'protocol_error', 'such as: tqdm: 10%'],
    ['floodBlank', 'protocol_error', 'bytes that record nothing'],
    ['floodBeats', 'protocol_error', 'bytes that record nothing'],
    ['floodOthers', 'protocol_error', 'bytes that record nothing'],
    ['endless', 'protocol_error', 'a line is longer than'],
    ['status400', 'agent_error', 'The agent answered 400: items.3.text'],
    ['status403', 'agent_error', 'The agent answered 403'],
    ['status413', 'agent_error', 'The agent answered 413'],
    ['status422', 'agent_error', 'The agent answered 422'],
    ['status500', 'agent_unreachable', 'The agent answered 500'],
    ['status502', 'agent_unreachable', 'The agent answered 502'],
    ['html', 'protocol_error', 'text/html'],
  ]
  it.for(SHARED)(
    'what ends a request is found by halves: %s [items.shared-faults]',
    async ([behaviour, code, words]) => {
      const [guilty] = await night({ agent, bad: { 7: behaviour } })
      expect(guilty).toMatchObject({ status: 'failed', error_code: code })
      expect(guilty!.error_message).toContain(words)
      expect(guilty!.error_message).toContain('sent again in halves')
      expect(agent.sends().slice(0, 3)).toEqual([60, 30, 30])
      expect(agent.sends().length).toBeLessThanOrEqual(1 + 2 * 6 + LIMITS.transport_attempts)
      expect(Math.max(...agent.sends().slice(1))).toBe(30)
    },
  )
  it.for([
    ['silent', 'the answer ended before the item did'],
    ['printBefore', 'loading... {"type":"result"'],
  ])('the only item that an answer leaves out is sent again alone: %s', async ([behaviour, words]) => {
    const [guilty] = await night({ agent, bad: { 7: behaviour! } })
    expect(guilty).toMatchObject({ status: 'failed', error_code: 'agent_unreachable' })
    expect(guilty!.error_message).toContain(words)
    expect(agent.sends()).toEqual([ITEMS, ...Array(LIMITS.cut_answers).fill(1)])
  })

  it('an item that floods in its own name ends, and if it goes on, the others are sent again without it', async () => {
    const [guilty] = await night({ agent, bad: { 7: 'floodOldAttempts' } })
    expect(guilty).toMatchObject({ status: 'failed', error_code: 'protocol_error', attempt: 1 })
    expect(guilty!.error_message).toContain('attempts that are over')
    expect(agent.sends().length).toBeLessThanOrEqual(3)
  })

  it('lists every answer to a whole request', () => {
    expect(SHARED.map(([behaviour]) => behaviour)).toEqual(expect.arrayContaining(ANSWERED))
  })

  it('two that end their requests are both found', async () => {
    const guilty = await night({ agent, bad: { 7: 'drop', 41: 'flood' } })
    expect(guilty).toMatchObject([{ error_code: 'agent_unreachable' }, { error_code: 'protocol_error' }])
    expect(agent.sends().length).toBeLessThan(50)
  })

  it('an attempt that was cut for others says so, and what the item recorded is sent with it', async () => {
    await night({ agent, bad: { 7: 'drop' } })
    const attempts = await engine.sql`select code, message from attempts where seq = 8 order by attempt`
    expect(attempts.length).toBeGreaterThan(0)
    for (const { code, message } of attempts) {
      expect(code).toBe('request_split')
      expect(message).toMatch(/^A request of \d+ items ended early, .* at most \d+ together: /)
    }
  })
})

describe('of an agent of one process, which takes all requests with it', () => {
  let agent: BadAgent
  beforeEach(async () => {
    agent = await startMortalAgent(await freePort(), join(folder.path, 'sends'))
  })
  afterEach(() => agent.close())

  it.for([['exit'], ['kill']])('that answers in lines, the item is found: %s', async ([behaviour]) => {
    const [guilty] = await night({ agent, bad: { 7: behaviour! } })
    expect(guilty).toMatchObject({ status: 'failed', error_code: 'agent_unreachable' })
    expect(agent.sends().length).toBeLessThanOrEqual(40)
  })

  it('that answers in lines, two are found', async () => {
    const guilty = await night({ agent, bad: { 7: 'exit', 41: 'kill' } })
    expect(guilty).toMatchObject([{ status: 'failed' }, { status: 'failed' }])
    expect(agent.sends().length).toBeLessThanOrEqual(80)
  })

  it('that answers in plain JSON, the item is found, though each is a request by itself', async () => {
    const [guilty] = await night({ agent, bad: { 7: 'exit' }, protocol: 'json' })
    expect(guilty).toMatchObject({ status: 'failed', error_code: 'agent_unreachable' })
    expect(agent.sends().length).toBeLessThanOrEqual(200)
  })
})
