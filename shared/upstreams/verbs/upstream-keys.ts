// The key by which agents name the credentials that they call with. Guarantee: a credential is never sent, stored or logged;
// its name is a keyed hash that means something to one project alone.

import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { namedSecret, toHex } from '../../kernel/secrets.ts'

const keys = new Map<string, string>()

/** The project's key in hex, as each request to an agent carries it; at once if it was asked for before. */
export function upstreamKeyOf({ config }: Context, project_id: string): string | Promise<string> {
  const name = `${config.master_key} ${project_id}`
  return keys.get(name) ?? deriveKey(config.master_key, project_id, name)
}

async function deriveKey(master_key: string, project_id: string, name: string): Promise<string> {
  const key = toHex(await namedSecret(master_key, 'agent', `upstreams of ${project_id}`))
  if (keys.size >= LIMITS.agent_keys) keys.clear()
  keys.set(name, key)
  return key
}

/** How agents name a credential: 16 bytes of HMAC-SHA256, in hex. */
export const credentialHash = (key: string, credential: string): string =>
  createHmac('sha256', bytesOf(key)).update(credential).digest('hex').slice(0, 32)

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], pair => Number.parseInt(pair, 16))

/** The shortest value of the environment that can be a credential: `none`, for a model server without keys, is nobody's. */
const LEAST_CHARACTERS = 8

/** The variables of an environment by the hash of their value. */
export function labelsOf(key: string, env: Readonly<Record<string, string>>): Map<string, string> {
  const labels = new Map<string, string>()
  for (const [name, value] of Object.entries(env))
    if (value.length >= LEAST_CHARACTERS) labels.set(credentialHash(key, value), name)
  return labels
}
