// Reads the names of a workbook's sheets, of a file of any size, from the directory at the end of its archive.

import { open } from 'node:fs/promises'
import { inflateRawSync } from 'node:zlib'
import { NotText } from '../submission/rules/file-text.ts'

const END = 0x06054b50
/** The end of an archive and the longest comment behind it. */
const END_BYTES = 22 + 65_535
/** Of the directory, and of the unpacked list: Excel writes a few hundred bytes for each sheet. */
const MAX_BYTES = 8 * 1024 * 1024
const NAMED = /<(?:\w+:)?sheet\s[^>]*?\bname="([^"]*)"/g
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** @throws NotText */
export async function sheetNames(path: string): Promise<string[]> {
  await using file = await open(path)
  const { size } = await file.stat()
  const read = async (position: number, bytes: number) => {
    if (bytes > MAX_BYTES || position < 0 || position + bytes > size) throw broken('its directory is broken')
    return (await file.read({ buffer: Buffer.alloc(bytes), position })).buffer
  }
  const tail = await read(Math.max(0, size - END_BYTES), Math.min(size, END_BYTES))
  let end = tail.length - 22
  while (end >= 0 && tail.readUInt32LE(end) !== END) end--
  if (end < 0) throw broken('its end is missing')
  const directory = await read(tail.readUInt32LE(end + 16), tail.readUInt32LE(end + 12))
  for (let at = 0; at + 46 <= directory.length; ) {
    const [name, extra, comment] = [28, 30, 32].map(offset => directory.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    if (directory.toString('utf8', at + 46, at + 46 + name) === 'xl/workbook.xml') {
      const header = await read(directory.readUInt32LE(at + 42), 30)
      const begin = directory.readUInt32LE(at + 42) + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
      const packed = await read(begin, directory.readUInt32LE(at + 20))
      const isPacked = directory.readUInt16LE(at + 10) !== 0
      return namesIn(isPacked ? inflateRawSync(packed, { maxOutputLength: MAX_BYTES }) : packed)
    }
    at += 46 + name + extra + comment
  }
  throw broken('it has no sheets')
}

const namesIn = (xml: Buffer): string[] =>
  [...xml.toString('utf8').matchAll(NAMED)].map(([, name = '']) =>
    name.replace(/&(#x?[0-9a-f]+|\w+);/gi, (whole, entity: string) => {
      if (!entity.startsWith('#')) return ENTITIES[entity] ?? whole
      const code = /^#x/i.test(entity) ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1))
      return String.fromCodePoint(code)
    }),
  )

const broken = (why: string) => new NotText(`is no Excel workbook that can be read (${why}): save it as CSV`)
