// Streams rows in constant memory. Guarantee: an error breaks the answer off, and its last line and the log say so; an
// incomplete answer cannot be taken for a complete one.

import { jsonArray, jsonLines } from '../json/raw-json.ts'
import { LIMITS } from '../kernel/limits.ts'

/** One value a line, or one array; the next chunk is read when the caller has taken the last one. */
export function streamed<T>(
  chunks: AsyncGenerator<T[]>,
  shape: (row: T) => unknown,
  form: 'lines' | 'array',
  ended = () => {},
): Response {
  const bounds = { stall_ms: LIMITS.result_stall_ms, ended }
  return form === 'lines'
    ? streamedText(jsonLines(chunks, shape), 'application/x-ndjson', bounds)
    : streamedText(jsonArray(chunks, shape), 'application/json', bounds)
}

/** The same chunks with the first one read, so that an error until then is answered instead of breaking off. */
export async function started<T>(chunks: AsyncGenerator<T>): Promise<AsyncGenerator<T>> {
  const first = await chunks.next()
  return (async function* () {
    if (first.done) return
    yield first.value
    yield* chunks
  })()
}

export interface StreamBounds {
  /** A caller that takes nothing for so long is cut off. */
  stall_ms: number
  /** Called once, however the stream ends. */
  ended(): void
}

/** Answers that have started. No class of their own: hosts replace `Response` by one that is not made to be extended. */
const startedAnswers = new WeakMap<Response, Promise<unknown>>()

/** Resolves with the error that broke a streamed answer off; never if none does, and undefined for other answers. */
export const brokenOff = (response: Response): Promise<unknown> | undefined => startedAnswers.get(response)

/** What a reader finds where the answer broke off: text that is no row, after which the connection is cut. */
const brokenLine = (type: string): string =>
  type.startsWith('text/csv')
    ? `error,broke_off,${BROKEN}\n`
    : `\n{"error":{"code":"broke_off","message":"${BROKEN}"}}\n`

const BROKEN = 'The answer broke off here and is not complete: ask again.'

function once(call: (() => void) | undefined): () => void {
  let isCalled = false
  return () => {
    if (!isCalled) call?.()
    isCalled = true
  }
}

/** The error comes only after its line was taken: it would discard a line that was not sent yet. */
async function* endingInWords(
  pieces: AsyncGenerator<string>,
  type: string,
  report: (error: unknown) => void,
) {
  try {
    yield* pieces
  } catch (error) {
    report(error)
    yield brokenLine(type)
    throw error
  }
}

/** Sends pieces of a text, each made when the caller has taken the last one. */
export function streamedText(
  given: AsyncGenerator<string>,
  type: string,
  { stall_ms, ended }: Partial<StreamBounds> = {},
): Response {
  const encoder = new TextEncoder()
  const { promise: broken, resolve: isBroken } = Promise.withResolvers<unknown>()
  const pieces = endingInWords(given, type, isBroken)
  let stall: ReturnType<typeof setTimeout> | undefined
  let isOpen = true
  const reportEnd = once(ended)
  const stop = () => {
    clearTimeout(stall)
    isOpen = false
  }
  const close = () => {
    stop()
    reportEnd()
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      clearTimeout(stall)
      try {
        const { done, value } = await pieces.next()
        if (!isOpen) return
        if (done) {
          close()
          return controller.close()
        }
        controller.enqueue(encoder.encode(value))
      } catch (error) {
        close()
        throw error
      }
      if (stall_ms === undefined) return
      stall = setTimeout(() => {
        close()
        controller.error(new Error(`the caller took nothing for ${stall_ms} ms`))
        void pieces.return(undefined)
      }, stall_ms)
    },
    async cancel() {
      stop()
      await pieces.return(undefined).finally(reportEnd) // until then a statement in progress holds its place
    },
  })
  const response = new Response(body, { headers: { 'content-type': type } })
  startedAnswers.set(response, broken)
  return response
}
