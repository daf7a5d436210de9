// An agent's code, in workerd and after it has escaped from it: what it gets of the machine that runs it. Each attack
// has its control: the same succeeds from outside the sandbox.

import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, inject, it } from 'vitest'
import { createInvoker, type Invoker } from '../../infra/runtime/invoker.ts'
import { createLauncher } from '../../infra/runtime/launch.ts'
import type { AgentTarget } from '../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { eventually } from '../support/eventually.ts'
import { killAll, type TempFolder, tempFolder } from '../support/temp-folder.ts'

/** Does what it is asked to, and returns the result. */
const AGENT = `
import net from 'node:net'
import fs from 'node:fs'
const said = error => ({ refused: String(error?.message ?? error) })
const does = {
  echo: asked => asked.text,
  get: async ({ url }) => (await fetch(url)).text(),
  tcp: ({ port }) => new Promise((resolve, reject) => {
    net.connect(port, '127.0.0.1', () => resolve('connected')).on('error', reject)
  }),
  async socket({ port }) {
    const { connect } = await import('cloudflare:sockets')
    const socket = connect({ hostname: '127.0.0.1', port })
    await socket.opened
    return 'connected'
  },
  read: ({ path }) => fs.readFileSync(path, 'utf8'),
  write({ path }) {
    fs.writeFileSync(path, 'written')
    return fs.readFileSync(path, 'utf8')
  },
  environment: () => ({ ...process.env }),
  spawn: async () => String((await import('node:child_process')).execSync('id')),
  thread: async () => new (await import('node:worker_threads')).Worker('1', { eval: true }),
  code: () => new Function('return 1')(),
  fill() { const kept = []; for (;;) kept.push(new Uint8Array(16 << 20).fill(1)) },
  async names({ count }) {
    const one = n => fetch('http://h' + n + '.invalid/').then(() => 1, () => 0)
    return (await Promise.all(Array.from({ length: count }, (_, n) => one(n)))).length
  },
}
export default {
  async fetch(request) {
    const asked = await request.json()
    try { return Response.json({ got: (await does[asked.do](asked)) ?? null }) } catch (error) { return Response.json(said(error)) }
  },
}
`
const NAMES = 400
const MEMORY_BYTES = LIMITS.agent_memory_mib.default * 2 ** 20
const PATIENCE_MS = 600_000 // a machine that is busy takes minutes to start a thousand processes
const isRoot = process.getuid?.() === 0 && process.platform === 'linux'

let parts: AsyncDisposableStack
let folder: TempFolder
let invoker: Invoker
beforeEach(async () => {
  parts = new AsyncDisposableStack()
  folder = parts.adopt(await tempFolder(), one => one.remove())
})
afterEach(() => parts.disposeAsync())

function open(allowPrivateNetworks: string[] = []) {
  const options = { loadBundle: async () => AGENT, dataDir: folder.path, allowPrivateNetworks }
  invoker = parts.adopt(createInvoker(options), one => one.close())
}

const agent = (id: string, network: string[] = []): AgentTarget => ({
  account_id: null,
  agent_id: 'a',
  deployment_id: id,
  kind: 'bundle',
  protocol: 'ndjson',
  url: null,
  bundle_hash: 'h',
  declaration: { name: 'hostile', network },
  env: { OWN: 'its own' },
  together: null,
})

interface Said {
  got?: unknown
  refused?: string
}

async function ask(target: AgentTarget, asked: object): Promise<Said> {
  const { signal } = new AbortController()
  const { body } = await invoker.invoke(target, { headers: {}, body: JSON.stringify(asked), signal })
  let text = ''
  for await (const chunk of body) text += Buffer.from(chunk).toString()
  return JSON.parse(text)
}

const dial = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      resolve('connected')
      socket.destroy()
    })
    socket.on('error', reject)
  })

/** A server that listens on this machine only, and counts connections. */
async function privatePort() {
  let came = 0
  const server = http.createServer((_, response) => response.end('private'))
  server.on('connection', () => came++)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  parts.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, came: () => came }
}

const storePorts = () => {
  const { databaseUrl, redisUrl } = inject('stores')
  return [databaseUrl, redisUrl].map(url => Number(new URL(url).port))
}

