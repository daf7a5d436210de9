// The agent runtime against real workerd processes.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import net, { type AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AgentConsole, PrintedLines } from '../../../infra/runtime/agent-console.ts'
import { egressRules } from '../../../infra/runtime/egress.ts'
import { createInvoker, type Invoker, type InvokerOptions } from '../../../infra/runtime/invoker.ts'
import { createLauncher } from '../../../infra/runtime/launch.ts'
import { WorkerdProcess } from '../../../infra/runtime/workerd-process.ts'
import { AgentProcessDied, type AgentTarget, NotSent } from '../../../shared/agents/rules/invoke-agent.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { maskOf } from '../../../shared/kernel/masking.ts'
import { type AgentLine, NDJSON } from '../../../shared/protocol/rules/protocol.ts'
import { wasSent } from '../../../shared/upstreams/rules/transport.ts'
import { makeAuthority } from '../../support/certificates.ts'
import { eventually } from '../../support/eventually.ts'

/** An agent whose behaviour is the item's input: `{do: name, ...}`. */
const AGENT = `
import net from 'node:net'
const does = {
  echo: input => input,
  loop() { for (;;); },
  async heap() {
    for (const kept = []; ; await new Promise(resolve => setTimeout(resolve, 0))) kept.push(new Array(1e6).fill(1.5))
  },
  buffers() { const kept = []; for (;;) kept.push(new Uint8Array(64 << 20).fill(1)) },
  log(input) { console.log(input.text) },
  env: (input, env) => ({ binding: env.SECRET, process: process.env.SECRET, names: Object.keys(process.env) }),
  never: () => new Promise(resolve => setTimeout(resolve, 600_000)),
  async fetch(input) {
    const response = await fetch(input.url, input.init)
    return { status: response.status, text: await response.text() }
  },
  tcp: input => new Promise((resolve, reject) => {
    net.connect(input.port, '127.0.0.1', () => resolve('connected')).on('error', reject)
  }),
}
export default {
  async fetch(request, env) {
    const items = (await request.text()).trim().split('\\n').map(line => JSON.parse(line))
    if (items[0].input.do === 'deaf') for (;;);
    const { readable, writable } = new TransformStream()
    const writer = writable.getWriter()
    const write = line => writer.write(new TextEncoder().encode(JSON.stringify(line) + '\\n'))
    const run = async ({ seq, attempt, input }) => {
      try {
        await write({ type: 'result', seq, attempt, output: await does[input.do](input, env) ?? null })
      } catch (error) {
        await write({ type: 'error', seq, attempt, error: { code: 'agent_error', message: String(error) } })
      }
    }
    write({ type: 'heartbeat' })
    setTimeout(() => Promise.all(items.map(run)).then(() => writer.close()), 0)
    return new Response(readable, { headers: { 'content-type': 'application/x-ndjson' } })
  },
}
`

let dataDir: string
let invoker: Invoker
let loads: number

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'runtime-'))
  await chmod(dataDir, 0o711) // so that a process of another user can enter it
  loads = 0
})

afterEach(async () => {
  await invoker?.close()
  await rm(dataDir, { recursive: true, force: true })
})

function open(options: Partial<InvokerOptions> = {}): Invoker {
  const loadBundle = async () => {
    loads++
    return AGENT
  }
  invoker = createInvoker({ loadBundle, dataDir, ...options })
  return invoker
}

function bundle(id: string, more: Partial<AgentTarget> = {}): AgentTarget {
  return {
    account_id: 'account',
    agent_id: 'agent',
    deployment_id: id,
    kind: 'bundle',
    protocol: 'ndjson',
    url: null,
    bundle_hash: 'hash',
    declaration: { name: 'test' },
    env: {},
    together: null,
    ...more,
  }
}

const lineOf = (input: unknown, seq: number) =>
  JSON.stringify({ seq, attempt: 1, item_id: `i${seq}`, partition_key: null, recorded: [], input })

