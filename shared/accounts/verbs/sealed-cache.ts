// The short-lived cache of all processes, for what customers wrote or what decides anything. Guarantee: whoever reads Redis
// reads nothing of it, and a value that was changed there, or moved to another name, counts as missing.

import type { Context } from '../../context.ts'
import { recall, remember } from '../../redis/cache.ts'
import { type SealedIn, seal, unseal } from './sealing.ts'

type Caching = Pick<Context, 'config' | 'random' | 'redis'>

const under = (name: string): SealedIn => ({ project_id: '', row: [name] })

/** The value kept under a name; undefined when there is none, or none that this installation wrote there. */
export async function recallSealed<T>(ctx: Caching, name: string): Promise<T | undefined> {
  const sealed = await recall<unknown>(ctx.redis, name)
  if (typeof sealed !== 'string') return undefined
  return unseal(ctx, 'cache', under(name), sealed).then(
    text => JSON.parse(text) as T,
    () => undefined,
  )
}

/** Keeps a value for `ttlMs` milliseconds. */
export async function rememberSealed(
  ctx: Caching,
  name: string,
  value: unknown,
  ttlMs: number,
): Promise<void> {
  await remember(ctx.redis, name, await seal(ctx, 'cache', under(name), JSON.stringify(value)), ttlMs)
}
