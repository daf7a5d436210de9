// Says whether PostgreSQL is silent, on a session beside the pools: a statement that is slow, or waits for a lock, is
// distinguished from a server that answers nobody for a while, be it frozen or away. Behind a pooler only what it says
// counts: a wait may be for one of its sessions, which others use.

import type { Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isFull, isUnreachable, takesNoWrites, wasWaitedFor } from '../../shared/kernel/unreachable.ts'

const SECONDS = LIMITS.store_silent_ms / 1000
/** A pooler that lost PostgreSQL keeps those waiting who are there, and says it to those who come then. */
const POOLER_SECONDS = 0.8
/** The session is closed soon after the last look, since no pool counts it. */
const optionsOf = (seconds: number) => ({
  connect_timeout: SECONDS,
  query_timeout: seconds,
  idle_timeout: 10,
})
/** After a wait in which this process may have been blocked, what has arrived meanwhile is read first. */
const READ_MS = 50
/** Between two questions: a server that restarts refuses sessions at once. */
const AGAIN_MS = 200

/**
 * @param open opens a client of one connection
 * @param isPooled whether a pooler in transaction mode is in front of PostgreSQL
 * @returns a function that resolves with the reason, undefined while PostgreSQL answers; all who ask at once share a look
 */
export function silenceOf(open: (max: number, options: object) => Sql, isPooled: boolean) {
  let client: Sql | undefined
  let looking: Promise<unknown> | undefined

  async function look(sql: Sql): Promise<unknown> {
    const over = after(LIMITS.store_silent_ms).then(() => after(READ_MS, OVER))
    let met = isPooled ? undefined : silent()
    for (;;) {
      const heard = await Promise.race([sql`select 1`.catch(error => error), over])
      if (heard === OVER) return met
      if (!isSilence(heard)) return undefined
      if (!isPooled || !wasWaitedFor(heard)) met = heard
      await after(AGAIN_MS)
    }
  }

  return {
    ask(): Promise<unknown> {
      client ??= open(1, optionsOf(isPooled ? POOLER_SECONDS : SECONDS))
      looking ??= look(client).finally(() => {
        looking = undefined
      })
      return looking
    },
    end: async () => client?.end({ timeout: 0 }),
  }
}

const OVER = Symbol('over')

/** Whether it answered nothing; an answer that has no connection or no room left is one. */
const isSilence = (error: unknown) => isUnreachable(error) && !isFull(error) && !takesNoWrites(error)

const silent = (): unknown =>
  Object.assign(new Error(`PostgreSQL has not answered for ${SECONDS} s`), { code: 'QUERY_TIMEOUT' })

const after = (ms: number, value?: unknown) => new Promise(resolve => setTimeout(resolve, ms, value))
