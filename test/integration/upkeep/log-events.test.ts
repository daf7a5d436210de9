// Log events that no other test causes. Renaming a table for a moment stands for a PostgreSQL that refuses a
// statement.

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { consumeQueue } from '../../../functions/consume.ts'
import { serveDashboard } from '../../../functions/dashboard/index.ts'
import { sessionCookie } from '../../../functions/dashboard/shell/browser-session.ts'
import { endpoints } from '../../../functions/index.ts'
import { answerMetrics } from '../../../functions/metrics.ts'
import { tick } from '../../../functions/tick.ts'
import { listen } from '../../../infra/node/listen.ts'
import { createLauncher } from '../../../infra/runtime/launch.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { Context } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import {
  answerPlatform,
  type PlatformFunction,
  platformBearer,
} from '../../../shared/http/platform-function.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import type { EventName } from '../../../shared/upkeep/rules/log-events.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { startProcess } from '../../support/doubles/process.ts'
import { failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { onCluster } from '../../support/on-cluster.ts'
import { recoveryOrder } from '../../support/recoveries.ts'
import { startSource } from '../../support/source.ts'
import { CHECKOUT } from '../../support/stack.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const gate = () => Promise.withResolvers<void>()

let engine: TestEngine
let key: string
beforeAll(async () => {
  engine = await testEngine()
  key = (await mintKey(engine.ctx, engine.project_id, 'test')).key
  await consume(engine.ctx) // the process finds out whether it works on a cluster, while all tables have their names
})
beforeEach(() => {
  engine.log.length = 0
  engine.play(items => items.map(item => result(item)))
})
afterEach(() => vi.restoreAllMocks())
afterAll(() => engine.close())

const lines = (event: EventName) =>
  engine.log.map(line => JSON.parse(line)).filter(line => line.event === event)

/** Resolves with the first line of the event. */
async function logged(event: EventName) {
  await eventually(() => expect(lines(event)).not.toEqual([]))
  return lines(event)[0]
}

/** Runs `during` while the table has another name. */
async function without(table: string, during: () => Promise<unknown>): Promise<void> {
  const { sql } = engine
  await sql`alter table ${sql(table)} rename to gone`
  await during().finally(() => sql`alter table gone rename to ${sql(table)}`)
}

function ask(path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const app = createApp(endpoints, () => engine.ctx)
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  return Promise.resolve(app.request(path, { headers, ...sent }))
}

async function call(fn: PlatformFunction, ctx: Context = engine.ctx): Promise<Response> {
  const headers = { authorization: `Bearer ${await platformBearer(ctx.config.master_key)}` }
  const request = new Request('http://function.test/', { method: 'POST', headers })
  return answerPlatform(ctx, fn, request, { stop: new AbortController().signal, onWake: () => () => {} })
}

describe('while requests are served', () => {
  it.skipIf(onCluster('callers read views there, which follow a table to another name'))(
    'a request that is answered 500 is logged under its id [log.request_failed]',
    async () => {
      await without('runs', async () => {
        const answer = await ask('/v2/runs')
        expect(answer.status).toBe(500)
        expect(await logged('request_failed')).toMatchObject({
          request_id: answer.headers.get('x-request-id'),
        })
      })
    },
  )

  it('a body that breaks off is logged as such [log.request_broke_off]', async () => {
    const app = createApp(endpoints, () => engine.ctx)
    const listener = await listen({ port: 0, host: '127.0.0.1' }, request => app.fetch(request))
    const socket = connect(listener.port, '127.0.0.1')
    await once(socket, 'connect')
    const head = `POST /v1/batches HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json`
    socket.write(`${head}\r\ncontent-length: 1000\r\n\r\n{"agent_id":`, () => socket.destroy())
    expect(await logged('request_broke_off')).toMatchObject({ level: 'info', path: '/v1/batches' })
    await listener.close()
  })

  it('a page that cannot be rendered is logged with its path [log.page_failed]', async () => {
    const app = createApp(endpoints, () => engine.ctx)
    serveDashboard(app, endpoints, () => engine.ctx)
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const cookie = (await sessionCookie(engine.ctx, engine.ctx.newId(), expires_at)).split(';')[0]!
    await without('sessions', async () => {
      expect((await app.request('/dashboard/runs', { headers: { cookie } })).status).toBe(500)
    })
    expect(await logged('page_failed')).toMatchObject({ level: 'error', path: '/dashboard/runs' })
  })

  it('metrics that cannot be read are logged [log.metrics_failed]', async () => {
    const ctx = { ...engine.ctx, config: { ...engine.ctx.config, metrics_token: 'm' } }
    const request = new Request('http://a/metrics', { headers: { authorization: 'Bearer m' } })
    await without('runs', async () => expect((await answerMetrics(ctx, request)).status).toBe(503))
    expect(await logged('metrics_failed')).toMatchObject({ level: 'warn' })
  })

  it('an entry of the audit log that cannot be written is logged, since its change is already made [log.background_failed]', async () => {
    await without('audit_log', async () => {
      const body = { agent_id: engine.agent_id, items: [{ input: 1 }] }
      expect((await ask('/v1/batches', body)).status).toBe(202)
      await engine.ctx.idle()
    })
    expect(await logged('background_failed')).toMatchObject({ error: expect.stringContaining('audit_log') })
    await consume(engine.ctx)
  })

  it('a failed source of a trigger is logged with its status, and the sender gets source_failed [log.trigger_source_failed]', async () => {
    const source = await startSource(response => response.writeHead(500).end('the export is broken'))
    const made = await ask('/v1/triggers', {
      agent_id: engine.agent_id,
      name: 'nightly',
      source: { url: source.url, format: 'ndjson', item_id: 'id' },
    })
    const { url, secret, id } = await made.json()
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
    const app = createApp(endpoints, () => engine.ctx)
    const fired = await app.request(new URL(url).pathname, { method: 'POST', headers, body: '{}' })
    expect((await fired.json()).error.code).toBe('source_failed')
    expect(await logged('trigger_source_failed')).toMatchObject({
      trigger_id: id,
      project_id: engine.project_id,
      error: expect.stringContaining('500'),
    })
    await source.close()
  })
})

describe('while a consumer works', () => {
  it('an invocation is logged with its counts when it ends, unless it found nothing [log.consumed]', async () => {
    await call(consumeQueue)
    expect(lines('consumed')).toEqual([])
    await engine.submit(3)
    await call(consumeQueue)
    expect(lines('consumed')).toMatchObject([{ level: 'info', claimed: 3, settled: 3 }])
  })

  it('the end of its time is logged when it calls its successor [log.handed_over]', async () => {
    const notified = vi.fn()
    const config = { ...engine.ctx.config, consume_ms: LIMITS.yield_before_end_ms } // its time is over when it begins
    await call(consumeQueue, { ...engine.ctx, config, notify: notified })
    expect(await logged('handed_over')).toMatchObject({ level: 'info' })
    expect(notified).toHaveBeenCalled()
  })

  it('an invocation that fails is logged [log.consume_failed]', async () => {
    const join = () => Promise.reject(new Error('another master key'))
    expect((await call(consumeQueue, { ...engine.ctx, join })).status).toBe(500)
    expect(await logged('consume_failed')).toMatchObject({
      error: expect.stringContaining('another master key'),
    })
  })

  it('a failed poll is logged, and the next poll finds the items [log.look_failed]', async () => {
    await engine.submit(1)
    let consuming: Promise<unknown> | undefined
    await without('due_items', () => {
      consuming = consume(engine.ctx)
      return logged('look_failed')
    })
    expect(await consuming).toMatchObject({ settled: 1 })
  })

  it('a run that cannot be claimed from is logged by its id [log.turn_failed]', async () => {
    const run_id = await engine.submit(1)
    let consuming: Promise<unknown> | undefined
    await without('prices', async () => {
      consuming = consume(engine.ctx)
      expect(await logged('turn_failed')).toMatchObject({ run_id })
    })
    expect(await consuming).toMatchObject({ settled: 1 })
  })

  it('leases that cannot be extended are logged, and so are those that expired or were lost [log.heartbeat_failed, log.lease_expired, log.lease_lost]', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const [asked, answer] = [gate(), gate()]
      engine.play(async function* (items) {
        asked.resolve()
        await answer.promise
        for (const item of items) yield result(item)
      })
      const run_id = await engine.submit(1)
      const consuming = consume(engine.ctx)
      await asked.promise
      await without('claims', () => {
        vi.advanceTimersByTime(LIMITS.heartbeat_ms)
        return logged('heartbeat_failed')
      })
      await engine.expireLeases()
      await sweep(engine.ctx)
      expect(await logged('lease_expired')).toMatchObject({ run_id, items: 1 })
      vi.advanceTimersByTime(LIMITS.heartbeat_ms)
      expect(await logged('lease_lost')).toMatchObject({ run_id, claim_id: expect.any(Number) })
      answer.resolve()
      await engine.skipBackoff()
      await consuming
    } finally {
      vi.useRealTimers()
    }
    await consume(engine.ctx)
  })

  it('lines of an agent that record nothing are logged once for their request [log.agent_lines_passed_over]', async () => {
    engine.play(items => [
      { type: 'print', text: 'loading' } as never,
      { ...result(items[0]!), seq: 99 },
      result(items[0]!),
    ])
    const run_id = await engine.submit(1)
    await consume(engine.ctx)
    const first = '{"type":"print","text":"loading"}'
    expect(await logged('agent_lines_passed_over')).toMatchObject({ run_id, lines: 2, first })
  })

  it('a backlog that cannot be counted is logged [log.backlog_failed]', async () => {
    const [asked, answer] = [gate(), gate()]
    engine.play(async function* (items) {
      asked.resolve()
      await answer.promise
      for (const item of items) yield result(item)
    })
    await engine.submit(1)
    const working = call(consumeQueue)
    await asked.promise
    await without('accounts', () => logged('backlog_failed'))
    answer.resolve()
    await working
  })
})

