// Verifies signatures of webhook senders. Guarantee: a signature is checked over the bytes as they came, before
// anything is parsed, in constant time; if the scheme signs the time, no request older or newer than
// LIMITS.webhook_tolerance_s passes.

import { fieldsOf } from '../../json/json.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { FillRandom } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { randomWord, sameBytes, toBase64, toHex } from '../../kernel/secrets.ts'
import type { SignatureScheme } from '../vocabulary.ts'

export type SigningScheme = Exclude<SignatureScheme, 'bearer'>

/** What the headers of a request claim about its body. */
interface Claim {
  /** One valid signature is enough: senders that change their secret sign with both for a while. */
  signatures: string[]
  /** Seconds since 1970; null if the scheme signs no time. */
  timestamp: string | null
  /** The text that is signed in front of the body. */
  head: string
}

interface Scheme {
  /** Who makes the secret: a trigger's owner hands ours to the sender, or the sender's to us. */
  secret_by: 'us' | 'sender'
  /** The header that carries the signature. */
  header: string
  claim(signature: string, headers: Headers): Claim
  encoding: 'hex' | 'base64'
  /** The signature covers when it was made. */
  signs_time: boolean
  /** Where the sender puts the event's id, which is the same each time it tries to deliver the event. */
  event: { header: string } | { field: string }
}

export const SCHEMES: Record<SigningScheme, Scheme> = {
  standard_webhooks: {
    secret_by: 'us',
    header: 'webhook-signature',
    claim(signature, headers) {
      const timestamp = needed(headers, 'webhook-timestamp')
      const head = `${needed(headers, 'webhook-id')}.${timestamp}.`
      return { signatures: startingWith('v1,', signature.split(' ')), timestamp, head }
    },
    encoding: 'base64',
    signs_time: true,
    event: { header: 'webhook-id' },
  },
  github: {
    secret_by: 'us',
    header: 'x-hub-signature-256',
    claim: signature => ({ signatures: startingWith('sha256=', [signature]), timestamp: null, head: '' }),
    encoding: 'hex',
    signs_time: false,
    event: { header: 'x-github-delivery' },
  },
  stripe: {
    secret_by: 'sender',
    header: 'stripe-signature',
    claim(signature) {
      const parts = signature.split(',').map(part => part.trim())
      const timestamp = startingWith('t=', parts)[0] ?? ''
      return { signatures: startingWith('v1=', parts), timestamp, head: `${timestamp}.` }
    },
    encoding: 'hex',
    signs_time: true,
    event: { field: 'id' },
  },
  slack: {
    secret_by: 'sender',
    header: 'x-slack-signature',
    claim(signature, headers) {
      const timestamp = needed(headers, 'x-slack-request-timestamp')
      return { signatures: startingWith('v0=', [signature]), timestamp, head: `v0:${timestamp}:` }
    },
    encoding: 'hex',
    signs_time: true,
    event: { field: 'event_id' },
  },
  shopify: {
    secret_by: 'sender',
    header: 'x-shopify-hmac-sha256',
    claim: signature => ({ signatures: [signature], timestamp: null, head: '' }),
    encoding: 'base64',
    signs_time: false,
    event: { header: 'x-shopify-webhook-id' },
  },
}

const startingWith = (prefix: string, parts: string[]) =>
  parts.filter(part => part.startsWith(prefix)).map(part => part.slice(prefix.length))

function needed(headers: Headers, name: string): string {
  const value = headers.get(name)
  if (value !== null) return value
  throw new ApiError('unauthenticated', `The ${name} header is missing.`)
}

const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const encoder = new TextEncoder()

const STANDARD_HEADERS = ['id', 'timestamp', 'signature']

/** Svix sends the headers of Standard Webhooks under its own name. Headers under one name count, never a mix. */
function asStandard(scheme: SigningScheme, headers: Headers): Headers {
  const isSvix = headers.has('svix-signature') && !headers.has('webhook-signature')
  if (scheme !== 'standard_webhooks' || !isSvix) return headers
  const standard = new Headers()
  for (const name of STANDARD_HEADERS) standard.set(`webhook-${name}`, headers.get(`svix-${name}`) ?? '')
  return standard
}

/**
 * The signature that holds, as hex. @throws ApiError `unauthenticated` unless the sender knew the secret and sent this
 * body now
 */
