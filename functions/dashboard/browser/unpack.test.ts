import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpack } from './unpack.ts'

const TEXT = Array.from({ length: 50_000 }, (_, at) => `${at},some text ä\n`).join('')

async function unpacked(packing: 'gzip' | 'zstd', bytes: Uint8Array) {
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000)
  }
  let text = ''
  const decoder = new TextDecoder()
  for await (const part of unpack(chunks(), packing)) text += decoder.decode(part, { stream: true })
  return text
}

describe('a packed file in the browser', () => {
  it('is unpacked, zstd of any number of frames', async () => {
    expect(await unpacked('gzip', gzipSync(TEXT))).toBe(TEXT)
    expect(await unpacked('zstd', zstdCompressSync(TEXT))).toBe(TEXT)
    const frames = Buffer.concat([zstdCompressSync(TEXT), zstdCompressSync(''), zstdCompressSync(TEXT)])
    expect(await unpacked('zstd', frames)).toBe(TEXT + TEXT)
  })

  it.each(['gzip', 'zstd'] as const)('that is cut off or broken is refused, of %s', async packing => {
    const bytes = packing === 'gzip' ? gzipSync(TEXT) : zstdCompressSync(TEXT)
    const said = `is packed with ${packing} that is broken or ends too early`
    await expect(unpacked(packing, bytes.subarray(0, -9))).rejects.toThrow(said)
    await expect(unpacked(packing, bytes.subarray(0, bytes.length / 2))).rejects.toThrow(said)
    await expect(unpacked(packing, Buffer.concat([bytes, Buffer.from('rest')]))).rejects.toThrow(said)
  })

  it('as gzip of several parts is refused, never cut', async () => {
    const parts = Buffer.concat([gzipSync(TEXT), gzipSync(TEXT)])
    await expect(unpacked('gzip', parts)).rejects.toThrow('of several parts')
  })
})