describe('while the tick works', () => {
  it('each call is logged with its sweeps and what it did [log.tick]', async () => {
    await call(tick)
    expect(await logged('tick')).toMatchObject({ level: 'info', sweeps: 1, done: expect.any(Number) })
  })

  it('a call that fails is logged [log.tick_failed]', async () => {
    const join = () => Promise.reject(new Error('another master key'))
    expect((await call(tick, { ...engine.ctx, join })).status).toBe(500)
    expect(await logged('tick_failed')).toMatchObject({
      error: expect.stringContaining('another master key'),
    })
  })

  it('a day of budgets that cannot begin is logged by its project [log.spend_day_failed]', async () => {
    const { sql, project_id } = engine
    await sql`update projects set settings = settings || '{"timezone": "Mars/Olympus"}' where id = ${project_id}`
    await sql`
      update project_usage set spend_day = '2026-01-01', spend_day_ends_at = now() where project_id = ${project_id}`
    await sweep(engine.ctx)
    expect(await logged('spend_day_failed')).toMatchObject({ level: 'error', project_id })
    await sql`update projects set settings = settings - 'timezone' where id = ${project_id}`
    await sweep(engine.ctx)
  })

  it('a recovery that cannot continue is logged by its id [log.recovery_failed]', async () => {
    engine.play(items => items.map(item => failure(item, 'tool_call_error')))
    await engine.submit(2)
    await consume(engine.ctx)
    const recovery_id = await startRecovery(engine.ctx, recoveryOrder(engine))
    await consume(engine.ctx)
    await without('replays', () => sweep(engine.ctx))
    expect(await logged('recovery_failed')).toMatchObject({ level: 'warn', recovery_id })
  })
})

