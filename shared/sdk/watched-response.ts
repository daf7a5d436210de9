// Watches an answer while whoever called reads it. Guarantee: the reader gets the same bytes and the same errors; an answer
// that ends before its end, or that has an error in its stream, is reported once.

import { LIMITS } from '../kernel/limits.ts'

/** What is reported of an answer, one of these and once; `failed` and `speaksOfError` may throw, which the reader gets. */
export interface Watching {
  /** It was read to its end. */
  ended(): void
  /** Reading it failed with this error. */
  failed(error: unknown): void
  /** This text of it may be an error, although its status is good. */
  speaksOfError(text: string): void
}

const READERS = ['text', 'json', 'arrayBuffer', 'blob', 'bytes', 'formData'] as const

export function watched(response: Response, watching: Watching): void {
  let isReported = false
  const once = (report: () => void) => {
    if (isReported) return
    isReported = true
    report()
  }
  for (const name of READERS) {
    const read = (response as unknown as Record<string, unknown>)[name]
    if (typeof read !== 'function') continue
    const watchedRead = async () => {
      let value: unknown
      try {
        value = await read.call(response)
      } catch (error) {
        // An answer that is whole and no JSON is its reader's to judge.
        if (!(error instanceof SyntaxError)) once(() => watching.failed(error))
        throw error
      }
      const text = errorIn(value)
      once(() => (text === undefined ? watching.ended() : watching.speaksOfError(text)))
      return value
    }
    Object.defineProperty(response, name, { value: watchedRead, configurable: true })
  }
  const { body } = response
  if (body === null || !(response.headers.get('content-type') ?? '').includes('stream')) return
  let stream: ReadableStream<Uint8Array> | undefined
  Object.defineProperty(response, 'body', {
    configurable: true,
    get: () => {
      stream ??= watchedStream(body, watching, once)
      return stream
    },
  })
}

/** What was read, as text, if it may be an error that came as a good answer. */
function errorIn(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const head = value.slice(0, LIMITS.upstream_body_bytes)
    return SPEAKS_OF_ERROR.test(head) ? head : undefined
  }
  const isError = typeof value === 'object' && value !== null && 'error' in value && Boolean(value.error)
  return isError ? JSON.stringify(value).slice(0, LIMITS.upstream_body_bytes) : undefined
}

function watchedStream(
  body: ReadableStream<Uint8Array>,
  watching: Watching,
  once: (report: () => void) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          once(() => watching.ended())
          return controller.close()
        }
        const text = decoder.decode(value, { stream: true })
        if (SPEAKS_OF_ERROR.test(text)) once(() => watching.speaksOfError(text))
        controller.enqueue(value)
      } catch (error) {
        try {
          once(() => watching.failed(error))
        } finally {
          controller.error(error)
        }
      }
    },
    cancel: reason => reader.cancel(reason),
  })
}

/** How an error stands in the streams of providers; whether it is one is for whoever classes it. */
const SPEAKS_OF_ERROR = /^event: *error|"error": *[{"]|"type": *"error"/m
