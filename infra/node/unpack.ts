// Unpacks gzip and zstd while they arrive, with Node's own libraries. Guarantee: memory is bounded by the window that
// the format allows (gzip 32 KiB, zstd WINDOW_LOG) and one chunk, whatever the ratio; every member or frame is read to
// its end and checked; a stream that ends too early, or goes on with other bytes, is an error.

// Node has zstd from 22.15 and 23.8 on, so it is looked up when it is needed.
import * as zlib from 'node:zlib'
import type { Unpack } from '../../shared/submission/rules/file-text.ts'
import { zstdFrames } from './zstd-frames.ts'

/** 8 MiB: what RFC 8878 asks of every reader, and the most that zstd writes without --ultra and --long. */
const WINDOW_LOG = 23

type Decoder = zlib.Gunzip | zlib.ZstdDecompress

export const unpack: Unpack = (chunks, packing) =>
  packing === 'zstd' ? through(zstdFrames(chunks), openZstd()) : through(chunks, zlib.createGunzip())

function openZstd(): Decoder {
  if (zlib.createZstdDecompress === undefined)
    throw Object.assign(new Error('this version of Node has no zstd: 22.15 brings it'), {
      code: 'ZSTD_missing',
    })
  return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: WINDOW_LOG } })
}

async function* through(chunks: AsyncIterable<Uint8Array>, decoder: Decoder): AsyncGenerator<Uint8Array> {
  let failed: unknown
  const fed = feed(chunks, decoder).catch(error => {
    failed = error
    decoder.destroy(error)
  })
  try {
    for await (const chunk of decoder) yield chunk
    await fed
  } catch (error) {
    throw failed ?? error
  } finally {
    decoder.destroy()
    await fed
  }
}

async function feed(chunks: AsyncIterable<Uint8Array>, decoder: Decoder): Promise<void> {
  for await (const chunk of chunks) {
    if (decoder.destroyed) return
    if (!decoder.write(chunk)) await drained(decoder)
  }
  decoder.end()
}

const drained = (decoder: Decoder): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      decoder.off('drain', done)
      decoder.off('close', done)
      resolve()
    }
    decoder.on('drain', done)
    decoder.on('close', done)
  })
