// The words by which a limit is recognized are those of the workerd that is installed.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { limitIn, SANDBOX_LIMITS, withWayOut } from '../../shared/sdk/sandbox-limits.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { loadOnce } from './bundle-load.ts'
import { createInvoker, type Invoker } from './invoker.ts'
import { createLauncher } from './launch.ts'

/** What fails in run(), with a part of the limit that it should be recognized as. */
const IN_RUN: [code: string, limit: string][] = [
  ["eval('1')", '`eval`'],
  ["new Function('return 1')()", '`eval`'],
  ['WebAssembly.compile(BYTES)', 'WebAssembly'],
  ['new WebAssembly.Module(BYTES)', 'WebAssembly'],
  ["process.dlopen({ exports: {} }, '/x.node')", 'native modules'],
  ["require('./build/x.node')", 'native modules'],
  ["child.spawn('ls')", 'other processes'],
  ["child.execSync('ls')", 'other processes'],
  ["new Promise((done, fail) => child.exec('ls', e => (e ? fail(e) : done())))", 'other processes'],
  ["new threads.Worker('x')", 'other processes'],
  ["new Worker('x')", 'other processes'],
  ["vm.runInNewContext('1')", 'other processes'],
  ["http2.connect('https://example.com')", 'HTTP/2'],
  ["open(net.connect(5432, 'example.com'))", 'connections without HTTP'],
  ["open(tls.connect(443, 'example.com'))", 'connections without HTTP'],
  ["dns.promises.lookup('example.com')", 'name look-ups'],
  ["dns.promises.resolve4('example.com')", 'name look-ups'],
  ["fs.readFileSync('./prompt.txt')", 'files of your machine'],
  ["fs.promises.readFile('/etc/hosts')", 'files of your machine'],
  [
    "new Promise((done, fail) => fs.createReadStream('x').on('error', fail).resume())",
    'files of your machine',
  ],
  ["fs.writeFileSync('./out.txt', 'x')", 'files written'],
  ["fs.mkdirSync('out')", 'files written'],
  ['__dirname', '`__dirname`'],
  ['__filename', '`__dirname`'],
  ["require('nowhere')", 'modules that are only named'],
  ["import('nowhere' + 1)", 'modules that are only named'],
  ["process.binding('fs')", 'other methods of Node'],
  ["document.createElement('a')", 'what only browsers'],
  ['new XMLHttpRequest()', 'what only browsers'],
  ["Bun.file('x')", 'what only browsers'],
]

const AGENT = `
import * as child from 'node:child_process'
import * as dns from 'node:dns'
import * as fs from 'node:fs'
import * as http2 from 'node:http2'
import { createRequire } from 'node:module'
import * as net from 'node:net'
import * as threads from 'node:worker_threads'
import * as tls from 'node:tls'
import * as vm from 'node:vm'
const require = createRequire('file:///agent.mjs')
const BYTES = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])
const open = socket => new Promise((done, fail) => socket.on('error', fail).on('connect', done))
const calls = [${IN_RUN.map(([code]) => `() => ${code}`).join(',\n')}]
let kept
export default {
  async fetch(request) {
    const text = await request.text()
    if (text === 'keep') kept = new Response('x').body.getReader()
    const at = Number(text)
    try {
      if (text === 'take') await kept.read()
      else await calls[at]?.()
      return Response.json(null)
    } catch (error) {
      return Response.json({ message: String(error.message), stack: String(error.stack) })
    }
  },
}`

const parts = new AsyncDisposableStack()
let invoker: Invoker
let folder: string
beforeAll(async () => {
  folder = parts.adopt(await tempFolder(), made => made.remove()).path
  invoker = parts.adopt(createInvoker({ loadBundle: async () => AGENT, dataDir: folder }), one => one.close())
})
afterAll(() => parts.disposeAsync())

async function failureOf(body: string): Promise<{ message: string; stack: string } | null> {
  const target = {
    account_id: 'a',
    agent_id: 'a',
    deployment_id: 'd',
    kind: 'bundle' as const,
    protocol: 'ndjson' as const,
    url: null,
    bundle_hash: 'h',
    declaration: { name: 'limits' },
    env: {},
    together: null,
  }
  const request = { headers: {}, body, signal: AbortSignal.timeout(60_000) }
  const answer = await invoker.invoke(target, request)
  let text = ''
  for await (const chunk of answer.body) text += Buffer.from(chunk).toString()
  return JSON.parse(text)
}

