// Assay behind the proxies that people put in front of it, configured by the files that infra/proxies.md shows.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judge } from '../../../shared/sdk/foreign-answer.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeAgent, makeRun } from '../../conformance/make.ts'
import { MASTER_KEY, openWorld, type World } from '../../conformance/world.ts'
import { ask, type Behind, CALLER, startBehind, textOf } from '../../support/behind.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/ports.ts'
import { isInstalled, NAME, type ProxyName, type RunningProxy, startProxy } from '../../support/proxies.ts'

const ORIGIN = `https://${NAME}`
const FILES = [
  ['nginx', 'nginx.conf', 'nginx-path.conf'],
  ['Caddy', 'Caddyfile', 'Caddyfile-path'],
  ['HAProxy', 'haproxy.cfg', 'haproxy-path.cfg'],
] as const satisfies [ProxyName, string, string][]

/** The least that many people write: the upstream address, and what TLS needs. */
const DEFAULT_NGINX = `server {
  listen 443 ssl;
  ssl_certificate /etc/ssl/assay.crt;
  ssl_certificate_key /etc/ssl/assay.key;
  location / { proxy_pass http://127.0.0.1:8090; }
}`

let world: World
let root: Behind
let below: Behind
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const options = { ...world.urls, masterKey: MASTER_KEY }
  root = await startBehind(options, ORIGIN)
  below = await startBehind(options, `${ORIGIN}/assay`)
})
afterAll(async () => {
  await root.close()
  await below.close()
  await world.end()
})

const authorization = () => ({ authorization: `Bearer ${world.first.api_key}` })

/** Each change of the run reaches the caller before the next one is made. */
async function followsRun(proxy: RunningProxy, prefix = ''): Promise<void> {
  const { sql } = world.ctx
  const agent = await makeAgent(world)
  const run = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
  const answer = await ask(proxy, `${prefix}/v2/runs/${run}/events`, { headers: authorization() })
  expect(answer.statusCode).toBe(200)
  const events = dataOf(answer)
  expect(await nextOf(events)).toMatchObject({ status: 'queued', completed: 0 })
  await sql`update runs set started_at = now(), ok = 1, next_seq = 3, running = 1 where id = ${run}`
  expect(await nextOf(events)).toMatchObject({ status: 'running', completed: 1 })
  await sql`update runs set ok = 2, running = 0, finished_at = now() where id = ${run}`
  expect(await nextOf(events)).toMatchObject({ status: 'completed', completed: 2 })
  expect((await events.next()).done).toBe(true)
}

async function* dataOf(answer: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of answer) {
    const lines = (text + decoder.decode(part, { stream: true })).split('\n')
    text = lines.pop()!
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length))
  }
}

async function nextOf(events: AsyncGenerator<unknown>): Promise<unknown> {
  const { done, value } = await events.next()
  if (done) throw new Error('the stream is over')
  return value
}

/** What a client reports of a read through the proxy. */
async function saidOf(proxy: RunningProxy) {
  const answer = await ask(proxy, '/v1/agents', { headers: authorization() })
  const headers = Object.entries(answer.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  )
  const response = new Response(await textOf(answer), { status: answer.statusCode!, headers })
  const judged = await judge(response, { base: ORIGIN, url: `${ORIGIN}/v1/agents` })
  return judged.by === 'other' ? judged.said : judged.error!
}

/** Signs in like a browser that says only by Origin where a form is from. */
const signIn = (proxy: RunningProxy, prefix = '') =>
  ask(proxy, `${prefix}/dashboard/sign-in`, {
    method: 'POST',
    headers: { origin: ORIGIN, 'content-type': 'application/x-www-form-urlencoded' },
    body: [new TextEncoder().encode(new URLSearchParams(world.first.account).toString())],
  })

