// Says whether PostgreSQL is silent, on a session beside the pools: a statement that is slow, or waits for a lock, is
// told apart from a server that answers nobody, be it frozen or away behind a pooler that keeps its own sessions open.

import type { Sql } from '../../shared/context.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isFull, isUnreachable, takesNoWrites } from '../../shared/kernel/unreachable.ts'

const SECONDS = LIMITS.store_silent_ms / 1000
/** The session is closed soon after the last look, since no pool counts it. */
const OPTIONS = { connect_timeout: SECONDS, query_timeout: SECONDS, idle_timeout: 10 }
/** After a wait in which this process may have been blocked, what has arrived meanwhile is read first. */
const READ_MS = 50

/**
 * @param open opens a client of one connection
 * @returns a function that resolves with the reason, undefined while PostgreSQL answers; all who ask at once share a look
 */
export function silenceOf(open: (max: number, options: object) => Sql) {
  let client: Sql | undefined
  let looking: Promise<unknown> | undefined
  const look = async (sql: Sql): Promise<unknown> => {
    let answered = false
    const answer = sql`select 1`.then(
      () => undefined,
      (error: unknown) => (isSilence(error) ? error : undefined),
    )
    void answer.then(() => {
      answered = true
    })
    await Promise.race([answer, after(LIMITS.store_silent_ms)])
    if (!answered) await after(READ_MS)
    return answered ? answer : silent()
  }
  return {
    ask(): Promise<unknown> {
      client ??= open(1, OPTIONS)
      looking ??= look(client).finally(() => {
        looking = undefined
      })
      return looking
    },
    end: async () => client?.end({ timeout: 0 }),
  }
}

/** Whether it answered nothing; an answer that has no connection or no room left is one. */
const isSilence = (error: unknown) => isUnreachable(error) && !isFull(error) && !takesNoWrites(error)

const silent = () =>
  Object.assign(new Error(`PostgreSQL has not answered for ${SECONDS} s`), { code: 'QUERY_TIMEOUT' })

const after = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))
