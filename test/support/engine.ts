// The engine on a database of the test's own, with an agent whose behaviour the test writes as a generator of
// protocol lines. Everything between submit and settle is real; only the agent is played.

import { setTimeout } from 'node:timers/promises'
import { type Connections, openConnections } from '../../infra/node/connections.ts'
import { createContext, type NodeContext } from '../../infra/node/context.ts'
import { createOutside } from '../../infra/node/reach.ts'
import type { AgentTarget, InvokeAgent } from '../../shared/agents/rules/invoke-agent.ts'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import type { ItemKey, RunKey } from '../../shared/kernel/ids.ts'
import type { AgentDeclaration, AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'
import type { NewItem } from '../../shared/submission/rules/chunks.ts'
import { type RunOrder, submitRun } from '../../shared/submission/verbs/submit.ts'
import { stopClock } from './clock.ts'
import { testDatabase, testRedis } from './stores.ts'

export { conservation } from './conservation.ts'

/** What the agent answers to one request; it may throw, and it may never end. */
export type Script = (
  items: ItemLine[],
  at: { target: AgentTarget; signal: AbortSignal },
) => AsyncIterable<AgentLine> | Iterable<AgentLine>

export interface TestEngine {
  ctx: NodeContext
  sql: NodeContext['sql']
  /** URLs of its stores. */
  urls: { databaseUrl: string; redisUrl: string }
  project_id: string
  agent_id: string
  /** Requests the agent got, in order. */
  requests: ItemLine[][]
  log: string[]
  /** Changes what the agent does from now on. */
  play(script: Script): void
  /** Another context on the same stores, as another process would have. */
  other(script: Script): NodeContext
  /** Another process: a context on the same stores, with connections of its own. */
  apart(): NodeContext
  /** Makes another agent of the project, with a deployment; returns its id. */
  agent(slug: string): Promise<string>
  /** Deploys a new version of every agent. */
  deploy(declaration?: Partial<AgentDeclaration>): Promise<void>
  submit(items: Partial<NewItem>[] | number, order?: Partial<RunOrder>): Promise<string>
  /** The key of a run's rows, and that of an item's. */
  key(runId: string): RunKey
  item(runId: string, seq: number): ItemKey
  run(runId: string): Promise<Record<string, unknown>>
  items(runId: string): Promise<Record<string, string>[]>
  /** Makes all leases expire, as if their holder had died half a minute ago. */
  expireLeases(): Promise<void>
  /** Makes all items that wait for a retry due. */
  skipBackoff(): Promise<void>
  close(): Promise<void>
}

export const result = (item: ItemLine, output: unknown = { ok: true }): AgentLine => ({
  type: 'result',
  seq: item.seq,
  attempt: item.attempt,
  output,
})

export const step = (item: ItemLine, key: string, more: object = {}): AgentLine => ({
  type: 'step',
  seq: item.seq,
  attempt: item.attempt,
  step: {
    key,
    kind: 'step',
    name: key,
    output: { of: key },
    started_at: '2026-01-01T00:00:00Z',
    duration_ms: 1,
    ...more,
  },
})

export const failure = (item: ItemLine, code: string, message = 'it went wrong'): AgentLine => ({
  type: 'error',
  seq: item.seq,
  attempt: item.attempt,
  error: { code, message },
})

/** A model call that costs a cent: 1,000,000 input tokens at the price the test project sets. */
export const centStep = (item: ItemLine, key: string, cents = 1, model = 'test-model'): AgentLine =>
  step(item, key, {
    kind: 'llm_call',
    name: model,
    output: 'an answer',
    usage: { model, input_tokens: cents * 1_000_000, output_tokens: 0 },
  })

export interface TestEngineOptions {
  /** The time at which the database's clock stands until `setClock` sets it. */
  clock?: string
  /** Returns the URL to connect to instead of the database's own. */
  through?: (databaseUrl: string) => string | Promise<string>
}

export async function testEngine(options: TestEngineOptions = {}): Promise<TestEngine> {
  const [database, redis] = await Promise.all([testDatabase(), testRedis()])
  if (options.clock !== undefined) await stopClock(database.url, options.clock)
  const databaseUrl = (await options.through?.(database.url)) ?? database.url
  const connections = openConnections({ databaseUrl, redisUrl: redis.url })
  const log: string[] = []
  const requests: ItemLine[][] = []
  const apart: Connections[] = []
  let script: Script = items => items.map(item => result(item))
  const invoker =
    (played: () => Script): InvokeAgent =>
    async (target, request) => {
      const items = request.body
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as ItemLine)
      requests.push(items)
      return {
        status: 200,
        contentType: 'application/x-ndjson',
        body: encode(played()(items, { target, signal: request.signal }), request.signal),
      }
    }
  const contextOn = (on: Connections, played: () => Script) =>
    createContext({
      connections: on,
      config: { base_url: 'http://127.0.0.1', master_key: '11'.repeat(32) },
      invokeAgent: invoker(played),
      ...createOutside(['127.0.0.0/8']),
      writeLog: line => log.push(line),
    })
  const ctx = contextOn(connections, () => script)
  const { sql } = ctx
  const [account_id, project_id, agent_id] = [ctx.newId(), ctx.newId(), ctx.newId()]
  await sql`insert into accounts ${sql({ id: account_id, name: 'test' })}`
  await sql`insert into projects ${sql({ id: project_id, account_id, name: 'test' })}`
  await sql`insert into project_usage ${sql({ project_id })}`
  const price = { model: 'test-model', input_per_mtok: 0.01, output_per_mtok: 0.01 }
  await sql`insert into prices ${sql({ id: ctx.newId(), project_id, effective_from: new Date(0), ...price })}`
  await sql`insert into agents ${sql({ id: agent_id, project_id, name: 'played', slug: 'played' })}`

  const engine: TestEngine = {
    ctx,
    sql,
    urls: { databaseUrl, redisUrl: redis.url },
    project_id,
    agent_id,
    requests,
    log,
    play: next => (script = next),
    other: played => contextOn(connections, () => played),
    apart() {
      const own = openConnections({ databaseUrl, redisUrl: redis.url })
      apart.push(own)
      return contextOn(own, () => script)
    },
    async agent(slug) {
      const id = ctx.newId()
      await sql`insert into agents ${sql({ id, project_id, name: slug, slug })}`
      await engine.deploy()
      return id
    },
    async deploy(declaration = {}) {
      const json = sql.json({ name: 'played', ...declaration } as never)
      for (const { id: agent_id } of await sql`select id from agents where project_id = ${project_id}`) {
        const id = ctx.newId()
        await sql`insert into deployments (id, project_id, agent_id, version, kind, url, agent_host, declaration)
          select ${id}, ${project_id}, ${agent_id}, count(*) + 1, 'url', 'http://played', 'http://played', ${json} from deployments
          where agent_id = ${agent_id}`
        await sql`update agents set current_deployment_id = ${id} where id = ${agent_id}`
      }
    },
    async submit(given, order = {}) {
      const list = typeof given === 'number' ? Array.from({ length: given }, () => ({})) : given
      const items = list.map((item, i) => ({
        line: i + 1,
        item_id: `item-${i + 1}`,
        partition_key: null,
        input: `{"n":${i + 1}}`,
        ...item,
      }))
      const whole = {
        project_id,
        agent_id,
        name: null,
        budget_cents: null,
        concurrency: null,
        timeout_seconds: null,
        callback_url: null,
        idempotency: null,
        ...order,
      }
      return (await submitRun(ctx, whole, batches(items))).run_id
    },
    key: run_id => ({ project_id, run_id }),
    item: (run_id, seq) => ({ project_id, run_id, seq }),
    async run(runId) {
      const [row] = await sql`select * from runs where id = ${runId}`
      return row!
    },
    async items(runId) {
      return sql<Record<string, string>[]>`select * from items where run_id = ${runId} order by seq`
    },
    async expireLeases() {
      await sql`update claims set lease_until = now() - interval '5 seconds'`
    },
    async skipBackoff() {
      await sql`update due_items set due_at = now() - interval '1 second'`
    },
    async close() {
      await ctx.idle()
      await Promise.all([connections, ...apart].map(one => one.close()))
      await Promise.all([database.drop(), redis.drop()])
    },
  }
  await engine.deploy()
  return engine
}

