// Checks over a run, from the trigger that records its end to what the digest of its schedule says.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addAlertChannel } from '../../../shared/alerts/verbs/alerts.ts'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import { checkRuns } from '../../../shared/grading/verbs/run-checks.ts'
import { failedRunChecksOf } from '../../../shared/grading/wire/run-checks.ts'
import { deliverDue } from '../../../shared/outbox/verbs/deliver.ts'
import type { AgentDeclaration } from '../../../shared/protocol/rules/protocol.ts'
import { sweep } from '../../../shared/upkeep/verbs/sweep.ts'
import { watchForAlerts } from '../../../shared/upkeep/verbs/watch-alerts.ts'
import { centStep, conservation, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { startReceiver } from '../../support/receiver.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Runs `items` items, each of which answers `answer(seq)` and costs `cents`; returns the id of the run. */
async function run(
  items: number,
  answer: (seq: number) => string,
  cents = 1,
  name: string | null = 'nightly',
) {
  engine.play(lines => lines.flatMap(item => [centStep(item, 'ask', cents), result(item, answer(item.seq))]))
  const runId = await engine.submit(items, { name })
  await consume(engine.ctx)
  return runId
}

const declare = (checks: AgentDeclaration['checks']) => engine.deploy(checks && { checks })
const failedChecks = async (runId: string) =>
  failedRunChecksOf((await engine.run(runId)) as unknown as Parameters<typeof failedRunChecksOf>[0])
const short = (seq: number) => `answer ${seq}`
const long = (seq: number) => `answer ${seq} ${'and so on '.repeat(20)}`
const due = async () => (await engine.sql`select run_id from ended_runs where answers_due`).length

describe('a run whose agent declares checks over runs', () => {
  it('reports that a third of its items have one answer, and no verdict and no status depends on it [runs.checks]', async () => {
    await declare(['one_answer'])
    const runId = await run(60, seq =>
      seq % 3 === 0 ? (seq % 2 ? 'On its way.' : 'on  its\nway.') : short(seq),
    )
    expect(await checkRuns(engine.ctx)).toBe(1)
    expect(await failedChecks(runId)).toEqual([
      {
        check: 'one_answer',
        message: 'one and the same answer for 33 % of 60 items looked at',
        value: 1 / 3,
        before: null,
        before_run_id: null,
        record_id: expect.stringMatching(/00000003$/),
      },
    ])
    expect(await engine.run(runId)).toMatchObject({ status: 'completed', ok: 60, degraded: 0 })
    expect(await conservation(engine, runId)).toEqual([])
    expect(await checkRuns(engine.ctx)).toBe(0)
  })

  it('is compared in length and in cost with the previous run of its name [runs.checks]', async () => {
    await declare(['length_jump', 'cost_jump'])
    const before = await run(30, short)
    await checkRuns(engine.ctx)
    expect(await failedChecks(before)).toEqual([])
    await run(30, long, 5, 'another')
    const runId = await run(30, long, 5)
    await checkRuns(engine.ctx)
    expect((await failedChecks(runId))!.map(({ check, before_run_id }) => [check, before_run_id])).toEqual([
      ['length_jump', before],
      ['cost_jump', before],
    ])
    expect((await failedChecks(runId))![1]).toMatchObject({ value: 0.05, before: 0.01 })
  })

  it('has its findings in its digest, which is not sent before the checks', async () => {
    await declare(['one_answer'])
    const receiver = await startReceiver()
    await addAlertChannel(engine.ctx, engine.project_id, { url: receiver.url, digest: 'all' })
    const runId = await run(20, () => 'On its way.')
    await watchForAlerts({ ...engine.ctx })
    await deliverDue(engine.ctx)
    expect(receiver.received).toEqual([])
    await sweep(engine.ctx)
    await receiver.got(1)
    const { data } = JSON.parse(receiver.received[0]!.body)
    expect(data.noticed).toEqual(['one and the same answer for 100 % of 20 items looked at'])
    expect(data.run).toMatchObject({ id: runId, failed_checks: [{ check: 'one_answer' }] })
    await receiver.close()
  })

  it('has no findings if the checks fail, and is not checked again [log.run_check_failed]', async () => {
    await declare(['one_answer'])
    const runId = await run(20, short)
    await engine.sql`alter table items rename column output to kept`
    await checkRuns(engine.ctx)
    await engine.sql`alter table items rename column kept to output`
    expect(await failedChecks(runId)).toBeNull()
    expect(await due()).toBe(0)
    expect(engine.log.join('\n')).toContain('run_check_failed')
  })

  it('with fewer than twenty ok items is not checked', async () => {
    await declare(['one_answer'])
    await run(19, () => 'On its way.')
    expect(await due()).toBe(0)
  })
})

it('a run of an agent without such checks, declared or by default, is not checked [runs.checks]', async () => {
  for (const checks of [undefined, [], ['cut_json' as const]]) {
    await declare(checks)
    expect(await failedChecks(await run(20, () => 'On its way.'))).toBeNull()
  }
  expect(await due()).toBe(0)
  await declare(undefined)
  await engine.sql`update deployments set default_checks = array['length_jump', 'cost_jump']`
  await run(20, short)
  expect(await due()).toBe(1)
})
