// Unpacks and packs gzip and zstd while they arrive, with Node's own libraries. Guarantee: memory is bounded by the window that
// the format allows (gzip 32 KiB, zstd WINDOW_LOG) and one chunk, whatever the ratio; every member or frame is read to
// its end and checked; a stream that ends too early, or goes on with other bytes, is an error.

// Node has zstd from 22.15 and 23.8 on, so it is looked up when it is needed.
import * as zlib from 'node:zlib'
import type { Packing, Unpack } from '../../shared/submission/rules/file-text.ts'
import { zstdFrames } from './zstd-frames.ts'

/** 8 MiB: what RFC 8878 asks of every reader, and the most that zstd writes without --ultra and --long. */
const WINDOW_LOG = 23

type Coder = zlib.Gunzip | zlib.Gzip | zlib.ZstdDecompress | zlib.ZstdCompress

export const unpack: Unpack = (chunks, packing) =>
  packing === 'zstd' ? through(zstdFrames(chunks), openZstd()) : through(chunks, zlib.createGunzip())

/** A file's ending that says how it is packed; undefined for any other. */
export function packingOfName(name: string): Packing | undefined {
  if (/\.gz$/i.test(name)) return 'gzip'
  return /\.zst$/i.test(name) ? 'zstd' : undefined
}

export function pack(chunks: AsyncIterable<Uint8Array>, packing: Packing): AsyncIterable<Uint8Array> {
  if (packing === 'gzip') return through(chunks, zlib.createGzip())
  if (zlib.createZstdCompress === undefined) throw noZstd()
  return through(chunks, zlib.createZstdCompress({ params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } }))
}

function openZstd(): Coder {
  if (zlib.createZstdDecompress === undefined)
    throw Object.assign(new Error('this version of Node has no zstd: 22.15 brings it'), {
      code: 'ZSTD_missing',
    })
  return zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: WINDOW_LOG } })
}

const noZstd = () =>
  Object.assign(new Error('this version of Node has no zstd: 22.15 brings it'), { code: 'ZSTD_missing' })

async function* through(chunks: AsyncIterable<Uint8Array>, coder: Coder): AsyncGenerator<Uint8Array> {
  let failed: unknown
  const fed = feed(chunks, coder).catch(error => {
    failed = error
    coder.destroy(error)
  })
  try {
    for await (const chunk of coder) yield chunk
    await fed
  } catch (error) {
    throw failed ?? error
  } finally {
    coder.destroy()
    await fed
  }
}

async function feed(chunks: AsyncIterable<Uint8Array>, coder: Coder): Promise<void> {
  for await (const chunk of chunks) {
    if (coder.destroyed) return
    if (!coder.write(chunk)) await drained(coder)
  }
  coder.end()
}

const drained = (coder: Coder): Promise<void> =>
  new Promise(resolve => {
    const done = () => {
      coder.off('drain', done)
      coder.off('close', done)
      resolve()
    }
    coder.on('drain', done)
    coder.on('close', done)
  })
