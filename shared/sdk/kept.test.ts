// What a step returns: the same at the first attempt and at every later one, or an error that names what cannot be kept.

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { runItem } from '../testing/run-item.ts'
import { scripted } from '../testing/scripted.ts'
import { agent } from './agent.ts'
import type { AgentOptions } from './agent-options.ts'
import type { Context } from './context.ts'
import { kept, outputJson } from './kept.ts'
import { revived } from './revived.ts'

type Read = Record<string, unknown>

/** A value at first, and as a later attempt reads it from what was recorded. */
function bothOf(value: unknown): [first: unknown, later: unknown] {
  const { text, value: first } = kept(value, 'the output')
  return [first, text === undefined ? undefined : revived(JSON.parse(text))]
}

function sameOf(value: unknown): Read {
  const [first, later] = bothOf(value)
  expect(Object.getOwnPropertyDescriptors(Object(later))).toEqual(
    Object.getOwnPropertyDescriptors(Object(first)),
  )
  return first as Read
}

class Answer {
  a = 1
  parts: { type: string; text: string }[]
  readonly #hidden = 'billing'
  constructor(text: string) {
    this.parts = [{ type: 'text', text }]
  }
  get hidden() {
    return this.#hidden
  }
  get text() {
    return this.parts.map(part => part.text).join('')
  }
  get first() {
    return this.parts[0]
  }
  get copies() {
    return this.parts.filter(part => part.type === 'text')
  }
  get fails(): string {
    throw new Error('there is none')
  }
  get nothing() {
    return undefined
  }
  toFormatted() {
    return `${this.text}!`
  }
}

