// Ends requests that wait for a PostgreSQL that answers nobody. Guarantee: their callers learn it within five seconds
// (LIMITS.store_silent_look_ms and store_silent_ms); a request whose statement is only slow, or that waits for its
// caller's body, goes on.

import type { Context } from '../context.ts'
import { LIMITS } from '../kernel/limits.ts'
import { awaitsBody } from './body.ts'

/**
 * The answer, or the error that PostgreSQL is silent; what was started goes on, since it may have been done.
 * @param late gets its error after its caller was answered
 */
export function unlessSilent(
  { silence }: Context,
  request: Request,
  answer: Promise<Response>,
  late: (error: unknown) => unknown,
): Promise<Response> {
  if (silence === undefined) return answer
  let timer: ReturnType<typeof setTimeout> | undefined
  const silent = new Promise<never>((_, reject) => {
    const look = async () => {
      const reason = awaitsBody(request) ? undefined : await silence()
      if (timer === undefined) return
      if (reason === undefined || awaitsBody(request)) return wait()
      answer.then(drop, late)
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

/** Nobody reads it any more, and a stream would hold its place. */
const drop = ({ body }: Response) => void body?.cancel().catch(() => {})
