// Checks that Assay signed a request to an agent. Guarantee: if ASSAY_AGENT_KEY is set, only requests signed with one
// of its keys within the last minutes pass; the signature is checked over the body's bytes as received. Without a key no
// web page of another origin is answered, and on loopback none whose name was made to lead there (DNS rebinding).

import { ApiError } from '../kernel/errors.ts'
import { signingSecretProblem, verifySignature } from '../triggers/rules/webhook-signatures.ts'

/** What a host passes in addition to the request: workerd its bindings, other hosts values that are ignored. */
export type HostEnvironment =
  | {
      ASSAY_AGENT_KEY?: unknown
      ASSAY_VERSION?: unknown
      /** Of `@hono/node-server`: the address that the request came to. */
      incoming?: { socket?: { localAddress?: string } }
    }
  | undefined

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

/** What nobody else can lead anywhere: addresses, and names that browsers keep on their own machine. */
const OWN = /^(?:(?:.*\.)?localhost|\d+\.\d+\.\d+\.\d+|\[.*\])\.?$/i
/**
 * These, and names that no public name server answers for: by them a container, a proxy or a hosts file calls. Whoever is
 * in the same network may answer for some (`claims`, `printer.local`), so a page that bears one is not trusted.
 */
const HERE = /^(?:[^.]*|.*\.(?:localhost|internal|local|svc|test)|\d+\.\d+\.\d+\.\d+|\[.*\])\.?$/i
const LOOPBACK = /^(?:127\.|::1$|::ffff:127\.)/
const WAY_OUT =
  'Set ASSAY_AGENT_KEY, which `assay deploy --url` prints: then it answers Assay alone, by any name.'

/** Why a request is refused that nobody has to sign; undefined if it passes. Assay sends no Origin. */
export function pageProblem({ headers, url }: Request, env: HostEnvironment): string | undefined {
  if (keysOf(env).length > 0) return undefined
  const { host, hostname } = new URL(url)
  const origin = headers.get('origin')
  if (origin !== null && !(origin === `http://${host}` && OWN.test(hostname)))
    return `This agent has no key and answers no page of ${origin.slice(0, 200)}. ${WAY_OUT}`
  const isOnLoopback = LOOPBACK.test(env?.incoming?.socket?.localAddress ?? '')
  if (isOnLoopback && !HERE.test(hostname) && !isHosted())
    return `This agent has no key and answers on loopback to names of this machine, not to ${host}. ${WAY_OUT}`
  return undefined
}

/**
 * What platforms set in their containers: OpenFaaS, Knative and Cloud Run, Kubernetes. No browser runs there, and a proxy
 * beside the agent (a watchdog, a queue-proxy, a sidecar) calls it on loopback by the name that it was called by.
 */
const PLATFORMS = ['fprocess', 'K_SERVICE', 'KUBERNETES_SERVICE_HOST'] as const

function isHosted(): boolean {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return PLATFORMS.some(name => process?.env?.[name])
}

/** The variable may hold several keys, separated by spaces, while one key replaces another. */
function keysOf(env: HostEnvironment): string[] {
  const { process } = globalThis as { process?: { env?: HostEnvironment } }
  const text = env?.ASSAY_AGENT_KEY ?? process?.env?.ASSAY_AGENT_KEY
  // Of blanks alone it is no key, and is refused as one: nobody sets it to serve everybody.
  return typeof text === 'string' && text !== '' ? text.trim().split(/\s+/) : []
}