async function start(target: AgentTarget, inputs: unknown[], signal = new AbortController().signal) {
  const body = `${inputs.map(lineOf).join('\n')}\n`
  const response = await invoker.invoke(target, {
    headers: { 'content-type': NDJSON, accept: NDJSON },
    body,
    signal,
  })
  return { response, lines: readLines(response.body) }
}

async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<AgentLine> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) yield JSON.parse(line)
  }
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

/** All lines except heartbeats. */
async function send(target: AgentTarget, ...inputs: unknown[]): Promise<AgentLine[]> {
  const { lines } = await start(target, inputs)
  return (await collect(lines)).filter(line => line.type !== 'heartbeat')
}

async function outputOf(target: AgentTarget, input: unknown): Promise<unknown> {
  const [line] = await send(target, input)
  if (line?.type !== 'result') throw new Error(`no result: ${JSON.stringify(line)}`)
  return line.output
}

const deathOf = async (requested: Promise<unknown>): Promise<AgentProcessDied> => {
  const error = await requested.then(
    () => new Error('the request succeeded'),
    (e: Error) => e,
  )
  expect(error).toBeInstanceOf(AgentProcessDied)
  return error as AgentProcessDied
}

/** False for a zombie too: a killed child whose parent is gone may wait for its adopter to reap it. */
function running(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !existsSync(`/proc/${pid}/stat`) || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(resolve => setTimeout(resolve, 10))
}

async function serve(
  by: http.RequestListener | https.Server,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = typeof by === 'function' ? http.createServer(by) : by
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { port: (server.address() as AddressInfo).port, close }
}

describe('a bundle', () => {
  it('answers every item of a request of 256', async () => {
    open()
    const inputs = Array.from({ length: 256 }, (_, n) => ({ do: 'echo', n, text: 'é\u2028"' }))
    const lines = await send(bundle('d1'), ...inputs)
    const outputs = lines.flatMap(line => (line.type === 'result' ? [[line.seq, line.output]] : []))
    expect(Object.fromEntries(outputs)).toEqual(Object.fromEntries(inputs.map((input, n) => [n, input])))
  })

  it('starts once for 20 concurrent first requests', async () => {
    open()
    const target = bundle('d1')
    await Promise.all(Array.from({ length: 20 }, () => outputOf(target, { do: 'echo' })))
    expect(loads).toBe(1)
    expect(invoker.processes()).toHaveLength(1)
    expect(invoker.processes()[0]).toMatchObject({ deployment_id: 'd1', is_apart: false, in_flight: 0 })
  })

  it('sees its own environment and nothing of the server’s', async () => {
    open()
    const secret = 'a "quoted"\\ line\nand émore\t'
    const output = await outputOf(bundle('d1', { env: { SECRET: secret } }), { do: 'env' })
    expect(output).toEqual({ binding: secret, process: secret, names: ['SECRET'] })
    const [{ pid } = { pid: 0 }] = invoker.processes()
    if (process.platform === 'linux')
      expect(readFileSync(`/proc/${pid}/environ`, 'latin1')).toMatch(/^RUST_MIN_STACK=\d+\0$/)
  })

  it.runIf(process.getuid?.() === 0 && process.platform === 'linux')('does not run as root', async () => {
    open({ runAs: 65533 })
    await outputOf(bundle('d1'), { do: 'echo' })
    const status = readFileSync(`/proc/${invoker.processes()[0]!.pid}/status`, 'latin1')
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe('65533')
    expect(/^CapEff:\s+(\S+)/m.exec(status)?.[1]).toMatch(/^0+$/)
  })

  it('leaves no code or environment on disk while it runs, and no folder after it', async () => {
    open()
    await outputOf(bundle('d1', { env: { SECRET: 's' } }), { do: 'echo' })
    const folder = join(dataDir, 'runtime')
    const [name] = await readdir(folder)
    expect((await readdir(join(folder, name!))).sort()).toEqual(['agent', 'watch'])
    await invoker.close()
    expect(await readdir(folder)).toEqual([])
  })

  it('that cannot start fails with the error that workerd printed', async () => {
    open({ loadBundle: async () => 'export default { fetch( {' })
    const died = await deathOf(send(bundle('d1'), { do: 'echo' }))
    expect(died.code).toBe('agent_crashed')
    expect(died.message).toContain('SyntaxError')
    expect(invoker.processes()).toEqual([])
  })
})

