// Values that throw when they are read: wherever an agent throws or returns one, its item ends at once.

import { describe, expect, it } from 'vitest'
import type { AgentLine, GeneratorLine } from '../protocol/rules/protocol.ts'
import { runItem } from '../testing/run-item.ts'
import { agent } from './agent.ts'
import type { AgentOptions, AnySchema } from './agent-options.ts'
import type { Context } from './context.ts'
import { ItemError } from './errors.ts'
import { items } from './generator.ts'
import { serve } from './serve.ts'

const UNREADABLE = 'the error could not be read'

const evil = (): never => {
  throw new Error('evil')
}
const withGetter = <T extends object>(value: T, name: string, get: () => unknown = evil): T =>
  Object.defineProperty(value, name, { get, enumerable: true, configurable: true })
const failing = (target: object) =>
  new Proxy(target, new Proxy({}, { get: () => evil }) as ProxyHandler<object>)
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable(new Error('x'), {})
  revoke()
  return proxy
}
const endless = (): object =>
  new Proxy(
    {},
    {
      ownKeys: () => ['a'],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: (_, name) => (name === 'a' ? endless() : undefined),
    },
  )

const endlessCauses = (): Error => withGetter(new Error('x'), 'cause', endlessCauses)

/** Nothing of these can be read. */
const UNREAD: Record<string, () => unknown> = {
  'an Error whose message throws': () => withGetter(new Error('x'), 'message'),
  'an Error whose message throws a symbol': () =>
    withGetter(new Error('x'), 'message', () => {
      throw Symbol('s')
    }),
  'an Error whose message throws such an Error': () =>
    withGetter(new Error('x'), 'message', () => {
      throw withGetter(new Error('y'), 'message')
    }),
  'an Error without a message whose name throws': () => withGetter(new Error(''), 'name'),
  'an Error whose message cannot be a text': () =>
    withGetter(new Error('x'), 'message', () => ({ toString: evil, toJSON: evil })),
  'an Error whose message is endless': () => withGetter(new Error('x'), 'message', endless),
  'an Error whose message is a revoked Proxy': () => withGetter(new Error('x'), 'message', revoked),
  'an ItemError whose message throws': () => withGetter(new ItemError('x'), 'message'),
  'a Proxy that throws at everything': () => failing({}),
  'a Proxy of an Error that throws at everything': () => failing(new Error('x')),
  'a Proxy of a function that throws at everything': () => failing(() => {}),
  'a Proxy that throws at get': () => new Proxy(new Error('x'), { get: evil }),
  'a Proxy that throws at instanceof': () => new Proxy(new Error('x'), { getPrototypeOf: evil }),
  'a revoked Proxy': revoked,
  'an object whose toJSON and toString throw': () => ({ toJSON: evil, toString: evil }),
  'an object whose toJSON and Symbol.toPrimitive throw': () => ({ toJSON: evil, [Symbol.toPrimitive]: evil }),
  'an object with a getter that throws': () => withGetter({}, 'a'),
  'an object without a prototype that JSON cannot express': () =>
    Object.assign(Object.create(null), { a: 1n }),
  'an object that contains itself': () => {
    const value: Record<string, unknown> = {}
    value.value = value
    return value
  },
  'an endless object': endless,
}

/** These have a part that cannot be read, beside a message that can. */
const PARTLY: Record<string, [make: () => unknown, message: string]> = {
  'an Error whose stack throws': [() => withGetter(new Error('x'), 'stack'), 'x'],
  'an Error whose name throws': [() => withGetter(new Error('x'), 'name'), 'x'],
  'an Error whose cause throws': [() => withGetter(new Error('x'), 'cause'), 'x'],
  'an Error whose cause is a revoked Proxy': [() => new Error('x', { cause: revoked() }), 'x'],
  'an Error whose cause has a message that throws': [
    () => new Error('x.', { cause: withGetter(new Error(), 'message') }),
    `x: ${UNREADABLE}`,
  ],
  'an Error with an endless chain of causes': [endlessCauses, 'x'],
  'an Error whose status throws': [() => withGetter(new Error('x'), 'status'), 'x'],
  'an ItemError whose code throws': [() => withGetter(new ItemError('x'), 'code'), 'x'],
  'an ItemError whose code is a symbol': [
    () => withGetter(new ItemError('x'), 'code', () => Symbol('s')),
    'x',
  ],
  'an ItemError whose code is a bigint': [() => withGetter(new ItemError('x'), 'code', () => 1n), 'x'],
  'an ItemError whose code is no JSON': [
    () => withGetter(new ItemError('x'), 'code', () => ({ toJSON: evil })),
    'x',
  ],
  'an ItemError whose retryable throws': [() => withGetter(new ItemError('x'), 'retryable'), 'x'],
  'an AggregateError whose errors throw': [() => withGetter(new AggregateError([], 'x'), 'errors'), 'x'],
  'an Error whose message is a symbol': [
    () => withGetter(new Error('x'), 'message', () => Symbol('s')),
    'Symbol(s)',
  ],
  'an Error whose message is a number': [() => withGetter(new Error('x'), 'message', () => 7), '7'],
  'an Error whose message is an object': [
    () => withGetter(new Error('x'), 'message', () => ({ a: 1 })),
    '{"a":1}',
  ],
  'an Error whose message is very long': [() => new Error('x'.repeat(5e6)), `${'x'.repeat(1999)}…`],
  'an Error without message and name': [() => Object.assign(new Error(''), { name: '' }), 'Error'],
  'an object whose toString throws': [() => ({ toString: evil }), '{}'],
  'a symbol': [() => Symbol('s'), 'Symbol(s)'],
  'a bigint': [() => 10n, '10'],
  nothing: [() => undefined, 'undefined'],
}

