// Answers that nginx, HAProxy and Caddy give themselves, and how the client and the command report them. Each proxy is
// tested if it is installed; none is a dependency.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient } from '../../../shared/sdk/client.ts'
import { freePort, listensAt } from '../../support/ports.ts'
import { assay } from '../../support/stack.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())

/** A server that reads requests to the end and answers as Assay does, but never answers requests for agents. */
const upstream: RequestListener = (request, response) => {
  if (request.url!.startsWith('/v1/agents')) return
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'assay-version': '0.1.0' }).end('[]')
  })
}

async function serving(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  parts.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as { port: number }).port
}

/** Ports of one proxy: in front of Assay, in front of nothing, redirecting to https, and limiting requests. */
interface Ports {
  good: number
  dead: number
  moved: number
  limiting: number
}

interface Proxy {
  name: string
  program: string
  version: string[]
  config(to: { port: number; none: number }, at: Ports, folder: string): string
  command(file: string, folder: string): string[]
  /** The code for a body over the limit. Caddy 2.6 notices it while it forwards the body, and answers 502. */
  bodyCode: RegExp
  /** The setting that the hint names. */
  setting: RegExp
  /** Length of a body over the limit. HAProxy closes without reading on: a client that still sends loses the answer. */
  characters: number
}

const PROXIES: Proxy[] = [
  {
    name: 'nginx',
    program: 'nginx',
    version: ['-v'],
    config: ({ port, none }, at, folder) => `
daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}
http {
  access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  limit_req_zone $binary_remote_addr zone=z:1m rate=1r/m; limit_req_status 429;
  server { listen 127.0.0.1:${at.good}; proxy_read_timeout 1s; location / { proxy_pass http://127.0.0.1:${port}; } }
  server { listen 127.0.0.1:${at.dead}; location / { proxy_pass http://127.0.0.1:${none}; } }
  server { listen 127.0.0.1:${at.moved}; return 301 https://assay.example.com$request_uri; }
  server { listen 127.0.0.1:${at.limiting}; limit_req zone=z; location / { proxy_pass http://127.0.0.1:${port}; } }
}`,
    command: (file, folder) => ['-p', folder, '-c', file],
    bodyCode: /^proxy_body_limit$/,
    setting: /client_max_body_size/,
    characters: 3_000_000,
  },
  {
    name: 'HAProxy',
    program: 'haproxy',
    version: ['-v'],
    config: ({ port, none }, at) => `
defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 1s
frontend good
  bind 127.0.0.1:${at.good}
  http-request deny deny_status 413 if { req.body_size gt 9000 }
  default_backend assay
frontend dead
  bind 127.0.0.1:${at.dead}
  default_backend nobody
frontend moved
  bind 127.0.0.1:${at.moved}
  http-request redirect prefix https://assay.example.com code 301
frontend limiting
  bind 127.0.0.1:${at.limiting}
  stick-table type ip size 10 expire 1m store http_req_rate(1m)
  http-request track-sc0 src
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt 1 }
  default_backend assay
backend assay
  server one 127.0.0.1:${port}
backend nobody
  retries 0
  server one 127.0.0.1:${none}
`,
    command: file => ['-db', '-f', file],
    bodyCode: /^proxy_body_limit$/,
    setting: /req\.body_size/,
    characters: 10_000,
  },
  {
    name: 'Caddy',
    program: 'caddy',
    version: ['version'],
    config: ({ port, none }, at, folder) =>
      `
{
  admin off
  auto_https off
  storage file_system ${folder}/caddy
}
http://127.0.0.1:${at.good} {
  request_body { max_size 1MB }
  reverse_proxy 127.0.0.1:${port} { transport http { response_header_timeout 1s } }
}
http://127.0.0.1:${at.dead} { reverse_proxy 127.0.0.1:${none} }
http://127.0.0.1:${at.moved} { redir https://assay.example.com{uri} 301 }
http://127.0.0.1:${at.limiting} { respond 429 }
`
        .replaceAll(/\{ (reverse_proxy|redir|respond|transport|max_size|response_header_timeout)/g, '{\n$1')
        .replaceAll(/ \}( \})?$/gm, (_, two) => (two ? '\n}\n}' : '\n}')),
    command: file => ['run', '--adapter', 'caddyfile', '--config', file],
    bodyCode: /^proxy_(body_limit|unavailable)$/,
    setting: /max_size/,
    characters: 3_000_000,
  },
]

