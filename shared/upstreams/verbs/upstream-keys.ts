// The key by which agents name the credentials that they call with. Guarantee: a credential is never sent, stored or logged;
// its name is a keyed hash that means something to one project alone.

import { createHmac } from 'node:crypto'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { namedSecret } from '../../kernel/secrets.ts'

const keys = new Map<string, Promise<string>>()

/** The project's key in hex, as each request to an agent carries it. */
export function upstreamKeyOf({ config }: Context, project_id: string): Promise<string> {
  const name = `${config.master_key} ${project_id}`
  const known = keys.get(name)
  if (known) return known
  const key = namedSecret(config.master_key, 'agent', `upstreams of ${project_id}`).then(bytes =>
    Buffer.from(bytes).toString('hex'),
  )
  if (keys.size >= LIMITS.agent_keys) keys.clear()
  keys.set(name, key)
  return key
}

/** How agents name a credential: 16 bytes of HMAC-SHA256, in hex. */
export const credentialHash = (key: string, credential: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(credential).digest('hex').slice(0, 32)

/** The shortest value of the environment that can be a credential. */
const LEAST_CHARACTERS = 8

/** The variables of an environment by the hash of their value. */
export function labelsOf(key: string, env: Readonly<Record<string, string>>): Map<string, string> {
  const labels = new Map<string, string>()
  for (const [name, value] of Object.entries(env))
    if (value.length >= LEAST_CHARACTERS) labels.set(credentialHash(key, value), name)
  return labels
}
