// A role that owns nothing and was granted what it needs to run, as in managed databases.

import { randomBytes } from 'node:crypto'
import postgres, { type Sql } from 'postgres'
import { isDeadlock } from '../../shared/kernel/unreachable.ts'
import { grantsFor } from '../../shared/upkeep/queries/running-role.ts'

export interface RunningRole {
  role: string
  /** The URL of the database for this role. */
  url: string
  /** Drops the role with its grants; the database must still exist. */
  drop(): Promise<void>
}

/** Without any grant if `granted` is false. */
export async function makeRunningRole(databaseUrl: string, granted = true): Promise<RunningRole> {
  const role = `works_${randomBytes(6).toString('hex')}`
  const asOwner = async (work: (sql: Sql) => Promise<unknown>) => {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
    await work(sql).finally(() => sql.end())
  }
  await asOwner(async sql => {
    await sql.unsafe(`create role ${role} login password 'x'`)
    if (granted) for (const statement of grantsFor(role)) await untilFree(() => sql.unsafe(statement))
  })
  const url = Object.assign(new URL(databaseUrl), { username: role, password: 'x' })
  return {
    role,
    url: url.href,
    drop: () =>
      asOwner(async sql => {
        // A statement that outlives its killed process would deadlock with the drop of its role's grants.
        await sql`select pg_terminate_backend(pid, 10000) from pg_stat_activity where usename = ${role}`
        await untilFree(() => sql.unsafe(`drop owned by ${role}; drop role ${role}`))
      }),
  }
}

const TRIES = 5

/** Roles are of the whole server: tests that grant and drop others at the same time may deadlock with this one. */
async function untilFree(change: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await change()
      return
    } catch (error) {
      if (tries === TRIES || !isDeadlock(error)) throw error
    }
  }
}
