// A submission of items that are in memory: one statement if that is enough, with the same result for the caller.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../../functions/index.ts'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import type { Context } from '../../../shared/context.ts'
import { createApp } from '../../../shared/http/app.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import type { NewItem } from '../../../shared/submission/rules/chunks.ts'
import { type RunOrder, submitRun } from '../../../shared/submission/verbs/submit.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
let elsewhere: { project_id: string; agent_id: string }

beforeAll(async () => {
  engine = await testEngine()
  const { ctx, sql, project_id } = engine
  elsewhere = { project_id: ctx.newId(), agent_id: ctx.newId() }
  await sql`insert into projects (id, account_id, name)
    select ${elsewhere.project_id}, account_id, 'elsewhere' from projects where id = ${project_id}`
  await sql`insert into project_usage ${sql({ project_id: elsewhere.project_id })}`
  const agent = { id: elsewhere.agent_id, project_id: elsewhere.project_id, name: 'other', slug: 'other' }
  await sql`insert into agents ${sql(agent)}`
})
afterAll(() => engine.close())

describe('a submission of items in memory', () => {
  afterEach(leave)

  // A state picks one of a few values for each thing that a submission depends on. Every run has the same states.
  it('has the same result by one statement as step by step, in every state', async () => {
    let opened = 0
    for (let n = 0; n < STATES; n++) {
      const state = stateOf(n)
      const { order, items } = state
      await enter(state)
      // What is written together with a run is written in steps.
      const stepByStep = await outcomeOf(ctx =>
        submitRun(ctx, { ...order, together: async () => {} }, batchOf(items)),
      )
      await leave()
      await enter(state)
      const [sql, transactions] = countingTransactions()
      const atOnce = await outcomeOf(ctx => submitRun({ ...ctx, sql }, order, batchOf(items)))
      await leave()
      expect(atOnce, JSON.stringify(state)).toEqual(stepByStep)
      const isNew = atOnce.answer?.repeated === false
      if (isNew) expect(new Set(atOnce.keysOfItems)).toEqual(new Set(items.map(item => item.partition_key)))
      if (isNew && order.unpriced === 'allow') expect(transactions()).toBe(0)
      if (isNew && transactions() === 0) opened++
    }
    expect(opened).toBeGreaterThan(STATES / 10)
  })
})

describe('an API key of the project', () => {
  it('gets 403 for an agent of another project and 404 for a deleted agent, before anything else is checked', async () => {
    const { ctx, sql, project_id, agent_id } = engine
    const { key } = await mintKey(ctx, project_id, 'submitter')
    const app = createApp(endpoints, () => ctx)
    const submit = async (agent: string, items: unknown[] = [{ input: 1 }]) => {
      const response = await app.request('/v1/batches', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ agent_id: agent, idempotency_key: 'once', items }),
      })
      return response.status
    }
    expect(await submit(agent_id)).toBe(202)
    expect(await submit(agent_id)).toBe(202)
    expect(await submit(agent_id, [{ input: 2 }])).toBe(409)
    expect(await submit(elsewhere.agent_id)).toBe(403)
    expect(await submit(elsewhere.agent_id, [])).toBe(403)
    expect(await submit(ctx.newId())).toBe(404)
    await sql`update agents set deleted_at = now()`
    expect(await submit(agent_id)).toBe(404)
    await leave()
  })
})

const STATES = 100
const NEW_RUN = '01900000-0000-7000-8000-000000000001'
const EARLIER_RUN = '01900000-0000-7000-8000-000000000002'

interface State {
  suspended: boolean
  plan: Record<string, number>
  settings: Record<string, number>
  openHere: number
  openElsewhere: number
  agent: 'deployed' | 'not deployed' | 'deleted' | "another project's"
  budget: boolean
  models: string[]
  key: 'none' | 'free' | 'taken' | 'of another body' | 'expired'
  order: RunOrder
  items: NewItem[]
}