const VALUES: [name: string, make: () => unknown, message: string][] = [
  ...Object.entries(UNREAD).map(([name, make]): [string, () => unknown, string] => [name, make, UNREADABLE]),
  ...Object.entries(PARTLY).map(([name, [make, message]]): [string, () => unknown, string] => [
    name,
    make,
    message,
  ]),
]

/** An agent that may throw or return a value. */
type Act = (ctx: Context, value: unknown) => unknown

function classOf(run: (ctx: Context) => unknown, options: Partial<AgentOptions> = {}) {
  class Agent {
    run(ctx: Context) {
      return run(ctx)
    }
  }
  agent({ name: 'test', ...options })(Agent, { kind: 'class', name: 'Agent' } as never)
  return Agent
}

const post = (body: object) => new Request('http://agent/', { method: 'POST', body: JSON.stringify(body) })

/** The lines of an answer; an item that did not end at once has a last line that says so. */
async function linesOf<Line>(response: Promise<Response>): Promise<Line[]> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<string>(resolve => {
    timer = setTimeout(resolve, 300, '{"type":"still running"}')
  })
  const text = await Promise.race([response.then(answer => answer.text()), late])
  clearTimeout(timer)
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

async function endOf(run: (ctx: Context) => unknown, options?: Partial<AgentOptions>) {
  const lines = await linesOf<AgentLine>(serve(classOf(run, options))(post({ seq: 0, attempt: 1 })))
  return lines.at(-1)
}

const ended = (code: string, message: string) => ({ type: 'error', error: { code, message } })
const fails = (value: unknown) => () => {
  throw value
}

const PLACES: Record<string, [act: Act, code: string]> = {
  'run()': [(_, value) => fails(value)(), 'agent_error'],
  'a promise of run()': [(_, value) => Promise.reject(value), 'agent_error'],
  'a step': [(ctx, value) => ctx.step('s', fails(value)), 'step_error'],
  'a promise of a step': [(ctx, value) => ctx.step('s', () => Promise.reject(value)), 'step_error'],
  'a tool': [(ctx, value) => ctx.tool('s', {}, fails(value)), 'tool_call_error'],
  'a model call': [(ctx, value) => ctx.llm('s', {}, fails(value)), 'llm_call_error'],
  'a stream of a model': [
    (ctx, value) =>
      ctx.llm('s', {}, async function* () {
        yield 'a'
        throw value
      }),
    'llm_call_error',
  ],
  'a step whose error is caught and thrown again': [
    (ctx, value) =>
      ctx.step('s', fails(value)).catch((error: unknown) => {
        throw error
      }),
    'step_error',
  ],
  'a step that nobody awaits, next to run()': [
    (ctx, value) => {
      void ctx.step('s', fails(value))
      throw new ItemError('own', { code: 'own' })
    },
    'own',
  ],
}

describe.each(Object.entries(PLACES))('thrown in %s', (_place, [act, code]) => {
  it.each(VALUES)('%s ends the item', async (_, make, message) => {
    const value = make()
    const last = await endOf(ctx => act(ctx, value))
    expect(last).toMatchObject(ended(code, code === 'own' ? 'own' : message))
    expect(Object.keys((last as { error: object }).error)).toEqual(['code', 'message'])
  })
})

const schema = (validate: () => unknown) =>
  ({ '~standard': { version: 1, vendor: 'test', validate } }) as unknown as AnySchema