describe('an answer of a class', () => {
  it('keeps its getters at first and later', () => {
    const read = sameOf(new Answer('a label'))
    expect([read.a, read.hidden, read.text, read.first, read.copies]).toEqual([
      1,
      'billing',
      'a label',
      { type: 'text', text: 'a label' },
      [{ type: 'text', text: 'a label' }],
    ])
    expect(read.nothing).toBeUndefined()
    expect(read.fails).toBeUndefined()
    expect(read.toFormatted).toBeUndefined()
  })

  it('has the JSON of its data alone, and gives it to copies', () => {
    const read = sameOf(new Answer('a label'))
    const data = { a: 1, parts: [{ type: 'text', text: 'a label' }] }
    expect(JSON.stringify(read)).toBe(JSON.stringify(data))
    expect({ ...read }).toEqual(data)
  })

  it('writes what its getters return of its data once', () => {
    const text = 'x'.repeat(10_000)
    const { text: written } = kept(new Answer(text), 'the output')
    expect(written!.length).toBeLessThan(10_400)
    const read = revived(JSON.parse(written!)) as Read
    expect(read.text).toBe(text)
    expect(read.first).toBe((read.parts as unknown[])[0])
  })

  it('keeps getters of what is inside of it, of its parents, and in lists', () => {
    class Step extends Answer {
      get last() {
        return this.parts.at(-1)
      }
    }
    class Result {
      steps = [new Step('one'), new Step('two')]
      get final() {
        return this.steps.at(-1)
      }
      get made() {
        return { again: this.steps[0], fresh: new Step('three') }
      }
    }
    const read = sameOf({ all: [new Result()] }) as { all: Result[] }
    const [result] = read.all
    expect(result!.steps.map(step => step.text)).toEqual(['one', 'two'])
    expect(result!.final).toBe(result!.steps[1])
    expect(result!.made.again).toBe(result!.steps[0])
    expect(result!.made.fresh.last).toEqual({ type: 'text', text: 'three' })
  })

  it('keeps what a client wrote on it without listing it', () => {
    const answer = Object.defineProperty({ id: 'c1' }, '_request_id', { value: 'req_1' })
    const read = sameOf(answer)
    expect(read._request_id).toBe('req_1')
    expect(Object.keys(read)).toEqual(['id'])
  })

  it('says so where a part is read that was not kept', () => {
    class WithState {
      text = 'billing'
      db = new Map()
      steps = [{ ask() {}, more: { cache: new Set() } }]
      get runner() {
        return new Response('x')
      }
    }
    const read = bothOf(new WithState())[1] as WithState
    expect(read.text).toBe('billing')
    expect(() => read.db).toThrow('"db" was not kept with the answer: a Map; return an object')
    expect(() => read.steps[0]!.ask).toThrow('"ask" was not kept with the answer: a function')
    expect(() => read.steps[0]!.more.cache).toThrow('"cache" was not kept with the answer: a Set')
    expect(() => read.runner).toThrow('"runner" was not kept with the answer: a Response')
  })

  it('has no part of a getter that returns a promise, whose failure ends nothing', async () => {
    class Lazy {
      id = 1
      get text() {
        return Promise.reject(new Error('no key'))
      }
      get parts() {
        return [Promise.reject(new Error('no key'))]
      }
    }
    const failures: unknown[] = []
    const note = (error: unknown) => failures.push(error)
    process.on('unhandledRejection', note)
    try {
      for (const read of bothOf(new Lazy()) as Read[])
        expect(() => read.text).toThrow('"text" was not kept with the answer: a Promise that nobody awaited')
      expect(() => kept({ text: Promise.reject(new Error('no key')) }, 'x')).toThrow('text is a Promise')
      await new Promise(resolve => setImmediate(resolve))
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(failures).toEqual([])
  })

  it('is looked into once, however deep instances are in instances', () => {
    let reads = 0
    class Link {
      next: Link | undefined
      get double() {
        return 2
      }
      get after() {
        return this.next
      }
    }
    const chain = (length: number) => {
      let link = new Link()
      for (let i = 0; i < length; i++) link = Object.assign(new Link(), { next: link })
      return link
    }
    const keys = vi.spyOn(Object, 'keys').mockImplementation(value => {
      reads++
      return Reflect.ownKeys(value).filter(
        name => typeof name === 'string' && Object.prototype.propertyIsEnumerable.call(value, name),
      ) as string[]
    })
    const readsOf = (length: number) => {
      reads = 0
      kept(chain(length), 'x')
      return reads
    }
    try {
      expect(readsOf(200)).toBeLessThan(3 * readsOf(100))
    } finally {
      keys.mockRestore()
    }
    const read = sameOf(chain(50)) as { next: unknown; after: unknown }
    expect(read.after).toBe(read.next)
  })

  it('is what its toJSON makes of it, also where that is the same again', () => {
    class Same {
      a = 1
      toJSON() {
        return this
      }
    }
    class Other {
      a = 1
      toJSON() {
        return new Other()
      }
    }
    class Back {
      b = 1
      toJSON(): object {
        return new Forth(this)
      }
    }
    class Forth {
      back: unknown
      constructor(back: unknown) {
        this.back = back
      }
      toJSON() {
        return new Back()
      }
    }
    for (const [value, data] of [
      [new Same(), { a: 1 }],
      [new Other(), { a: 1 }],
      [new Back(), { b: 1 }],
      [
        {
          a: 1,
          toJSON() {
            return this
          },
        },
        { a: 1 },
      ],
      [{ toJSON: () => new Date(0) }, '1970-01-01T00:00:00.000Z'],
    ] as [unknown, unknown][]) {
      expect(kept(value, 'x').value).toEqual(data)
      expect(outputJson(value, 'x')).toBe(JSON.stringify(data))
    }
  })

  it('may give itself a name', () => {
    class Money {
      amount = 5
      readonly #unit = 'EUR'
      get unit() {
        return this.#unit
      }
      get [Symbol.toStringTag]() {
        return 'Money'
      }
    }
    expect(sameOf(new Money())).toMatchObject({ amount: 5, unit: 'EUR' })
    expect(sameOf({ amount: 5, [Symbol.toStringTag]: 'Money' })).toEqual({ amount: 5 })
    class Index extends Map {
      name = 'x'
      override get [Symbol.toStringTag]() {
        return 'Index'
      }
    }
    expect(() => kept(new Index(), 'x')).toThrow('it is a Map')
  })

  it('does not make a prototype of what it has', () => {
    const read = sameOf(JSON.parse('{"__proto__":{"a":1},"$getters":{"__proto__":{"b":1},"constructor":2}}'))
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
    expect((read as { b?: unknown }).b).toBeUndefined()
  })
})

it.each<[string, unknown, unknown]>([
  ['a date', { d: new Date(0) }, { d: '1970-01-01T00:00:00.000Z' }],
  ['a date that is none', { d: new Date('x') }, { d: null }],
  ['numbers that JSON has not', { n: Number.NaN, i: Infinity, z: -0 }, { n: null, i: null, z: 0 }],
  [
    'a list of numbers',
    { e: new Float32Array([0.5, 0.25]), i: new Int16Array([-1]) },
    { e: [0.5, 0.25], i: [-1] },
  ],
  ['a URL', { u: new URL('http://a/b') }, { u: 'http://a/b' }],
  [
    'an error',
    { error: Object.assign(new TypeError('boom'), { code: 'E1' }) },
    { error: { name: 'TypeError', message: 'boom', code: 'E1' } },
  ],
  [
    'what was settled',
    [{ status: 'rejected', reason: new Error('no') }],
    [{ status: 'rejected', reason: { name: 'Error', message: 'no' } }],
  ],
  ['a value with its own JSON', { price: { toJSON: () => '1.50' } }, { price: '1.50' }],
  ['properties that are undefined', { a: undefined, b: 1 }, { b: 1 }],
  ['half a character and NUL', { t: 'a\ud800b\u0000' }, { t: 'a\ud800b\u0000' }],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ['a boxed text', { t: new String('a') }, { t: 'a' }],
  ['null', null, null],
  ['nothing', undefined, undefined],
])('%s is the same at first and later', (_, value, expected) => {
  const [first, later] = bothOf(value)
  expect(later).toEqual(first)
  expect(first).toEqual(expected)
})

it('any JSON is the same at first and later, and is what it was', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), value => {
      const [first, later] = bothOf(value)
      expect(later).toEqual(first)
      expect(JSON.stringify(first)).toBe(JSON.stringify(value))
    }),
  )
})

