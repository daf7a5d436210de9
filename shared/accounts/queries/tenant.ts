// Runs reads for a caller. Guarantee: PostgreSQL itself shows such a read nothing of another account, whatever
// condition its queries forget (shared/accounts/tables/tenant.ts). It changes nothing, reads one snapshot, and none of
// its statements runs longer than its class may.
//
// Everything is set for one transaction, so a pooler in between may give each transaction to another connection.

import { drizzle } from 'drizzle-orm/postgres-js'
import type { Database, ReadConnections, Sql } from '../../context.ts'
import { isUuid } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { TENANT_ROLE, TENANT_SETTING } from '../tables/tenant.ts'

export interface Stores {
  sql: Sql
  db: Database
}

/** Names the account by `set local`, which a cluster passes on to its nodes, unlike what set_config sets. */
function beginFor(account_id: string): string {
  if (!isUuid(account_id)) throw new Error('an account is named by its id')
  return `begin isolation level repeatable read read only; set local ${TENANT_SETTING} = '${account_id}'`
}

/** Both stores use one connection, and are closed when `read` is done. */
export async function readForAccount<T>(
  reads: ReadConnections,
  account_id: string,
  read: (stores: Stores) => Promise<T>,
  statement: keyof typeof LIMITS.statement_ms = 'plain',
): Promise<T> {
  const begin = beginFor(account_id)
  const began_ms = performance.now()
  const connection = await reads.take()
  const atOnce = secondsLeft(performance.now() - began_ms)
  const seconds = statement === 'heavy' ? LIMITS.store_read_ms / 1000 : atOnce
  const { sql } = connection
  let isOver = false
  const check = () => {
    if (isOver) throw shut()
    if (connection.sql !== sql) throw broken()
  }
  // Sent together with the first query: awaiting it first would cost two more round trips.
  const scoped = Promise.all([
    bounded(sql.unsafe(begin), atOnce).execute(),
    // The role's schema first: it has the views that replace some tables.
    bounded(
      sql`
      select set_config('search_path', ${TENANT_ROLE} || ', ' || current_setting('search_path'), true),
        set_config('role', ${TENANT_ROLE}, true),
        set_config('statement_timeout', ${String(LIMITS.statement_ms[statement])}, true)`,
      atOnce,
    ).execute(),
  ])
  scoped.catch(() => {})
  try {
    const value = await read(storesOf(sql, check, seconds))
    // Nothing read is returned before these settings are known to hold.
    await scoped
    check()
    return value
  } catch (error) {
    await scoped // why the transaction did not begin says more than that its connection broke
    throw error
  } finally {
    isOver = true
    const ended = connection.sql === sql ? bounded(sql.unsafe('commit'), atOnce).execute() : scoped
    void ended.catch(() => {}).then(() => reads.give(connection))
  }
}

/**
 * How long an answer of PostgreSQL is waited for, to the beginning of any read and to each statement of a plain one. Its
 * own timeout comes first, unless it does not answer at all: then the read ends within store_answer_ms, the wait for a
 * connection included.
 */
function secondsLeft(waited_ms: number): number {
  const { plain } = LIMITS.statement_ms
  const left_ms = LIMITS.store_answer_ms - LIMITS.statement_spare_ms - waited_ms
  return Math.max(LIMITS.statement_spare_ms, Math.min(plain + LIMITS.statement_spare_ms, left_ms)) / 1000
}

/** A patch of the driver (patches/) knows the time limit of a query; its types do not. */
function bounded<Query>(query: Query, seconds: number): Query {
  return (query as { timeout?: (seconds: number) => Query }).timeout?.(seconds) ?? query
}

/** Stores for code that must not read. */
export const noStores = (): Stores => {
  return storesOf(undefined, () => {
    throw shut()
  })
}

const broken = () =>
  Object.assign(new Error('the connection to PostgreSQL broke in the middle of a read'), {
    code: 'CONNECTION_CLOSED',
  })

const shut = () =>
  new Error(
    'this read is over: what is read after the answer has started is read by `read` of the invocation',
  )

/** Reads only: a statement that began or ended a transaction would leave the role. */
function storesOf(connection: Sql | undefined, check: () => void, seconds = 0): Stores {
  const ask = ((...args: Parameters<Sql>) => {
    check()
    return bounded(connection!(...args) as object, seconds)
  }) as unknown as Sql
  const unsafe = ((...args: Parameters<Sql['unsafe']>) => {
    check()
    return bounded(connection!.unsafe(...args), seconds)
  }) as Sql['unsafe']
  const sql = Object.assign(ask, { unsafe, json: connection?.json, array: connection?.array }) as Sql
  // Drizzle replaces codecs of the client it gets; these belong to nobody.
  const client = { options: { parsers: {}, serializers: {} }, unsafe }
  return { sql, db: drizzle({ client: client as never }) as unknown as Database }
}