it('an agent reaches neither the stores nor other servers on its machine, by any way out', async () => {
  open()
  const listening = await privatePort()
  const ports = [...storePorts(), listening.port]
  for (const port of ports) {
    const to = [
      { do: 'get', url: `http://127.0.0.1:${port}/` },
      { do: 'get', url: `http://localhost:${port}/` },
      { do: 'get', url: `http://[::ffff:7f00:1]:${port}/` },
      { do: 'tcp', port },
      { do: 'socket', port },
    ]
    for (const asked of to)
      for (const network of [[], ['*'], [`127.0.0.1:${port}`]]) {
        const { got, refused } = await ask(agent(`${network}`, network), asked)
        expect([asked, network, got]).toEqual([asked, network, undefined])
        expect(refused).not.toBe('')
      }
  }
  expect(listening.came()).toBe(0)
  // The control: all of them listen.
  expect(await Promise.all(ports.map(dial))).toEqual(['connected', 'connected', 'connected'])
  expect(listening.came()).toBe(1)
})

it('an agent gets nothing of the stores even if its machine is open to it and it declares them, as with npm start', async () => {
  open(['127.0.0.0/8', '::1/128'])
  const listening = await privatePort()
  const [postgres, redis] = storePorts()
  const network = [postgres, redis, listening.port].map(port => `127.0.0.1:${port}`)
  const target = agent('declared', network)
  // The control: what it declared is reached, over HTTP.
  expect(await ask(target, { do: 'get', url: `http://127.0.0.1:${listening.port}/` })).toEqual({
    got: 'private',
  })
  for (const port of [postgres, redis]) {
    const said = await ask(target, { do: 'get', url: `http://127.0.0.1:${port}/` })
    console.log(`port ${port} by HTTP: ${JSON.stringify(said)}`)
    expect(said.got).toBeUndefined()
    for (const way of ['tcp', 'socket']) expect((await ask(target, { do: way, port })).got).toBeUndefined()
  }
})

it('an agent reads no file of the machine, writes none, and sees no environment but its own', async () => {
  open()
  const secret = join(folder.path, 'master.key')
  await writeFile(secret, 'a secret', { mode: 0o644 })
  const target = agent('files')
  for (const path of [secret, '/etc/passwd', '/proc/self/environ', `/proc/${process.pid}/environ`]) {
    expect(readFileSync(path).length, path).toBeGreaterThan(0) // the control
    expect(await ask(target, { do: 'read', path })).toMatchObject({
      refused: expect.stringMatching(/no such file/),
    })
  }
  // It has a folder of its own, in memory.
  const written = `/tmp/assay-hostile-${process.pid}`
  expect(await ask(target, { do: 'write', path: written })).toEqual({ got: 'written' })
  expect(existsSync(written)).toBe(false)
  expect(await ask(target, { do: 'write', path: join(folder.path, 'x') })).toMatchObject({
    refused: expect.anything(),
  })
  expect(await ask(target, { do: 'environment' })).toEqual({ got: { OWN: 'its own' } })
  expect(Object.keys(process.env).length).toBeGreaterThan(1)
})

it('an agent starts no program and no thread, and makes no code of text', async () => {
  open()
  for (const way of ['spawn', 'thread', 'code'])
    expect(await ask(agent('programs'), { do: way })).toMatchObject({
      refused: expect.stringMatching(/not implemented|disallowed/),
    })
})

it('an agent that fills all the memory it may have does not stop another agent from answering', async () => {
  open()
  await ask(agent('other'), { do: 'echo', text: 'warm' })
  let most = 0
  let over = false
  const filling = ask(agent('fills'), { do: 'fill' })
    .catch(error => ({ refused: error.message as string }))
    .finally(() => {
      over = true
    })
  const waits: number[] = []
  while (!over) {
    const since = performance.now()
    expect(await ask(agent('other'), { do: 'echo', text: 'here' })).toEqual({ got: 'here' })
    waits.push(performance.now() - since)
    most = Math.max(most, ...invoker.processes().map(one => one.rss_bytes))
  }
  const slowest = Math.round(Math.max(...waits))
  console.log(
    `memory: at most ${Math.round(most / 2 ** 20)} MiB; another agent answered ${waits.length} times, within ${slowest} ms`,
  )
  expect((await filling).refused).toMatch(
    /allocation failed|Invalid typed array length|was killed|ended by signal/,
  )
  expect(most).toBeLessThan(1.2 * MEMORY_BYTES)
  expect(slowest).toBeLessThan(10_000)
})

