// Checks the installation before a process takes part in it. Guarantee: a fault that a person has to fix ends the
// start; a PostgreSQL that is only unreachable is waited for.

import { readInstallationRow } from '../../shared/accounts/queries/installation.ts'
import type { Context, Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { pause } from '../../shared/kernel/pause.ts'
import { codeOf } from '../../shared/kernel/store-errors.ts'
import { isUnreachable } from '../../shared/kernel/unreachable.ts'
import { readDatabaseState } from '../../shared/upkeep/queries/database-state.ts'
import { sayOtherKey } from '../../shared/upkeep/rules/master-key.ts'
import { checkMasterKey, needsItsKey } from '../../shared/upkeep/verbs/installation.ts'
import { openSession } from '../backup/database.ts'
import { ExitError } from '../local/exit-error.ts'
import { endStart } from './stop.ts'
import { refusalOf } from './store-errors.ts'

/** @throws ExitError where the schema or the rights of this role do not suffice */
export async function refuseUnfit(sql: Sql): Promise<void> {
  const { faults } = await readDatabaseState(sql, '')
  const fault = faults.find(one => one.dependency !== 'master_key')
  if (fault !== undefined) throw new ExitError(fault.code, `the ${fault.dependency} ${fault.says}.`)
}

/**
 * Returns since when the installation is held, or null.
 * @throws ExitError where it is unfit or the master key differs
 */
export async function joinInstallation(sql: Sql, masterKey: string): Promise<Date | null> {
  await refuseUnfit(sql)
  const other = await checkMasterKey(sql, masterKey)
  if (other === undefined) return (await readInstallationRow(sql)).held_since
  throw new ExitError('master_key_differs', sayOtherKey(other))
}

/**
 * Retries `ask` until PostgreSQL answers: it may start later than this process or be unreachable just now.
 * @throws the reason of `stop`, once that is aborted
 */
export async function onceReachable<T>(
  log: Context['log'],
  ask: () => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  for (let reported = ''; ; ) {
    try {
      return await ask()
    } catch (error) {
      if (!isUnreachable(error)) throw error
      if (reported !== String(error)) log('warn', 'waiting_for_postgres', { error: String(error) })
      reported = String(error)
      await pause(LIMITS.store_start_ms, stop)
      stop?.throwIfAborted()
    }
  }
}

/**
 * Runs a process's first work while it already listens. `join` waits for the current try, and rejects as the last one
 * did.
 */
export function beginning<T>(ask: () => Promise<T>): { begin(): Promise<T>; join(): Promise<void> } {
  const first = Promise.withResolvers<T>()
  let tried = first.promise
  tried.catch(() => {}) // the caller of `begin` gets the error
  return {
    begin() {
      tried = ask()
      first.resolve(tried)
      return tried
    },
    async join() {
      await tried
    },
  }
}

/** Runs `ask` during the start and ends the process if it fails, except where the process is ending already. */
export function endWhereRefused(log: Context['log'], ask: () => Promise<unknown>): void {
  onceReachable(log, ask).catch(error => {
    if (codeOf(error) !== 'CONNECTION_ENDED') endStart(refusalOf(error) ?? error)
  })
}

/** Whether the database has values that only its own master key decrypts. @throws ExitError where it is unfit */
export async function needsKeyOf(url: string, ca: string | undefined): Promise<boolean> {
  const sql = openSession({ url, ca }) as unknown as Sql
  try {
    await refuseUnfit(sql)
    return await needsItsKey(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
