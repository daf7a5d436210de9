// Addresses that bear a secret: viewers read them masked, the database and its backups hold them sealed, and what they are
// for still works.

import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keptUrl, wholeUrl } from '../../shared/accounts/verbs/kept-url.ts'
import { addAlertChannel } from '../../shared/alerts/verbs/alerts.ts'
import { alertChannelOf } from '../../shared/alerts/wire/alerts.ts'
import { consume } from '../../shared/consumer/verbs/consume.ts'
import { SEALED, shownUrl } from '../../shared/kernel/shown-url.ts'
import { keptSource } from '../../shared/sources/verbs/kept-source.ts'
import { sourceOf } from '../../shared/sources/wire/sources.ts'
import { readQueue } from '../../shared/upkeep/verbs/queue.ts'
import { watchForAlerts } from '../../shared/upkeep/verbs/watch-alerts.ts'
import { findProjectLimits } from '../../shared/upstreams/queries/upstream-limits.ts'
import { agentHost, namedHost } from '../../shared/upstreams/rules/upstream.ts'
import { changeLimits } from '../../shared/upstreams/verbs/set-limits.ts'
import { type TestEngine, testEngine } from '../support/engine.ts'

const SLACK = 'https://hooks.slack.com/services/T0123ABCD/B0123ABCD/abcDEF123ghiJKL456mnoPQR'

describe('an address is shown', () => {
  it.each([
    [SLACK, 'https://hooks.slack.com/services/…/…/…'],
    [
      'https://discord.com/api/webhooks/1234567890123/aB-cD_eF123456789012345678',
      'https://discord.com/api/webhooks/…/…',
    ],
    [
      'https://x.webhook.office.com/webhookb2/0b5c3f7e-1b2a-4c3d-9e8f-0a1b2c3d4e5f@tenant/IncomingWebhook/abcdef0123456789',
      'https://x.webhook.office.com/…/…/IncomingWebhook/…',
    ],
    [
      'https://api.telegram.org/bot123456:AAFabcdefghijklmnop/sendMessage',
      'https://api.telegram.org/…/sendMessage',
    ],
    ['https://me:secret@host.example/callback', 'https://…@host.example/callback'],
    ['https://host.example/callback?token=short', 'https://host.example/callback?token=…'],
    [
      'https://host.example/callback?format=csv&sig=aBc%2B1',
      'https://host.example/callback?format=csv&sig=…',
    ],
    ['https://host.example/export?key={date}', 'https://host.example/export?key={date}'],
    ['https://host.example/x?a1b2c3d4e5f6', 'https://host.example/x?…'],
    ['https://host.example/k9x2-p4q7-r8s1', 'https://host.example/…'],
    ['https://host.example/cb#token=abc', 'https://host.example/cb'],
  ])('%s as %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown)
    expect(shownUrl(shown)).toBe(shown)
    expect(shownUrl(`${shown}${SEALED}a.b`)).toBe(shown)
  })

  it.each([
    'https://example.com',
    'http://127.0.0.1:8123/callback',
    'https://example.com/v1/runs/callback.php?format=csv&day={date}&page=2',
    'https://example.com/night-shift/results_latest.csv',
    'mailto:ops@example.com',
  ])('%s as it is', url => expect(shownUrl(url)).toBe(url))
})

