// Ends requests that wait for a PostgreSQL that answers nobody. Guarantee: their callers learn it within five seconds
// (LIMITS.store_silent_look_ms and store_silent_ms); a request whose statement is only slow, or that waits for its
// caller's body, goes on.

import type { Context } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'

interface Asked<T> {
  /** Whether it waits for something else than PostgreSQL now. */
  isElsewhere(): boolean
  /** Gets what comes of it after its caller was told. */
  late(answer: Promise<T>): void
}

/** The answer, or the error that PostgreSQL is silent; what was begun goes on, since it may have been done. */
export function unlessSilent<T>(
  { silence }: Context,
  answer: Promise<T>,
  { isElsewhere, late }: Asked<T>,
): Promise<T> {
  if (silence === undefined) return answer
  let timer: ReturnType<typeof setTimeout> | undefined
  const silent = new Promise<never>((_, reject) => {
    const look = async () => {
      const reason = isElsewhere() ? undefined : await silence()
      if (timer === undefined) return
      if (reason === undefined || isElsewhere()) return wait()
      late(answer)
      reject(reason)
    }
    const wait = () => {
      timer = setTimeout(look, LIMITS.store_silent_look_ms)
    }
    wait()
  })
  return Promise.race([answer, silent]).finally(() => {
    clearTimeout(timer)
    timer = undefined
  })
}
