// The secrets of the agent's own environment. Guarantee: what an attempt returns and reports is without them, as is what a
// later attempt finds.

import { type Mask, maskOf } from '../kernel/masking.ts'

let mask: Mask | undefined

/** Not when this is loaded: a host may fill the environment later. */
export function ownMask(): Mask {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  mask ??= maskOf(process?.env ?? {})
  return mask
}
