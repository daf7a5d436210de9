// A function called by platforms and by our own functions (a notification, cron, a queue), not by API callers.
// Guarantee: it is bounded in time, may be cut off anywhere, and may be called any number of times at once.

import type { Context } from '../context.ts'
import { errorText } from '../kernel/error-text.ts'
import { LIMITS } from '../kernel/limits.ts'
import { derivedKey, sameBytes, toHex } from '../kernel/secrets.ts'
import { isFirstWithin } from '../redis/throttle.ts'

export interface PlatformFunction {
  name: 'consume' | 'tick'
  summary: string
  description: string
  /** A platform's cron calls it and may be unable to authenticate: then Config.tick_open lets it in. */
  scheduled?: true
  run(ctx: Context, invocation: PlatformInvocation): Promise<object>
}

export interface PlatformInvocation {
  /** Aborted when the host is asked to stop. */
  stop: AbortSignal
  /** Calls `wake` whenever there is work, until the returned function is called. */
  onWake(wake: (aborted?: string) => void): () => void
}

/** The bearer that proves a call from one of our own functions. */
export async function platformBearer(masterKey: string): Promise<string> {
  return toHex(await derivedKey(masterKey, 'platform'))
}

/**
 * Runs the function for a POST and returns what it did. A caller without the bearer is refused; where Config.tick_open
 * lets cron in, one such call in LIMITS.tick_open_ms runs it, and all get 204.
 */
export async function answerPlatform(
  ctx: Context,
  fn: PlatformFunction,
  request: Request,
  invocation: PlatformInvocation,
): Promise<Response> {
  if (request.method !== 'POST')
    return refused(404, 'not_found', `The ${fn.name} function is called with POST.`)
  const isOurs = await isOurOwn(ctx, request)
  if (!isOurs) {
    if (!(fn.scheduled && ctx.config.tick_open))
      return refused(
        401,
        'unauthenticated',
        `The ${fn.name} function is called by functions of this installation only.`,
      )
    if (!(await isFirstWithin(ctx, `open:${fn.name}`, LIMITS.tick_open_ms))) return emptyAnswer()
  }
  if (invocation.stop.aborted)
    return refused(503, 'stopping', 'This process is being stopped; another takes the call.')
  try {
    await ctx.join?.()
    const done = await fn.run(ctx, invocation)
    return isOurs ? Response.json(done) : emptyAnswer()
  } catch (error) {
    ctx.log('error', `${fn.name}_failed`, { error: errorText(error) })
    if (!isOurs) return emptyAnswer()
    return refused(500, 'internal', `The ${fn.name} function failed; its log says how.`)
  }
}

const emptyAnswer = () => new Response(null, { status: 204 })

const refused = (status: number, code: string, message: string) =>
  Response.json({ error: { code, message } }, { status })

async function isOurOwn(ctx: Context, request: Request): Promise<boolean> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const given = bytes(request.headers.get('authorization') ?? '')
  return sameBytes(given, bytes(`Bearer ${await platformBearer(ctx.config.master_key)}`))
}
