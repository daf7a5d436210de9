// The keys that requests to agents behind a URL are signed with. Guarantee: none is stored; an agent has one for each URL
// it is deployed at, the same for all its versions there, so that a deploy does not lock its own function out.

import type { Context } from '../context.ts'
import { secretText, signingKey, standardHeaders } from '../domain/message-signature.ts'
import { namedSecret } from '../domain/secrets.ts'
import type { AgentTarget } from './agent-port.ts'

/** Who a request goes to, as far as its key is concerned. */
type Place = { agent_id: string; url: string | null }

/** The key as the function is given it; null for a bundle, which nobody else can reach. */
export async function agentKeyOf(ctx: Context, place: Place): Promise<string | null> {
  return place.url === null ? null : secretText(await keyOf(ctx, place))
}

/** One for each claim: its requests share a target. */
const keys = new WeakMap<AgentTarget, Promise<CryptoKey>>()

/** The headers by which an agent behind a URL knows that a request is ours; none for a bundle. */
export async function signatureOf(
  ctx: Context,
  target: AgentTarget,
  body: string,
): Promise<Record<string, string>> {
  if (target.url === null) return {}
  let key = keys.get(target)
  if (key === undefined) {
    key = keyOf(ctx, target).then(signingKey)
    keys.set(target, key)
  }
  return standardHeaders([await key], { id: ctx.newId(), at_s: Math.floor(ctx.now() / 1000), body })
}

const keyOf = (ctx: Context, { agent_id, url }: Place) =>
  namedSecret(ctx.config.master_key, 'agent', `${agent_id} ${url}`)
