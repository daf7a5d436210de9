// The storm itself: one round with a seed that kills a consumer and both stores under load.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it('one round of a storm loses nothing, counts correctly and ends no process unexpectedly', {
  timeout: 600_000,
}, async () => {
  const main = join(import.meta.dirname, 'main.ts')
  const { stdout } = await run(process.execPath, [main, '--rounds', '1', '--seed', '29', '--verbose'])
  expect(stdout).toContain('0 lost, 0 double verdicts; 0 differences in')
  expect(stdout).toContain('everything held')
  const [, acknowledged] = /(\d+) acknowledged/.exec(stdout)!
  expect(Number(acknowledged)).toBeGreaterThan(0) // the load got through, so there was something to check
})
