// A reading of a source under way. Guarantee: one that says nothing for too long, or says too much, ends as a SourceError.

import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import type { Row } from '../../submission/rules/file-items.ts'
import type { CurrentDeployment } from '../queries/source-reads.ts'
import { type Source, SourceError } from '../rules/source.ts'
import type { Occasion } from '../rules/source-url.ts'

export interface Reading<S extends Source = Source> {
  source: S
  source_headers_sealed: string | null
  occasion: Occasion
  agent_id: string
  deployment: CurrentDeployment['deployment']
}

/** A source that has begun to answer. */
export interface OpenSource {
  rows: AsyncIterable<readonly Row[]>
  /** How many rows there are, as far as the source has said by the end of them. */
  count(): number | undefined
}

/** Gives a source up that says nothing for too long, and one that was left in the middle. */
export class Silence {
  readonly #abort = new AbortController()
  readonly signal = this.#abort.signal
  #timer: ReturnType<typeof setTimeout> | undefined

  /** The source has so long to say something. */
  listen(): void {
    this.pause()
    const text = `The source sent nothing for ${LIMITS.source_silence_ms / 1000} s.`
    this.#timer = setTimeout(() => this.#abort.abort(new SourceError(text)), LIMITS.source_silence_ms)
  }

  /** It is not the source that takes its time. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  end(): void {
    this.pause()
    this.#abort.abort(new SourceError('The reading is over.'))
  }

  /** What a source sends, up to a bound. @throws SourceError when there is too much, and when the connection is cut */
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

/** What an answer says that brings no rows, as one short line to be told to people; of a page nothing. */
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
