// Checks that Assay signed a request to an agent. Guarantee: if ASSAY_AGENT_KEY is set, only requests signed with one
// of its keys within the last minutes pass; what their heads show to be wrong is refused before their bodies are read, and
// the signature is checked over the body's bytes as received. Without a key no web page of another origin is answered, and
// on loopback none whose name was made to lead there (DNS rebinding).

import { ApiError } from '../kernel/errors.ts'
import { sameBytes, toBase64 } from '../kernel/secrets.ts'
import { BODY_PROOF_HEADER, bodyProofText } from '../protocol/rules/protocol.ts'
import {
  keyOf,
  signedHead,
  signingSecretProblem,
  verifySignature,
} from '../triggers/rules/webhook-signatures.ts'

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
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const encoder = new TextEncoder()

/** A request is not answered; the message says why, and what to do. */
export class Refused extends Error {
  readonly code: 'unauthenticated' | 'too_large' | 'too_slow' | 'overloaded'

  constructor(code: Refused['code'], message: string) {
    super(message)
    this.name = 'Refused'
    this.code = code
  }
}

/** Who claims to send a request that has to be signed. */
export interface Caller {
  /** Of the body, if the head shows that its sender has the key. */
  proof: BodyProof | undefined
  /** Takes the pieces of the body as they come. */
  update(piece: Uint8Array): void
  /** @throws Refused unless the whole body is signed; hosts that cannot sign in parts ask for it */
  check(whole: () => Uint8Array): Promise<void>
}

export interface BodyProof {
  bytes: number
  /** What was signed: no other request has the same. */
  text: string
}

/** Undefined where nobody has to sign. @throws Refused where the head cannot be that of a signed request */
export async function callerOf({ headers }: Request, env: HostEnvironment): Promise<Caller | undefined> {
  const keys = keysOf(env)
  if (keys.length === 0) return undefined
  if (keys.some(key => signingSecretProblem(SCHEME, key) !== undefined))
    throw new Refused(
      'unauthenticated',
      'ASSAY_AGENT_KEY of this agent is not a key: it is what `assay deploy --url` prints, whsec_…',
    )
  const head = await asRefusal(() => signedHead(SCHEME, headers, Date.now()))
  const macs = startedMacs(keys, head)
  return {
    proof: await proofIn(keys, headers),
    update(piece) {
      for (const mac of macs ?? []) mac.update(piece)
    },
    check: whole => asRefusal(() => (macs ? checkMacs(macs, headers) : checkWhole(keys, headers, whole()))),
  }
}

const OTHERWISE =
  'This agent answers signed requests only; its ASSAY_AGENT_KEY is what `assay deploy --url` prints for its URL.'

async function asRefusal<T>(checked: () => T | Promise<T>): Promise<T> {
  try {
    return await checked()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new Refused('unauthenticated', `${error.message} ${OTHERWISE}`)
  }
}

interface Mac {
  update(bytes: Uint8Array): void
  digest(): Uint8Array
}
type Crypto = { createHmac(hash: string, key: Uint8Array): Mac }

/** For hosts that can sign in parts, so that no copy of a large body is made. */
function startedMacs(keys: readonly string[], head: string): Mac[] | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } }
  const node = process?.getBuiltinModule?.('node:crypto') as Partial<Crypto> | undefined
  if (typeof node?.createHmac !== 'function') return undefined
  return keys.map(key => {
    const mac = node.createHmac!('sha256', keyOf(SCHEME, key))
    mac.update(encoder.encode(head))
    return mac
  })
}

function checkMacs(macs: readonly Mac[], headers: Headers): void {
  const signatures = signaturesIn(headers.get('webhook-signature') ?? headers.get('svix-signature') ?? '')
  const isSigned = macs.map(mac => hasSignature(signatures, mac.digest())).includes(true)
  if (!isSigned)
    throw new ApiError('unauthenticated', 'No signature in the webhook-signature header holds for this body.')
}

async function checkWhole(keys: readonly string[], headers: Headers, body: Uint8Array): Promise<void> {
  let wrong: unknown
  for (const key of keys)
    try {
      await verifySignature(SCHEME, key, headers, body, Date.now())
      return
    } catch (error) {
      wrong = error
    }
  throw wrong
}

async function proofIn(keys: readonly string[], headers: Headers): Promise<BodyProof | undefined> {
  // Beside a signature under Svix's names, nobody has checked the time of these.
  if (!headers.has('webhook-signature')) return undefined
  const [, length, given] = /^(\d{1,10}),(.*)$/.exec(headers.get(BODY_PROOF_HEADER) ?? '') ?? []
  const [id, timestamp] = [headers.get('webhook-id'), headers.get('webhook-timestamp')]
  if (length === undefined || id === null || timestamp === null) return undefined
  const proof = { bytes: Number(length), text: bodyProofText(id, timestamp, Number(length)) }
  const signed = encoder.encode(proof.text)
  for (const key of keys) {
    const hmac = await crypto.subtle.importKey('raw', keyOf(SCHEME, key), HMAC, false, ['sign'])
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', hmac, signed))
    if (hasSignature(signaturesIn(given!), mac)) return proof
  }
  return undefined
}

const signaturesIn = (text: string): string[] =>
  text.split(' ').flatMap(one => (one.startsWith('v1,') ? [one.slice('v1,'.length)] : []))

function hasSignature(signatures: readonly string[], mac: Uint8Array): boolean {
  const expected = encoder.encode(toBase64(mac))
  return signatures.some(one => sameBytes(encoder.encode(one), expected))
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
