// Shrinks a browser's picture: 256 colours, at deflate's best compression. Guarantee: the most used colours stay as
// they are; others become the nearest of those.

import { crc32, deflateSync, inflateSync } from 'node:zlib'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const COLOURS = 256

interface Picture {
  width: number
  height: number
  /** Red, green and blue of each pixel in order, as one number. */
  pixels: Uint32Array
}

export function smallPng(png: Buffer): Buffer {
  const { width, height, pixels } = decoded(png)
  const counts = new Map<number, number>()
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1)
  const byUse = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour)
  const palette = byUse.slice(0, COLOURS)
  const index = new Map(byUse.map(colour => [colour, palette.indexOf(nearest(palette, colour))]))
  const rows = Buffer.alloc((width + 1) * height) // each row begins with its filter: none
  for (let at = 0; at < pixels.length; at++) rows[at + Math.floor(at / width) + 1] = index.get(pixels[at]!)!
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3], 8) // eight bits, with a palette
  const colours = Buffer.from(palette.flatMap(colour => [colour >> 16, (colour >> 8) & 255, colour & 255]))
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function nearest(palette: readonly number[], colour: number): number {
  const away = (other: number) =>
    [16, 8, 0].reduce((sum, bits) => sum + (((colour >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0)
  return palette.reduce((best, other) => (away(other) < away(best) ? other : best))
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const around = Buffer.alloc(8)
  around.writeUInt32BE(data.length, 0)
  around.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)])
}

/** Decodes PNGs of eight bits per channel, with or without alpha, which browsers leave opaque. */
function decoded(png: Buffer): Picture {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const channels = png[25] === 6 ? 4 : 3
  const data: Buffer[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels)
  const pixels = new Uint32Array(width * height)
  for (let at = 0; at < pixels.length; at++)
    pixels[at] = (bytes[at * channels]! << 16) | (bytes[at * channels + 1]! << 8) | bytes[at * channels + 2]!
  return { width, height, pixels }
}

/** The first byte of each row names the filter that predicted its bytes. */
function unfiltered(raw: Buffer, stride: number, channels: number): Uint8Array {
  const rows = raw.length / (stride + 1)
  const out = new Uint8Array(rows * stride)
  for (let row = 0; row < rows; row++) {
    const filter = raw[row * (stride + 1)]!
    for (let at = 0; at < stride; at++) {
      const here = row * stride + at
      const left = at < channels ? 0 : out[here - channels]!
      const above = row === 0 ? 0 : out[here - stride]!
      const corner = row === 0 || at < channels ? 0 : out[here - stride - channels]!
      const foretold = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter]!
      out[here] = raw[row * (stride + 1) + 1 + at]! + foretold
    }
  }
  return out
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [a, b, c] = [left, above, corner].map(one => Math.abs(guess - one)) as [number, number, number]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}