describe('the address of an agent', () => {
  const SECRET = 'k9x2-p4q7-r8s1-t5u6'
  const url = `https://me:${SECRET}x@agents.example:8443/hooks/${SECRET}?code=${SECRET}y`
  let engine: TestEngine
  beforeAll(async () => {
    engine = await testEngine()
    await engine.deploy()
    await engine.sql`update deployments set url = ${url}, agent_host = ${agentHost(url)}`
  })
  afterAll(() => engine.close())

  it('is named without what may be a secret, each address by another name', () => {
    expect(agentHost(url)).toMatch(/^https:\/\/\*@agents\.example:8443\/hooks\/\*~[0-9a-f]{4}$/)
    expect(agentHost(agentHost(url))).toBe(agentHost(url))
    expect(agentHost(`https://agents.example/${SECRET}`)).not.toBe(
      agentHost(`https://agents.example/${SECRET}0`),
    )
    expect(agentHost('https://agents.example/function/classify?x=1')).toBe(
      'https://agents.example/function/classify',
    )
  })

  it('is in nothing that is stored or logged about it when it is away and repeats its path', async () => {
    const { ctx, sql } = engine
    const logged: unknown[] = []
    const body = `Cannot POST /hooks/${SECRET}?code=${SECRET}y`
    const own: typeof ctx = {
      ...ctx,
      log: (...line) => void logged.push(line),
      invokeAgent: () =>
        Promise.resolve({ status: 503, contentType: 'text/plain', body: Readable.from([Buffer.from(body)]) }),
    }
    await engine.submit(5)
    await consume(own)
    await watchForAlerts(own)
    const [found] = await sql`select host, words from upstreams`
    expect(found).toMatchObject({
      host: agentHost(url),
      words: expect.stringContaining('Cannot POST /hooks/…'),
    })
    const tables = await sql<{ name: string }[]>`
      select table_name as name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'deployments'`
    for (const { name } of tables) {
      const [row] = await sql.unsafe(
        `select count(*)::int as n from ${name} t where t::text like '%${SECRET}%'`,
      )
      expect([name, row!.n]).toEqual([name, 0])
    }
    expect(JSON.stringify(logged)).not.toContain(SECRET)
    expect(JSON.stringify(await readQueue(ctx, engine.project_id))).not.toContain(SECRET)
  })

  it('is what a limit is set for, by its URL or its name, in other words', async () => {
    const { ctx, sql, project_id } = engine
    for (const host of [url.split('?')[0]!, agentHost(url)])
      await changeLimits(ctx, { project_id, host: namedHost(host), label: '' }, { in_flight: 3 })
    expect(await sql`select host from upstream_limits`).toEqual([{ host: agentHost(url) }])
    const [limit] = await findProjectLimits(sql, [project_id])
    expect(limit!.deployments).toHaveLength(2)
  })
})

describe('an address is stored', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await testEngine()
  })
  afterAll(() => engine.close())

  it('sealed for its project alone, and equal ones as equal texts', async () => {
    const { ctx, project_id } = engine
    const kept = await keptUrl(ctx, project_id, SLACK)
    expect(kept).toMatch(/^https:\/\/hooks\.slack\.com\/services\/…\/…\/…#sealed=/)
    expect(kept).not.toContain('abcDEF')
    expect(await keptUrl(ctx, project_id, SLACK)).toBe(kept)
    expect(await wholeUrl(ctx, project_id, kept)).toBe(SLACK)
    const other = ctx.newId()
    expect(await keptUrl(ctx, other, SLACK)).not.toBe(kept)
    await expect(wholeUrl(ctx, other, kept)).rejects.toThrow(/cannot be decrypted/)
  })

  it('once: stored again, and sent back as it was shown, it stays', async () => {
    const { ctx, project_id } = engine
    const kept = await keptUrl(ctx, project_id, SLACK)
    expect(await keptUrl(ctx, project_id, kept)).toBe(kept)
    expect(await keptUrl(ctx, project_id, shownUrl(SLACK), kept)).toBe(kept)
    await expect(keptUrl(ctx, project_id, shownUrl(SLACK))).rejects.toMatchObject({ code: 'invalid_request' })
  })

  it('whole, if a caller gave it the look of a stored one', async () => {
    const { ctx, project_id } = engine
    const mine = await keptUrl(ctx, project_id, SLACK)
    const elsewhere = `https://evil.example/x${mine.slice(mine.indexOf(SEALED))}`
    for (const url of [elsewhere, `https://host.example/cb${SEALED}a.b`]) {
      const kept = await keptUrl(ctx, project_id, url)
      expect(await wholeUrl(ctx, project_id, kept)).toBe(url)
    }
  })

  it('as it is, if nothing in it may be a secret', async () => {
    const { ctx, project_id } = engine
    expect(await keptUrl(ctx, project_id, 'http://127.0.0.1:9/cb')).toBe('http://127.0.0.1:9/cb')
  })

  it('in no table in clear: of channels, runs, schedules, sources and the messages made of them', async () => {
    const { ctx, sql, project_id } = engine
    const channel = await addAlertChannel(ctx, project_id, { url: SLACK })
    expect(alertChannelOf(channel)).toMatchObject({ url: shownUrl(SLACK), format: 'slack' })
    expect(await addAlertChannel(ctx, project_id, { url: SLACK })).toMatchObject({ id: channel.id })
    await engine.submit(1, { callback_url: 'https://host.example/cb?token=abcDEF123' })
    const source = await keptSource(
      ctx,
      { project_id, start_id: null },
      {
        url: 'https://host.example/rows?token=abcDEF123',
        format: 'ndjson',
      },
    )
    expect(JSON.stringify(source)).not.toContain('abcDEF')
    expect(sourceOf(source.source!)).toMatchObject({ url: 'https://host.example/rows?token=…' })
    const rows = await sql`
      select url from alert_channels union all select callback_url from runs union all select url from deliveries`
    expect(rows.length).toBeGreaterThan(1)
    expect(JSON.stringify(rows)).not.toContain('abcDEF')
  })
})
