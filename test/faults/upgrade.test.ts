// A version is rolled out while the one before works on: its processes stand beside this version's, on this version's
// schema, and both take part in the same run. ASSAY_UPGRADE_FROM names another version than the newest release.

import { execFileSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { CHECKOUT } from '../support/stack.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { PATIENCE_MS, startStack } from './support/stack.ts'

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

const git = (...args: string[]) => execFileSync('git', ['-C', CHECKOUT, ...args], { encoding: 'utf8' }).trim()
const before =
  process.env.ASSAY_UPGRADE_FROM ?? git('tag', '--list', 'v*', '--sort=-v:refname').split('\n')[0]

/** The files of that version, with the packages of this one. */
async function checkoutOf(version: string): Promise<string> {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const checkout = join(folder.path, 'before')
  git('worktree', 'add', '--detach', checkout, version)
  parts.defer(() => void git('worktree', 'remove', '--force', checkout))
  symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  return checkout
}

it('both versions settle items of one run, and everything agrees afterwards', {
  timeout: 2 * PATIENCE_MS,
}, async ({ skip }) => {
  if (!before) skip('no release has been tagged yet, so there is no version before this one to run beside it')
  const items = 400
  const stack = parts.adopt(await startStack(), one => one.close())
  const checkout = await checkoutOf(before!)
  const agentId = await stack.deploy()
  const pile = Array(items).fill({})
  const old = await stack.startOther(checkout, 'api,tick')
  const oldConsumer = (await stack.startOther(checkout, 'consumer')).process
  const release = stack.probe.hold(call => call.step === 's2')
  const hasBegun = (runId: string) => stack.probe.until(calls => calls.some(call => call.run === runId))

  const first = await stack.submit(agentId, pile, { concurrency: '200' })
  await hasBegun(first)
  oldConsumer.signal('SIGSTOP') // so that this version has its share of the work
  await oldConsumer.stopped()
  const newConsumer = await stack.startConsumer()
  const second = await stack.submit(agentId, pile, { concurrency: '200' }, old.base_url)
  await hasBegun(second)
  oldConsumer.signal('SIGCONT')
  release()
  const runs = [first, second]
  for (const runId of runs) {
    expect(await stack.finished(runId)).toMatchObject({ status: 'completed', ok: items })
    expect(await stack.breaches(runId)).toEqual([])
  }
  for (const consumer of [oldConsumer, newConsumer]) {
    await vi.waitFor(
      () => expect(consumer.log.join('\n')).toMatch(/"event":"consumed".*"settled":[1-9]/),
      PATIENCE_MS,
    )
  }
})
