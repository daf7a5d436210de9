import { randomBytes } from 'node:crypto'
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Packing } from '../../shared/submission/rules/file-text.ts'
import { pack as packed, packingOfName, unpack } from './packing.ts'

const pack = { gzip: gzipSync, zstd: zstdCompressSync }
const SKIPPABLE = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3])

async function unpacked(packed: Uint8Array, packing: Packing, chunk = 7): Promise<string> {
  async function* chunks() {
    for (let at = 0; at < packed.length; at += chunk) yield packed.subarray(at, at + chunk)
  }
  let text = ''
  for await (const some of unpack(chunks(), packing)) text += Buffer.from(some).toString()
  return text
}

describe.each(['gzip', 'zstd'] as const)('data packed with %s', packing => {
  const rows = Array.from({ length: 500 }, (_, n) => `{"id":${n},"r":${Math.sin(n)}}\n`)
  const parts = [rows.slice(0, 200), rows.slice(200, 201), [], rows.slice(201)].map(some => some.join(''))

  it('is unpacked with all its members or frames, however it is split', async () => {
    const packed = Buffer.concat(parts.map(part => pack[packing](part)))
    for (const chunk of [7, 100, 4096, packed.length])
      expect(await unpacked(packed, packing, chunk)).toBe(rows.join(''))
  })

  it('is refused if it ends too early, and if it goes on with other bytes', async () => {
    const packed = pack[packing](rows.join(''))
    for (const end of [1, 500]) await expect(unpacked(packed.subarray(0, -end), packing)).rejects.toThrow()
    await expect(unpacked(Buffer.concat([packed, Buffer.from('{"id":1}\n')]), packing)).rejects.toThrow()
  })

  it('is unpacked only as far as it is read', async () => {
    const packed = pack[packing](randomBytes(8 * 1024 * 1024))
    let [asked, read] = [0, 0]
    async function* chunks() {
      for (let at = 0; at < packed.length; at += 4096) {
        asked += 4096
        yield packed.subarray(at, at + 4096)
      }
    }
    for await (const chunk of unpack(chunks(), packing)) {
      read += chunk.length
      if (read > 1024 * 1024) break
    }
    expect(asked).toBeLessThan(2 * 1024 * 1024)
  })

  it('ends with the error of what it is read from', async () => {
    async function* broken() {
      yield pack[packing]('{"id":1}').subarray(0, 9)
      throw new Error('the disk is gone')
    }
    const read = async () => {
      for await (const _ of unpack(broken(), packing));
    }
    await expect(read()).rejects.toThrow('the disk is gone')
  })
})

it('frames of zstd without data are passed over, and frames with checksums or of runs alone are read', async () => {
  const checked = zstdCompressSync('checked ', { params: { [constants.ZSTD_c_checksumFlag]: 1 } })
  const run = zstdCompressSync(Buffer.alloc(300_000, 'a'))
  const packed = Buffer.concat([SKIPPABLE, checked, SKIPPABLE, run, checked])
  for (const chunk of [1, 5, packed.length])
    expect(await unpacked(packed, 'zstd', chunk)).toBe(`checked ${'a'.repeat(300_000)}checked `)
})

it('zstd that needs a window above 8 MiB is refused', async () => {
  const wide = zstdCompressSync(Buffer.alloc(20 * 1024 * 1024, 'ab'), {
    params: { [constants.ZSTD_c_windowLog]: 26 },
  })
  await expect(unpacked(wide, 'zstd', 65_536)).rejects.toThrow()
})

it.each(['gzip', 'zstd'] as const)('what is packed with %s is unpacked as it was', async packing => {
  async function* chunks() {
    for (let n = 0; n < 1000; n++) yield Buffer.from(`row ${n}\n`)
  }
  let text = ''
  for await (const some of unpack(packed(chunks(), packing), packing)) text += Buffer.from(some).toString()
  expect(text.split('\n')).toHaveLength(1001)
  expect(text).toMatch(/^row 0\n[\s\S]*row 999\n$/)
})

it('a name says how its file is packed', () => {
  expect(['a.csv.gz', 'a.jsonl.ZST', 'a.csv', 'gz'].map(packingOfName)).toEqual([
    'gzip',
    'zstd',
    undefined,
    undefined,
  ])
})
