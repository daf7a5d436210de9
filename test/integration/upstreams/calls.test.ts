// What an agent's process sees of the calls that its items make, by real clients over real connections, and what it reports.

import http, { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type {
  AgentLine,
  ClosedUpstream,
  ItemError,
  ItemLine,
} from '../../../shared/protocol/rules/protocol.ts'
import { UPSTREAM_KEY_HEADER, UPSTREAMS_HEADER } from '../../../shared/protocol/rules/protocol.ts'
import { agent } from '../../../shared/sdk/agent.ts'
import type { AgentOptions } from '../../../shared/sdk/agent-options.ts'
import type { Context } from '../../../shared/sdk/context.ts'
import { serve } from '../../../shared/sdk/serve.ts'
import { credentialHash } from '../../../shared/upstreams/verbs/upstream-keys.ts'
import { eventually } from '../../support/eventually.ts'

type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void

let server: ReturnType<typeof createServer>
let url: string
let host: string
/** Calls that arrived, by path. */
let calls: string[]
let answer: Answer
/** A key of its own for each test: what a process knows, it knows by project. */
let key: string
let tests = 0

beforeEach(async () => {
  calls = []
  key = (++tests).toString(16).padStart(64, '0')
  server = createServer((request, response) => {
    calls.push(request.url!)
    request.resume().on('end', () => answer(request, response, calls.length))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  host = new URL(url).host
})
afterEach(() => {
  server.closeAllConnections()
  return new Promise(resolve => server.close(resolve))
})

const good = {
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'yes' } }],
}
const says =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }
const errorOf = (message: string, more = {}) => ({ error: { message, ...more } })

type Run = (ctx: Context, input: never) => unknown

async function linesFor(
  run: Run,
  item: Partial<ItemLine> = {},
  {
    options = {},
    closed = [] as ClosedUpstream[],
  }: { options?: Partial<AgentOptions>; closed?: ClosedUpstream[] } = {},
): Promise<AgentLine[]> {
  class Agent {
    run(ctx: Context, input: never) {
      return run(ctx, input)
    }
  }
  agent({ name: 'test', ...options })(Agent as never, { kind: 'class', name: 'Agent' } as never)
  const request = new Request('http://agent/', {
    method: 'POST',
    body: JSON.stringify({ seq: 1, attempt: 1, ...item }),
    headers: {
      'assay-run': 'run-1',
      [UPSTREAM_KEY_HEADER]: key,
      ...(closed.length > 0 && { [UPSTREAMS_HEADER]: JSON.stringify(closed) }),
    },
  })
  const response = await serve(Agent as never)(request)
  const text = await response.text()
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}

const MESSAGES = [{ role: 'user' as const, content: 'Is it?' }]
/** The agent of the README, with a client that tries again by itself. */
const asks =
  (name = 'ask'): Run =>
  ctx => {
    const client = new OpenAI({ apiKey: 'sk-test-123456', baseURL: `${url}/v1`, maxRetries: 2 })
    return ctx.llm(name, { model: 'gpt-5-mini', messages: MESSAGES }, request =>
      client.chat.completions.create(request, { signal: ctx.signal }),
    )
  }
const posts = (path: string, more: RequestInit = {}) =>
  fetch(`${url}${path}`, { method: 'POST', body: '{}', ...more }).then(async response => {
    if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    return response.json()
  })

const errorIn = (lines: AgentLine[]): ItemError => {
  expect(lines.map(({ type }) => type)).toEqual(['error'])
  return (lines[0] as { error: ItemError }).error
}

