// Checks that Assay signed a request to an agent. Guarantee: if ASSAY_AGENT_KEY is set, only requests signed with one
// of its keys within the last minutes pass; the signature is checked over the body's bytes as received.

import { ApiError } from '../kernel/errors.ts'
import { signingSecretProblem, verifySignature } from '../triggers/rules/webhook-signatures.ts'

/** What a host passes in addition to the request: workerd its bindings, other hosts values that are ignored. */
export type HostEnvironment = { ASSAY_AGENT_KEY?: unknown; ASSAY_VERSION?: unknown } | undefined

const SCHEME = 'standard_webhooks'

/** Why a request is refused; undefined if it passes. Without a key every request passes. */
export async function callerProblem(
  { headers }: Request,
  body: Uint8Array,
  env: HostEnvironment,
): Promise<string | undefined> {
  const keys = keysOf(env)
  let problem: string | undefined
  for (const key of keys) {
    if (signingSecretProblem(SCHEME, key) !== undefined)
      return 'ASSAY_AGENT_KEY of this agent is not a key: it is what `assay deploy --url` prints, whsec_…'
    try {
      await verifySignature(SCHEME, key, headers, body, Date.now())
      return undefined
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      problem = `${error.message} This agent answers signed requests only; its ASSAY_AGENT_KEY is what \`assay deploy --url\` prints for its URL.`
    }
  }
  return problem
}

/** The variable may hold several keys, separated by spaces, while one key replaces another. */
function keysOf(env: HostEnvironment): string[] {
  const { process } = globalThis as { process?: { env?: HostEnvironment } }
  const text = env?.ASSAY_AGENT_KEY ?? process?.env?.ASSAY_AGENT_KEY
  return typeof text === 'string' ? text.split(/\s+/).filter(key => key !== '') : []
}