describe('a bundle whose default export is no handler', () => {
  it('fails with what workerd printed, and its process stays alive', async () => {
    open({ loadBundle: async () => 'export default () => new Response("hello")' })
    const error = await send(bundle('d1'), { do: 'echo' }).catch(e => e)
    expect(error).not.toBeInstanceOf(AgentProcessDied)
    expect(error.message).toMatch(
      /agent test \(deployment d1\) did not answer: .*\nIts last output:\n.*default entrypoint/s,
    )
    expect(invoker.processes()).toHaveLength(1)
  })
})

describe('a process that goes wrong', () => {
  it('is killed in an endless loop while another deployment answers every request', async () => {
    open()
    const other = bundle('other')
    await outputOf(other, { do: 'echo' })
    let looping = true
    const death = deathOf(send(bundle('d1'), { do: 'loop' })).finally(() => {
      looping = false
    })
    let answered = 0
    while (looping) {
      expect(await outputOf(other, { do: 'echo', n: answered })).toEqual({ do: 'echo', n: answered })
      answered++
    }
    expect((await death).code).toBe('agent_unresponsive')
    expect((await death).message).toMatch(/used 1\d{3} ms of CPU without answering a ping/)
    expect(answered).toBeGreaterThan(0)
    expect(await outputOf(bundle('d1'), { do: 'echo' })).toEqual({ do: 'echo' })
  })

  it('does not get the request again if it dies before answering it', async () => {
    open()
    await outputOf(bundle('d1'), { do: 'echo' })
    expect((await deathOf(send(bundle('d1'), { do: 'deaf' }))).code).toBe('agent_unresponsive')
    expect(loads).toBe(1)
  })

  it.runIf(process.platform === 'linux')('that is dead already does not fail the next request', async () => {
    open()
    // Each request takes its own connection, so the next one finds none to reuse.
    const { lines } = await start(bundle('d1'), [{ do: 'never' }])
    const death = deathOf(collect(lines))
    const { pid } = invoker.processes()[0]!
    process.kill(pid, 'SIGKILL')
    // Blocks the event loop, so that nothing here knows of the exit yet; its sockets close with its last thread.
    while (running(pid) || readdirSync(`/proc/${pid}/task`).length > 1);
    expect(await outputOf(bundle('d1'), { do: 'echo' })).toEqual({ do: 'echo' })
    expect((await death).code).toBe('agent_crashed')
  })

  it('prints into the file of the data folder, without its secrets', async () => {
    const agentLog = join(dataDir, 'agents.log')
    open({ agentLog })
    const env = { API_KEY: 'abcdefghijkl' }
    await outputOf(bundle('d1', { env }), { do: 'log', text: 'the key is abcdefghijkl' })
    await eventually(() =>
      expect(readFileSync(agentLog, 'utf8')).toMatch(/^\S+Z test \(d1\): the key is \[secret API_KEY\]\n$/),
    )
  })

  it('that fills its heap crashes, with its last output in the error', async () => {
    open()
    await outputOf(bundle('d1'), { do: 'log', text: 'before the bomb' })
    const died = await deathOf(send(bundle('d1'), { do: 'heap' }))
    expect(died.code).toBe('agent_crashed')
    expect(died.message).toMatch(/SIG[A-Z]+|exit code/)
    expect(died.message).toContain('before the bomb')
    expect(died.message).toContain('it needed more than 256 MiB of heap')
  })

  it('that needs more memory than it may have says so', async () => {
    open({ memoryMib: 140 })
    const died = await deathOf(send(bundle('d1'), { do: 'echo' }))
    expect(died.message).toContain('it needed more than 140 MiB of memory')
  })

  it('that fills memory with buffers gets an error at the limit', async () => {
    open()
    // Alone, since touching a gigabyte takes over a second of CPU on some machines, which is not tested here.
    const alone = { ...bundle('d1'), together: 1 }
    const [line] = await send(alone, { do: 'buffers' })
    expect(line).toMatchObject({ type: 'error', error: { message: expect.stringMatching(/RangeError/) } })
    expect(await outputOf(alone, { do: 'echo' })).toEqual({ do: 'echo' })
  })

  it('is killed for its resident memory where no kernel limit stops it', async () => {
    const launcher = createLauncher()
    const printing = { agent: 'test', deployment_id: 'd1', mask: maskOf({}) }
    const spec = {
      name: 'test',
      code: AGENT,
      env: {},
      rules: egressRules(),
      cpu_without_pong_ms: 60_000,
      memory_bytes: 1024 * 2 ** 20,
      printed: new PrintedLines(new AgentConsole(undefined), printing, Date.now),
      itemsOpen: () => 1,
    }
    const unbounded = {
      ...launcher,
      spawn: ((config, cwd, as) =>
        launcher.spawn(config, cwd, { ...as, memory_bytes: 8 * 2 ** 30 })) satisfies typeof launcher.spawn,
    }
    const agent = await WorkerdProcess.start(unbounded, dataDir, spec, () => {})
    const watching = setInterval(() => agent.look(), 20)
    const buffers = `${lineOf({ do: 'buffers' }, 0)}\n`
    http
      .request({ socketPath: agent.socketPath, method: 'POST' })
      .on('error', () => {})
      .end(buffers)
    const died = await agent.died
    clearInterval(watching)
    expect(died).toBeInstanceOf(AgentProcessDied)
    expect(died.message).toMatch(/used \d+ MiB of memory; 1024 MiB are allowed/)
  })

  it('fails every request in flight when it is killed, and starts again for the next', async () => {
    open()
    const target = bundle('d1')
    const requests = await Promise.all([1, 2, 3].map(() => start(target, [{ do: 'never' }])))
    const deaths = requests.map(async ({ lines }) => deathOf(collect(lines)))
    expect(invoker.processes()[0]!.in_flight).toBe(3)
    const { pid } = invoker.processes()[0]!
    process.kill(pid, 'SIGKILL')
    for (const died of await Promise.all(deaths)) {
      expect(died.code).toBe('agent_crashed')
      expect(died.message).toContain('SIGKILL')
    }
    expect(await outputOf(target, { do: 'echo' })).toEqual({ do: 'echo' })
    expect(invoker.processes().map(p => p.pid)).not.toContain(pid)
  })
})

