// Rows of a large run get their project while the version before works on other runs. Guarantee: the version before
// never notices, whatever happens to the migration. NAMED_ITEMS sets the size; how long it took is printed.

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { migrationTimes } from '../../infra/migrate.ts'
import type { Sql } from '../../shared/context.ts'
import { conservation, type TestEngine } from '../support/engine.ts'
import { eventually } from '../support/eventually.ts'
import { CHECKOUT } from '../support/stack.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { type Stack, startStack } from './support/stack.ts'

/** The last version whose rows name no project, and its last migration. */
const BEFORE = { version: 'a0b7262', migration: 53 }
const ITEMS = Number(process.env.NAMED_ITEMS ?? 100_000)
const STEPS = 2
/** Rows in a statement: a connection gives up on one that takes long. */
const AT_ONCE = 50_000
const LARGE = '01999999-0000-7000-8000-000000000000'

let parts = new AsyncDisposableStack()
afterEach(async () => {
  const ending = parts
  parts = new AsyncDisposableStack()
  await ending.disposeAsync()
})

const git = (...args: string[]) => execFileSync('git', ['-C', CHECKOUT, ...args], { encoding: 'utf8' }).trim()

async function checkoutBefore(): Promise<string> {
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  const checkout = join(folder.path, 'before')
  git('worktree', 'add', '--detach', checkout, BEFORE.version)
  parts.defer(() => void git('worktree', 'remove', '--force', checkout))
  symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  return checkout
}

const isThere = () => {
  try {
    git('rev-parse', '--verify', '--quiet', `${BEFORE.version}^{commit}`)
    return existsSync(join(CHECKOUT, '.git'))
  } catch {
    return false
  }
}

/** A run that has ended: each item has steps, and one in a hundred an attempt. All of it is indexed already. */
async function writeLarge(sql: Sql, agentId: string): Promise<void> {
  await sql.begin(async tx => {
    await tx`set local session_replication_role = replica`
    await tx`
      insert into runs (id, project_id, agent_id, total_items, ok, next_seq, started_at, finished_at)
      select ${LARGE}, project_id, id, ${ITEMS}, ${ITEMS}, ${ITEMS + 1}, now(), now() from agents where id = ${agentId}`
    for (let from = 1; from <= ITEMS; from += AT_ONCE) {
      const seqs = tx`generate_series(${from}::int, ${Math.min(from + AT_ONCE - 1, ITEMS)}::int) n`
      await tx`
        insert into items (run_id, seq, line, status, outcome, attempt, step_count, item_id, input, output, completed_at)
        select ${LARGE}, n, n, 'completed', 'ok', 1, ${STEPS}::int, 'item-' || n, repeat('x', 230), repeat('y', 100), now()
        from ${seqs}`
      await tx`
        insert into steps (run_id, seq, step_no, attempt, kind, outcome, started_at, duration_ms, key, name, output)
        select ${LARGE}, n, step, 1, 'llm_call', 'ok', now(), 1, 's' || step, 's' || step, repeat('z', 100)
        from ${seqs}, generate_series(1, ${STEPS}::int) step`
    }
    await tx`
      insert into attempts (run_id, seq, attempt, code)
      select ${LARGE}, n, 1, 'gone' from generate_series(1, ${ITEMS}::int, 100) n`
  })
}

/** Submits runs one after the other until `end()`, and collects how long each took from call to end. */
function workOn(stack: Stack, agentId: string) {
  const runs: { id: string; submitted_ms: number; ended_ms: number }[] = []
  let isOver = false
  const working = (async () => {
    while (!isOver) {
      const started_ms = performance.now()
      const id = await stack.submit(agentId, Array(20).fill({}))
      const submitted_ms = performance.now() - started_ms
      await stack.finished(id)
      runs.push({ id, submitted_ms, ended_ms: performance.now() - started_ms })
    }
  })()
  return {
    runs,
    async end() {
      isOver = true
      await working
    },
  }
}

function startMigration(databaseUrl: string) {
  const log: string[] = []
  const child = spawn(process.execPath, [join(CHECKOUT, 'infra/migrate.ts')], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  child.stderr.setEncoding('utf8').on('data', text => log.push(text))
  return { child, log, exited: once(child, 'exit') }
}

const worst = (all: readonly number[]) => `${Math.round(Math.max(...all))} ms at most of ${all.length}`

it('a large run is moved while the version before works, and a killed migration is continued', {
  timeout: 3_600_000,
}, async ({ skip }) => {
  if (!isThere()) return skip(`commit ${BEFORE.version} is not in this clone`)
  const migration = (await migrationTimes())[BEFORE.migration]!
  const before = { migration, checkout: await checkoutBefore() }
  const stack = parts.adopt(await startStack({ before }), one => one.close())
  await stack.sql`drop trigger audit_item on items` // it reports any change of an ended item as a breach
  await stack.startConsumer()
  const agentId = await stack.deploy()
  await writeLarge(stack.sql, agentId)
  const work = workOn(stack, agentId)
  parts.defer(() => work.end())
  await eventually(() => expect(work.runs.length).toBeGreaterThan(10))
  const alone = work.runs.length

  const isNamed = async (seq: number) => {
    const [item] = await stack.sql`
      select to_jsonb(i)->>'project_id' as project_id from items i where run_id = ${LARGE} and seq = ${seq}`
    expect(item!.project_id).not.toBeNull()
  }
  const began_ms = performance.now()
  const first = startMigration(stack.stores.databaseUrl)
  await expect
    .poll(
      () =>
        isNamed(ITEMS / 2).then(
          () => true,
          () => false,
        ),
      { timeout: 1_800_000 },
    )
    .toBe(true)
  first.child.kill('SIGKILL')
  await first.exited
  const killed_ms = performance.now() - began_ms
  const again_ms = performance.now()
  const second = startMigration(stack.stores.databaseUrl)
  expect(await second.exited, second.log.join('')).toEqual([0, null])
  const ended_ms = performance.now() - again_ms
  const during = work.runs.length
  await eventually(() => expect(work.runs.length).toBeGreaterThan(during + 10))
  await work.end()

  for (const { id } of work.runs) {
    expect(await stack.run(id)).toMatchObject({ status: 'completed', ok: 20 })
    expect(await conservation({ sql: stack.sql } as TestEngine, id)).toEqual([])
  }
  const [left] = await stack.sql`
    select (select count(*)::int from items where project_id is null) as items,
      (select count(*)::int from steps where project_id is null) as steps,
      (select count(*)::int from items where run_id = ${LARGE}) as large`
  expect(left).toEqual({ items: 0, steps: 0, large: ITEMS })
  expect((await fetch(`${stack.base_url}/health/ready`)).status).toBe(200)
  const said = stack.control.log.filter(line => /"level":"error"/.test(line))
  expect(said).toEqual([])
  for (const [when, runs] of [
    ['alone', work.runs.slice(0, alone)],
    ['during', work.runs.slice(alone, during)],
  ] as const)
    console.log(
      `${when}: submitted in ${worst(runs.map(run => run.submitted_ms))}, ended in ${worst(runs.map(run => run.ended_ms))}`,
    )
  console.log(`${ITEMS} items: killed after ${Math.round(killed_ms)} ms, then ${Math.round(ended_ms)} ms`)
  console.log(second.log.join(''))
})
