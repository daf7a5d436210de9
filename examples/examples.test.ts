import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AGENT_COMPATIBILITY_DATE } from '../infra/runtime/workerd-config.ts'
import { bundleAgent } from '../shared/cli/bundle.ts'
import type { AgentLine } from '../shared/protocol/rules/protocol.ts'
import { runItem, scripted } from '../shared/testing/index.ts'
import { startModelServer } from './model-server/server.ts'
import { startFunction } from './plain-http/server.ts'

type Fetch = (request: Request) => Promise<Response>

let model: Awaited<ReturnType<typeof startModelServer>>
let folder: string
beforeAll(async () => {
  model = await startModelServer({ port: 0 })
  folder = await mkdtemp(join(tmpdir(), 'assay-examples-'))
})
afterAll(async () => {
  await model.close()
  await rm(folder, { recursive: true })
})

async function rows(path: string): Promise<unknown[]> {
  const text = await readFile(new URL(path, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

async function linesFor(fetch: Fetch, inputs: unknown[]): Promise<AgentLine[]> {
  const body = inputs.map((input, seq) => JSON.stringify({ seq, attempt: 1, input })).join('\n')
  const response = await fetch(new Request('http://agent/', { method: 'POST', body }))
  return (await response.text())
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

function environment(): Record<string, string> {
  return {
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_API_KEY: 'none',
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'none',
  }
}

async function inNode(example: string): Promise<Fetch> {
  const { code } = await bundleAgent(join(import.meta.dirname, example, 'agent.ts'))
  const path = join(folder, `${example}.mjs`)
  await writeFile(path, code)
  Object.assign(process.env, environment())
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)).default.fetch
}

async function inWorkerd(example: string): Promise<{ fetch: Fetch; close(): Promise<void> }> {
  const { code } = await bundleAgent(join(import.meta.dirname, example, 'agent.ts'))
  const host = new Miniflare({
    modules: [{ type: 'ESModule', path: 'agent.mjs', contents: code }],
    compatibilityDate: AGENT_COMPATIBILITY_DATE,
    compatibilityFlags: ['nodejs_compat'],
    bindings: environment(),
  })
  return {
    fetch: async request =>
      (await host.dispatchFetch(request.url, { method: 'POST', body: await request.text() })) as never,
    close: () => host.dispose(),
  }
}

const count = (lines: AgentLine[], wanted: (line: AgentLine) => boolean) => lines.filter(wanted).length

function expectTriage(lines: AgentLine[], items: number): void {
  const finals = lines.filter(line => 'seq' in line && line.type !== 'step')
  expect(new Set(finals.map(line => line.seq)).size).toBe(items)
  expect(finals).toHaveLength(items)
  const answered = finals.flatMap(line =>
    line.type === 'result' ? [line.output as { category: string }] : [],
  )
  expect(answered.length).toBeGreaterThan(items * 0.75)
  expect(answered[0]).toMatchObject({
    category: 'card_delivery',
    reply: expect.stringContaining('seven working days'),
  })
}

describe('ticket-triage', () => {
  it('shows every kind of ending over its sample', async () => {
    const inputs = await rows('ticket-triage/tickets.jsonl')
    const lines = await linesFor(await inNode('ticket-triage'), inputs)
    const bySeq = lines.toSorted((a, b) => ('seq' in a ? a.seq : 0) - ('seq' in b ? b.seq : 0))
    expectTriage(bySeq, inputs.length)
    expect(count(lines, line => line.type === 'hold')).toBeGreaterThan(0)
    expect(count(lines, line => line.type === 'result' && line.degraded !== undefined)).toBeGreaterThan(0)
    expect(count(lines, line => line.type === 'error' && line.error.code === 'invalid_input')).toBe(1)
    expect(
      count(lines, line => line.type === 'error' && line.error.code === 'llm_call_error'),
    ).toBeGreaterThan(1)
    const unsorted = (line: AgentLine) =>
      line.type === 'result' && (line.output as { category: string }).category === 'unsorted'
    expect(count(lines, unsorted)).toBeGreaterThan(2)
    expect(count(lines, line => line.type === 'result' && line.schema_error !== undefined)).toBe(0)
  })

  it('runs in workerd, its client finding the model through the deployment’s environment', async () => {
    const host = await inWorkerd('ticket-triage')
    try {
      const inputs = (await rows('ticket-triage/tickets.jsonl')).slice(0, 20)
      const lines = await linesFor(host.fetch, inputs)
      const bySeq = lines.toSorted((a, b) => ('seq' in a ? a.seq : 0) - ('seq' in b ? b.seq : 0))
      expectTriage(bySeq, inputs.length)
    } finally {
      await host.close()
    }
  })
})

describe('summarize-anthropic', () => {
  it('summarises its documents, a long one piece by piece', async () => {
    const fetch = await inNode('summarize-anthropic')
    const documents = await rows('summarize-anthropic/documents.jsonl')
    const lines = await linesFor(fetch, documents)
    const good = (line: AgentLine) => line.type === 'result' && line.schema_error === undefined
    expect(count(lines, good)).toBeGreaterThan(4)
    expect(lines.find(line => line.type === 'result' && line.seq === 7)).toMatchObject({
      output: { summary: '' },
    })

    const long = { text: 'The pump in hall four was replaced. '.repeat(500) }
    const steps = (await linesFor(fetch, [long])).flatMap(line =>
      line.type === 'step' ? [line.step.key] : [],
    )
    expect(steps).toEqual(['summarize', 'summarize#2', 'summarize#3', 'summarize#4'])
  })

  it('runs in workerd', async () => {
    const host = await inWorkerd('summarize-anthropic')
    try {
      const [line] = (
        await linesFor(host.fetch, (await rows('summarize-anthropic/documents.jsonl')).slice(0, 1))
      ).slice(-1)
      expect(line).toMatchObject({
        type: 'result',
        output: { summary: expect.stringContaining('pipe'), pieces: 1 },
      })
    } finally {
      await host.close()
    }
  })
})

describe('the agent of the README', () => {
  let own: string
  beforeAll(async () => {
    const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
    const [source] = /^\/\/ classify\.ts\n[\s\S]*?(?=^```)/m.exec(readme)!
    // Below the packages that it imports, as in a project.
    const built = join(import.meta.dirname, '../dist')
    await mkdir(built, { recursive: true })
    own = await mkdtemp(join(built, 'readme-'))
    await writeFile(join(own, 'classify.ts'), source)
  })
  afterAll(() => rm(own, { recursive: true }))
  const input = { id: '1', text: 'Where is my parcel?' }

  it.each([
    ['refusal', { refusal: 'I cannot help with that.' }],
    ['truncated', { text: '{"label": "deli', finish: 'length' as const }],
    ['empty_output', ''],
  ])('is degraded, not failed: %s', async (reason, answer) => {
    const { default: Classify } = await import(/* @vite-ignore */ join(own, 'classify.ts'))
    expect(await runItem(Classify, { input, model: scripted([answer]) })).toMatchObject({
      status: 'completed',
      outcome: { status: 'degraded', reason },
    })
    const model = scripted([{ json: { label: 'delivery' } }])
    expect(await runItem(Classify, { input, model })).toMatchObject({ outcome: { status: 'ok' } })
  })
})

describe('feed-digest', () => {
  const entry = (title: string, hoursAgo: number) => ({
    title,
    content_text: `${title} is described here at some length.`,
    date_published: new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
  })

  it('reads the last day on its schedule, what a sender says on its trigger, and tells when nothing is new', async () => {
    const items = [entry('The new pump', 2), entry('The old pump', 40)]
    const feed = createServer((_, response) => response.end(JSON.stringify({ items })))
    await once(feed.listen(0, '127.0.0.1'), 'listening')
    process.env.FEED_URL = `http://127.0.0.1:${(feed.address() as { port: number }).port}/`
    try {
      const { declaration } = await bundleAgent(join(import.meta.dirname, 'feed-digest', 'agent.ts'))
      expect(declaration).toMatchObject({
        schedules: [{ cron: '30 7 * * 1-5', timezone: 'Europe/Berlin' }],
        triggers: [{ name: 'published', secret_env: 'DIGEST_SECRET' }],
      })
      const inputs = [declaration.schedule_input, { hours: 48, event: 'published' }, { hours: 1 }]
      const lines = await linesFor(await inNode('feed-digest'), inputs)
      const outputs = inputs.map((_, seq) =>
        lines.flatMap(line => (line.type === 'result' && line.seq === seq ? [line.output] : [])),
      )
      expect(outputs).toMatchObject([
        [{ entries: 1, digest: expect.stringMatching(/./) }],
        [{ entries: 2 }],
        [{ entries: 0, digest: 'Nothing new.' }],
      ])
    } finally {
      feed.closeAllConnections()
      feed.close()
    }
  })

  it('loads in workerd, which has to know its zone', async () => {
    const host = await inWorkerd('feed-digest')
    try {
      expect(await linesFor(host.fetch, [{ hours: 0 }])).toMatchObject([
        { type: 'error', error: { code: 'invalid_input' } },
      ])
    } finally {
      await host.close()
    }
  })
})

describe('plain-http', () => {
  it('answers a JSON input with JSON, and names what is wrong with another', async () => {
    const { url, close } = await startFunction({ port: 0 })
    try {
      const inputs = await rows('plain-http/texts.jsonl')
      const answers = await Promise.all(
        inputs.map(input => fetch(url, { method: 'POST', body: JSON.stringify(input) })),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 400])
      const bodies = await Promise.all(answers.slice(0, 5).map(answer => answer.json()))
      expect(bodies.map(body => (body as { language: string }).language)).toEqual([
        'en',
        'de',
        'fr',
        'es',
        null,
      ])
    } finally {
      await close()
    }
  })
})

it.each(['model-server', 'plain-http', 'nightly-export'])(
  'the server of %s says in one line that its port is taken',
  async example => {
    const program = join(import.meta.dirname, example, 'server.ts')
    const { host, port } = new URL(model.url)
    await expect(promisify(execFile)(process.execPath, [program, '--port', port])).rejects.toMatchObject({
      code: 1,
      stderr: `listen EADDRINUSE: address already in use ${host}; --port 0 takes any free port\n`,
    })
  },
)

describe('model-server', () => {
  const ask = async (text: string, more: object = {}) => {
    const body = JSON.stringify({
      model: 'assay-demo-small',
      messages: [{ role: 'user', content: text }],
      ...more,
    })
    const response = await fetch(`${model.url}/v1/chat/completions`, { method: 'POST', body })
    return { status: response.status, text: await response.text() }
  }

  it('gives the same text the same answer', async () => {
    const first = await ask('My transfer to Norway has not arrived')
    expect(first).toEqual(await ask('My transfer to Norway has not arrived'))
    expect(JSON.parse(first.text)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: { prompt_tokens: 17 },
    })
  })

  it('fills the schema it is given', async () => {
    const schema = {
      type: 'object',
      properties: {
        category: { enum: ['top_up', 'refund', 'nonsense'] },
        confidence: { type: 'number' },
        tags: { type: 'array', items: { enum: ['a', 'b'] } },
        count: { type: 'integer', minimum: 3, maximum: 5 },
        kind: { const: 'ticket' },
      },
    }
    const { text } = await ask('The shop still owes me a refund for the shoes', {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    })
    const filled = JSON.parse(JSON.parse(text).choices[0].message.content)
    expect(filled).toMatchObject({
      category: 'refund',
      kind: 'ticket',
      tags: [expect.stringMatching(/^[ab]$/)],
    })
    expect(filled.confidence).toBeGreaterThan(0.4)
    expect([3, 4]).toContain(filled.count)
  })

  it('fails, refuses and cuts off at its stated rates, and answers a retry', async () => {
    const seen: Record<string, number> = {}
    for (let n = 0; n < 1000; n += 50) {
      const batch = Array.from({ length: 50 }, (_, index) => `message number ${n + index} about a card`)
      for (const [index, { status, text }] of (await Promise.all(batch.map(text => ask(text)))).entries()) {
        const choice = status === 200 ? JSON.parse(text).choices[0] : undefined
        const refused = choice?.message.content.startsWith("I'm sorry")
        const kind =
          choice === undefined
            ? String(status)
            : refused
              ? 'refusal'
              : choice.message.content && choice.finish_reason
        seen[kind || 'empty'] = (seen[kind || 'empty'] ?? 0) + 1
        if (status === 429) expect((await ask(batch[index]!)).status).toBe(200)
      }
    }
    expect(Object.keys(seen).sort()).toEqual(['429', '500', 'empty', 'length', 'refusal', 'stop'])
    expect(seen.stop).toBeGreaterThan(910)
    expect(seen.stop).toBeLessThan(950)
  })
})