describe('while a process starts or ends', () => {
  const settings = () => ({
    DATABASE_URL: engine.urls.databaseUrl,
    REDIS_URL: engine.urls.redisUrl,
    ASSAY_MASTER_KEY: engine.ctx.config.master_key,
    HOST: '127.0.0.1',
    PORT: '0',
    ASSAY_PARTS: 'api',
  })
  /** Runs a process until its log contains `until`, or to its end; returns the exit code and the lines, all JSON. */
  async function written(args: string[], env: Record<string, string>, until = '') {
    const process = startProcess(['node', ...args], env)
    const all = () => process.log().trimEnd().split('\n')
    if (until !== '') {
      await eventually(() => expect(process.log()).toContain(until))
      process.child.kill('SIGTERM')
    }
    const code = await process.ended
    return { code, lines: all().map(line => JSON.parse(line)) }
  }
  const SERVER = join(CHECKOUT, 'infra/node/main.ts')

  it('all it writes is JSON from its first line on: an unknown setting, the hold of the installation, readiness [log.unknown_setting, log.held, log.ready]', async () => {
    await engine.sql`update installation set held_since = now()`
    const env = { ...settings(), ASSAY_TRUSTED_PROXY: '10.0.0.0/8' }
    const { lines } = await written([SERVER], env, '"ready"')
    await engine.sql`update installation set held_since = null`
    // `ready` goes to standard output, which may be read out of order with standard error.
    expect(lines.toSorted((one, other) => (one.event < other.event ? -1 : 1))).toMatchObject([
      { level: 'warn', event: 'held', mend: 'assay admin go-on' },
      { level: 'info', event: 'ready', unit: 'api', url: expect.stringContaining('http://127.0.0.1:') },
      { level: 'warn', event: 'unknown_setting', meant: 'ASSAY_TRUSTED_PROXIES' },
    ])
  })

  it('lines of level info are on standard output, all others on standard error, where platforms look for errors', async () => {
    const env = { ...settings(), ASSAY_TRUSTED_PROXY: '10.0.0.0/8' }
    const process = startProcess(['node', SERVER], env)
    const levels = { stdout: new Set<string>(), stderr: new Set<string>() }
    for (const name of ['stdout', 'stderr'] as const)
      createInterface(process.child[name]!).on('line', line => levels[name].add(JSON.parse(line).level))
    await eventually(() => expect(process.log()).toContain('"ready"'))
    await fetch(`${/"url":"([^"]+)"/.exec(process.log())![1]}/health`)
    await eventually(() => expect(process.log()).toContain('"event":"request"'))
    process.child.kill('SIGTERM')
    await process.ended
    expect([[...levels.stdout], [...levels.stderr]]).toEqual([['info'], ['warn']])
  })

  it('a start that fails for an unknown reason is logged in one line with a stack [log.start_failed]', async () => {
    await without('installation', async () => {
      const { code, lines } = await written([SERVER], settings())
      expect(code).toBe(1)
      expect(lines).toMatchObject([
        { event: 'start_failed', error: expect.stringMatching(/installation.*\n/) },
      ])
    })
  })

  it('an uncaught error is logged in one line and ends the process [log.crashed]', async () => {
    const stop = join(CHECKOUT, 'infra/node/stop.ts')
    const program = `import { endOnCrash } from '${stop}'; endOnCrash(); setTimeout(() => { throw new Error('cut') })`
    const { code, lines } = await written(['--input-type=module', '-e', program], {})
    expect(code).toBe(70)
    expect(lines).toMatchObject([{ level: 'error', event: 'crashed', error: expect.stringContaining('cut') }])
  })

  it('agents that have to run as root are logged with the reason [log.agents_run_as_root]', async () => {
    const folder = await tempFolder()
    const binary = join(folder.path, 'workerd')
    await writeFile(binary, '', { mode: 0o700 })
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    vi.spyOn(process, 'getuid').mockReturnValue(0)
    createLauncher({ binary })
    expect(JSON.parse(String(printed.mock.calls[0]![0]))).toMatchObject({
      event: 'agents_run_as_root',
      why: `other users cannot reach ${binary}`,
    })
    await folder.remove()
  })
})
