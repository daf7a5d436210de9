// Runs one item of an agent behind a URL, without a server, and prints its verdict. Guarantee: the attempts, steps, cost
// and verdict are those that a server would record; a Python agent that was started for it is ended.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { basename, resolve } from 'node:path'
import { type ItemResult, runServed } from '../testing/run-item.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { clean, money } from './format.ts'
import { test as runTests } from './init.ts'
import type { Screen } from './output.ts'
import { ask, declarationAt, folderOf, isPython, pythonOf, servePython } from './python-agent.ts'
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

/** Runs the tests of a file by Python's own runner. */
export async function pythonTests(
  { folder, env }: Pick<Session, 'folder' | 'env'>,
  file: string,
): Promise<ExitCode> {
  const child = spawn(pythonOf(env), ['-m', 'unittest', resolve(folder, file)], {
    cwd: folderOf(folder, file),
    env,
    stdio: 'inherit',
  })
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
    `cost    ${cost.unpriced ? 'at least ' : ''}${money(cost.usd)} · ${attempts === 1 ? 'one attempt' : `${attempts} attempts`}`,
    `output  ${clean(JSON.stringify(output))}`,
  ].join('\n')
}
