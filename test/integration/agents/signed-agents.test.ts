import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listen } from '../../../infra/node/listen.ts'
import { createInvoker, type Invoker } from '../../../infra/runtime/invoker.ts'
import { agentKeyOf } from '../../../shared/accounts/verbs/agent-keys.ts'
import { deploy } from '../../../shared/agents/verbs/deploy.ts'
import type { AgentProtocol } from '../../../shared/agents/vocabulary.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { agent } from '../../../shared/sdk/agent.ts'
import { serve } from '../../../shared/sdk/serve.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const python = spawnSync('python3', ['--version'])

let engine: TestEngine
let invoker: Invoker
const parts = new AsyncDisposableStack()

beforeAll(async () => {
  engine = await testEngine()
  parts.defer(() => engine.close())
  const folder = await tempFolder()
  parts.defer(() => folder.remove())
  const loadBundle = () => Promise.reject(new Error('no bundles'))
  invoker = createInvoker({ loadBundle, dataDir: folder.path, allowPrivateNetworks: ['127.0.0.0/8'] })
  parts.defer(() => invoker.close())
})
afterAll(() => parts.disposeAsync())

const keyAt = async (url: string) => (await agentKeyOf(engine.ctx, { agent_id: engine.agent_id, url }))!

/** Deploys the URL, runs the inputs, and returns how each item ended. */
async function run(url: string, protocol: AgentProtocol, inputs: unknown[]) {
  const { project_id, agent_id } = engine
  const code = { kind: 'url', url, protocol } as const
  const order = { project_id, agent_id, code, declaration: { name: 'signed' }, env: {}, external_id: null }
  await deploy(engine.ctx, order)
  const runId = await engine.submit(inputs.map(input => ({ input: JSON.stringify(input) })))
  await consume({ ...engine.ctx, invokeAgent: invoker.invoke })
  const rows = await engine.items(runId)
  return rows.map(({ outcome, error_code, error_message }) => ({ outcome, error_code, error_message }))
}

class Doubler {
  run(_: unknown, n: number) {
    return n * 2
  }
}
agent({ name: 'Doubler' })(Doubler as never, { kind: 'class', name: 'Doubler' } as never)

describe('an agent that has its key', () => {
  it('made with the SDK accepts items from the consumer and from nobody else', async () => {
    const fetch_ = serve(Doubler as never)
    let key = ''
    const server = await listen({ port: 0, host: '127.0.0.1' }, request =>
      fetch_(request, { ASSAY_AGENT_KEY: key }),
    )
    parts.defer(() => server.close())
    key = await keyAt(server.url)
    expect(await run(server.url, 'ndjson', [1, 2, 3])).toMatchObject(
      Array.from({ length: 3 }, () => ({ outcome: 'ok' })),
    )
    const stranger = await fetch(server.url, { method: 'POST', body: '{"seq":1,"attempt":1,"input":1}' })
    expect(stranger.status).toBe(401)

    key = await keyAt('http://elsewhere/')
    expect(await run(server.url, 'ndjson', [1])).toMatchObject([
      { outcome: 'failed', error_code: 'agent_error', error_message: expect.stringContaining('signed') },
    ])
  })

  it('of plain JSON verifies every request with the library of Standard Webhooks', async () => {
    const ids = new Set<unknown>()
    let webhook: Webhook | undefined
    const server = await listen({ port: 0, host: '127.0.0.1' }, async request => {
      ids.add(request.headers.get('webhook-id'))
      return Response.json(webhook!.verify(await request.text(), Object.fromEntries(request.headers)))
    })
    parts.defer(() => server.close())
    webhook = new Webhook(await keyAt(server.url))
    const done = await run(server.url, 'json', [{ word: 'é' }, { n: 1.5 }])
    expect(done).toMatchObject([{ outcome: 'ok' }, { outcome: 'ok' }])
    expect(ids.size).toBe(2)
  })
  it.skipIf(python.error)(
    `written in Python without packages answers the consumer and nobody else${python.error ? ' (no python3 here)' : ''}`,
    async () => {
      const path = join(import.meta.dirname, '../../../examples/python-http/server.py')
      const start = async (port: string, key: string) => {
        const env = { PATH: process.env.PATH, ASSAY_AGENT_KEY: key }
        const child = spawn('python3', [path, port], { env, stdio: ['ignore', 'pipe', 'inherit'] })
        const ended = once(child, 'exit')
        const stop = async () => {
          child.kill()
          await ended
        }
        parts.defer(stop)
        const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
        return { said: String(said), url: /http:\S+\d/.exec(said)![0], stop }
      }
      const open = await start('0', '')
      expect(open.said).toContain('answers everybody')
      expect(await (await fetch(open.url, { method: 'POST', body: '{"text":"a bird"}' })).json()).toEqual({
        words: 2,
        longest: 'bird',
      })
      await open.stop()

      const { said, url } = await start(new URL(open.url).port, await keyAt(open.url))
      expect(said).toContain('answers Assay')
      expect((await fetch(url, { method: 'POST', body: '{"text":"a bird"}' })).status).toBe(401)
      expect(await run(url, 'json', [{ text: 'é bird' }, { words: 'none' }])).toMatchObject([
        { outcome: 'ok' },
        {
          outcome: 'failed',
          error_code: 'agent_error',
          error_message: expect.stringContaining('the input needs'),
        },
      ])
    },
  )
})
