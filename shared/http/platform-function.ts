// A function that platforms and our own functions call, not callers: by a poke, by cron, by a queue. Guarantee: it is
// bounded in time, may be cut off anywhere and may be called any number of times at once.

import type { Context } from '../context.ts'
import { errorText } from '../domain/error-text.ts'
import { derivedKey, sameBytes, toHex } from '../domain/secrets.ts'

export interface PlatformFunction {
  name: string
  summary: string
  description: string
  /** Only who knows the master key may call it. Schedulers of platforms cannot say so; what they call does no harm. */
  private: boolean
  run(ctx: Context, invocation: PlatformInvocation): Promise<object>
}

export interface PlatformInvocation {
  /** Aborted when the host is asked to stop. */
  stop: AbortSignal
  /** Calls back whenever somebody says that there is work, until the returned function is called. */
  onWake(wake: (aborted?: string) => void): () => void
}

/** The bearer that proves a call from one of our own functions. */
export async function platformBearer(masterKey: string): Promise<string> {
  return toHex(await derivedKey(masterKey, 'platform'))
}

/** Runs the function for a POST to its address; its answer says what it did. */
export async function answerPlatform(
  ctx: Context,
  fn: PlatformFunction,
  request: Request,
  invocation: PlatformInvocation,
): Promise<Response> {
  const refused = await refusal(ctx, fn, request)
  if (refused !== undefined) return Response.json({ error: refused.error }, { status: refused.status })
  if (invocation.stop.aborted) {
    const message = `This process is being stopped; another takes the call.`
    return Response.json({ error: { code: 'stopping', message } }, { status: 503 })
  }
  try {
    await ctx.join?.()
    return Response.json(await fn.run(ctx, invocation))
  } catch (error) {
    ctx.log('error', `${fn.name}_failed`, { error: errorText(error) })
    const message = `The ${fn.name} function failed; its log says how.`
    return Response.json({ error: { code: 'internal', message } }, { status: 500 })
  }
}

async function refusal(ctx: Context, fn: PlatformFunction, request: Request) {
  if (request.method !== 'POST') {
    const message = `The ${fn.name} function is called with POST.`
    return { status: 404, error: { code: 'not_found', message } }
  }
  if (!fn.private) return undefined
  const bytes = (text: string) => new TextEncoder().encode(text)
  const given = bytes(request.headers.get('authorization') ?? '')
  if (sameBytes(given, bytes(`Bearer ${await platformBearer(ctx.config.master_key)}`))) return undefined
  const message = `The ${fn.name} function is called by other functions of this installation only.`
  return { status: 401, error: { code: 'unauthenticated', message } }
}
