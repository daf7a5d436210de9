// One rule says whether runs may start: for submissions, recoveries and schedules, in SQL and in TypeScript.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { findPayers } from '../../../shared/schedules/queries/occurrences.ts'
import { findSubmitter } from '../../../shared/submission/queries/open-run.ts'
import { refusalOf } from '../../../shared/submission/rules/run-admission.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await testEngine()
})
afterAll(() => engine.close())

const KEPT = 1000
const PLANS: { open_runs?: number | null; kept_bytes?: number }[] = [
  ...[{}, { open_runs: null }, { open_runs: 0 }, { open_runs: 3 }],
  ...[{ kept_bytes: KEPT }, { kept_bytes: KEPT + 1 }, { kept_bytes: 2 ** 40, open_runs: 3 }],
  { kept_bytes: 0, open_runs: 0 },
]

it('SQL admits and refuses runs as the rule does, whatever the account, its plan, the project and their runs', async () => {
  const { ctx, sql, project_id, agent_id } = engine
  const other = { project_id: ctx.newId(), agent_id: ctx.newId() }
  await sql`insert into projects (id, account_id, name) select ${other.project_id}, account_id, 'other' from projects`
  await sql`insert into agents ${sql({ id: other.agent_id, project_id: other.project_id, name: 'o', slug: 'o' })}`
  const refusals = new Set<string | null>()
  for (const status of ['active', 'suspended'])
    for (const plan of PLANS)
      for (const bound of [undefined, 2])
        for (const [here, elsewhere] of [
          [0, 0],
          [1, 1],
          [2, 0],
          [4, 2],
        ] as const) {
          const settings = bound === undefined ? {} : { open_runs: bound }
          await sql`update accounts set ${sql({ status, plan: sql.json(plan), kept_bytes: KEPT })}`
          await sql`update projects set ${sql({ settings: sql.json(settings) })} where id = ${project_id}`
          await sql`delete from runs`
          const runs = [
            ...Array.from({ length: here }, () => ({ project_id, agent_id })),
            ...Array.from({ length: elsewhere }, () => other),
          ].map(run => ({ id: ctx.newId(), total_items: 1, ...run }))
          if (runs.length > 0) await sql`insert into runs ${sql(runs)}`
          const ended = { id: ctx.newId(), project_id, agent_id, total_items: 1, finished_at: new Date(0) }
          await sql`insert into runs ${sql(ended)}`

          const project_bound = bound ?? LIMITS.project_open_runs
          const room = {
            is_suspended: status === 'suspended',
            account_room: plan.open_runs == null ? null : plan.open_runs - here - elsewhere,
            bytes_room: plan.kept_bytes === undefined ? null : plan.kept_bytes - KEPT,
            project_room: project_bound - Math.min(here, project_bound),
          }
          const [payer] = await findPayers(sql, [project_id])
          expect(payer).toMatchObject(room)
          for (const more of [1, 2, 3]) {
            const refusal = refusalOf(room, more)
            const submitter = await findSubmitter(sql, project_id, agent_id, more)
            expect(submitter, JSON.stringify({ room, more })).toMatchObject({ refusal })
            refusals.add(refusal)
          }
        }
  expect(refusals).toEqual(
    new Set([null, 'account_suspended', 'plan_limit', 'quota_exceeded', 'too_many_open_runs']),
  )
})