async function started({ name, program, config, command }: Proxy, to: { port: number; none: number }) {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove()).path
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'caddy'))
  const at: Ports = {
    good: await freePort(),
    dead: await freePort(),
    moved: await freePort(),
    limiting: await freePort(),
  }
  const file = join(folder, `${name}.conf`)
  await writeFile(file, config(to, at, folder))
  const proxy: ChildProcess = spawn(program, command(file, folder), { stdio: 'ignore' })
  parts.defer(async () => {
    proxy.kill('SIGTERM')
    if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit')
  })
  await listensAt(at.limiting, proxy)
  return at
}

const at = (port: number): Client => createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'pk_x' })

describe.each(PROXIES)('behind $name', proxy => {
  const isThere = spawnSync(proxy.program, proxy.version).status === 0
  const skipped = isThere ? '' : ` (skipped: ${proxy.program} is not installed)`
  let ports: Ports
  beforeAll(async () => {
    if (isThere) ports = await started(proxy, { port: await serving(upstream), none: await freePort() })
  })

  it.skipIf(!isThere)(`an answer of Assay passes through${skipped}`, async () => {
    expect((await at(ports.good).GET('/v2/runs')).data).toEqual([])
  })

  it.skipIf(!isThere)(
    `a body over the proxy's limit is reported with the setting to change, also for streamed lines${skipped}`,
    async () => {
      const failure = {
        answered_by: proxy.name,
        code: expect.stringMatching(proxy.bodyCode),
        hint: expect.stringMatching(proxy.setting),
      }
      const large = { agent_id: 'a', items: [{ input: 'x'.repeat(proxy.characters) }] }
      await expect(at(ports.good).POST('/v1/batches', { body: large })).rejects.toMatchObject(failure)
      if (proxy.name === 'HAProxy') return // HAProxy knows no size of a body without content-length
      const lines = Array.from({ length: 30 }, () => ({ input: 'x'.repeat(100_000) }))
      await expect(at(ports.good).submit({ agent_id: 'a' }, lines)).rejects.toMatchObject(failure)
    },
  )

  it.skipIf(!isThere)(`the caller learns that Assay is down or slow${skipped}`, async () => {
    const failure = { answered_by: proxy.name, code: 'proxy_unavailable' }
    await expect(at(ports.dead).GET('/v2/runs')).rejects.toMatchObject(failure)
    await expect(at(ports.dead).runEvents('r').next()).rejects.toMatchObject(failure)
    await expect(at(ports.good).GET('/v1/agents')).rejects.toMatchObject({ ...failure, status: 504 })
  })

  it.skipIf(!isThere)(`a redirect to https is reported and not followed${skipped}`, async () => {
    await expect(at(ports.moved).GET('/v2/runs')).rejects.toMatchObject({
      answered_by: proxy.name === 'HAProxy' ? 'another server' : proxy.name, // HAProxy's redirects have no body
      hint: expect.stringContaining('ASSAY_BASE_URL=https://assay.example.com '),
    })
  })

  it.skipIf(!isThere)(`a rate limit of the proxy is reported as such${skipped}`, async () => {
    const ask = () => at(ports.limiting).GET('/v2/runs')
    const failure = await ask()
      .then(ask)
      .catch(error => error)
    expect(failure).toMatchObject({ answered_by: proxy.name, code: 'proxy_rate_limited', status: 429 })
  })
})

describe('the command', () => {
  const portal: RequestListener = (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Sign in</title></html>')
  let env: Record<string, string>
  beforeAll(async () => {
    env = { ASSAY_BASE_URL: `http://127.0.0.1:${await serving(portal)}`, ASSAY_API_KEY: 'pk_x' }
  })

  it.each([[['runs']], [['watch', 'the-run']], [['runs', '--follow']], [['results', 'the-run']], [[]]])(
    'exits with 3 in front of a sign-in page and names the page, without a stack trace (assay %j)',
    async args => {
      const { code, err } = await assay({ env }, args).done
      expect(code).toBe(3)
      expect(JSON.parse(err.trim())).toMatchObject({
        event: 'error',
        code: 'not_assay',
        message: expect.stringContaining('the page "Sign in"'),
        hint: expect.stringContaining('ASSAY_BASE_URL'),
      })
    },
  )

  it('assay doctor reports the sign-in page as its only finding', async () => {
    const { code, events } = await assay({ env }, ['doctor']).done
    expect(code).toBe(1)
    expect(events).toMatchObject([
      { event: 'finding', check: 'server', state: 'wrong', found: expect.stringContaining('Sign in') },
      { event: 'checked', wrong: 1 },
    ])
  })
})