describe.each(VALUES)('%s', (_, make, message) => {
  const value = make()
  const fail = fails(value)
  const thrown = ended('agent_error', message)

  it('thrown by a schema ends the item', async () => {
    expect(await endOf(() => 1, { input: schema(fail) })).toMatchObject(thrown)
    expect(await endOf(() => 1, { output: schema(fail) })).toMatchObject(thrown)
    expect(await endOf(() => 1, { output: schema(() => Promise.reject(value)) })).toMatchObject(thrown)
  })

  it('thrown by the constructor ends the item', async () => {
    class Agent {
      constructor() {
        fail()
      }
      run() {}
    }
    agent({ name: 'test' })(Agent, { kind: 'class', name: 'Agent' } as never)
    const [last] = await linesOf(serve(Agent)(post({ seq: 0, attempt: 1 })))
    expect(last).toMatchObject(thrown)
  })

  it('thrown while a value is written as JSON is the reason in the error', async () => {
    const odd = { toJSON: fail }
    const why = expect.stringMatching(/^the (out|in)put.* cannot be written as JSON: ./s)
    expect(await endOf(() => odd)).toMatchObject(ended('agent_error', why))
    expect(await endOf(ctx => ctx.step('s', () => odd))).toMatchObject(ended('step_error', why))
    expect(await endOf(ctx => ctx.tool('s', odd, () => 1))).toMatchObject(ended('tool_call_error', why))
  })

  it('thrown by the reading of a model’s answer keeps the answer', async () => {
    const response = serve(classOf(ctx => ctx.llm('s', {}, () => 'paid', { read: fail })))(
      post({ seq: 0, attempt: 1 }),
    )
    const [step, last] = await linesOf<AgentLine>(response)
    expect(step).toMatchObject({
      step: { output: 'paid', answer: { unread: expect.stringContaining('read failed') } },
    })
    expect(last).toMatchObject({ type: 'result', output: 'paid' })
  })

  it.each([
    [
      'throws',
      function* () {
        yield 1
        throw value
      },
    ],
    ['returns no values but', () => ({ [Symbol.iterator]: () => ({ next: fail }) })],
    ['cannot be started and throws', () => ({ [Symbol.asyncIterator]: fail })],
  ])('of a generator that %s it ends the answer', async (_, make) => {
    class Agent {
      run() {}
      rows = make
    }
    Object.defineProperty(Agent.prototype, 'rows', { value: make, configurable: true })
    items(make as never, { kind: 'method', name: 'rows', static: false, private: false } as never)
    agent({ name: 'test' })(Agent, { kind: 'class', name: 'Agent' } as never)
    const lines = await linesOf<GeneratorLine>(serve(Agent)(post({ generator: 'rows', occurrence: {} })))
    expect(lines.at(-1)).toMatchObject(thrown)
  })

  it('as the reason of a hold or of a degraded result ends the item', async () => {
    expect(await endOf(ctx => ctx.degrade(value as string))).toMatchObject({
      type: 'result',
      degraded: message,
    })
    expect(await endOf(ctx => ctx.hold(value as string))).toMatchObject({ type: 'hold', reason: message })
  })

  it('is reported by the testing kit, also if the test’s own fetch throws it', async () => {
    const run = await runItem(classOf(fail), { input: 1 })
    expect(run).toMatchObject({ status: 'failed', error: { code: 'agent_error', message } })
    const fetching = await runItem(
      classOf(() => fetch('http://service/')),
      { input: 1, fetch: fail },
    )
    expect(fetching).toMatchObject({ status: 'failed', error: { code: 'agent_error', message } })
  })
})

describe('an output that JSON cannot express', () => {
  it.each<[string, () => unknown]>([
    ['throws at toJSON', () => ({ toJSON: evil })],
    ['has a getter that throws', () => withGetter({}, 'a')],
    ['is a Proxy that throws', () => ({ deep: failing({}) })],
    ['is a revoked Proxy', () => ({ deep: revoked() })],
    ['contains itself', UNREAD['an object that contains itself']!],
    ['is endless', endless],
    ['is a bigint', () => 1n],
    ['is a symbol', () => Symbol('s')],
    ['is a function', () => () => 1],
  ])('because it %s ends the item, as a result and of a step', async (_, make) => {
    const value = make()
    const why = (what: string) =>
      expect.stringMatching(new RegExp(`^the output${what} cannot be written as JSON: .`))
    expect(await endOf(() => value)).toMatchObject(ended('agent_error', why('')))
    expect(await endOf(ctx => ctx.step('s', () => value))).toMatchObject(
      ended('step_error', why(' of step "s"')),
    )
  })

  it.each<[string, () => unknown]>([
    ['a Proxy that throws', () => failing({})],
    ['a revoked Proxy', revoked],
    ['an object whose then throws', () => withGetter({}, 'then')],
  ])('because it is %s, which cannot be awaited, ends the item', async (_, make) => {
    const value = make()
    expect(await endOf(() => value)).toMatchObject(ended('agent_error', expect.any(String)))
    expect(await endOf(ctx => ctx.step('s', () => value))).toMatchObject(
      ended('step_error', expect.any(String)),
    )
  })
})
