import { describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../kernel/limits.ts'
import type { GeneratorLine } from '../protocol/rules/protocol.ts'
import { type AgentClass, agent, declarationOf } from './agent.ts'
import { DecoratorTargetError, DecoratorValidationError, ItemError } from './errors.ts'
import { type ItemsContext, items, type Occurrence } from './generator.ts'
import { serve } from './serve.ts'

type Make = (ctx: ItemsContext, occurrence: Occurrence) => AsyncIterable<unknown> | Iterable<unknown>

/** An agent with these `@items` methods. */
function agentWith(generators: Record<string, Make>): AgentClass {
  class Tickets {
    async run() {}
  }
  for (const [name, make] of Object.entries(generators)) {
    Object.defineProperty(Tickets.prototype, name, { value: make })
    items(make, { kind: 'method', name, static: false, private: false } as ClassMethodDecoratorContext<
      never,
      Make
    >)
  }
  ;(agent({ name: 'Tickets' }) as (target: unknown, context: unknown) => void)(Tickets, { kind: 'class' })
  return Tickets
}

const OCCURRENCE = {
  scheduled_for: '2026-03-29T00:30:00.000Z',
  timezone: 'Europe/Berlin',
  date: '2026-03-29',
}

const ask = (target: AgentClass, generator: string) =>
  serve(target)(
    new Request('http://agent/', {
      method: 'POST',
      body: JSON.stringify({ generator, occurrence: OCCURRENCE }),
    }),
    {},
  )

const linesOf = async (response: Response): Promise<GeneratorLine[]> =>
  (await response.text())
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

describe('a method under @items', () => {
  it('is listed in the declaration, also of a subclass, and other methods are not', () => {
    const Tickets = agentWith({ tickets: function* () {}, orders: function* () {} })
    expect(declarationOf(Tickets).generators).toEqual(['tickets', 'orders'])
    class Child extends (Tickets as new () => { run(): Promise<void> }) {
      other() {}
    }
    ;(agent({ name: 'Child' }) as (target: unknown, context: unknown) => void)(Child, { kind: 'class' })
    expect(declarationOf(Child).generators).toEqual(['tickets', 'orders'])
    expect(declarationOf(agentWith({}))).not.toHaveProperty('generators')
  })

  it.each([
    [{ kind: 'method', name: 'x', static: true, private: false }, DecoratorTargetError],
    [{ kind: 'method', name: '#x', static: false, private: true }, DecoratorTargetError],
    [{ kind: 'field', name: 'x', static: false, private: false }, DecoratorTargetError],
    [{ kind: 'method', name: 'der Käse', static: false, private: false }, DecoratorValidationError],
  ])('is refused as %j', (context, error) => {
    expect(() => items(function* () {} as Make, context as never)).toThrow(error)
  })

  it('gets the occurrence, and yields items followed by their number', async () => {
    const Tickets = agentWith({
      async *tickets(_ctx, { date, timezone }) {
        yield { id: 1, date }
        yield timezone
      },
    })
    const response = await ask(Tickets, 'tickets')
    expect(response.headers.get('content-type')).toBe('application/x-ndjson')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(await linesOf(response)).toEqual([
      { type: 'item', input: { id: 1, date: '2026-03-29' } },
      { type: 'item', input: 'Europe/Berlin' },
      { type: 'end', items: 2 },
    ])
  })

  it.each<[string, Make, string, string]>([
    [
      'throws',
      () => {
        throw new Error('no token')
      },
      'agent_error',
      'no token',
    ],
    [
      'throws after some items',
      function* () {
        yield 1
        throw new ItemError('page 2 is gone', { code: 'export_failed' })
      },
      'export_failed',
      'page 2 is gone',
    ],
    [
      'yields nothing at all',
      function* () {
        yield undefined
      },
      'agent_error',
      'item 1 is undefined: yield a JSON value',
    ],
    [
      'yields a value that JSON cannot express',
      function* () {
        yield 1
        yield 1n
      },
      'agent_error',
      'item 2 cannot be written as JSON',
    ],
    [
      'yields an input that is too long',
      function* () {
        yield 'x'.repeat(LIMITS.item_input_bytes)
      },
      'agent_error',
      'item 1 is longer than',
    ],
    ['is no generator', (() => 7) as never, 'agent_error', 'write async *name(ctx, occurrence)'],
  ])('that %s ends with its error', async (_, make, code, message) => {
    const last = (await linesOf(await ask(agentWith({ tickets: make }), 'tickets'))).at(-1)
    expect(last).toMatchObject({ type: 'error', error: { code, message: expect.stringContaining(message) } })
  })

  it('is asked only for what is read, and is closed when the reader stops', async () => {
    let made = 0
    let closed = false
    let signal: AbortSignal | undefined
    const Tickets = agentWith({
      async *tickets(ctx) {
        signal = ctx.signal
        try {
          for (;;) yield { n: ++made, text: 'x'.repeat(1000) }
        } finally {
          closed = true
        }
      },
    })
    const reader = (await ask(Tickets, 'tickets')).body!.getReader()
    await reader.read()
    await reader.read()
    expect(made).toBeLessThan((4 * LIMITS.generator_piece_characters) / 1000)
    await reader.cancel()
    expect([closed, signal?.aborted]).toEqual([true, true])
  })

  it('that is slow sends heartbeats, and is asked only once for each item', async () => {
    vi.useFakeTimers()
    try {
      const made = Promise.withResolvers<string>()
      const reader = (
        await ask(
          agentWith({
            async *tickets() {
              yield await made.promise
            },
          }),
          'tickets',
        )
      ).body!.getReader()
      const read = async () => new TextDecoder().decode((await reader.read()).value)
      for (let beats = 0; beats < 2; beats++) {
        const line = read()
        await vi.advanceTimersByTimeAsync(LIMITS.agent_heartbeat_ms)
        expect(await line).toBe('{"type":"heartbeat"}\n')
      }
      made.resolve('late')
      expect(await read()).toBe('{"type":"item","input":"late"}\n{"type":"end","items":1}\n')
      expect((await reader.read()).done).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  it('is called by its own name only: another name is refused with a list of those that exist', async () => {
    const response = await ask(agentWith({ tickets: function* () {} }), 'run')
    expect(response.status).toBe(400)
    expect((await response.json()).error.message).toBe('this agent has no generator "run": there are tickets')
  })
})
