// Watches an answer while whoever called reads it. Guarantee: the reader gets the same bytes and the same errors, and may
// clone, ignore or look at the body as before; what is wrong with it is reported once.

import { LIMITS } from '../kernel/limits.ts'

export interface Watching {
  /** Reading it failed with this error. */
  failed(error: unknown): void
  /** This text of it may be an error, although its status is good. */
  speaksOfError(text: string): void
  /** It is read whole. */
  read?(body: unknown): void
  /** It is read in parts: called with each of them. */
  reads?(): (part: string) => void
}

const READERS = ['text', 'json', 'arrayBuffer', 'blob', 'bytes', 'formData'] as const

export function watch(response: Response, watching: Watching): void {
  for (const name of READERS) {
    const read = (response as unknown as Record<string, unknown>)[name]
    if (typeof read !== 'function') continue
    const watchedRead = async () => {
      let value: unknown
      try {
        value = await read.call(response)
      } catch (error) {
        // An answer that is whole and no JSON is its reader's to judge, and so is one that was read before.
        if (!(error instanceof SyntaxError || error instanceof TypeError)) watching.failed(error)
        else if (isCut(error)) watching.failed(error)
        throw error
      }
      watching.read?.(value)
      const text = errorIn(value)
      if (text !== undefined) watching.speaksOfError(text)
      return value
    }
    Object.defineProperty(response, name, { value: watchedRead, configurable: true })
  }
  const { body } = response
  if (body === null) return
  let stream: ReadableStream<Uint8Array> | undefined
  Object.defineProperty(response, 'body', {
    configurable: true,
    get: () => {
      if (response.bodyUsed || body.locked) return body
      stream ??= watchedStream(body, watching)
      return stream
    },
  })
}

/** Node says so of a connection that ended; other TypeErrors are about how the response is used. */
const isCut = (error: unknown): boolean => error instanceof TypeError && error.message === 'terminated'

/** What was read, as text, if it may be an error that came as a good answer. */
function errorIn(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const head = value.slice(0, LIMITS.upstream_body_bytes)
    return SPEAKS_OF_ERROR.test(head) ? head : undefined
  }
  const isError = typeof value === 'object' && value !== null && 'error' in value && Boolean(value.error)
  return isError ? JSON.stringify(value).slice(0, LIMITS.upstream_body_bytes) : undefined
}

/** The body is taken when it is first read, so that looking at it, or reading it another way, stays possible. */
function watchedStream(body: ReadableStream<Uint8Array>, watching: Watching): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let reads: ((part: string) => void) | undefined
  const decoder = new TextDecoder()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        reader ??= body.getReader()
        reads ??= watching.reads?.()
        let piece: Awaited<ReturnType<typeof reader.read>>
        try {
          piece = await reader.read()
        } catch (error) {
          watching.failed(error)
          return controller.error(error)
        }
        if (piece.done) return controller.close()
        const text = decoder.decode(piece.value, { stream: true })
        reads?.(text)
        if (SPEAKS_OF_ERROR.test(text)) watching.speaksOfError(text)
        controller.enqueue(piece.value)
      },
      cancel: reason => reader?.cancel(reason) ?? body.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** How an error stands in the streams of providers; whether it is one is for whoever classes it. */
const SPEAKS_OF_ERROR = /^event: *error|"error": *[{"]|"type": *"error"/m
