// Makes a zip archive whose files are stored as they are, or packed, for workbooks that no library writes.

import { crc32 } from 'node:zlib'

export const storedZip = (files: Record<string, string>): Buffer => zipOf(files)

/** `pack` is Deflate without a head, as zip archives have it. */
export function zipOf(files: Record<string, string>, pack?: (data: Buffer) => Buffer): Buffer {
  const [locals, central]: [Buffer[], Buffer[]] = [[], []]
  let at = 0
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)]
    const packed = pack?.(data) ?? data
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(pack === undefined ? 0 : 8, 4)
    facts.writeUInt32LE(crc32(data), 10)
    facts.writeUInt32LE(packed.length, 14)
    facts.writeUInt32LE(data.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, packed])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    central.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), facts, place, name)
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  const count = Object.keys(files).length
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}