describe('an item that must run alone', () => {
  it('gets a process of its own, beside the shared one and those of others that must run alone', async () => {
    open()
    await outputOf(bundle('d1'), { do: 'echo' })
    const alone = bundle('d1', { together: 1 })
    const abort = new AbortController()
    const { lines } = await start(alone, [{ do: 'never' }], abort.signal)
    await lines.next()
    expect(await outputOf(alone, { do: 'echo' })).toEqual({ do: 'echo' })
    expect(await outputOf(bundle('d1'), { do: 'echo' })).toEqual({ do: 'echo' })
    const pids = invoker.processes().map(p => p.pid)
    expect(new Set(pids).size).toBeGreaterThanOrEqual(2)
    abort.abort()
    await expect(lines.next()).rejects.toThrow('abort')
  })

  it('gets a new process, so that it is not blamed for what an earlier item left behind', async () => {
    open()
    const alone = bundle('d1', { together: 1 })
    const pidOf = async () => {
      const { lines } = await start(alone, [{ do: 'echo' }])
      const { pid } = invoker.processes()[0]!
      await collect(lines)
      return pid
    }
    expect(await pidOf()).not.toBe(await pidOf())
  })

  it('may use more CPU than items that share a process, and loses its process if it hangs when aborted', async () => {
    open()
    const alone = bundle('d1', { together: 1 })
    const abort = new AbortController()
    const { lines } = await start(alone, [{ do: 'loop' }], abort.signal)
    const { pid } = invoker.processes()[0]!
    const cpu = () => readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ')[13]
    const allowed = LIMITS.agent_cpu_without_pong_ms / 10 // clock ticks
    await until(() => Number(cpu()) > allowed * 1.5)
    expect(running(pid)).toBe(true)
    abort.abort()
    await expect(collect(lines)).rejects.toThrow('abort')
    expect(await outputOf(alone, { do: 'echo' })).toEqual({ do: 'echo' })
    expect(running(pid)).toBe(false)
  })
})

