import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../test/support/eventually.ts'
import { LIMITS } from '../kernel/limits.ts'
import { secretText, signingKey, standardHeaders } from '../kernel/message-signature.ts'
import { toBase64 } from '../kernel/secrets.ts'
import { type AgentLine, bodyProofText, type ItemLine, type StepReport } from '../protocol/rules/protocol.ts'
import { agent } from './agent.ts'
import type { AgentOptions } from './agent-options.ts'
import type { Context } from './context.ts'
import { ItemError } from './errors.ts'
import { serve } from './serve.ts'

type Run = (ctx: Context, input: never) => unknown

function agentOf(run: Run, options: Partial<AgentOptions> = {}) {
  class Agent {
    run(ctx: Context, input: never) {
      return run(ctx, input)
    }
  }
  agent({ name: 'test', ...options })(Agent as never, { kind: 'class', name: 'Agent' } as never)
  return serve(Agent as never)
}

function request(...items: Partial<ItemLine>[]): Request {
  const lines = items.map((item, index) => JSON.stringify({ seq: index, attempt: 1, ...item }))
  return new Request('http://agent/', {
    method: 'POST',
    body: lines.join('\n'),
    headers: { 'assay-run': 'run-1' },
  })
}

async function linesOf(response: Response | Promise<Response>): Promise<AgentLine[]> {
  const text = await (await response).text()
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

/** The lines that an agent answers for one item. */
async function linesFor(run: Run, item: Partial<ItemLine> = {}, options: Partial<AgentOptions> = {}) {
  return linesOf(agentOf(run, options)(request(item)))
}

function stepsOf(lines: AgentLine[]): StepReport[] {
  return lines.flatMap(line => (line.type === 'step' ? [line.step] : []))
}

const never = () => new Promise<never>(() => {})
const head = { seq: 0, attempt: 1 }

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

describe('results', () => {
  it('come for every item of a request, with the output last', async () => {
    const fetch = agentOf(async (_ctx, n: number) => n * 2)
    const text = await (await fetch(request({ input: 1 }, { input: 2 }))).text()
    expect(text).toBe(
      '{"type":"result","seq":0,"attempt":1,"output":2}\n{"type":"result","seq":1,"attempt":1,"output":4}\n',
    )
  })

  it('do not block the event loop while many items are started', async () => {
    let started = 0
    const fetch = agentOf(() => ++started)
    const answer = linesOf(fetch(request(...Array.from({ length: 1000 }, () => ({})))))
    const seen: number[] = []
    while (started < 1000) {
      await new Promise(resolve => setTimeout(resolve))
      seen.push(started)
    }
    expect(seen.filter(count => count > 0 && count < 1000).length).toBeGreaterThan(5)
    expect(await answer).toHaveLength(1000)
  })

  it('are null for no output', async () => {
    expect(await linesFor(() => undefined)).toEqual([{ type: 'result', ...head, output: null }])
  })

  it('can be made from the item, attempt, run and budget that run() gets', async () => {
    const [line] = await linesFor(ctx => ({ ...ctx.item, ...ctx.budget }), {
      attempt: 3,
      item_id: 'T-1',
      partition_key: 'north',
      budget_micro: 70,
    })
    expect(line).toMatchObject({
      output: { item_id: 'T-1', partition_key: 'north', attempt: 3, run_id: 'run-1', left_micro: 70 },
    })
  })

  it('come from an instance of their own for each item', async () => {
    class Counter {
      seen = 0
      async run() {
        await null
        return ++this.seen
      }
    }
    agent({ name: 'c' })(Counter, { kind: 'class', name: 'Counter' } as never)
    const lines = await linesOf(serve(Counter)(request({}, {})))
    expect(lines).toMatchObject([{ output: 1 }, { output: 1 }])
  })

  it('contain the reasons for which the agent degraded them', async () => {
    const [line] = await linesFor(ctx => {
      ctx.degrade('low confidence')
      ctx.degrade('old policy')
      return 1
    })
    expect(line).toEqual({ type: 'result', ...head, degraded: 'low confidence; old policy', output: 1 })
  })

  it('come from the validated input, and an invalid input fails its item with the place of the error', async () => {
    const input = z.object({ text: z.string(), lang: z.string().default('en') })
    const options = { input }
    expect(await linesFor((_ctx, ticket) => ticket, { input: { text: 'a' } }, options)).toMatchObject([
      { output: { text: 'a', lang: 'en' } },
    ])
    expect(await linesFor(() => 1, { input: { text: 5 } }, options)).toMatchObject([
      { type: 'error', error: { code: 'invalid_input', message: expect.stringMatching(/^input\.text: /) } },
    ])
  })

  it('that do not match the output schema are returned as they are, with the place of the error', async () => {
    const output = z.object({ list: z.array(z.number()) })
    expect(await linesFor(() => ({ list: [1, 'x'] }), {}, { output })).toMatchObject([
      {
        type: 'result',
        schema_error: expect.stringMatching(/^output\.list\.1: /),
        output: { list: [1, 'x'] },
      },
    ])
  })

  it('are limited in bytes, not characters', async () => {
    const fits = 'é'.repeat(LIMITS.item_output_bytes / 2 - 1) // two bytes each, and two quotes
    expect(await linesFor(() => fits)).toMatchObject([{ type: 'result' }])
    expect(await linesFor(() => `${fits}é`)).toMatchObject([
      { type: 'error', error: { code: 'output_too_large' } },
    ])
  })

  it('that JSON cannot express fail their item', async () => {
    const circle: unknown[] = []
    circle.push(circle)
    for (const output of [circle, 1n, () => 1]) {
      expect(await linesFor(() => output)).toMatchObject([
        {
          type: 'error',
          error: { code: 'agent_error', message: expect.stringContaining('cannot be written as JSON') },
        },
      ])
    }
  })
})

describe('steps', () => {
  it('are reported with input, output and duration, before the result', async () => {
    const lines = await linesFor(async ctx => {
      const answer = await ctx.llm('classify', { model: 'm', messages: [] }, async ({ model }) => ({
        model,
        n: 1,
      }))
      return ctx.tool('look_up', { id: answer.n }, ({ id }) => id + 1)
    })
    expect(lines.map(line => line.type)).toEqual(['step', 'step', 'result'])
    expect(stepsOf(lines)).toEqual([
      {
        key: 'classify',
        kind: 'llm_call',
        name: 'classify',
        input: { model: 'm', messages: [] },
        output: { model: 'm', n: 1 },
        started_at: expect.stringMatching(/^\d{4}-.*Z$/),
        duration_ms: expect.any(Number),
      },
      expect.objectContaining({ key: 'look_up', kind: 'tool_call', input: { id: 1 }, output: 2 }),
    ])
  })

  it('are numbered in the order of the calls if their names repeat, and never share a key', async () => {
    const lines = await linesFor(async ctx => {
      for (const name of ['a', 'a', 'a#2', 'a']) await ctx.step(name, () => 1)
    })
    const keys = stepsOf(lines).map(step => step.key)
    expect(keys).toEqual(['a', 'a#2', 'a#2#2', 'a#3'])
  })

  it('that are recorded are returned without running or being reported again', async () => {
    const ran: string[] = []
    const lines = await linesFor(
      async ctx => {
        const first = await ctx.step('a', () => ran.push('a'))
        const second = await ctx.step('a', () => ran.push('a#2'))
        return [first, second]
      },
      { attempt: 2, recorded: [{ key: 'a', output: 40 }] },
    )
    expect(ran).toEqual(['a#2'])
    expect(stepsOf(lines).map(step => step.key)).toEqual(['a#2'])
    expect(lines.at(-1)).toMatchObject({ output: [40, 1] })
  })

  it('that fail are reported, and the agent may recover from them', async () => {
    const lines = await linesFor(async ctx =>
      ctx
        .tool('t', 1, () => {
          throw new Error('closed')
        })
        .catch(() => 'recovered'),
    )
    expect(stepsOf(lines)).toMatchObject([
      { key: 't', error: { code: 'tool_call_error', message: 'closed' } },
    ])
    expect(lines.at(-1)).toMatchObject({ type: 'result', output: 'recovered' })
  })

  it('record their input as it was when they began', async () => {
    const lines = await linesFor(async ctx => {
      const request = { messages: ['one'] }
      await ctx.llm('m', request, async () => request.messages.push('two'))
    })
    expect(stepsOf(lines)[0]?.input).toEqual({ messages: ['one'] })
  })

  it('with a payload that is too long keep what they are priced by, and are not reused', async () => {
    const answer = { text: 'x'.repeat(LIMITS.step_payload_bytes), model: 'm', usage: { prompt_tokens: 5 } }
    const run: Run = async ctx => (await ctx.llm('m', {}, async () => answer)).text.length
    const lines = await linesFor(run)
    const output = stepsOf(lines)[0]?.output as { head: string }
    expect(output).toMatchObject({
      cut: true,
      bytes: JSON.stringify(answer).length,
      outline: { model: 'm', usage: { prompt_tokens: 5 } },
    })
    expect(output.head).toMatch(/^\{"text":"xxx/)
    const again = await linesFor(run, { recorded: [{ key: 'm', output }] })
    expect(again.map(line => line.type)).toEqual(['step', 'result'])
    expect(again.at(-1)).toMatchObject({ output: answer.text.length })
  })

  it('whose output JSON cannot express fail', async () => {
    const lines = await linesFor(ctx => ctx.step('big', () => 1n))
    expect(stepsOf(lines)).toMatchObject([
      { error: { message: expect.stringContaining('output of step "big"') } },
    ])
    expect(lines.at(-1)).toMatchObject({ error: { code: 'step_error' } })
  })

  it('stop at the limit, even if the agent swallows the signal', async () => {
    const lines = await linesFor(
      async ctx => {
        for (let n = 0; n < 5; n++) await ctx.step('s', () => n).catch(() => {})
        return 'done'
      },
      {},
      { maxSteps: 2 },
    )
    expect(stepsOf(lines)).toHaveLength(2)
    expect(lines.at(-1)).toMatchObject({ type: 'error', error: { code: 'step_limit_exceeded' } })
  })

  it('that are still open when run() ends are waited for and recorded', async () => {
    const gate = Promise.withResolvers<number>()
    const lines = await linesFor(async ctx => {
      void ctx.step('slow', () => gate.promise)
      queueMicrotask(() => gate.resolve(7))
      throw new Error('first')
    })
    expect(lines).toMatchObject([
      { type: 'step', step: { key: 'slow', output: 7 } },
      { type: 'error', error: { message: 'first' } },
    ])
  })
})

describe('errors', () => {
  const failure = (error: unknown) => () => Promise.reject(error)

  it.each<[string, Run, object]>([
    ['an error of run()', failure(new Error('no')), { code: 'agent_error', message: 'no' }],
    ['a thrown text', failure('no'), { code: 'agent_error', message: 'no' }],
    ['a tool', ctx => ctx.tool('t', 1, failure(new Error('no'))), { code: 'tool_call_error', message: 'no' }],
    ['a model', ctx => ctx.llm('m', {}, failure(new Error('no'))), { code: 'llm_call_error', message: 'no' }],
    ['a step', ctx => ctx.step('s', failure(new Error('no'))), { code: 'step_error', message: 'no' }],
    [
      'an error wrapped around that of a tool',
      ctx =>
        ctx.tool('t', 1, failure(new Error('no'))).catch(cause => {
          throw new Error('around', { cause })
        }),
      { code: 'tool_call_error', message: 'around: no' },
    ],
    [
      'an ItemError, in the author’s words',
      ctx => ctx.tool('t', 1, failure(new ItemError('no', { code: 'closed', retryable: false }))),
      { code: 'closed', message: 'no', retryable: false },
    ],
    [
      'a provider that is overloaded',
      ctx => ctx.llm('m', {}, failure(Object.assign(new Error('slow down'), { status: 429 }))),
      { code: 'llm_call_error', message: 'slow down' },
    ],
    [
      'a provider that refuses the request',
      ctx => ctx.llm('m', {}, failure(Object.assign(new Error('bad'), { status: 400 }))),
      { code: 'llm_call_error', message: 'bad', retryable: false },
    ],
    [
      'a tool with a status, which decides nothing',
      ctx => ctx.tool('t', 1, failure(Object.assign(new Error('x'), { status: 400 }))),
      { code: 'tool_call_error', message: 'x' },
    ],
  ])('have a code and a message for %s', async (_what, run, error) => {
    expect((await linesFor(run)).at(-1)).toEqual({ type: 'error', ...head, error })
  })

  it('include budget_exceeded for an item with nothing left to spend, which does not start', async () => {
    const ran: number[] = []
    const lines = await linesFor(() => ran.push(1), { budget_micro: 0 })
    expect(lines).toMatchObject([{ type: 'error', error: { code: 'budget_exceeded' } }])
    expect(ran).toEqual([])
  })
})

describe('an agent that holds or yields', () => {
  it('holds the item whatever the agent does with the signal, and starts no further step', async () => {
    const ran: number[] = []
    const lines = await linesFor(async ctx => {
      await ctx.hold('fraud?').catch(() => {})
      await ctx.step('s', () => ran.push(1)).catch(() => {})
      return 'done'
    })
    expect(ran).toEqual([])
    expect(stepsOf(lines)).toMatchObject([{ key: 'hold', input: { reason: 'fraud?' } }])
    expect(lines.at(-1)).toEqual({ type: 'hold', ...head, reason: 'fraud?' })
  })

  it('continues past a hold that a person has released', async () => {
    const run: Run = async ctx => {
      await ctx.hold('fraud?')
      return 'released'
    }
    const [step] = stepsOf(await linesFor(run))
    const lines = await linesFor(run, { attempt: 2, recorded: [{ key: step!.key, output: step!.output }] })
    expect(lines).toEqual([{ type: 'result', seq: 0, attempt: 2, output: 'released' }])
  })

  it('yields at the next step that would run, not at a recorded one', async () => {
    const ran: string[] = []
    const lines = await linesFor(
      async ctx => {
        for (const name of ['a', 'b', 'c']) await ctx.step(name, () => ran.push(name)).catch(() => {})
        return 'done'
      },
      { yield_ms: 0, recorded: [{ key: 'a', output: 1 }] },
    )
    expect(ran).toEqual([])
    expect(lines).toEqual([{ type: 'yield', ...head }])
  })
})

describe('a served agent', () => {
  it('ends an item at its deadline even if run() never settles, and aborts its signal', async () => {
    vi.useFakeTimers()
    const signals: AbortSignal[] = []
    const fetch = agentOf(ctx => {
      signals.push(ctx.signal)
      return never()
    })
    const response = fetch(request({ timeout_ms: 200 }, { timeout_ms: 100 }))
    await vi.advanceTimersByTimeAsync(150)
    expect(signals.map(signal => signal.aborted)).toEqual([false, true])
    await vi.advanceTimersByTimeAsync(50)
    expect(await linesOf(response)).toMatchObject([
      { type: 'error', seq: 1, error: { code: 'step_timeout' } },
      { type: 'error', seq: 0, error: { code: 'step_timeout' } },
    ])
  })

  it('reports nothing more about an item after its deadline', async () => {
    vi.useFakeTimers()
    const gate = Promise.withResolvers<number>()
    let late: unknown
    const fetch = agentOf(async (ctx, slow: boolean) => {
      if (!slow) return never()
      await ctx.step('s', () => gate.promise)
      late = await ctx.step('late', () => 1).catch(error => error.message)
    })
    const response = fetch(request({ timeout_ms: 100, input: true }, { timeout_ms: 200 }))
    await vi.advanceTimersByTimeAsync(100)
    gate.resolve(1)
    await vi.advanceTimersByTimeAsync(100)
    expect((await linesOf(response)).map(line => line.type)).toEqual(['error', 'error'])
    expect(late).toBe('the item is over')
  })

  it('sends a heartbeat every 5 seconds while an item is open', async () => {
    vi.useFakeTimers()
    const response = agentOf(never)(request({ timeout_ms: 12_000 }))
    await vi.advanceTimersByTimeAsync(12_000)
    expect((await linesOf(response)).map(line => line.type)).toEqual(['heartbeat', 'heartbeat', 'error'])
    await vi.advanceTimersByTimeAsync(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('streams a line as soon as its turn of the event loop is over, unbuffered by proxies', async () => {
    const gate = Promise.withResolvers<void>()
    const response = await agentOf(async (ctx, wait: boolean) => {
      if (wait) await gate.promise
      return ctx.item.item_id
    })(request({ item_id: 'quick' }, { item_id: 'slow', input: true }))
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toContain('"quick"')
    gate.resolve()
    expect((await reader.read()).value).toContain('"slow"')
    expect((await reader.read()).done).toBe(true)
  })

  it('aborts open items when the caller closes the request', async () => {
    vi.useFakeTimers()
    const signals: AbortSignal[] = []
    const pending = agentOf(ctx => {
      signals.push(ctx.signal)
      return never()
    })(request({}))
    await vi.advanceTimersByTimeAsync(1)
    const response = await pending
    await response.body!.cancel()
    expect(signals[0]?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a signed request', () => {
  const secret = new Uint8Array(32).fill(7)
  const key = secretText(secret)
  const fetch = agentOf(() => 1)
  const body = '{"seq":0,"attempt":1}'
  const send = async (change: { body?: string; age_s?: number; key?: string | null } = {}) => {
    const at_s = Math.floor(Date.now() / 1000) - (change.age_s ?? 0)
    const headers = await standardHeaders([await signingKey(secret)], { id: 'a-request', at_s, body })
    const request = new Request('http://agent/', { method: 'POST', body: change.body ?? body, headers })
    const response = await fetch(request, { ASSAY_AGENT_KEY: change.key === undefined ? key : change.key })
    return { status: response.status, text: await response.text() }
  }

  it('is answered if its key is in ASSAY_AGENT_KEY, alone or as one of two', async () => {
    const other = secretText(new Uint8Array(32).fill(9))
    const answer = { status: 200, text: '{"type":"result","seq":0,"attempt":1,"output":1}\n' }
    expect(await send()).toEqual(answer)
    expect(await send({ key: `${other} ${key}` })).toEqual(answer)
  })

  it.each([
    ['if its body was changed', { body: `${body} ` }, /No signature .* holds/],
    ['if it is ten minutes old', { age_s: 600 }, /of another time/],
    ['if it is signed with another key', { key: secretText(new Uint8Array(32)) }, /ASSAY_AGENT_KEY/],
    ['if the agent’s key is malformed', { key: 'hunter2' }, /is not a key/],
  ])('is refused %s', async (_, change, message) => {
    const { status, text } = await send(change)
    expect(status).toBe(401)
    expect(JSON.parse(text)).toEqual({
      error: { code: 'unauthenticated', message: expect.stringMatching(message) },
    })
  })

  it('is also required if process.env has the key, and not without a key', async () => {
    vi.stubEnv('ASSAY_AGENT_KEY', key)
    expect((await fetch(request({}))).status).toBe(401)
    expect((await send({ key: null })).status).toBe(200)
    vi.unstubAllEnvs()
    expect((await fetch(request({}))).status).toBe(200)
  })
})

describe('a request whose sender is not known yet', () => {
  const secret = new Uint8Array(32).fill(7)
  const fetch = agentOf((_ctx, input: string) => input.length)
  const MiB = 1024 * 1024

  const macOf = async (text: string) => {
    const mac = await crypto.subtle.sign('HMAC', await signingKey(secret), new TextEncoder().encode(text))
    return toBase64(new Uint8Array(mac))
  }

  async function send(body: BodyInit, bytes: number | null, change: Record<string, string | null> = {}) {
    const at_s = Math.floor(Date.now() / 1000)
    const signed = { id: 'm1', at_s, body: typeof body === 'string' ? body : '' }
    const key = await signingKey(secret)
    const headers = new Headers(await standardHeaders([key], signed))
    if (bytes !== null)
      headers.set('assay-body-proof', `${bytes},v1,${await macOf(bodyProofText('m1', at_s, bytes))}`)
    for (const [name, value] of Object.entries(change))
      if (value === null) headers.delete(name)
      else headers.set(name, value)
    const request = new Request('http://agent/', {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    } as RequestInit)
    return fetch(request, { ASSAY_AGENT_KEY: secretText(secret) })
  }

  /** A body that goes on until it is ended, or somebody stops reading it. */
  function openBody() {
    let to!: ReadableStreamDefaultController<Uint8Array>
    const stopped = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          to = controller
        },
        cancel: () => stopped.resolve(),
      },
      { highWaterMark: 0 },
    )
    return { body, to, stopped: stopped.promise }
  }

  it.each([
    ['webhook-signature', null, 401],
    ['webhook-id', null, 401],
    ['webhook-timestamp', '1', 401],
    ['content-length', '300000000', 413],
  ])('is refused by its head where %s is %s', async (name, value, status) => {
    let asked = 0
    const pull = () => {
      asked++
    }
    const unread = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    const response = await send(unread, null, { [name]: value })
    expect(response.status).toBe(status)
    expect(asked).toBe(0)
  })

  const line = (bytes: number) => `{"seq":0,"attempt":1,"input":"${'x'.repeat(bytes)}"}`

  it('waits within one bound for all, beyond which only small ones and those with the key are read', async () => {
    const held = openBody()
    const first = send(held.body, null)
    held.to.enqueue(new Uint8Array(272 * MiB - 1))
    held.to.enqueue(new Uint8Array(1)) // read only once the first piece has its room
    await eventually(() => expect(held.to.desiredSize).toBe(0))
    const refused = await send(line(MiB), null)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await refused.json()).toEqual({
      error: { code: 'overloaded', message: expect.stringContaining('again in a second') },
    })
    expect((await send(line(1000), null)).status).toBe(200)
    const large = line(MiB)
    expect((await send(large, large.length)).status).toBe(200)
    held.to.close()
    expect((await first).status).toBe(401)
    expect((await send(line(MiB), null)).status).toBe(200)
  })

  it('has the key only by a proof of this request and this length', async () => {
    const body = line(1000)
    expect((await send(body, body.length - 1)).status).toBe(413)
    const held = openBody()
    const first = send(held.body, 500 * MiB, { 'webhook-id': 'm2' })
    held.to.enqueue(new Uint8Array(272 * MiB + 1))
    expect((await first).status).toBe(413)
    await held.stopped
  })

  it('does not get by a proof, nor gives one: their texts differ, whatever the id is', async () => {
    const at_s = Math.floor(Date.now() / 1000)
    const proof = await macOf(bodyProofText('m1', at_s, 1000))
    for (const id of [`assay-body-proof.m1.${at_s}`, 'assay-body-proof.m1', 'assay-body-proof']) {
      const headers = { 'webhook-id': id, 'webhook-signature': `v1,${proof}` }
      expect((await send('1000', null, headers)).status).toBe(401)
    }
    const held = openBody()
    const signature = await macOf(`assay-body-proof.m1.${at_s}.${273 * MiB}`)
    const first = send(held.body, null, { 'assay-body-proof': `${273 * MiB},v1,${signature}` })
    held.to.enqueue(new Uint8Array(272 * MiB + 1))
    expect((await first).status).toBe(413)
  })

  it('has its proof checked with the time that was checked', async () => {
    const body = line(1000)
    const at_s = Math.floor(Date.now() / 1000)
    const old = String(at_s - 10_000)
    const headers = {
      'webhook-signature': null,
      'webhook-timestamp': old,
      'svix-id': 'm2',
      'svix-timestamp': String(at_s),
      'svix-signature': `v1,${await macOf(`m2.${at_s}.${body}`)}`,
      'assay-body-proof': `10,v1,${await macOf(bodyProofText('m1', old, 10))}`,
    }
    expect((await send(body, null, headers)).status).toBe(200) // by a proof of 10 bytes it would be too long
  })

  it('has the room of a proof for one body at a time', async () => {
    const bytes = 273 * MiB
    const headers = { 'content-length': String(bytes) }
    const held = openBody()
    const first = send(held.body, bytes)
    held.to.enqueue(new Uint8Array(1))
    held.to.enqueue(new Uint8Array(1))
    await eventually(() => expect(held.to.desiredSize).toBe(0))
    expect((await send('x', bytes, headers)).status).toBe(413)
    held.to.close()
    expect((await first).status).toBe(401)
    expect((await send('x', bytes, headers)).status).toBe(400) // read, as the first one has ended
  })

  it('takes the bytes of its body and a block at most', async () => {
    // The same numbers as in test_callers.py
    const block = 256 * 1024
    const room = 132 * MiB - block
    const zeros = new Uint8Array(132 * MiB)
    const held = openBody()
    const first = send(held.body, null)
    held.to.enqueue(zeros.subarray(0, 130 * MiB))
    held.to.enqueue(zeros.subarray(0, 10 * MiB + 1))
    held.to.enqueue(new Uint8Array(1)) // read only once the others have their room
    await eventually(() => expect(held.to.desiredSize).toBe(0))
    const next = (bytes: number) => {
      const { body, to } = openBody()
      to.enqueue(zeros.subarray(0, bytes))
      to.close()
      return send(body, null, { 'content-length': String(bytes) })
    }
    expect((await next(room)).status).toBe(401)
    expect((await next(room + 1)).status).toBe(503)
    held.to.close()
    expect((await first).status).toBe(401)
  })

  it.each([
    ['without a proof', null],
    ['with one', MiB],
  ])('is given up after a minute %s, and nothing of it is kept', async (_, proven) => {
    vi.useFakeTimers()
    const held = openBody()
    const first = send(held.body, proven)
    held.to.enqueue(new Uint8Array(MiB))
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1))
    await vi.advanceTimersByTimeAsync(LIMITS.agent_arrival_ms)
    const response = await first
    expect(response.status).toBe(408)
    expect((await response.json()).error.message).toContain('within 60 seconds')
    await held.stopped
  })
})

describe('the endpoint', () => {
  const fetch = agentOf(() => 1, { retries: 1 })

  it('describes itself and answers pings, below any path', async () => {
    expect(await (await fetch(new Request('http://h/function/x'))).json()).toEqual({
      protocol: 1,
      answers_later: true,
      declaration: { name: 'test', retries: 1 },
    })
    expect(await (await fetch(new Request('http://h/function/x/ping'))).text()).toBe('pong')
  })

  it.each([
    ['not json', /line 1 is not JSON/],
    ['{"seq":1,"attempt":1}\n{"seq":"2","attempt":1}', /line 2 is not an item/],
    ['null', /line 1 is not an item/],
  ])('refuses %j and says what is wrong', async (body, message) => {
    const response = await fetch(new Request('http://h/', { method: 'POST', body }))
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { code: 'protocol_error', message: expect.stringMatching(message) },
    })
  })

  it('refuses another version of the protocol', async () => {
    const headers = { 'assay-protocol': '2' }
    expect((await fetch(new Request('http://h/', { method: 'POST', body: '', headers }))).status).toBe(400)
  })

  it('answers an empty request with an empty response', async () => {
    expect(await linesOf(fetch(request()))).toEqual([])
  })
})

it('an agent that is given the version of its code names it, in a header that it fits', async () => {
  class Counter {
    run() {
      return 1
    }
  }
  agent({ name: 'c' })(Counter, { kind: 'class', name: 'Counter' } as never)
  const served = serve(Counter, { version: '  büild-41 ' })
  const asked = await served(new Request('http://agent'))
  expect(await asked.json()).toMatchObject({ version: 'b?ild-41' })
  const answer = await served(request({}, {}))
  expect(answer.headers.get('assay-code-version')).toBe('b?ild-41')
  const without = await serve(Counter)(request({}, {}))
  expect(without.headers.get('assay-code-version')).toBeNull()
  const env = { ASSAY_VERSION: 'a3f' }
  const byVariable = await serve(Counter)(request({}, {}), env)
  expect(byVariable.headers.get('assay-code-version')).toBe('a3f')
})

describe('without a key', () => {
  const asked = (url: string, headers: Record<string, string> = {}, localAddress?: string) =>
    agentOf(async () => 1)(new Request(url, { method: 'POST', body: '{"seq":0,"attempt":1}', headers }), {
      incoming: { socket: { localAddress } },
    } as never)

  it.each([
    ['http://127.0.0.1:9000/', { origin: 'https://page.example' }, undefined],
    ['http://127.0.0.1:9000/', { origin: 'null' }, undefined],
    ['http://rebound.example:9000/', { origin: 'http://rebound.example:9000' }, undefined],
    ['http://claims:9000/', { origin: 'http://claims:9000' }, '127.0.0.1'],
    ['http://printer.local:9000/', { origin: 'http://printer.local:9000' }, '127.0.0.1'],
    ['http://a.internal:9000/', { origin: 'http://a.internal:9000' }, undefined],
    ['http://localhost.rebound.example/', { origin: 'http://localhost.rebound.example' }, undefined],
    ['http://notlocalhost:9000/', { origin: 'http://notlocalhost:9000' }, undefined],
    ['http://rebound.example:9000/', {}, '127.0.0.1'],
    ['http://127.0.0.1.rebound.example/', {}, '::ffff:127.0.0.1'],
  ])('no page of elsewhere is answered: %s %j', async (url, headers, localAddress) => {
    const response = await asked(url, headers as Record<string, string>, localAddress)
    expect(response.status).toBe(401)
    expect((await response.json()).error.message).toContain('Set ASSAY_AGENT_KEY')
  })

  it.each([
    ['http://127.0.0.1:9000/', { origin: 'http://127.0.0.1:9000' }, '127.0.0.1'],
    ['http://localhost:9000/', {}, '::1'],
    ['http://localhost:9000/', { origin: 'http://localhost:9000' }, '::1'],
    ['http://claims.localhost:9000/', { origin: 'http://claims.localhost:9000' }, '::1'],
    ['http://10.0.0.7:9000/', { origin: 'http://10.0.0.7:9000' }, '10.0.0.7'],
    ['http://[::1]:9000/', {}, '::1'],
    ['http://host.docker.internal:9000/', {}, '127.0.0.1'],
    ['http://claims/', {}, '127.0.0.1'],
    ['http://agents.example/', {}, '10.0.0.7'],
    ['http://agents.example/', {}, undefined],
  ])('everybody else is: %s %j', async (url, headers, localAddress) => {
    expect((await asked(url, headers as Record<string, string>, localAddress)).status).toBe(200)
  })

  it.each(['fprocess', 'K_SERVICE', 'KUBERNETES_SERVICE_HOST'])(
    'in a container where %s is set, a proxy on loopback may use any name, and a page still may not',
    async name => {
      vi.stubEnv(name, 'set')
      try {
        const url = 'http://claims.example/'
        expect((await asked(url, {}, '127.0.0.1')).status).toBe(200)
        expect((await asked(url, { origin: 'http://claims.example' }, '127.0.0.1')).status).toBe(401)
      } finally {
        vi.unstubAllEnvs()
      }
    },
  )
})

it('no more of a body is read than a request of the protocol has', async () => {
  let sent = 0
  const piece = new Uint8Array(16 * 1024 * 1024)
  const body = new ReadableStream({
    pull(controller) {
      sent += piece.length
      controller.enqueue(piece)
    },
  })
  const endless = new Request('http://agent/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  expect((await agentOf(async () => 1)(endless)).status).toBe(413)
  expect(sent).toBeLessThanOrEqual(LIMITS.agent_body_bytes + 3 * piece.length)
  const declared = new Request('http://agent/', {
    method: 'POST',
    body: '{}',
    headers: { 'content-length': '1e12' },
  })
  expect((await agentOf(async () => 1)(declared)).status).toBe(413)
})

it('a body takes as much memory as it is long, however small its pieces are', async () => {
  const text = new TextEncoder().encode(
    `${JSON.stringify({ seq: 0, attempt: 1, input: 'x'.repeat(200_000) })}\n`,
  )
  const piece = new Uint8Array(1) // a piece that was kept would change under its holder
  let at = 0
  const body = new ReadableStream(
    {
      pull(controller) {
        if (at === text.length) return controller.close()
        piece[0] = text[at++]!
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
  const asked = new Request('http://agent/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  const lines = await linesOf(agentOf(async (_ctx, input: string) => input.length)(asked))
  expect(lines).toMatchObject([{ type: 'result', output: 200_000 }])
})
