// What `assay package` writes: a server that runs and answers, and files that the platforms accept.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { answers } from '../conformance/function-hosts.ts'
import { startWatchdog } from '../support/doubles/watchdog.ts'
import { objectsIn, problemsOf } from '../support/kubernetes.ts'
import { Environment, StackFunction } from '../support/openfaas.ts'
import { assay, type Ran, type Stack, startStack } from '../support/stack.ts'
import { tempFolder } from '../support/temp-folder.ts'

const AGENT = `
import { agent } from 'assay'
@agent({ name: '2nd Opinion', timeoutSeconds: 20 })
export default class Opinion {
  run(_: unknown, input: { n: number }) { return { twice: input.n * 2, from: process.env.WHERE ?? 'here' } }
}
`

const parts = new AsyncDisposableStack()
let stack: Stack
let folder: string
let out: string
const run = (...args: string[]): Promise<Ran> => assay(stack, args).done
const written = (name: string) => readFile(join(out, name), 'utf8')

beforeAll(async () => {
  const temporary = await tempFolder()
  parts.defer(() => temporary.remove())
  folder = temporary.path
  out = join(folder, 'packaged')
  await writeFile(join(folder, 'agent.ts'), AGENT)
  stack = await startStack()
  parts.defer(() => stack.close())
})
afterAll(() => parts.disposeAsync())

const packaged = (...more: string[]) => run('package', join(folder, 'agent.ts'), '--out', out, ...more)

/** Starts the packaged server by itself; `said` is its first line. */
async function serve(port: string, more: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: port, ...more }
  const child = spawn('node', ['server.mjs'], { cwd: out, env, stdio: ['ignore', 'pipe', 'inherit'] })
  parts.defer(async () => void (await stopped(child)))
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  return { child, said: String(said), url: /http:\S+\d/.exec(said)![0] }
}

async function stopped(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  return (await ended)[0]
}

describe('a packaged agent', () => {
  it('is a folder, which is written over itself and over nothing else', async () => {
    const first = await packaged('--image', 'registry.test/opinions/second:1')
    expect(first.events).toEqual([
      expect.objectContaining({
        event: 'packaged',
        slug: '2nd-opinion',
        files: ['agent.mjs', 'server.mjs', 'Dockerfile', 'stack.yml', 'service.yaml'],
        next: expect.objectContaining({ deploy: 'assay deploy --slug 2nd-opinion --url URL' }),
      }),
    ])
    expect((await packaged('--image', 'registry.test/opinions/second:1')).code).toBe(0)
    const elsewhere = await run('package', join(folder, 'agent.ts'), '--out', folder)
    expect(elsewhere.code).toBe(2)
    expect(elsewhere.err).toContain('holds other things')
  })

  it('runs in Node, is deployed by its URL, and answers only Assay once it has its key', async () => {
    const open = await serve('0', { WHERE: 'there' })
    expect(open.said).toMatch(/^2nd Opinion on .*, answers everybody, since ASSAY_AGENT_KEY is not set/)
    const deployed = await run('deploy', '--url', open.url)
    expect(deployed.events[0]).toMatchObject({
      slug: '2nd-opinion',
      agent_key: expect.stringMatching(/^whsec_/),
    })
    const item = await run('run', '2nd-opinion', '--input', '{"n":4}', '--watch')
    expect(item.events.at(-1)).toMatchObject({ event: 'item', output: { twice: 8, from: 'there' } })
    expect(await stopped(open.child)).toBe(0)

    const keyFile = join(folder, 'key')
    await writeFile(keyFile, `${deployed.events[0].agent_key}\n`)
    const { said, url } = await serve(new URL(open.url).port, { ASSAY_AGENT_KEY_FILE: keyFile })
    expect(said).toContain('answers Assay')
    expect((await fetch(url, { method: 'POST', body: '{"seq":1,"attempt":1}' })).status).toBe(401)
    const signed = await run('run', '2nd-opinion', '--input', '{"n":5}', '--watch')
    expect(signed.events.at(-1)).toMatchObject({ event: 'item', output: { twice: 10, from: 'here' } })
  })

  it('runs under the watchdog with the settings of its stack.yml', async () => {
    const { environment } = functionIn(await written('stack.yml'))
    const watchdog = await startWatchdog({
      ...environment,
      fprocess: `node ${join(out, 'server.mjs')}`,
      healthcheck_interval: '1s', // it continues this long after the signal
    })
    await answers(watchdog.url, watchdog.process)
    const response = await fetch(watchdog.url, {
      method: 'POST',
      headers: { accept: 'application/x-ndjson' },
      body: '{"seq":1,"attempt":1,"input":{"n":1}}',
    })
    expect(await response.json()).toMatchObject({ type: 'result', output: { twice: 2 } })
    expect(await watchdog.terminate()).toBe('left')
  })
})

const functionIn = (text: string) =>
  parse(text.replace(/\$\{\w+:-(.*)\}/, '$1'), { version: '1.1' }).functions['agent-2nd-opinion']

describe('its files', () => {
  it('include a stack.yml as faas-cli reads it, with and without the lines for the key', async () => {
    const One = StackFunction.omit({ labels: true }).extend({
      environment: Environment.omit({ FUNCTION: true }).extend({
        ASSAY_AGENT_KEY_FILE: z.string().optional(),
      }),
    })
    const text = await written('stack.yml')
    expect(One.parse(functionIn(text))).toMatchObject({ image: 'registry.test/opinions/second:1' })
    expect(One.parse(functionIn(text.replaceAll(/# (?=ASSAY_|secrets:| {2}- )/g, '')))).toMatchObject({
      secrets: ['agent-2nd-opinion-key'],
      environment: {
        ASSAY_AGENT_KEY_FILE: '/var/openfaas/secrets/agent-2nd-opinion-key',
        write_timeout: '30s',
      },
    })
  })

  it('include a Knative Service that its models and webhook accept', async () => {
    const objects = objectsIn(await written('service.yaml'))
    expect(await problemsOf(objects)).toEqual([[]])
  })
})