describe('the network of an agent', () => {
  it('is absent, allowed by host and port, or refused, as declared', async () => {
    let hits = 0
    const server = await serve((request, response) => {
      hits++
      if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${server.port}/` })
      response.end('served')
    })
    const second = await serve((_, response) => response.end(`${hits++}`))
    const url = `http://127.0.0.1:${server.port}/`
    const declared = (network?: string[]) => ({ declaration: { name: 'test', ...(network && { network }) } })
    try {
      open({ allowPrivateNetworks: ['127.0.0.0/8'] })
      const none = bundle('none', declared())
      const refusal = async (target: typeof none, to: string) => {
        const [line] = await send(target, { do: 'fetch', url: to })
        return line!.type === 'error' ? line!.error.message : line
      }
      expect(await refusal(none, url)).toBe(
        `Error: egress denied: 127.0.0.1:${server.port} is not in the declared network []; add "127.0.0.1:${server.port}" to "network" of @agent and deploy again`,
      )
      expect(await refusal(none, 'https://api.example.com/v1')).toContain(
        'add "api.example.com" to "network"',
      )
      const listed = bundle('listed', declared([`127.0.0.1:${server.port}`, 'api.example.com']))
      expect(await outputOf(listed, { do: 'fetch', url })).toEqual({ status: 200, text: 'served' })
      expect(hits).toBe(1)
      // another port, another name for the same place, and a redirect to it
      for (const other of [
        `http://127.0.0.1:${second.port}/`,
        `http://localhost:${server.port}/`,
        `${url}away`,
      ]) {
        expect(await refusal(listed, other)).toContain('egress denied: ')
      }
      expect(hits).toBe(2)
      const [tcp] = await send(listed, { do: 'tcp', port: server.port })
      expect(tcp).toMatchObject({ type: 'error' })

      const anywhere = bundle('anywhere', declared(['*', `${hostname()}:${server.port}`]))
      const ways = [
        '127.0.0.1',
        'localhost',
        '[::1]',
        '0.0.0.0',
        '[::ffff:127.0.0.1]',
        '2130706433',
        hostname(),
      ]
      for (const host of ways) {
        const [line] = await send(anywhere, { do: 'fetch', url: `http://${host}:${server.port}/` })
        expect(line).toMatchObject({
          type: 'error',
          error: { message: expect.stringContaining('not a public address') },
        })
      }
      expect(hits).toBe(2)
    } finally {
      await server.close()
      await second.close()
    }
  })

  it('says of a request that failed whether it may have reached the host', async () => {
    let taken = 0
    const reset = net.createServer(socket => {
      let text = ''
      socket.on('error', () => {})
      socket.on('data', chunk => {
        text += chunk
        if (!text.endsWith('last')) return
        taken++
        socket.resetAndDestroy()
      })
    })
    const gone = net.createServer()
    for (const server of [reset, gone]) await once(server.listen(0, '127.0.0.1'), 'listening')
    const [resetAt, goneAt] = [reset, gone].map(
      server => `127.0.0.1:${(server.address() as AddressInfo).port}`,
    )
    gone.close()
    try {
      open({ allowPrivateNetworks: ['127.0.0.0/8'] })
      const network = [resetAt!, goneAt!, 'no-such-host.invalid']
      const target = bundle('failing', { declaration: { name: 'test', network } })
      const failure = async (url: string, init: object) => {
        const [line] = await send(target, { do: 'fetch', url, init })
        return line!.type === 'error' ? line!.error.message.replace(/^Error: /, '') : line
      }
      const posts = ['last', `${'x'.repeat(3000)}last`, `${'x'.repeat(300_000)}last`].map(body => ({
        method: 'POST',
        body,
      }))
      for (const init of [{}, ...posts]) {
        expect(wasSent(new Error(String(await failure(`http://${goneAt}/`, init))))).toBe(false)
        expect(await failure(`http://${goneAt}/`, init)).toMatch(`no connection to ${goneAt}`)
        expect(await failure('http://no-such-host.invalid/', init)).toMatch(/^no connection to no-such-host/)
      }
      for (const init of posts) {
        const message = await failure(`http://${resetAt}/`, init)
        expect(message).toBe(`the connection to ${resetAt} ended before an answer`)
        expect(wasSent(new Error(String(message)))).toBe(true)
      }
      expect(taken).toBe(posts.length)
    } finally {
      reset.close()
    }
  })

  it('does not reach a private address that only the declaration allows', async () => {
    open()
    const target = bundle('d1', { declaration: { name: 'test', network: ['127.0.0.1:9'] } })
    const [line] = await send(target, { do: 'fetch', url: 'http://127.0.0.1:9/' })
    expect(line).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('this installation does not allow its network') },
    })
  })
})