function stateOf(n: number): State {
  let seed = n * 2654435761 + 1
  const pick = <T>(values: readonly T[]): T => {
    seed = (Math.imul(seed ^ (seed >>> 15), 2246822519) + 3266489917) >>> 0
    return values[seed % values.length]!
  }
  const key = pick(['none', 'none', 'free', 'taken', 'of another body', 'expired'] as const)
  const agent = pick([
    'deployed',
    'deployed',
    'deployed',
    'not deployed',
    'deleted',
    "another project's",
  ] as const)
  const count = pick([0, 1, 1, 1, 2, 7])
  const ids = pick(['none', 'own', 'own', 'repeated'])
  const partition_key = pick([null, '', 'tenant'])
  return {
    suspended: pick([false, false, false, false, true]),
    plan: pick([{}, {}, { open_runs: 0 }, { open_runs: 2 }, { open_runs: 3 }]),
    settings: pick([{}, {}, { open_runs: 1 }, { open_runs: 2 }]),
    openHere: pick([0, 0, 1, 2]),
    openElsewhere: pick([0, 1]),
    agent,
    budget: pick([false, false, true]),
    models: pick([[], ['test-model'], ['a model without a price']]),
    key,
    order: {
      project_id: engine.project_id,
      agent_id: agent === "another project's" ? elsewhere.agent_id : engine.agent_id,
      name: pick([null, 'nightly']),
      budget_cents: pick([null, null, 500]),
      concurrency: pick([null, 3]),
      timeout_seconds: pick([null, 60]),
      callback_url: pick([null, 'https://example.com/done']),
      pilot_items: pick([null, 1]),
      unpriced: pick(['allow', 'refuse', 'pause']),
      idempotency: key === 'none' ? null : { key: 'sent', fingerprint: async () => 'this body' },
    },
    items: Array.from({ length: count }, (_, i) => ({
      line: i + 1,
      item_id: ids === 'none' ? null : ids === 'own' ? `item-${i}` : 'same',
      partition_key: i === 0 ? partition_key : null,
      input: `{"n":${i}}`,
    })),
  }
}

async function enter(state: State) {
  const { ctx, sql, project_id, agent_id } = engine
  await sql`update accounts set plan = ${sql.json(state.plan)}, status = ${state.suspended ? 'suspended' : 'active'}`
  await sql`update projects set settings = ${sql.json(state.settings)}`
  await engine.deploy({ models: state.models })
  if (state.agent === 'not deployed') await sql`update agents set current_deployment_id = null`
  if (state.agent === 'deleted') await sql`update agents set deleted_at = now() where id = ${agent_id}`
  if (state.budget)
    await sql`insert into budgets (project_id, period, limit_micro) values (${project_id}, 'day', 1000000)`
  for (let run = 0; run < state.openHere; run++)
    await sql`insert into runs ${sql({ id: ctx.newId(), project_id, agent_id, total_items: 1 })}`
  for (let run = 0; run < state.openElsewhere; run++)
    await sql`insert into runs ${sql({ id: ctx.newId(), ...elsewhere, total_items: 1 })}`
  if (state.key === 'none' || state.key === 'free') return
  const run_id = EARLIER_RUN
  const ended = { id: run_id, project_id, agent_id, total_items: 4, finished_at: new Date(0) }
  await sql`insert into runs ${sql(ended)}`
  const fingerprint = state.key === 'of another body' ? 'another body' : 'this body'
  const created_at = new Date(Date.now() - (state.key === 'expired' ? 25 : 1) * 3_600_000)
  await sql`insert into idempotency_keys ${sql({ project_id, key: 'sent', fingerprint, run_id, created_at })}`
}

async function leave() {
  const { sql } = engine
  await sql`delete from idempotency_keys`
  await sql`delete from items`
  await sql`delete from runs`
  await sql`delete from budgets`
  await sql`update agents set deleted_at = null`
  await sql`update accounts set plan = '{}', status = 'active'`
  await sql`update projects set settings = '{}'`
}

async function* batchOf(items: readonly NewItem[]) {
  yield items
}

function countingTransactions() {
  let transactions = 0
  const sql = new Proxy(engine.sql, {
    get: (target, name) => {
      if (name === 'begin') transactions++
      return Reflect.get(target, name)
    },
  })
  return [sql, () => transactions] as const
}

/** What the caller gets and everything that was written, except times. */
async function outcomeOf(submit: (ctx: Context) => ReturnType<typeof submitRun>) {
  const { ctx, sql } = engine
  const answered = await submit({ ...ctx, newRunId: () => NEW_RUN }).then(
    answer => ({ answer, error: undefined }),
    error => {
      if (!(error instanceof ApiError)) throw error
      return { answer: undefined, error: { ...error, message: error.message } }
    },
  )
  const [runs, items, keys] = await Promise.all([
    sql`select to_jsonb(r) - '{created_at,touched_at,deployment_id}'::text[] as run, deployment_id is null as is_idle
      from runs r where id = ${NEW_RUN}`,
    sql`select to_jsonb(i) as item from items i order by run_id, seq`,
    sql`select key, fingerprint, run_id, created_at > now() - interval '1 minute' as is_new from idempotency_keys`,
  ])
  const keysOfItems = items.map(({ item }) => item.partition_key as string | null)
  return { ...answered, runs: [...runs], items: [...items], keysOfItems, keys: [...keys] }
}