const CANNOT: Record<string, [make: () => unknown, message: string]> = {
  'a Map': [
    () => ({ facts: { m: new Map() } }),
    'facts.m is a Map; return an object, Object.fromEntries(map)',
  ],
  'a Set in a list': [() => ({ rows: [{ s: new Set() }] }), 'rows[0].s is a Set; return a list, [...set]'],
  'a Response': [() => new Response('x'), 'it is a Response; return what it holds, await response.json()'],
  'a Response in a list': [() => [new Response('x')], '[0] is a Response; return what it holds'],
  'a function': [() => ({ text: () => 'x' }), 'text is a function, which does not outlast its attempt'],
  'a symbol': [() => ({ s: Symbol('s') }), 's is a symbol'],
  'a bigint': [() => ({ n: 10n }), 'n is a bigint; return its text, String(value)'],
  'a promise': [() => ({ p: Promise.resolve(1) }), 'p is a Promise that nobody awaited; await it'],
  'an expression': [() => ({ r: /x/ }), 'r is a RegExp; return its source'],
  'a buffer': [() => ({ b: Buffer.from('hello') }), 'b is a Uint8Array, which are bytes; return their text'],
  bytes: [() => ({ b: new Uint8Array(2).buffer }), 'b is an ArrayBuffer, which are bytes'],
  headers: [() => ({ h: new Headers() }), 'h is a Headers; return an object'],
  'a stream': [() => ({ s: new ReadableStream() }), 's is a ReadableStream; read it to its end'],
  'a generator': [() => ({ g: (function* () {})() }), 'g is a Generator; return a list'],
  'a weak map': [() => ({ w: new WeakMap() }), 'w is a WeakMap, which JSON has no form for'],
  'a cycle': [
    () => {
      const a: Read = {}
      a.b = { a }
      return a
    },
    'b.a is a part of itself',
  ],
  'a getter that throws': [
    () => ({
      get a() {
        throw new Error('evil')
      },
    }),
    'evil',
  ],
}

describe.each(Object.entries(CANNOT))('%s', (_, [make, message]) => {
  it('cannot be kept, and the error names it and the way out', () => {
    expect(() => kept(make(), 'the output of step "s"')).toThrow(
      `the output of step "s" cannot be written as JSON: ${message}`,
    )
  })

  it('cannot be an output', () => {
    expect(() => outputJson(make(), 'the output')).toThrow(`the output cannot be written as JSON: ${message}`)
  })
})

it('an instance without data cannot be kept', () => {
  class Connection {
    #socket = 1
    query() {
      return this.#socket
    }
  }
  expect(() => kept({ db: new Connection() }, 'the output')).toThrow(
    'db is an instance of Connection without any data',
  )
})

it.each<[string, () => unknown, string]>([
  [
    'an Error',
    () => ({ a: { error: new Error('boom') } }),
    'a.error is an Error; throw it, or return its message',
  ],
  [
    'a Map of an instance',
    () => ({
      i: new (class {
        m = new Map()
      })(),
    }),
    'i.m is a Map',
  ],
])('%s cannot be an output', (_, make, message) => {
  expect(() => outputJson(make(), 'the output')).toThrow(`the output cannot be written as JSON: ${message}`)
})

it('an output of a class is its data', () => {
  class Point {
    x = 1
    move = () => {}
    get sum() {
      return 2
    }
  }
  expect(outputJson(new Point(), 'the output')).toBe('{"x":1}')
  expect(outputJson({ d: new Date(0), u: undefined, n: Number.NaN }, 'the output')).toBe(
    '{"d":"1970-01-01T00:00:00.000Z","n":null}',
  )
})

it('what a later attempt finds without a secret has none at first', async () => {
  vi.stubEnv('CRM_API_KEY', 'k-1234567890-abcdef')
  vi.resetModules()
  const fresh = await import('./kept.ts')
  const { text, value } = fresh.kept({ url: 'https://crm/?key=k-1234567890-abcdef' }, 'the output')
  vi.unstubAllEnvs()
  expect(value).toEqual({ url: 'https://crm/?key=[secret CRM_API_KEY]' })
  expect(revived(JSON.parse(text!))).toEqual(value)
})

