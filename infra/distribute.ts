// Distributes the rows of an installation by project on a Citus cluster, the one of DATABASE_MIGRATE_URL, else of
// DATABASE_URL. Guarantee: it refuses what cannot be done before it changes anything; after an interruption it
// continues with the remaining steps.
// Usage: node infra/distribute.ts [--apply [--shards 32]] | --spread | --isolate PROJECT

import { parseArgs } from 'node:util'
import postgres, { type Sql } from 'postgres'
import { isolate, printSpread } from './citus/spread.ts'
import { readState, refuseRows, refuseUnready, widenedForeignKeys } from './citus/state.ts'
import { type Step, stepsLeft } from './citus/steps.ts'
import { ExitError, endOf, invalid } from './local/exit-error.ts'
import { type PostgresTarget, postgresOptions } from './node/postgres-options.ts'
import { migrationTarget, readSettings } from './node/settings.ts'
import { refusalOf } from './node/store-errors.ts'

type Say = (line: string) => void
const SHARDS = 32
const MOST_SHARDS = 1024

/** Prints the remaining steps, and with `apply` executes them; returns their number. */
export async function distribute(
  target: PostgresTarget,
  { apply, shards, say }: { apply: boolean; shards: number; say: Say },
): Promise<number> {
  return withDatabase(target, async sql => {
    await refuseUnready(sql)
    const state = await readState(sql)
    const steps = stepsLeft(state, shards)
    // Rows that are distributed already were checked before that.
    if (!state.places.has('runs')) await refuseRows(sql, widenedForeignKeys)
    for (const step of steps) {
      say(step.says)
      if (apply) await take(sql, step)
    }
    return steps.length
  })
}

async function take(sql: Sql, { statements }: Step): Promise<void> {
  await sql.begin(async tx => {
    // Tables with foreign keys to each other must be changed one after another.
    await tx`set local citus.multi_shard_modify_mode = 'sequential'`
    for (const statement of statements) await tx.unsafe(statement)
  })
}

async function withDatabase<T>(target: PostgresTarget, act: (sql: Sql) => Promise<T>): Promise<T> {
  const { url, ssl, prepare, connection } = postgresOptions(target)
  if (!prepare)
    throw new ExitError(
      'distribute_directly',
      'what is set for a session does not last through a pooler: name the coordinator itself by DATABASE_MIGRATE_URL.',
    )
  // No time limit: copying rows to their nodes may take long.
  const sql = postgres(url, {
    ssl,
    max: 1,
    connect_timeout: 10,
    onnotice: () => {},
    connection: {
      ...connection,
      application_name: 'assay_distribute',
      idle_in_transaction_session_timeout: 0,
    },
  })
  try {
    return await act(sql)
  } catch (error) {
    throw refusalOf(error) ?? error
  } finally {
    await sql.end({ timeout: 5 })
  }
}

function shardsOf(text: string | undefined): number {
  if (text === undefined) return SHARDS
  const shards = /^\d+$/.test(text) ? Number(text) : 0
  if (shards >= 1 && shards <= MOST_SHARDS) return shards
  throw invalid(`--shards is ${text}: it takes a whole number from 1 to ${MOST_SHARDS}.`)
}

async function main(say: Say): Promise<void> {
  const { values } = parseArgs({
    options: {
      apply: { type: 'boolean', default: false },
      shards: { type: 'string' },
      spread: { type: 'boolean', default: false },
      isolate: { type: 'string' },
    },
  })
  const target = migrationTarget(readSettings(process.env))
  const { spread, isolate: project, apply } = values
  if (spread) return withDatabase(target, sql => printSpread(sql, say))
  if (project !== undefined) return withDatabase(target, sql => isolate(sql, project, say))
  const steps = await distribute(target, { apply, shards: shardsOf(values.shards), say })
  if (steps === 0) say('Nothing is left to do: the database is distributed by project.')
  else say(apply ? `Done: ${steps} steps.` : `${steps} steps; --apply takes them.`)
}

if (import.meta.main) {
  await main(console.log).catch(error => {
    const { line, code } = endOf(error)
    console.error(line)
    process.exitCode = code
  })
}
