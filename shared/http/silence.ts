// Ends requests that wait for a PostgreSQL that answers nobody. Guarantee: their callers learn it within five seconds
// (LIMITS.store_silent_look_ms and store_silent_ms); a request whose statement is only slow goes on.

import type { Context } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'

/** The answer, or the error that PostgreSQL is silent; what was begun goes on, since it may have been done. */
export function unlessSilent<T>({ silence }: Context, answer: Promise<T>): Promise<T> {
  if (silence === undefined) return answer
  let timer: ReturnType<typeof setTimeout> | undefined
  const silent = new Promise<never>((_, reject) => {
    const look = async () => {
      const reason = await silence()
      if (reason !== undefined) reject(reason)
      else if (timer !== undefined) wait()
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