function agentOf(run: (ctx: Context) => unknown, options: Partial<AgentOptions> = {}) {
  class Test {
    run(ctx: Context) {
      return run(ctx)
    }
  }
  agent({ name: 'test', ...options })(Test, { kind: 'class', name: 'Test' } as never)
  return Test
}

describe('data with the names of our own marks', () => {
  class Holder {
    a = [{ b: 'c' }]
    get marks() {
      return { $at: ['a'], $lost: 'x', $getters: { b: 1 }, $$at: 1 }
    }
  }
  it.each<[string, unknown]>([
    ['getters', { a: 1, $getters: { b: 2 } }],
    ['what is lost', JSON.parse('{"answer":"a","$getters":{"then":{"$lost":"boo"}}}')],
    ['inside', { items: [{ id: 1, $getters: { x: 1 } }] }],
    ['no object', { $getters: null, $at: ['x'], $lost: 'x' }],
    ['escaped already', { $getters: 1, $$getters: 2, $$$getters: 3, $: 4, $$at: 5 }],
  ])('stay data: %s', async (_, value) => {
    expect(await sameOf(value)).toEqual(value)
    expect(Object.keys(sameOf(value)).sort()).toEqual(Object.keys(Object(value)).sort())
    expect(outputJson(value, 'x')).toBe(JSON.stringify(value))
  })

  it('stay data inside of an answer and of its getters', () => {
    const holder = Object.assign(new Holder(), {
      $at: [{ $getters: 'a text that is long enough to be written once, as its place alone'.repeat(2) }],
    })
    Object.defineProperty(Object.getPrototypeOf(holder), 'place', {
      get: () => holder.$at[0],
      configurable: true,
    })
    const read = sameOf(holder)
    expect(read.marks).toEqual({ $at: ['a'], $lost: 'x', $getters: { b: 1 }, $$at: 1 })
    expect(read.place).toBe((read.$at as unknown[])[0])
  })
})

describe('in a test of an agent', () => {
  it.each<[string, (ctx: Context, fn: () => unknown) => Promise<unknown>]>([
    ['step', (ctx, fn) => ctx.step('s', fn)],
    ['tool', (ctx, fn) => ctx.tool('s', {}, fn)],
    ['llm', (ctx, fn) => ctx.llm('s', {}, fn)],
  ])('ctx.%s returns the same at both attempts', async (_, call) => {
    const read: unknown[] = []
    const Agent = agentOf(
      async ctx => {
        const answer = (await call(ctx, () => new Answer('a label'))) as Answer
        read.push([answer, answer.text, answer.hidden])
        if (ctx.item.attempt === 1) throw new Error('once more')
        return answer.text
      },
      { retries: 1 },
    )
    expect(await runItem(Agent, { input: 1 })).toMatchObject({ status: 'completed', output: 'a label' })
    expect(read[1]).toEqual(read[0])
  })

  it('a step that returns nothing returns nothing later', async () => {
    const Agent = agentOf(
      async ctx => {
        const [nothing, none] = [await ctx.step('a', () => undefined), await ctx.step('b', () => null)]
        if (ctx.item.attempt === 1) throw new Error('once more')
        return { nothing: nothing === undefined, none: none === null }
      },
      { retries: 1 },
    )
    expect(await runItem(Agent, { input: 1 })).toMatchObject({ output: { nothing: true, none: true } })
  })

  it('an answer that cannot be kept fails the agent’s step, at once, and costs what it costs', async () => {
    const Agent = agentOf(
      ctx =>
        ctx.llm('ask', { model: 'gpt-4o' }, async () => {
          const response = await fetch('https://api.openai.com/v1/chat/completions', { method: 'POST' })
          return { answer: await response.json(), headers: response.headers }
        }),
      { retries: 3 },
    )
    const result = await runItem(Agent, { input: 1, model: scripted(['billing']) })
    expect(result).toMatchObject({
      attempts: 1,
      error: {
        code: 'step_error',
        message: expect.stringContaining('headers is a Headers; return an object'),
      },
      outcome: { reason: 'step_error' },
    })
    expect(result.cost.output_tokens).toBeGreaterThan(0)
  })

  it('what cannot be kept fails the first attempt', async () => {
    const Agent = agentOf(ctx => ctx.tool('read', {}, () => ({ m: new Map() })))
    expect(await runItem(Agent, { input: 1 })).toMatchObject({
      status: 'failed',
      error: {
        code: 'tool_call_error',
        message:
          'the output of step "read" cannot be written as JSON: m is a Map; return an object, Object.fromEntries(map)',
      },
    })
  })
})
