// Runs one item of an agent behind a URL, without a server, and prints its verdict. Guarantee: the attempts, steps, cost
// and verdict are those that a server would record; a Python agent that was started for it is ended.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { type ItemResult, runServed } from '../testing/run-item.ts'
import type { Given } from './arguments.ts'
import { isPython } from './deploy-python.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { clean, money } from './format.ts'
import { test as runTests } from './init.ts'
import type { Screen } from './output.ts'
import type { Session } from './session.ts'

export async function test(session: Session, given: Given): Promise<ExitCode> {
  const file = given.optionalArg(0)
  const url = given.text('url')
  if (url !== undefined) return tryItem(session, given, url)
  if (file === undefined || !isPython(file)) {
    if (given.text('input') === undefined) return runTests(session, given)
    throw usageFailure('--input is of an agent in Python, or of --url', {
      next: 'assay test agent.py --input JSON',
    })
  }
  if (/(^test_|_test\.py)/.test(basename(file))) return pythonTests(session, file)
  await using served = await servePython(session, file)
  return await tryItem(session, given, served.url) // before it is ended
}

async function tryItem({ output }: Session, given: Given, url: string): Promise<ExitCode> {
  const input = given.text('input')
  if (input === undefined)
    throw usageFailure('--input is missing', { hint: `the item's input, as in --input '{"text": "hello"}'` })
  const result = await runServed(request => ask(url, request), await declarationAt(url), {
    input: parsed(input),
    item_id: given.text('item-id') ?? 'item',
    resume: given.flag('resume'),
  })
  output.emit('item_tried', result, screen => textOf(result, screen))
  return result.outcome.status === 'ok' ? EXIT.ok : EXIT.failed
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageFailure(`--input is not JSON: ${(error as Error).message}`, {
      hint: `quote it for the shell, as in --input '{"text": "hello"}'`,
    })
  }
}

async function ask(url: string, request: Request): Promise<Response> {
  const { method } = request
  const headers = { 'content-type': 'application/x-ndjson', 'assay-run': 'test' }
  const body = method === 'POST' ? { body: await request.text() } : {}
  const response = await fetch(url, { method, headers, ...body }).catch(error => {
    throw new Failure(EXIT.api, 'unreachable', `nothing answers at ${url}: ${String(error.cause ?? error)}`)
  })
  if (response.ok) return response
  const said = (await response.text()).slice(0, 500)
  throw new Failure(EXIT.api, 'agent_refused', `the agent answered ${response.status}: ${said}`)
}

export async function declarationAt(url: string): Promise<AgentDeclaration> {
  const about = await (await ask(url, new Request(url))).json().catch(() => undefined)
  if (about?.declaration === undefined)
    throw new Failure(EXIT.api, 'no_protocol', `what answers at ${url} does not speak the agent protocol`, {
      hint: 'serve it with the package assay (python3 -m assay serve), or with serve() of the SDK',
    })
  return about.declaration
}

interface ServedPython extends AsyncDisposable {
  url: string
}

/** Serves the file with the Python of the environment, on a port that is free. */
export async function servePython({ folder, env }: Session, file: string): Promise<ServedPython> {
  const { ASSAY_AGENT_KEY: _, ...own } = env
  const child = spawn(
    pythonOf(env),
    ['-m', 'assay', 'serve', resolve(folder, file), '--port', '0', '--workers', '1'],
    {
      cwd: folder,
      env: { ...own, PYTHONUNBUFFERED: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const failed = once(child, 'error').then(([error]) => error as Error)
  const url = await Promise.race([urlOf(child), failed])
  if (typeof url === 'string') return { url, [Symbol.asyncDispose]: () => ended(child) }
  throw usageFailure(`${file} was not served${url instanceof Error ? `: ${url.message}` : ''}`, {
    hint: 'python3 -m assay serve has to work here: activate the environment in which the package assay is installed',
  })
}

/** The Python of an active environment is first on the PATH. */
const pythonOf = (env: Session['env']): string => env.ASSAY_PYTHON ?? 'python3'

/** The address in the first line that it prints; undefined if it ended without one. */
async function urlOf(child: ChildProcess): Promise<string | undefined> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = / on (http:\S+?),/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  return undefined
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}

async function pythonTests({ folder, env }: Session, file: string): Promise<ExitCode> {
  const child = spawn(pythonOf(env), ['-m', 'unittest', file], { cwd: folder, stdio: 'inherit' })
  const [status, signal] = await once(child, 'exit')
  if (signal !== null) return EXIT.interrupted
  return status === 0 ? EXIT.ok : EXIT.failed
}

function textOf(
  { status, outcome, error, steps, cost, output, attempts }: ItemResult,
  { paint }: Screen,
): string {
  const verdict = outcome.status ?? 'held'
  const color = outcome.status === 'ok' ? 'green' : outcome.status === 'failed' ? 'red' : 'yellow'
  const why = error ? `${error.code}: ${error.message}` : (outcome.message ?? '')
  return [
    `${status}, ${paint(color, verdict)}${why && `: ${clean(why)}`}`,
    ...steps.map(step => {
      const reason = step.outcome.reason ?? step.error?.code
      const is =
        step.outcome.status === 'ok'
          ? paint('green', 'ok')
          : paint('red', `${step.outcome.status}${reason ? ` ${reason}` : ''}`)
      return `  ${clean(step.key)}  ${is}${step.model ? `  ${clean(step.model)}, ${money(step.cost_micro / 1e6)}` : ''}`
    }),
    `cost    ${cost.unpriced ? 'at least ' : ''}${money(cost.usd)}, ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}`,
    `output  ${clean(JSON.stringify(output))}`,
  ].join('\n')
}
