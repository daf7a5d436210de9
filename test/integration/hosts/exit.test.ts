// What ends an agent's process from inside, against real workerd processes.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createInvoker, type Invoker } from '../../../infra/runtime/invoker.ts'
import { AgentProcessDied, type AgentTarget } from '../../../shared/agents/rules/invoke-agent.ts'

/** An agent that answers with what `code` returns; with the input `slow` it answers in two parts. */
const agentOf = (code: string, imports = '') => `${imports}
export default {
  async fetch(request) {
    if ((await request.text()) !== 'slow') return Response.json((await act()) ?? null)
    const { readable, writable } = new TransformStream()
    const writer = writable.getWriter()
    writer.write(new TextEncoder().encode('part'))
    setTimeout(() => writer.close(), 300)
    return new Response(readable)
  },
}
async function act() { ${code} }
`

const target: AgentTarget = {
  account_id: 'account',
  agent_id: 'agent',
  deployment_id: 'd1',
  kind: 'bundle',
  protocol: 'ndjson',
  url: null,
  bundle_hash: 'hash',
  declaration: { name: 'test' },
  env: {},
  together: null,
}

let dataDir: string
let invoker: Invoker

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'exit-'))
  await chmod(dataDir, 0o711) // so that a process of another user can enter it
})

afterEach(async () => {
  await invoker?.close()
  await rm(dataDir, { recursive: true, force: true })
})

function open(code: string): void {
  invoker = createInvoker({ loadBundle: async () => code, dataDir })
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of body) text += Buffer.from(chunk).toString()
  return text
}

const start = (body: string) =>
  invoker.invoke(target, { headers: {}, body, signal: new AbortController().signal })

async function send(body = 'act'): Promise<unknown> {
  const response = await start(body)
  return { status: response.status, text: await textOf(response.body) }
}

const errorOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    answer => new Error(`answered ${JSON.stringify(answer)}`),
    error => error,
  )

const FORMS: [name: string, code: string, imports?: string, call?: string][] = [
  ['process.exit', 'process.exit(3)'],
  ['process.reallyExit', 'process.reallyExit(3)', '', 'process.reallyExit(3)'],
  ['process.abort', 'process.abort()', '', 'process.abort()'],
  ['an exit without a code', 'process.exit()', '', 'process.exit()'],
  ['an exit with a text', 'process.exit("3\\n4")', '', 'process.exit("3\\n4")'],
  [
    'an exit with an object that cannot be read',
    'process.exit({ get x() { throw 1 }, toString() { throw 1 } })',
    '',
    'process.exit()',
  ],
  ['an exit that was taken out', 'leave(3)', 'const { exit: leave } = process'],
  ['the default import', 'P.exit(3)', "import P from 'node:process'"],
  ['a named import', 'leave(3)', "import { env, exit as leave } from 'node:process'"],
  ['a minified import', 'leave(3)', 'let a=1;import P,{exit as leave}from"node:process";'],
  ['the namespace', 'P.exit(3)', "import * as P from 'node:process'"],
  ['a dynamic import', "(await import('node:process')).exit(3)"],
  [
    'require',
    "require('node:process').exit(3)",
    "import { createRequire } from 'node:module'\nconst require = createRequire('file:///agent.mjs')",
  ],
  ['getBuiltinModule', "process.getBuiltinModule('process').exit(3)"],
  ['a timer', 'setTimeout(() => process.exit(3), 20); await new Promise(() => {})'],
  ['code that catches everything', 'for (;;) try { process.exit(3) } catch {} finally { continue }'],
]

describe('an agent that ends its process', () => {
  it.each(FORMS)(
    'by %s fails every request in it with the call',
    async (_, code, imports = '', call = 'process.exit(3)') => {
      open(agentOf(`console.log('the last words'); ${code}`, imports))
      const slow = await start('slow')
      const innocent = errorOf(textOf(slow.body))
      const guilty = errorOf(send())
      for (const error of await Promise.all([guilty, innocent])) {
        expect(error).toBeInstanceOf(AgentProcessDied)
        expect(error).toMatchObject({
          code: 'agent_crashed',
          message: `the process of agent test (deployment d1) called ${call}.\nIts last output:\nthe last words`,
        })
      }
      expect(invoker.processes()).toEqual([])
      expect(await send('slow')).toEqual({ status: 200, text: 'part' })
    },
  )

  it('while it loads fails the requests that wait for it', async () => {
    open(`process.exit(3)\n${agentOf('')}`)
    const error = await errorOf(send())
    expect(error).toBeInstanceOf(AgentProcessDied)
    expect((error as Error).message).toContain('called process.exit(3)')
  })
})

describe('an agent that does not end its process', () => {
  it.each([
    ['sets its exit code', 'process.exitCode = 3; return 1', '1'],
    [
      'throws in a timer',
      'setTimeout(() => { throw new Error("late") }); await new Promise(r => setTimeout(r, 50)); return 1',
      '1',
    ],
    [
      'leaves a rejection unhandled',
      'Promise.reject(new Error("late")); await new Promise(r => setTimeout(r, 50)); return 1',
      '1',
    ],
    [
      'asks to kill itself, which workerd lacks',
      'try { process.kill(process.pid) } catch (e) { return e.code }',
      '"ERR_METHOD_NOT_IMPLEMENTED"',
    ],
    ['replaces process.exit itself', 'process.exit = code => code; return process.exit(3)', '3'],
    [
      'prints what looks like a report',
      'console.error("exit-0: process.exit(3)\\nThe Node.js process.exit(3) API was called."); return 1',
      '1',
    ],
    [
      'reads the process by its import',
      'return [P === process, env === process.env, typeof exit]',
      '[true,true,"function"]',
      "import P, { env, exit } from 'node:process'",
    ],
  ])('because it %s goes on', async (_, code, answer, imports = '') => {
    open(agentOf(code, imports))
    const slow = send('slow')
    expect(await send()).toEqual({ status: 200, text: answer })
    const [{ pid } = { pid: 0 }] = invoker.processes()
    expect(await slow).toEqual({ status: 200, text: 'part' })
    expect(invoker.processes()).toMatchObject([{ pid }])
  })
})