async function* batches(items: NewItem[]): AsyncGenerator<NewItem[]> {
  for (let i = 0; i < items.length; i += 500) yield items.slice(i, i + 500)
}

async function* encode(lines: AsyncIterable<AgentLine> | Iterable<AgentLine>, signal: AbortSignal) {
  const encoder = new TextEncoder()
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  )
  aborted.catch(() => {})
  const iterator = Symbol.asyncIterator in lines ? lines[Symbol.asyncIterator]() : lines[Symbol.iterator]()
  for (;;) {
    const next = await Promise.race([Promise.resolve(iterator.next()), aborted])
    if (next.done) return
    yield encoder.encode(`${JSON.stringify(next.value)}\n`)
  }
}

/** Consumes until nothing is in flight and an item waits for its next attempt, or until all have ended. */
export async function consumeToBackoff({ ctx, sql }: TestEngine): Promise<void> {
  const stop = new AbortController()
  let isOver = false
  const consuming = consume(ctx, { stop: stop.signal }).finally(() => {
    isOver = true
  })
  const waiting = () =>
    sql`select from due_items where due_at > now() and not exists (select from claims) limit 1`
  while (!isOver && (await waiting()).length === 0) await Promise.race([consuming, setTimeout(20)])
  stop.abort()
  await consuming
}