describe('an agent’s process ends', () => {
  it('when it was idle for its time, and not while it is busy', async () => {
    let now = 0
    open({ now: () => now })
    await outputOf(bundle('d1'), { do: 'echo' })
    const { pid } = invoker.processes()[0]!
    const busy = new AbortController()
    await start(bundle('busy'), [{ do: 'never' }], busy.signal)
    now += LIMITS.agent_idle_ms
    await until(() => !running(pid) && !invoker.processes().some(process => process.pid === pid))
    expect(invoker.processes().map(p => p.deployment_id)).toEqual(['busy'])
    busy.abort()
  })

  it('on close(), with or without requests in flight', async () => {
    open()
    const { lines } = await start(bundle('d1'), [{ do: 'never' }])
    await outputOf(bundle('d2'), { do: 'echo' })
    const pids = invoker.processes().map(p => p.pid)
    const failed = expect(collect(lines)).rejects.toThrow('was stopped')
    await invoker.close()
    await failed
    expect(pids.map(running)).toEqual([false, false])
    await expect(outputOf(bundle('d1'), { do: 'echo' })).rejects.toThrow('closed')
  })

  it('when its parent is killed, and the next server removes its files', async () => {
    const target = JSON.stringify(bundle('d1'))
    const pid = await pidFrom(`
      import { createInvoker } from ${source('invoker.ts')}
      const code = 'export default { fetch: () => new Response("ok") }'
      const { invoke, processes } = createInvoker({ loadBundle: async () => code, dataDir: process.argv[1] })
      await invoke(${target}, { headers: {}, body: '', signal: new AbortController().signal })
      console.log(processes()[0].pid)`)
    await until(() => !running(pid))
    const folder = join(dataDir, 'runtime')
    expect(await readdir(folder)).toHaveLength(1)
    open()
    await until(async () => (await readdir(folder)).length === 0)
  })

  it('when its parent is killed, by a guard where nothing else ends it', async () => {
    const pid = await pidFrom(`
      import { spawn } from 'node:child_process'
      import { guard } from ${source('launch.ts')}
      const child = spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' })
      guard(child)
      console.log(child.pid)`)
    await until(() => !running(pid))
  })

  const source = (name: string) =>
    JSON.stringify(fileURLToPath(new URL(`../../../infra/runtime/${name}`, import.meta.url)))

  /** Runs a program that prints the id of a running process, and kills the program with SIGKILL. */
  async function pidFrom(program: string): Promise<number> {
    const waiting = `${program}\nsetInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', waiting, dataDir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string]
    expect(running(Number(line))).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    return Number(line)
  }
})

describe('an agent behind a URL', () => {
  const HERE = { allowPrivateNetworks: ['127.0.0.1/32'] }
  const at = (port: number, more: Partial<AgentTarget> = {}) =>
    bundle('u1', { kind: 'url', url: `http://127.0.0.1:${port}/agent?x=1`, bundle_hash: null, ...more })

  it('is reached over one kept-alive connection, and its response is read as it arrives', async () => {
    open(HERE)
    const sockets = new Set<unknown>()
    let next = (): void => {}
    const server = await serve((request, response) => {
      sockets.add(request.socket)
      response.writeHead(200, { 'content-type': NDJSON })
      response.write('{"type":"heartbeat"}\n')
      next = () =>
        response.end(`${JSON.stringify({ type: 'yield', seq: 0, attempt: 1, url: request.url })}\n`)
    })
    for (let n = 0; n < 3; n++) {
      const { response, lines } = await start(at(server.port), [{}])
      expect(response).toMatchObject({ status: 200, contentType: NDJSON })
      expect((await lines.next()).value).toEqual({ type: 'heartbeat' })
      next()
      expect((await lines.next()).value).toMatchObject({ type: 'yield', url: '/agent?x=1' })
      expect((await lines.next()).done).toBe(true)
    }
    expect(sockets.size).toBe(1)
    await server.close()
  })

  it('does not get a request again that it may have started, if it closes a kept-alive connection', async () => {
    open(HERE)
    let started = 0
    const server = await serve((request, response) => {
      if (++started === 2) return request.socket.resetAndDestroy()
      response.end('ok')
    })
    const { response } = await start(at(server.port), [{}])
    await collect(response.body)
    await expect(start(at(server.port), [{}])).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(started).toBe(2)
    await server.close()
  })

  it('is reached again over the connections of earlier concurrent requests', async () => {
    open(HERE)
    const sockets = new Set<unknown>()
    const server = await serve((request, response) => {
      sockets.add(request.socket)
      response.end('ok')
    })
    const burst = () =>
      Promise.all(
        Array.from({ length: 5 * LIMITS.agent_connects }, async () => {
          const { response } = await start(at(server.port), [{}])
          await collect(response.body)
        }),
      )
    await burst()
    await new Promise(setImmediate) // the last connections return to the pool
    await burst()
    expect(sockets.size).toBeLessThanOrEqual(5 * LIMITS.agent_connects)
    await server.close()
  })

  it('leaves no listeners behind on a connection that is reused', async () => {
    open(HERE)
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    const sockets = new Set<unknown>()
    const server = await serve((request, response) => {
      sockets.add(request.socket)
      response.end('ok')
    })
    for (let n = 0; n < 20; n++) {
      const { response } = await start(at(server.port), [{}])
      await collect(response.body)
    }
    await new Promise(setImmediate)
    process.off('warning', warn)
    expect(sockets.size).toBe(1)
    expect(warnings).toEqual([]) // Node would warn of the eleventh listener in the log
    await server.close()
  })

  it('gets all requests at once while it answers none of them', async () => {
    open(HERE)
    const many = 3 * LIMITS.agent_connects
    const held: (() => void)[] = []
    const server = await serve((_, response) => {
      held.push(() => response.end('ok'))
      if (held.length === many) for (const answer of held) answer()
    })
    const requests = Array.from({ length: many }, async () => {
      const { response } = await start(at(server.port), [{}])
      await collect(response.body)
    })
    await Promise.all(requests)
    expect(held).toHaveLength(many)
    await server.close()
  })

  it('is reached over kept-alive TLS connections too', async () => {
    open(HERE)
    const authority = await makeAuthority(dataDir, 'ca')
    const files = await authority.issue('agent', 'IP:127.0.0.1')
    const known = getCACertificates('default')
    setDefaultCACertificates([authority.ca])
    const sockets = new Set<unknown>()
    const identity = { key: readFileSync(files.key), cert: readFileSync(files.cert) }
    const server = await serve(
      https.createServer(identity, (request, response) => {
        sockets.add(request.socket)
        response.end('ok')
      }),
    )
    const ask = async () => {
      const { response } = await start(at(server.port, { url: `https://127.0.0.1:${server.port}/` }), [{}])
      expect(Buffer.concat(await collect(response.body)).toString()).toBe('ok')
    }
    for (let n = 0; n <= LIMITS.agent_connects; n++) await ask() // a request that reuses a connection leaves no opening counted
    expect(sockets.size).toBe(1)
    await Promise.all(Array.from({ length: 2 * LIMITS.agent_connects }, ask))
    setDefaultCACertificates(known)
    await server.close()
  })

  it('fails all requests that wait for a connection if it cannot be reached', async () => {
    open(HERE)
    const server = await serve(() => {})
    await server.close()
    const requests = Array.from({ length: 3 * LIMITS.agent_connects }, () => start(at(server.port), [{}]))
    const codes = (await Promise.allSettled(requests)).map(
      one => one.status === 'rejected' && one.reason.code,
    )
    expect(new Set(codes)).toEqual(new Set(['ECONNREFUSED']))
  })

  it('fails a request as NotSent if it was aborted while it waited for a connection', async () => {
    open(HERE)
    const allOpening = Promise.withResolvers<void>()
    let opening = 0
    const mute = net.createServer(socket => {
      socket.on('error', () => {}) // never answers the TLS handshake
      if (++opening === LIMITS.agent_connects) allOpening.resolve()
    })
    mute.listen(0, '127.0.0.1')
    await once(mute, 'listening')
    const url = `https://127.0.0.1:${(mute.address() as AddressInfo).port}/`
    const cut = new AbortController()
    const ask = () => start(at(0, { url }), [{}], cut.signal).catch((error: unknown) => error)
    const all = Array.from({ length: LIMITS.agent_connects + 1 }, ask)
    await allOpening.promise
    cut.abort(new Error('enough'))
    const errors = await Promise.all(all)
    expect(errors.filter(error => error instanceof NotSent)).toEqual([errors.at(-1)])
    mute.close()
  })

  it.each([
    'http://127.0.0.2',
    'http://2130706434',
    'http://0177.0.0.2',
    'http://0x7f.2',
    'http://[::1]',
    'http://[::ffff:127.0.0.2]',
    'http://[64:ff9b::7f00:1]',
    'http://169.254.169.254',
    'http://0.0.0.0',
  ])('is not dialled at %s if the operator allowed another address only', async origin => {
    open(HERE)
    await expect(start(at(80, { url: `${origin}/` }), [{}])).rejects.toThrow(
      'not an address of the public internet, and the operator has not allowed its network',
    )
  })

  it('is not dialled by a name that resolves to an address that is not allowed', async () => {
    open()
    const server = await serve((_, response) => response.end('served'))
    await expect(start(at(0, { url: `http://localhost:${server.port}/` }), [{}])).rejects.toThrow(
      /^localhost is at (127\.0\.0\.1|::1), which is not an address of the public internet/,
    )
  })

  it('has its redirects returned, not followed', async () => {
    open(HERE)
    const server = await serve((_, response) => response.writeHead(307, { location: '/elsewhere' }).end())
    const { response } = await start(at(server.port), [{}])
    expect(response.status).toBe(307)
    await collect(response.body)
    await server.close()
  })

  it('is disconnected when the request is aborted, before the head or in the body', async () => {
    open(HERE)
    const closed: string[] = []
    const server = await serve((request, response) => {
      response.on('close', () => closed.push(request.url!))
      if (request.url === '/head') return
      response.write('{"type":"heartbeat"}\n')
    })
    const head = new AbortController()
    const url = (path: string) => ({ url: `http://127.0.0.1:${server.port}${path}` })
    const waiting = start(at(server.port, url('/head')), [{}], head.signal)
    setImmediate(() => head.abort(new Error('enough')))
    await expect(waiting).rejects.toThrow('enough')
    const body = new AbortController()
    const { lines } = await start(at(server.port, url('/body')), [{}], body.signal)
    await lines.next()
    body.abort(new Error('enough now'))
    await expect(lines.next()).rejects.toThrow('enough now')
    await until(() => closed.includes('/body'))
    await server.close()
  })

  it('fails the reader if its response ends early', async () => {
    open(HERE)
    const server = await serve((_, response) => {
      response.write('{"type":"heartbeat"}\n')
      setImmediate(() => response.destroy())
    })
    const { lines } = await start(at(server.port), [{}])
    await expect(collect(lines)).rejects.not.toBeInstanceOf(AgentProcessDied)
    await server.close()
  })
})
