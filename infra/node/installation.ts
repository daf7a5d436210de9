// What a process asks of the installation before it takes part in it. Guarantee: what a person has to mend ends the
// start, and a PostgreSQL that is merely away is waited for.

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

/** @throws ExitError where the schema or the rights of this role are not what the work takes */
export async function refuseUnfit(sql: Sql): Promise<void> {
  const { faults } = await readDatabaseState(sql, '')
  const fault = faults.find(one => one.dependency !== 'master_key')
  if (fault !== undefined) throw new ExitError(fault.code, `the ${fault.dependency} ${fault.says}.`)
}

/** Since when the installation is held, null where it is not. @throws ExitError */
export async function joinInstallation(sql: Sql, masterKey: string): Promise<Date | null> {
  await refuseUnfit(sql)
  const other = await checkMasterKey(sql, masterKey)
  if (other === undefined) return (await readInstallationRow(sql)).held_since
  throw new ExitError('master_key_differs', sayOtherKey(other))
}

/**
 * Tries until PostgreSQL answers: it may start later than this process, or be away just now. @throws the reason of
 * `stop`, once that is aborted
 */
export async function onceReachable<T>(
  log: Context['log'],
  ask: () => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  for (let told = ''; ; ) {
    try {
      return await ask()
    } catch (error) {
      if (!isUnreachable(error)) throw error
      if (told !== String(error)) log('warn', 'waiting_for_postgres', { error: String(error) })
      told = String(error)
      await pause(LIMITS.store_start_ms, stop)
      stop?.throwIfAborted()
    }
  }
}

/**
 * What a process does before it works, which listens meanwhile: `join` waits for the try under way, and rejects as the
 * last one did.
 */
export function beginning<T>(ask: () => Promise<T>): { begin(): Promise<T>; join(): Promise<void> } {
  const first = Promise.withResolvers<T>()
  let tried = first.promise
  tried.catch(() => {}) // whoever begins is told
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

/** Beside what starts: ends the process where a person has to mend something, and with it where it ends otherwise. */
export function endWhereRefused(log: Context['log'], ask: () => Promise<unknown>): void {
  onceReachable(log, ask).catch(error => {
    if (codeOf(error) !== 'CONNECTION_ENDED') endStart(refusalOf(error) ?? error)
  })
}

/** Whether the database holds what only its own master key opens. @throws ExitError where it cannot be worked on */
export async function needsKeyOf(url: string, ca: string | undefined): Promise<boolean> {
  const sql = openSession({ url, ca }) as unknown as Sql
  try {
    await refuseUnfit(sql)
    return await needsItsKey(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
