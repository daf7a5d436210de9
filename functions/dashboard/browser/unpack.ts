// Unpacks gzip and zstd in the browser. Guarantee: memory is bounded by a window and what PUSHED_BYTES become; a file that is
// cut off is an error.

import { Decompress } from 'fzstd'
import { NotText, type Unpack } from '../../../shared/submission/rules/file-text.ts'

/** A few bytes of zstd may become 128 KiB, all at once. */
const PUSHED_BYTES = 4096

export const unpack: Unpack = (chunks, packing) => (packing === 'gzip' ? fromGzip(chunks) : fromZstd(chunks))

async function* fromGzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new DecompressionStream('gzip')
  const writer = writable.getWriter()
  const fed = (async () => {
    for await (const chunk of chunks) await writer.write(chunk as Uint8Array<ArrayBuffer>)
    await writer.close()
  })().catch(() => {}) // what reads it gets the error too
  const reader = readable.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
    await fed
  } catch (error) {
    throw broken('gzip', error, ', or of several parts')
  } finally {
    void reader.cancel().catch(() => {})
  }
}

async function* fromZstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = []
  const decoder = new Decompress(part => void parts.push(part))
  try {
    for await (const chunk of chunks)
      for (let at = 0; at < chunk.length; at += PUSHED_BYTES) {
        decoder.push(chunk.subarray(at, at + PUSHED_BYTES))
        yield* parts
        parts = []
      }
    decoder.push(new Uint8Array(), true)
    yield* parts
  } catch (error) {
    throw broken('zstd', error)
  }
}

const broken = (packing: string, error: unknown, or = '') =>
  error instanceof NotText
    ? error
    : new NotText(
        `is packed with ${packing} that is broken or ends too early${or}, so that this page cannot read it (${(error as Error).message}): unpack it first, or submit it by the command (assay submit)`,
      )