describe('a model call that is refused', () => {
  it.each<[string, Answer, number, object]>([
    ['503', says(503, errorOf('The engine is currently overloaded')), 1, { fault: 'overloaded' }],
    ['529', says(529, errorOf('Overloaded', { type: 'overloaded_error' })), 1, { fault: 'rate' }],
    [
      '429 with a moment',
      says(429, errorOf('Rate limit reached'), { 'retry-after': '7' }),
      1,
      { fault: 'rate' },
    ],
    [
      'an empty credit',
      says(429, errorOf('You exceeded your current quota', { code: 'insufficient_quota' })),
      1,
      { fault: 'quota' },
    ],
    [
      '401',
      says(401, errorOf('Incorrect API key provided', { code: 'invalid_api_key' })),
      1,
      { fault: 'refused' },
    ],
    ['500', says(500, errorOf('The server had an error')), 1, { fault: 'overloaded' }],
    [
      '504',
      says(504, '<html>504 Gateway Time-out</html>', { 'content-type': 'text/html' }),
      1,
      { fault: 'cut' },
    ],
    ['a reset', request => request.socket.destroy(), 1, { fault: 'cut' }],
  ])(
    '%s: is made once, is no step, and is reported with what the provider said',
    async (_, how, sent, report) => {
      answer = how
      const error = errorIn(await linesFor(asks()))
      expect(calls).toHaveLength(sent)
      expect(error.code).toBe('llm_call_error')
      expect(error.upstream).toMatchObject({
        host,
        key: credentialHash(key, 'sk-test-123456'),
        model: 'gpt-5-mini',
        ...report,
      })
    },
  )

  it('names its moment and its status', async () => {
    answer = says(429, errorOf('Rate limit reached'), { 'retry-after-ms': '1500' })
    expect(errorIn(await linesFor(asks()))).toMatchObject({
      status: 429,
      retry_after_ms: 1500,
      message: expect.stringContaining('Rate limit reached'),
    })
  })

  it('because nobody listens is reported as not sent', async () => {
    await new Promise(resolve => server.close(resolve))
    const error = errorIn(await linesFor(asks()))
    expect(error.upstream).toMatchObject({ host, fault: 'away' })
    expect(error.status).toBeUndefined()
    server = createServer()
    await new Promise<void>(resolve => server.listen(0, resolve))
  })

  it('for what it asks is the agent’s own error, as before', async () => {
    answer = says(400, errorOf('maximum context length exceeded', { code: 'context_length_exceeded' }))
    const lines = await linesFor(asks())
    expect(lines.map(({ type }) => type)).toEqual(['step', 'error'])
    expect((lines[1] as { error: ItemError }).error).toMatchObject({
      code: 'llm_call_error',
      retryable: false,
    })
    expect((lines[1] as { error: ItemError }).error.upstream).toBeUndefined()
  })

  it('does not keep what ran beside it from being recorded', async () => {
    answer = (request, response) =>
      request.url === '/slow'
        ? setTimeout(() => says(200, { slow: true })(request, response, 0), 50)
        : says(503, errorOf('overloaded'))(request, response, 0)
    const lines = await linesFor(async ctx => {
      const slow = ctx.tool('slow', {}, () => posts('/slow'))
      await asks()(ctx, null as never)
      return slow
    })
    expect(lines.map(line => (line.type === 'step' ? line.step.name : line.type))).toEqual(['slow', 'error'])
  })

  it('cannot be passed by code that catches it: the next call does not leave', async () => {
    answer = says(503, errorOf('overloaded'))
    const error = errorIn(
      await linesFor(async ctx => {
        await Promise.resolve(asks('first')(ctx, null as never)).catch(() => {})
        return Promise.resolve(asks('second')(ctx, null as never)).catch(() => 'passed')
      }),
    )
    expect(error.upstream).toMatchObject({ fault: 'overloaded' })
    expect(calls).toHaveLength(1)
  })
})

describe('an agent with a fallback', () => {
  const falls: Run = async ctx => {
    const call = (path: string, apiKey = 'sk-test-123456') =>
      new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }).post(path, {
        body: { model: 'm', messages: MESSAGES },
      })
    try {
      return await ctx.llm('first', {}, () => call('/first'), { wait: false })
    } catch {
      return ctx.llm('second', {}, () => call('/second', 'sk-other-123456'))
    }
  }
  it('gets the refusal at once, and its item goes on', async () => {
    answer = (request, response) =>
      request.url === '/v1/first'
        ? says(503, errorOf('down'))(request, response, 0)
        : says(200, good)(request, response, 0)
    const lines = await linesFor(falls)
    expect(lines.map(({ type }) => type)).toEqual(['step', 'step', 'result'])
    expect((lines[0] as { step: { upstream?: object } }).step.upstream).toMatchObject({
      host,
      fault: 'away',
    })
  })

  it('is answered for an upstream that is closed without a call', async () => {
    answer = says(200, good)
    const closed: ClosedUpstream[] = [
      { host, key: credentialHash(key, 'sk-test-123456'), fault: 'away', words: 'down since noon' },
    ]
    const lines = await linesFor(falls, {}, { closed, options: { wait: false } })
    expect(calls).toEqual(['/v1/second'])
    expect(JSON.stringify(lines[0])).toContain('down since noon')
  })
})

