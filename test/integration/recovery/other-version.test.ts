// Steps that a replay takes over and that another version of the agent made: dry runs, recoveries and replays say so.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { makersOf } from '../../../shared/recovery/queries/makers.ts'
import { planRecovery, startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import { replayItem } from '../../../shared/recovery/verbs/replay.ts'
import { cohortPlanOf } from '../../../shared/recovery/wire/cohort.ts'
import { type RecoveryRow, recoveryOf } from '../../../shared/recovery/wire/recoveries.ts'
import { centStep, failure, result, type TestEngine, testEngine } from '../../support/engine.ts'
import { recovered, recoveryOrder } from '../../support/recoveries.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

const by = (line: AgentLine, version: string | undefined) => ({ ...line, version }) as AgentLine

/** Each item makes two calls and fails after them, unless `works`; answers name `version`. */
const answering = (version?: string, works = false) =>
  engine.play(function* (items: ItemLine[]) {
    for (const item of items) {
      for (const key of ['classify', 'draft'])
        if (!item.recorded.some(step => step.key === key)) yield centStep(item, key)
      yield by(works ? result(item) : failure(item, 'agent_error'), version)
    }
  })

const plan = async (more: Parameters<typeof recoveryOrder>[1] = {}) => {
  const order = recoveryOrder(engine, more)
  const { warnings, reused_versions } = cohortPlanOf(await planRecovery(engine.ctx, order))
  return { warnings, reused_versions }
}

/** The warnings of a recovery that has run to its end. */
async function warningsOf(more: Parameters<typeof recoveryOrder>[1] = {}) {
  const row = await recovered(engine, await startRecovery(engine.ctx, recoveryOrder(engine, more)))
  const runs = await engine.sql`select * from runs where recovery_id = ${row.id}`
  const found = { ...row, runs } as unknown as RecoveryRow
  return recoveryOf(found, await makersOf(engine.sql, found)).warnings
}

const other = (steps: number, words: string) => [
  { code: 'other_version', message: expect.stringContaining(words), steps },
]

it('a deploy between a run and its recovery is named with the steps that the version before had made [recoveries.versions]', async () => {
  answering()
  await engine.submit(3)
  await consume(engine.ctx)
  expect(await plan()).toEqual({
    warnings: [],
    reused_versions: [{ deployment_version: 1, code_version: null, steps: 3 }],
  })
  await engine.deploy()
  const words = '3 reused steps were made by version 1, and version 2 runs'
  expect((await plan()).warnings).toEqual(other(3, words))
  expect((await plan({ deployment: 'original' })).warnings).toEqual([])
  expect(await plan({ reuse: 'none' })).toEqual({ warnings: [], reused_versions: [] })
  answering(undefined, true)
  expect(await warningsOf()).toEqual(other(3, words))
})

it('code behind a URL that changed without a deploy is named as its answers do', async () => {
  answering('a3f')
  const runId = await engine.submit(4)
  await consume(engine.ctx)
  // Nobody knows yet that other code is served.
  expect(await plan()).toEqual({
    warnings: [],
    reused_versions: [{ deployment_version: 1, code_version: 'a3f', steps: 4 }],
  })
  answering('b7c', true)
  await engine.submit(1)
  await consume(engine.ctx)
  const words = 'made by code a3f, and code b7c runs'
  expect((await plan()).warnings).toEqual(other(4, words))
  // A deploy that leaves the code as it is warns of nothing else.
  await engine.deploy()
  expect((await plan()).warnings).toEqual(other(4, words))
  const key = { project_id: engine.project_id, run_id: runId, seq: 1 }
  expect((await replayItem(engine.ctx, key, {})).warnings).toEqual(other(1, words))
  await consume(engine.ctx)
  expect(await warningsOf()).toEqual(other(3, words))
})

it('a recovery by other code that nobody knew of says so once its answers name it', async () => {
  answering('a3f')
  await engine.submit(2)
  await consume(engine.ctx)
  answering('b7c', true)
  expect(await warningsOf()).toEqual(other(2, 'made by code a3f, and code b7c runs'))
})

it('a recovery after which nothing works says that, and one that took nothing over nothing else [recoveries.versions]', async () => {
  answering('a3f')
  await engine.submit(2)
  await consume(engine.ctx)
  answering('b7c')
  expect(await warningsOf({ reuse: 'none' })).toEqual([
    {
      code: 'none_worked',
      message: expect.stringMatching(/^none of its 2 items worked.*assay causes --run /),
      steps: 0,
    },
  ])
})