describe('an error of what the sandbox lacks', () => {
  it.each(IN_RUN.map((row, at) => [...row, at] as const))(
    'in run() names the way out: %s',
    async (_, what, at) => {
      const error = await failureOf(String(at))
      expect(error).not.toBeNull()
      const limit = limitIn(`${error!.message}\n${error!.stack}`)
      expect([error!.message, limit?.what]).toEqual([error!.message, expect.stringContaining(what)])
      expect(withWayOut(error!.message, error!.stack, true)).toContain(limit!.instead)
      expect(withWayOut(error!.message, error!.stack, false)).toBe(error!.message)
    },
  )

  it('every limit is met by a test', async () => {
    const atModule = [
      'calls, timers and random',
      '`await` at module level',
      'a response, stream or open call',
    ]
    const met = [...IN_RUN.map(([, what]) => what), ...atModule]
    const unmet = SANDBOX_LIMITS.filter(({ what }) => !met.some(part => what.includes(part)))
    expect(unmet.map(({ what }) => what)).toEqual([])
  })
})

describe('a bundle is loaded', () => {
  const load = (code: string) =>
    loadOnce(
      { launcher: createLauncher({ asOurselves: true }), dataDir: folder, memory_bytes: 2 ** 30 },
      {
        name: 'loaded',
        code: `${code}\nexport default { fetch: () => Response.json({ declaration: { name: 'x' } }) }`,
        env: {},
      },
    )

  it.each([
    "eval('1')",
    "const add = new Function('a', 'return a + 1')",
    'new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))',
    'await 1; queueMicrotask(() => {}); Math.random(); new AbortController(); structuredClone(new Date())',
    "import { createHash } from 'node:crypto'; createHash('sha256').update('x').digest('hex')",
    "await crypto.subtle.digest('SHA-256', new Uint8Array(1))",
    "import { writeFileSync, readFileSync } from 'node:fs'; writeFileSync('/tmp/x', 'y'); readFileSync('/tmp/x')",
    "Promise.reject(new Error('nobody waits for it'))",
    "import http from 'node:http'; http.createServer(() => {})",
  ])('with %s', async code => {
    expect(await load(code)).toEqual({ loaded: true, declaration: { name: 'x' } })
  })

  it.each([
    ['crypto.randomUUID()', 'crypto.randomUUID'],
    ['crypto.getRandomValues(new Uint8Array(1))', 'crypto.getRandomValues'],
    ["import { randomUUID as id } from 'node:crypto'; id()", 'id'],
    ["import { randomBytes } from 'node:crypto'; randomBytes(1)", 'randomBytes'],
    ["import { randomInt } from 'node:crypto'; randomInt(9)", 'randomInt'],
    ['setTimeout(() => {}, 1)', 'setTimeout'],
    ['setInterval(() => {}, 1000)', 'setInterval'],
    ['setImmediate(() => {})', 'setImmediate'],
    ["import { setTimeout as sleep } from 'node:timers/promises'; await sleep(1)", 'sleep'],
    ['AbortSignal.timeout(1000)', 'AbortSignal.timeout'],
    ["await fetch('https://example.com')", 'fetch'],
    ["const later = fetch('https://example.com').then(r => r.json())", 'fetch'],
    ["const some = await fetch('https://example.com').catch(() => ({}))", 'fetch'],
    ["new WebSocket('wss://example.com')", 'WebSocket'],
  ])('but not with %s, which is named', async (code, call) => {
    const found = await load(`const one = 1\n${code}`)
    expect(found).toMatchObject({
      loaded: false,
      code: 'load_failed',
      hint: expect.stringContaining('in run()'),
    })
    expect((found as { message: string }).message).toMatch(
      /^agent\.mjs:2:\d+: .* does not work at module level$/,
    )
    expect((found as { message: string }).message.toLowerCase()).toContain(call.toLowerCase())
  })

  it.each([
    ['await new Promise(() => {})', /unsettled/],
    ['process.exit(3)', /process\.exit\(3\)/],
    ["throw 'a text'", /a text/],
    ["throw new RangeError('of two\\nlines')", /agent\.mjs:1:7: of two\nlines/],
    ['await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))', /unsettled/],
    ['const = 1', /agent\.mjs:1:6: Unexpected token/],
    ["import { nothing } from 'node:fs'", /does not provide an export named 'nothing'/],
    ["import x from 'nowhere'", /No such module "nowhere"/],
  ])('and not with %s', async (code, message) => {
    expect(await load(code)).toMatchObject({
      loaded: false,
      code: 'load_failed',
      message: expect.stringMatching(message),
    })
  })
})
