// Signs requests to agents behind a URL. Guarantee: no key is stored; an agent has one for each URL it is deployed at,
// the same for all its versions there, so that a deploy does not lock its own function out.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { AgentTarget } from '../../agents/rules/invoke-agent.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { secretText } from '../../kernel/message-signature.ts'
import { namedSecret } from '../../kernel/secrets.ts'
import { BODY_PROOF_HEADER, bodyProofText } from '../../protocol/rules/protocol.ts'

/** The target of a request, as far as its key depends on it. */
type Place = { agent_id: string; url: string | null }

/** The key in the form that the agent's function gets; null for a bundle, which nobody else can reach. */
export async function agentKeyOf(ctx: Context, place: Place): Promise<string | null> {
  return place.url === null ? null : secretText(await keyOf(ctx, place))
}

/** By what they are derived from, the most recently used last. */
const keys = new Map<string, Promise<KeyObject>>()

/** The headers that prove to an agent behind a URL that a request is ours; none for a bundle. */
export async function signatureOf(
  ctx: Context,
  target: AgentTarget,
  body: string,
): Promise<Record<string, string>> {
  if (target.url === null) return {}
  const key = await rememberedKey(ctx, target)
  const id = ctx.newId()
  const at_s = Math.floor(ctx.now() / 1000)
  // Not by WebCrypto, which makes each a job of the thread pool: 40 µs of CPU, against 2 with a kept key.
  const mac = (text: string) => createHmac('sha256', key).update(text).digest('base64')
  const bytes = Buffer.byteLength(body)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(at_s),
    'webhook-signature': `v1,${mac(`${id}.${at_s}.${body}`)}`,
    // Agents read large bodies of those who show first that they have the key.
    [BODY_PROOF_HEADER]: `${bytes},v1,${mac(bodyProofText(id, at_s, bytes))}`,
  }
}

function rememberedKey(ctx: Context, { agent_id, url }: Place): Promise<KeyObject> {
  const name = `${ctx.config.master_key} ${agent_id} ${url}`
  const key = keys.get(name) ?? keyOf(ctx, { agent_id, url }).then(bytes => createSecretKey(bytes))
  keys.delete(name)
  keys.set(name, key)
  if (keys.size > LIMITS.agent_keys) keys.delete(keys.keys().next().value!)
  return key
}

const keyOf = (ctx: Context, { agent_id, url }: Place) =>
  namedSecret(ctx.config.master_key, 'agent', `${agent_id} ${url}`)