export async function verifySignature(
  scheme: SigningScheme,
  secret: string,
  headers: Headers,
  body: Uint8Array,
  now_ms: number,
): Promise<string> {
  const { header, claim, encoding } = SCHEMES[scheme]
  const given = asStandard(scheme, headers)
  const { signatures, timestamp, head } = claim(needed(given, header), given)
  const key = await crypto.subtle.importKey('raw', keyOf(scheme, secret), HMAC, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, joined(encoder.encode(head), body)))
  const expected = encoder.encode(encoding === 'hex' ? toHex(mac) : toBase64(mac))
  if (!signatures.some(signature => sameBytes(encoder.encode(signature), expected))) {
    throw new ApiError(
      'unauthenticated',
      `No signature in the ${header} header holds for this body.`,
      'Both sides must have the same secret, and nothing on the way may change the body.',
    )
  }
  if (timestamp !== null) checkAge(timestamp, now_ms)
  return toHex(mac)
}

/** The text that is signed in front of the body. @throws ApiError `unauthenticated` unless what comes before the body can be right */
export function signedHead(scheme: SigningScheme, headers: Headers, now_ms: number): string {
  const given = asStandard(scheme, headers)
  const { timestamp, head } = SCHEMES[scheme].claim(needed(given, SCHEMES[scheme].header), given)
  if (timestamp !== null) checkAge(timestamp, now_ms)
  return head
}

/** Of a trigger after the signature: only senders that know the secret get this error. */
function checkAge(timestamp: string, now_ms: number): void {
  const age_s = /^\d{1,12}$/.test(timestamp) ? Math.round(now_ms / 1000) - Number(timestamp) : Number.NaN
  if (Math.abs(age_s) <= LIMITS.webhook_tolerance_s) return
  throw new ApiError(
    'unauthenticated',
    `The signature is of another time: its timestamp is ${timestamp}, here it is ${Math.round(now_ms / 1000)}.`,
    `Sign each request anew; the clocks may differ by ${LIMITS.webhook_tolerance_s} seconds.`,
  )
}

function joined(head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}

const STANDARD_PREFIX = 'whsec_'
const STANDARD_SECRET = /^(whsec_)?([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key of a secret: Standard Webhooks writes its bytes in base64, the other schemes use the text. */
export function keyOf(scheme: SigningScheme, secret: string): Uint8Array<ArrayBuffer> {
  if (scheme !== 'standard_webhooks') return encoder.encode(secret)
  return Uint8Array.from(atob(secret.replace(STANDARD_PREFIX, '')), character => character.charCodeAt(0))
}

/** Why a text cannot be a signing secret of the scheme; undefined if it can. */
export function signingSecretProblem(scheme: SignatureScheme, secret: string): string | undefined {
  if (scheme === 'bearer') return 'is for schemes with signatures: a bearer secret is made here'
  if (scheme !== 'standard_webhooks') return undefined
  const { min, max } = LIMITS.standard_secret_bytes
  const bytes = STANDARD_SECRET.test(secret) ? keyOf(scheme, secret).length : 0
  return bytes >= min && bytes <= max ? undefined : `must be ${min} to ${max} bytes in base64, after whsec_`
}

const SECRET_BYTES = 32

/** A new secret to hand to the sender; null if the sender makes it. */
export function newTriggerSecret(scheme: SignatureScheme, random: FillRandom): string | null {
  if (scheme !== 'bearer' && SCHEMES[scheme].secret_by === 'sender') return null
  if (scheme !== 'standard_webhooks') return `whk_secret_${randomWord(random, SECRET_BYTES)}`
  const bytes = new Uint8Array(SECRET_BYTES)
  random(bytes)
  return `${STANDARD_PREFIX}${toBase64(bytes)}`
}

/** The sender's id of the event; undefined if there is none. The body must have passed the JSON gate. */
export function eventIdOf(scheme: SigningScheme, headers: Headers, text: string): string | undefined {
  const { event } = SCHEMES[scheme]
  if ('header' in event) return asStandard(scheme, headers).get(event.header) ?? undefined
  return stringField(text, event.field)
}

export const signsTime = (scheme: SigningScheme): boolean => SCHEMES[scheme].signs_time

/** The word that Slack wants back before it sends events to a URL; undefined for any other request. */
export function challengeOf(scheme: SignatureScheme, text: string): string | undefined {
  if (scheme !== 'slack' || stringField(text, 'type') !== 'url_verification') return undefined
  return stringField(text, 'challenge')
}

function stringField(text: string, name: string): string | undefined {
  if (!text.trimStart().startsWith('{')) return undefined
  const raw = fieldsOf(text).get(name)
  return raw?.startsWith('"') ? JSON.parse(raw) : undefined
}