// 220 look-ups at once ended the process: each has a thread, and Rust's stacks of 2 MiB filled its memory.
it(
  'an agent that asks for hundreds of names at once keeps its process and all that is in it',
  async () => {
    open()
    const target = agent('names', ['*'])
    await ask(target, { do: 'echo' })
    const [process] = invoker.processes()
    const threads = () =>
      Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${process!.pid}/status`, 'utf8'))?.[1])
    let most = 0
    let over = false
    const asked = ask(target, { do: 'names', count: NAMES }).finally(() => {
      over = true
    })
    while (!over && invoker.processes().length > 0) {
      most = Math.max(most, threads())
      await ask(target, { do: 'echo' })
    }
    expect(await asked).toEqual({ got: NAMES })
    console.log(`${NAMES} names at once: ${most} threads`)
    expect(invoker.processes().map(one => one.pid)).toEqual([process!.pid])
    expect(most).toBeLessThanOrEqual(LIMITS.agent_threads)
  },
  PATIENCE_MS,
)

/** Stands for an agent that has escaped from workerd: a program in its place, started as workerd is. */
async function escaped(script: string) {
  const program = join(folder.path, `escaped-${crypto.randomUUID()}`)
  await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const launcher = createLauncher({ binary: program })
  const user = launcher.user()
  const child = launcher.spawn('config', '/', { user, memory_bytes: MEMORY_BYTES })
  parts.defer(() => void child.kill('SIGKILL'))
  let said = ''
  for (const output of [child.stdout!, child.stderr!]) output.on('data', text => (said += text))
  const ended = new Promise<void>(resolve => child.once('close', () => resolve()))
  return { user, pid: child.pid!, said: () => said, ended }
}

it.runIf(isRoot)(
  'an agent that has escaped from workerd is a user who owns nothing, and writes to no file',
  async () => {
    const open = join(folder.path, 'open')
    await mkdir(open, { mode: 0o777 })
    await promisify(execFile)('chmod', ['777', open])
    const key = join(folder.path, 'master.key')
    await writeFile(key, 'a secret', { mode: 0o600 })
    const attack = (
      named: string,
    ) => `id -u; cat ${key}; cat /proc/${process.pid}/environ; kill -0 ${process.pid} && echo signalled
(echo much > ${open}/${named}); env; cat /proc/self/oom_score_adj /proc/self/limits; grep -E '^(CapEff|NoNewPrivs)' /proc/self/status`
    const { user, said, ended } = await escaped(attack('escaped'))
    await ended
    expect(said()).toMatch(new RegExp(`^${user!.uid}$`, 'm'))
    expect(said()).toMatch(/^1000$/m)
    expect(said()).toMatch(/Max file size +0 /)
    expect(said()).toMatch(new RegExp(`Max processes +${LIMITS.agent_threads} `))
    expect(said()).toMatch(new RegExp(`Max data size +${MEMORY_BYTES + LIMITS.agent_unused_mib * 2 ** 20} `))
    expect(said()).toMatch(/CapEff:\s0+$/m)
    expect(said()).toMatch(/NoNewPrivs:\s1$/m)
    for (const secret of [
      'a secret',
      'signalled',
      ...Object.keys(process.env).filter(name => name.includes('ASSAY')),
    ])
      expect(said()).not.toContain(secret)
    expect(existsSync(join(open, 'escaped')) && readFileSync(join(open, 'escaped'), 'utf8')).not.toContain(
      'much',
    )
    // The control: the same program, started in another way, gets all of it.
    const { stdout } = await promisify(execFile)('sh', ['-c', attack('control')])
    expect(stdout).toContain('a secret')
    expect(stdout).toContain('signalled')
    expect(readFileSync(join(open, 'control'), 'utf8')).toBe('much\n')
  },
)

it.runIf(isRoot)(
  'an agent that has escaped from workerd reaches no other agent’s process, and fills no process table',
  async () => {
    const victim = await escaped('echo ready; exec sleep 600')
    await eventually(() => expect(victim.said()).toContain('ready'))
    const attacker = await escaped(`kill -9 ${victim.pid} && echo killed; cat /proc/${victim.pid}/environ
while sleep 300 > /dev/null 2>&1 & do echo "child $!"; done`)
    const children = () => [...attacker.said().matchAll(/^child (\d+)$/gm)].map(([, pid]) => Number(pid))
    parts.defer(() => killAll(children()))
    await attacker.ended
    console.log(`processes until the kernel refused another: ${children().length}`)
    expect(attacker.user!.uid).not.toBe(victim.user!.uid)
    expect(attacker.said()).not.toMatch(/killed|RUST_MIN_STACK/)
    expect(attacker.said()).toMatch(/[Cc]annot fork|Resource temporarily unavailable/)
    expect(children().length).toBeLessThan(LIMITS.agent_threads)
    expect(children().length).toBeGreaterThan(LIMITS.agent_threads / 2)
    expect(readFileSync(`/proc/${victim.pid}/status`, 'utf8')).toMatch(/^State:\s+S/m) // the control: it is there
  },
  PATIENCE_MS,
)