describe('an upstream that is closed', () => {
  const closed = (): ClosedUpstream[] => [
    { host, key: credentialHash(key, 'sk-test-123456'), fault: 'quota', words: 'no credit' },
  ]
  it('is not called', async () => {
    const error = errorIn(await linesFor(asks(), {}, { closed: closed() }))
    expect(error.upstream).toMatchObject({ called: false, fault: 'quota' })
    expect(calls).toEqual([])
  })

  it('is called by an item that probes, whose step says where it was served', async () => {
    answer = says(200, good)
    const lines = await linesFor(asks(), { probe: true }, { closed: closed() })
    expect(lines.map(({ type }) => type)).toEqual(['step', 'result'])
    expect((lines[0] as { step: { upstream?: object } }).step.upstream).toMatchObject({
      host,
      key: credentialHash(key, 'sk-test-123456'),
    })
  })

  it('of another credential is nobody else’s', async () => {
    answer = says(200, good)
    const other = [{ host, key: '0'.repeat(32), fault: 'quota' as const, words: 'no credit' }]
    expect((await linesFor(asks(), {}, { closed: other })).at(-1)!.type).toBe('result')
  })

  it('is called no more once three items were refused and none was served', async () => {
    answer = says(401, errorOf('Incorrect API key'))
    const reports = []
    for (let seq = 1; seq <= 5; seq++) reports.push(errorIn(await linesFor(asks(), { seq })).upstream)
    expect(reports.map(report => (report as { closed?: boolean }).closed)).toEqual([
      false,
      false,
      true,
      undefined,
      undefined,
    ])
    expect(calls).toHaveLength(3)
  })
})

describe('a tool', () => {
  it('whose POST is answered 503 gets that answer, and is sent once', async () => {
    answer = says(503, 'try later')
    const lines = await linesFor(ctx => ctx.tool('book', {}, () => posts('/book')))
    expect(lines.map(({ type }) => type)).toEqual(['step', 'error'])
    expect((lines[1] as { error: ItemError }).error).toMatchObject({ code: 'tool_call_error' })
    expect((lines[1] as { error: ItemError }).error.upstream).toBeUndefined()
    expect(calls).toEqual(['/book'])
  })

  it('that is told to slow down makes its item wait', async () => {
    answer = says(429, 'slow down', { 'retry-after': '3' })
    const error = errorIn(await linesFor(ctx => ctx.tool('search', {}, () => posts('/search'))))
    expect(error).toMatchObject({ retry_after_ms: 3000, upstream: { host, fault: 'rate' } })
  })

  it('that has sent something before is not run again by itself', async () => {
    answer = (request, response) => says(request.url === '/pay' ? 200 : 429, {})(request, response, 0)
    const lines = await linesFor(ctx =>
      ctx.tool('pay and tell', {}, async () => {
        await posts('/pay')
        return posts('/tell')
      }),
    )
    expect(lines.map(({ type }) => type)).toEqual(['step', 'error'])
    expect((lines[1] as { error: ItemError }).error.upstream).toBeUndefined()
  })
})

