// Compresses answers for callers that accept it. Guarantee: what shows a secret is never compressed, since the length of
// a compressed answer reveals of its content (BREACH); an event is never held back; an answer that breaks off still
// breaks off, after everything that was made until then.

import { LIMITS } from '../kernel/limits.ts'

/** A compressor for one answer. */
export interface Compressor {
  readonly writable: WritableStream<Uint8Array<ArrayBuffer>>
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
}

/** The host's compressors by the name of their coding, the preferred one first. */
export type Codings = Readonly<Record<string, () => Compressor>>

/** The lengths of answers made of one text: a short one is passed on without being looked into. */
const lengths = new WeakMap<Response, number>()
const secrets = new WeakSet<Response>()

/** An answer made of one text. */
export function textAnswer(text: string, init: ResponseInit): Response {
  const response = new Response(text, init)
  lengths.set(response, text.length)
  return response
}

/** Marks an answer that shows a secret; returns it. */
export function withSecret(response: Response): Response {
  secrets.add(response)
  return response
}

export const showsSecret = (response: Response): boolean => secrets.has(response)

/** Texts and images made of text. Events are a line each, and a window of 256 KiB for each open stream is too much. */
const COMPRESSIBLE = /^(?:text\/(?!event-stream)|application\/(?:json|x-ndjson|javascript)|image\/svg\+xml)/

const NO_BODY = new Set([204, 205, 206, 304]) // a part of an answer is counted in bytes of the whole

function mayBeCompressed(response: Response): boolean {
  const { headers } = response
  return (
    !NO_BODY.has(response.status) &&
    COMPRESSIBLE.test(headers.get('content-type') ?? '') &&
    !headers.has('content-encoding') &&
    !headers.get('cache-control')?.includes('no-transform') &&
    !secrets.has(response)
  )
}

/** @param init what the host needs to know of a body that is compressed already */
export function compressed(
  request: Request,
  response: Response,
  codings: Codings,
  init: object = {},
): Response {
  if (!mayBeCompressed(response)) return response
  response.headers.append('vary', 'accept-encoding')
  if (request.method === 'HEAD') return response
  if ((lengths.get(response) ?? Number.POSITIVE_INFINITY) < LIMITS.compressed_characters) return response
  const coding = acceptedCoding(request.headers.get('accept-encoding') ?? '', Object.keys(codings))
  if (coding === undefined || response.body === null) return response
  const { status, headers } = response
  headers.set('content-encoding', coding)
  headers.delete('content-length')
  const etag = headers.get('etag')
  if (etag !== null && !etag.startsWith('W/')) headers.set('etag', `W/${etag}`) // other bytes, the same content
  return new Response(through(response.body, codings[coding]!()), { ...init, status, headers })
}

/** The coding that the caller weighs most, ours first among equals; undefined where it wants the answer as it is. */
export function acceptedCoding(accepted: string, codings: readonly string[]): string | undefined {
  const weights = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(',', LIMITS.accepted_codings)) {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = parameters.find(text => text.startsWith('q='))?.slice(2)
    if (name !== '')
      weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight) || 0)
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const asItIs = weights.get('identity') ?? 0
  let best: string | undefined
  for (const coding of codings) {
    const weight = weightOf(coding)
    if (weight > 0 && weight >= asItIs && weight > (best === undefined ? 0 : weightOf(best))) best = coding
  }
  return best
}

/** An error of the body comes after what the compressor still holds, as its last piece says why it broke off. */
function through(body: ReadableStream<Uint8Array>, { writable, readable }: Compressor): ReadableStream {
  const given = body.getReader()
  const taken = readable.getReader()
  const fed = feed(given, writable.getWriter())
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await taken.read()
      if (!done) return controller.enqueue(value)
      const broken = await fed
      if (broken) controller.error(broken.error)
      else controller.close()
    },
    async cancel(reason) {
      await Promise.allSettled([given.cancel(reason), taken.cancel(reason)])
    },
  })
}

/** Returns the error that ended it early. */
async function feed(
  given: ReadableStreamDefaultReader<Uint8Array>,
  writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>,
): Promise<{ error: unknown } | undefined> {
  let broken: { error: unknown } | undefined
  try {
    for (let part = await given.read(); !part.done; part = await given.read())
      await writer.write(part.value as Uint8Array<ArrayBuffer>)
  } catch (error) {
    broken = { error }
    void given.cancel(error).catch(() => {}) // the compressor may be what failed
  }
  await writer.close().catch(() => {}) // the caller has left
  return broken
}
