// Reads what names an upstream from a call: its host, its credential, its model. Guarantee: a credential leaves this file as
// a keyed hash only, and reading a body leaves it whole for whoever called.

import { LIMITS } from '../kernel/limits.ts'

export interface CallAddress {
  url: string
  /** With a port that is not the scheme's. */
  host: string
  /** The credential's name; empty if the call has none. */
  key: string
  /** Whether making the call again has no effect. */
  isSafe: boolean
}

type Input = Parameters<typeof globalThis.fetch>[0]
type Init = Parameters<typeof globalThis.fetch>[1]

/** Undefined for a call that does not leave by HTTP. */
export async function addressOf(key: string, input: Input, init: Init): Promise<CallAddress | undefined> {
  const request = typeof Request === 'function' && input instanceof Request ? input : undefined
  const url = request?.url ?? String(input)
  if (!/^https?:/i.test(url)) return undefined
  const { host, searchParams } = new URL(url)
  const headers = new Headers(init?.headers ?? request?.headers)
  const credential = credentialOf(headers, searchParams)
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase()
  return {
    url,
    host: host.slice(0, LIMITS.upstream_host_characters),
    key: credential === null ? '' : await hashOf(key, credential),
    isSafe: method === 'GET' || method === 'HEAD' || method === 'OPTIONS',
  }
}

const HEADERS = ['x-api-key', 'api-key', 'x-goog-api-key'] as const

function credentialOf(headers: Headers, query: URLSearchParams): string | null {
  const authorization = headers.get('authorization')
  if (authorization !== null) {
    const signed = /Credential=([^/,\s]+)/.exec(authorization)
    return signed?.[1] ?? authorization.replace(/^[A-Za-z]+ +/, '')
  }
  const named = HEADERS.map(name => headers.get(name)).find(value => value !== null)
  return named ?? query.get('key')
}

const encoder = new TextEncoder()
const hashes = new Map<string, Promise<string>>()
const REMEMBERED = 1000

function hashOf(key: string, credential: string): Promise<string> {
  const name = `${key} ${credential}`
  const known = hashes.get(name)
  if (known) return known
  if (hashes.size >= REMEMBERED) hashes.clear()
  const hash = hmac(key, credential)
  hashes.set(name, hash)
  return hash
}

async function hmac(key: string, text: string): Promise<string> {
  const bytes = Uint8Array.from(key.match(/../g) ?? [], pair => Number.parseInt(pair, 16))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const secret = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', secret, encoder.encode(text)))
  return Array.from(mac.slice(0, 16), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Where providers' URLs have the model: Gemini and Vertex, Azure, Bedrock. */
const IN_URL = /\/(?:models|deployments|model)\/([^/:?]+)/
/** Searched in the beginning of a body: a model's name stands before its messages, or not far behind. */
const IN_BODY = /"model"\s*:\s*"([^"\\]{1,200})"/
const SEARCHED = 64 * 1024

/** The model that a call names; empty if it names none. */
export function modelOf(url: string, body: unknown): string {
  const found = typeof body === 'string' ? IN_BODY.exec(body.slice(0, SEARCHED)) : null
  const name = found?.[1] ?? IN_URL.exec(url)?.[1] ?? ''
  return name.slice(0, LIMITS.name_characters)
}

/** An error's body comes with its head; whoever called waits no longer for what it says. */
const HEAD_MS = 500

/** The beginning of a response's body, which stays whole for whoever reads the response. */
export async function bodyHead(response: Response): Promise<string> {
  if (response.body === null || response.bodyUsed) return ''
  const reader = response.clone().body!.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), HEAD_MS)
  try {
    while (text.length < LIMITS.upstream_body_bytes) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    // What came before the answer broke is enough to say what it was.
  } finally {
    clearTimeout(timer)
    void reader.cancel().catch(() => {})
  }
  return text.slice(0, LIMITS.upstream_body_bytes)
}