it.for([
  ['within its step', 10],
  ['after it', 400],
] as const)('a client that tries again by itself %s calls nobody, and is reported', async ([, pause_ms]) => {
  answer = says(503, errorOf('The engine is currently overloaded'))
  let tried = 0
  const run: Run = ctx =>
    ctx.llm('retries', { model: 'm' }, async () => {
      for (;;) {
        tried++
        const body = JSON.stringify({ model: 'm' })
        const response = await fetch(`${url}/v1/retries`, { method: 'POST', body }).catch(() => undefined)
        if (response?.ok) return response.json()
        if (tried === 2) throw new Error('gave up')
        await new Promise(resolve => setTimeout(resolve, pause_ms))
      }
    })
  errorIn(await linesFor(run))
  await eventually(async () => expect(tried).toBe(2))
  expect(calls).toHaveLength(1)
  answer = says(200, { choices: [] })
  const [step] = await linesFor(run, { probe: true })
  expect(step).toMatchObject({ type: 'step', step: { upstream: { client_retries: true } } })
  const [later] = await linesFor(run, { probe: true })
  expect(later).toMatchObject({ type: 'step', step: { upstream: { host: expect.any(String) } } })
  expect(JSON.stringify(later)).not.toContain('client_retries')
})

it('a step that calls another model after a refusal is no client that tries again', async () => {
  answer = says(503, errorOf('The engine is currently overloaded'))
  const asking = (model: string) =>
    fetch(`${url}/v1/other`, { method: 'POST', body: JSON.stringify({ model }) })
  const run: Run = ctx =>
    ctx.llm(
      'fallback',
      { model: 'first' },
      async () => {
        await asking('first')
        const response = await asking('second')
        if (!response.ok) throw new Error('both refused')
        return response.json()
      },
      { wait: false },
    )
  const lines = await linesFor(run)
  expect(JSON.stringify(lines)).not.toContain('client_retries')
})

it('a stream that breaks is a cut of its call', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(
      `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content: 'ye' } }] })}\n\n`,
    )
    setTimeout(() => response.destroy(), 20)
  }
  const error = errorIn(
    await linesFor(ctx => {
      const client = new OpenAI({ apiKey: 'sk-test-123456', baseURL: `${url}/v1`, maxRetries: 2 })
      return ctx.llm('ask', { model: 'm', messages: MESSAGES, stream: true as const }, request =>
        client.chat.completions.create(request),
      )
    }),
  )
  expect(error.upstream).toMatchObject({ fault: 'cut' })
  expect(calls).toHaveLength(1)
})

