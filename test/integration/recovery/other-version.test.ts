// Steps that a replay takes over and that another version of the agent made: dry runs, recoveries and replays say so.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { AgentLine, ItemLine } from '../../../shared/protocol/rules/protocol.ts'
import { makersOf, makersOfReused } from '../../../shared/recovery/queries/makers.ts'
import { planRecovery, startRecovery } from '../../../shared/recovery/verbs/recover.ts'
import { replayItem, resumeItem } from '../../../shared/recovery/verbs/replay.ts'
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

it('a step that was taken over twice is of the code that made it', async () => {
  answering('a3f')
  const run_id = await engine.submit(1)
  await consume(engine.ctx)
  answering('b7c')
  const first = await replayItem(engine.ctx, { project_id: engine.project_id, run_id, seq: 1 }, {})
  await consume(engine.ctx)
  const again = { project_id: engine.project_id, run_id: first.run_id, seq: 1 }
  expect(await makersOfReused(engine.sql, again)).toMatchObject([
    { deployment_version: 1, code_version: 'a3f', steps: 1 },
  ])
  // Both ended by b7c, and the first step is still of a3f.
  expect((await replayItem(engine.ctx, again, {})).warnings).toEqual(
    other(1, 'made by code a3f, and code b7c runs'),
  )
})

it('code that names itself only now is another than code that named nothing', async () => {
  answering()
  await engine.submit(2)
  await consume(engine.ctx)
  expect((await plan()).warnings).toEqual([])
  answering('b7c', true)
  await engine.submit(1)
  await consume(engine.ctx)
  expect((await plan()).warnings).toEqual(other(2, 'made by code that named no version, and code b7c runs'))
})

const holdOf = ({ seq, attempt }: ItemLine): AgentLine => ({ type: 'hold', seq, attempt, reason: 'look' })

/** Each item makes a call and is held after it, unless `goesOn`; answers name `version`. */
const holding = (version: string, goesOn = false) =>
  engine.play(function* (items: ItemLine[]) {
    for (const item of items) {
      if (!item.recorded.some(step => step.key === 'classify')) yield centStep(item, 'classify')
      yield by(goesOn ? result(item) : holdOf(item), version)
    }
  })

it('a held item that other code continues says so, one by one and all at once [recoveries.versions]', async () => {
  holding('a3f')
  const run_id = await engine.submit(3)
  await consume(engine.ctx)
  const key = (seq: number) => ({ project_id: engine.project_id, run_id, seq })
  const codes = () => engine.sql`select code_version, status from items where run_id = ${run_id} order by seq`
  expect((await codes()).map(row => row.code_version)).toEqual([1, 1, 1])
  expect(await plan({ action: 'resume' })).toEqual({
    warnings: [],
    reused_versions: [{ deployment_version: 1, code_version: 'a3f', steps: 3 }],
  })
  expect((await resumeItem(engine.ctx, key(3), {})).warnings).toEqual([])
  expect((await codes()).map(row => row.code_version)).toEqual([1, 1, null])
  holding('b7c', true)
  await consume(engine.ctx)
  const words = 'made by code a3f, and code b7c runs'
  expect((await plan({ action: 'resume' })).warnings).toEqual(other(2, words))
  expect(await plan({ action: 'dismiss' })).toEqual({ warnings: [], reused_versions: [] })
  expect((await resumeItem(engine.ctx, key(1), {})).warnings).toEqual(other(1, words))
  expect(await warningsOf({ action: 'resume' })).toEqual(other(1, words))
  await consume(engine.ctx)
})
