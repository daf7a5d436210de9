// Watches a source while it is read. Guarantee: one that sends nothing for too long, too much, or no row in much, throws
// a SourceError.

import { KiB } from '../../kernel/limits/bytes.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import type { Row } from '../../submission/rules/rows.ts'
import type { CurrentDeployment } from '../queries/source-reads.ts'
import { type Source, SourceError } from '../rules/source.ts'
import type { Occasion } from '../rules/source-url.ts'

export interface Reading<S extends Source = Source> {
  project_id: string
  /** The schedule or trigger; null for a source that is only tried. */
  start_id: string | null
  source: S
  source_headers_sealed: string | null
  occasion: Occasion
  agent_id: string
  deployment: CurrentDeployment['deployment']
}

/** A source that has started to answer. */
export interface OpenSource {
  rows: AsyncIterable<readonly Row[]>
  /** The number of rows that the source announced before they ended; undefined if it announced none. */
  count(): number | undefined
}

/** Aborts a source that sends nothing for too long, and one that is left before its end. */
export class Silence {
  readonly #abort = new AbortController()
  readonly signal = this.#abort.signal
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Starts the timeout (LIMITS.source_silence_ms) within which the source must send something. */
  listen(): void {
    this.pause()
    const text = `The source sent nothing for ${LIMITS.source_silence_ms / 1000} s.`
    this.#timer = setTimeout(() => this.#abort.abort(new SourceError(text)), LIMITS.source_silence_ms)
  }

  /** Stops the timeout while the reader, not the source, takes its time. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  end(): void {
    this.pause()
    this.#abort.abort(new SourceError('The reading is over.'))
  }

  /** Passes on what a source sends. @throws SourceError over LIMITS.source_bytes, and if the connection is cut */
  async *heard(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let bytes = 0
    try {
      this.listen()
      for await (const chunk of chunks) {
        this.pause()
        bytes += chunk.length
        if (bytes > LIMITS.source_bytes)
          throw new SourceError(`The source is longer than ${LIMITS.source_bytes} bytes.`)
        yield chunk
        this.listen()
      }
    } catch (error) {
      throw error instanceof SourceError ? error : new SourceError((error as Error).message)
    }
  }
}

/** Ends a source most of which is no row, such as blank lines with a row now and then. */
export class Rowless {
  #bytes = 0

  /** Packed bytes count beside what they become. @throws SourceError over LIMITS.source_rowless_bytes beyond its rows */
  async *heard(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#bytes += chunk.length
      if (this.#bytes > LIMITS.source_rowless_bytes)
        throw new SourceError(
          `The source sent more than ${LIMITS.source_rowless_bytes} bytes that are no rows.`,
        )
      yield chunk
    }
  }

  async *rows(rows: OpenSource['rows']): AsyncGenerator<readonly Row[]> {
    for await (const some of rows) {
      for (const row of some) this.#bytes -= ROW_BYTES + ('text' in row ? 3 * row.text.length : 0)
      this.#bytes = Math.max(0, this.#bytes)
      yield some
    }
  }
}

/** What a row may have around its values, such as delimiters of thousands of empty cells: Excel writes 16,384. */
const ROW_BYTES = 64 * KiB

/** The text of an answer without rows, as one short line for people; empty if it is a page. */
export async function wordsOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk.subarray(0, LIMITS.source_error_bytes), { stream: true })
      if (text.length >= LIMITS.source_error_bytes) break
    }
  } catch {} // its status has said what matters
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.startsWith('<') ? '' : plainText(line, LIMITS.source_words_characters)
}