describe.each(FILES)('%s, configured by infra/proxies/%s', (name, file, pathFile) => {
  describe.skipIf(!isInstalled(name))(`(needs ${name})`, () => {
    let proxy: RunningProxy
    beforeAll(async () => {
      proxy = await startProxy(name, { file }, root.port)
    })
    afterAll(() => proxy?.[Symbol.asyncDispose]())

    it('passes on each event of a run at once', () => followsRun(proxy))

    it('passes on an upload of 5 MB', async () => {
      const agent = await makeAgent(world)
      const line = new TextEncoder().encode(`${JSON.stringify({ input: 'x'.repeat(64 * 1024 - 13) })}\n`)
      const answer = await ask(proxy, `/v1/batches?agent=${agent.slug}`, {
        method: 'POST',
        headers: { ...authorization(), 'content-type': 'application/x-ndjson' },
        body: Array.from({ length: 80 }, () => line),
      })
      expect([answer.statusCode, JSON.parse(await textOf(answer)).total_items]).toEqual([202, 80])
    })

    it('lets a browser sign in that sends only Origin', async () => {
      const answer = await signIn(proxy)
      expect([answer.statusCode, answer.headers.location]).toEqual([303, '/dashboard'])
      answer.resume()
    })

    it('passes on Host and the address of the caller, who cannot forge it', async () => {
      root.callers.length = 0
      const headers = { 'x-forwarded-for': '6.6.6.6' }
      ;(await ask(proxy, '/health?one')).resume()
      ;(await ask(proxy, '/health?two', { headers })).resume()
      const caller = { address: CALLER, host: NAME }
      // HAProxy also sends health checks of its own.
      expect(root.callers.filter(({ address }) => address !== '127.0.0.1')).toEqual([caller, caller])
    })

    it('answers in its own words while Assay is down, and the client says what to ask next', async () => {
      await using proxy = await startProxy(name, { file }, await freePort())
      expect(await saidOf(proxy)).toEqual({
        code: 'proxy_unavailable',
        answered_by: name,
        message: expect.stringMatching(new RegExp(`^${name} answered 50[23] in place of Assay`)),
        hint: expect.stringContaining(`curl -i ${ORIGIN}/health/serving asks Assay through ${name};`),
      })
    })

    it.skipIf(name === 'Caddy')(
      'answers in its own words while Assay hangs, and the client says whose time it is',
      async () => {
        const silent = createServer(socket => socket.on('error', () => {})).listen(0, '127.0.0.1')
        await once(silent, 'listening')
        const text = readFileSync(join(folder, 'proxies', file), 'utf8')
        const impatient = text
          .replaceAll(/(timeout server|proxy_read_timeout) +300s/g, '$1 1s')
          .replace(' check\n', '\n')
        await using proxy = await startProxy(
          name,
          { text: impatient },
          (silent.address() as AddressInfo).port,
        )
        expect(await saidOf(proxy)).toMatchObject({
          code: 'proxy_unavailable',
          answered_by: name,
          hint: expect.stringMatching(new RegExp(`time that ${name} waits .*/health/serving`)),
        })
        silent.close()
      },
    )

    it('passes on what Assay itself says while PostgreSQL is away, or says that it has no server', async () => {
      const database = `postgres://nobody@127.0.0.1:${await freePort()}/none`
      const away = await startBehind({ ...world.urls, databaseUrl: database, masterKey: MASTER_KEY }, ORIGIN)
      try {
        await using proxy = await startProxy(name, { file }, away.port)
        const codes = name === 'HAProxy' ? ['proxy_unavailable'] : ['store_unreachable']
        await eventually(async () => expect(codes).toContain((await saidOf(proxy)).code))
      } finally {
        await away.close()
      }
    })

    it(`serves it below a path, configured by ${pathFile}`, async () => {
      await using proxy = await startProxy(name, { file: pathFile }, below.port)
      const lead = await ask(proxy, '/assay/')
      expect([lead.statusCode, lead.headers.location]).toEqual([302, '/assay/dashboard'])
      const answer = await signIn(proxy, '/assay')
      expect([answer.statusCode, answer.headers.location]).toEqual([303, '/assay/dashboard'])
      expect(answer.headers['set-cookie']).toEqual([
        expect.stringMatching(/^__Secure-assay-session=[^;]+; Max-Age=\d+; Path=\/assay; Secure; HttpOnly/),
      ])
      await followsRun(proxy, '/assay')
      const { headers } = await ask(proxy, '/dashboard')
      expect([headers['assay-version'], headers.location]).toEqual([undefined, undefined])
    })
  })
})

describe.skipIf(!isInstalled('nginx'))('nginx with nothing but proxy_pass (needs nginx)', () => {
  let proxy: RunningProxy
  beforeAll(async () => {
    proxy = await startProxy('nginx', { text: DEFAULT_NGINX }, root.port)
  })
  afterAll(() => proxy?.[Symbol.asyncDispose]())

  it('passes on each event of a run at once [runs.events-unbuffered]', () => followsRun(proxy))

  it('lets a browser sign in although it replaces Host [sign-in.replaced-host]', async () => {
    root.callers.length = 0
    const answer = await signIn(proxy)
    expect(answer.statusCode).toBe(303)
    answer.resume()
    expect(root.callers).toEqual([{ address: '127.0.0.1', host: `127.0.0.1:${root.port}` }])
  })

  it('passes on a path prefix that it should remove, and the 404 says so', async () => {
    await using proxy = await startProxy('nginx', { text: DEFAULT_NGINX }, below.port)
    const answer = await ask(proxy, '/assay/v1/projects', { headers: authorization() })
    expect(answer.statusCode).toBe(404)
    expect(JSON.parse(await textOf(answer)).error.hint).toContain(
      'The proxy passed on /assay, which it must take off',
    )
  })
})

const folder = join(import.meta.dirname, '../../../infra')
const page = readFileSync(join(folder, 'proxies.md'), 'utf8')

it.each(['nginx', 'Caddy', 'HAProxy', 'Traefik', 'ingress-nginx', 'Gateway API', 'Cloudflare'])(
  'the page has a section about %s, with its default for every setting that matters',
  proxy => {
    expect(page).toContain(`\n## ${proxy}\n`)
    const cells = (first: string) =>
      page
        .split('\n')
        .find(line => line.startsWith(`| ${first}`))!
        .split('|')
        .slice(2, -1)
        .map(cell => cell.trim())
    const matters = cells('| body limit')
    expect(matters).toEqual(['body limit', 'buffering', '`Host`', 'who called', 'silent for', 'below a path'])
    expect(cells(`[${proxy}]`).filter(Boolean)).toHaveLength(matters.length)
  },
)

it('the page quotes the files exactly', () => {
  const missing = FILES.flatMap(([, ...files]) => files).filter(
    file => !page.includes(`\n\`\`\`\n${readFileSync(join(folder, 'proxies', file), 'utf8')}\`\`\`\n`),
  )
  expect(missing).toEqual([])
})