it('an error inside a stream is classed by its words', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}\n\n`,
    )
  }
  const error = errorIn(
    await linesFor(ctx =>
      ctx.llm('ask', {}, async () => {
        const response = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{"model":"claude-x"}' })
        const text = await response.text()
        throw new Error(text)
      }),
    ),
  )
  expect(error.upstream).toMatchObject({ host, model: 'claude-x' })
})

it('a call whose answer does not begin in the declared time is a cut', async () => {
  answer = () => {}
  const error = errorIn(await linesFor(asks(), {}, { options: { firstByteSeconds: 1 } }))
  expect(error.upstream).toMatchObject({ host, fault: 'cut' })
  expect(calls).toHaveLength(1)
})

it('an item that the caller gives up blames nobody', async () => {
  answer = () => {}
  const lines = await linesFor(ctx => {
    const given_up = AbortSignal.timeout(50)
    return ctx.llm('ask', {}, () => fetch(`${url}/v1/x`, { method: 'POST', body: '{}', signal: given_up }))
  })
  expect((lines.at(-1) as { error: ItemError }).error.upstream).toBeUndefined()
})

it('an answer that prints an error body is a good answer', async () => {
  const content = JSON.stringify({ error: { code: 402, message: 'insufficient_quota' } })
  const printed = {
    ...good,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  }
  answer = says(200, printed)
  const lines = await linesFor(asks())
  expect(lines.map(({ type }) => type)).toEqual(['step', 'result'])
})

it('where no key comes with the request nothing is watched', async () => {
  answer = says(503, errorOf('overloaded'))
  key = ''
  const lines = await linesFor(ctx => ctx.llm('ask', {}, () => posts('/v1/x')))
  expect(lines.map(({ type }) => type)).toEqual(['step', 'error'])
})

describe('a call that an agent makes with node:http', () => {
  const byHttp = (path: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: 'Bearer sk-test-123456', 'content-type': 'application/json' }
      const request = http.request(`${url}${path}`, { method: 'POST', headers }, response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', piece => (text += piece))
        response.on('end', () =>
          response.statusCode! < 400
            ? resolve(JSON.parse(text))
            : reject(new Error(`answered ${response.statusCode}`)),
        )
      })
      request.once('error', reject)
      request.end('{"model":"m"}')
    })

  it.each([
    [503, {}, 'away'],
    [429, { 'retry-after': '3' }, 'rate'],
    [401, {}, 'refused'],
  ] as const)('and that is answered %i makes its item wait', async (status, headers, fault) => {
    answer = says(status, errorOf('no'), headers)
    const error = errorIn(await linesFor(ctx => ctx.llm('ask', {}, () => byHttp('/v1/x'))))
    expect(error).toMatchObject({
      status,
      upstream: { host, key: credentialHash(key, 'sk-test-123456'), fault },
    })
  })

  it('and that nobody takes makes its item wait', async () => {
    const closed = url
    await new Promise(resolve => server.close(resolve))
    const lines = await linesFor(ctx => ctx.llm('ask', {}, () => byHttp('/v1/x')))
    server = createServer()
    await new Promise<void>(resolve => server.listen(0, resolve))
    expect(errorIn(lines).upstream).toMatchObject({ host: new URL(closed).host, fault: 'away' })
  })

  it('in a tool, and that is answered 503, is the agent’s to handle', async () => {
    answer = says(503, 'try later')
    const lines = await linesFor(ctx => ctx.tool('book', {}, () => byHttp('/book')))
    expect(lines.map(({ type }) => type)).toEqual(['step', 'error'])
  })

  it('and that goes well says so for a probe', async () => {
    answer = says(200, good)
    const lines = await linesFor(ctx => ctx.llm('ask', {}, () => byHttp('/v1/x')), { probe: true })
    await new Promise(resolve => setImmediate(resolve))
    expect(lines.at(-1)!.type).toBe('result')
    expect((lines[0] as { step: { upstream?: object } }).step.upstream).toMatchObject({ host })
  })
})

describe('what an agent does beside its calls', () => {
  it('and that fails, such as sending a trace, keeps no answer from being recorded', async () => {
    answer = says(200, good)
    const lines = await linesFor(ctx =>
      ctx.llm('ask', {}, async () => {
        const traced = fetch('http://127.0.0.1:59999/trace', { method: 'POST', body: '{}' }).catch(() => {})
        const answered = await posts('/v1/x')
        await traced
        return answered
      }),
    )
    expect(lines.map(({ type }) => type)).toEqual(['step', 'result'])
  })

  it('outside of its steps is its own', async () => {
    const lines = await linesFor(async () => {
      await fetch('http://127.0.0.1:59999/cache').catch(() => {})
      return 'worked'
    })
    expect(lines.map(({ type }) => type)).toEqual(['result'])
  })

  it('in a tool that is given its host by its input closes nothing', async () => {
    const error = errorIn(
      await linesFor(ctx =>
        ctx.tool('crawl', {}, () => fetch('http://127.0.0.1:59999/').then(one => one.text())),
      ),
    )
    expect(error.upstream).toMatchObject({ host: '127.0.0.1:59999', fault: 'away', closed: false })
  })

  it('with a response (a look at its body, a clone, an early end) stays possible', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('data: {"x":1}\n\ndata: [DONE]\n\n')
    }
    const lines = await linesFor(ctx =>
      ctx.llm('ask', {}, async () => {
        const response = await fetch(`${url}/v1/x`, { method: 'POST', body: '{}' })
        if (!response.body) throw new Error('no body')
        const twin = response.clone()
        return [await response.text(), await twin.text()]
      }),
    )
    expect(lines.map(({ type }) => type)).toEqual(['step', 'result'])
  })

  it('by giving up while it reads blames nobody', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"x":1}\n\n')
    }
    const lines = await linesFor(ctx =>
      ctx.llm('ask', {}, async () => {
        const signal = AbortSignal.timeout(50)
        const response = await fetch(new Request(`${url}/v1/x`, { method: 'POST', body: '{}', signal }))
        return response.text()
      }),
    )
    expect((lines.at(-1) as { error: ItemError }).error.upstream).toBeUndefined()
  })
})
