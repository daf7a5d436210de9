// Makes UTF-8 text of what a file holds: unpacks gzip and zstd, reads UTF-16, and names what is no text. Guarantee: the
// first bytes decide, not the name; memory is bounded by one chunk; a file that ends too early, or has other bytes
// behind its end, is an error.

import { INPUT_LIMITS } from '../../kernel/limits/input.ts'

/** What a file is instead of text; the message is a predicate of the file. */
export class NotText extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotText'
  }
}

export type Packing = 'gzip' | 'zstd'
/** Unpacks a stream of any number of members or frames. It is the host's: browsers and servers have different ones. */
export type Unpack = (chunks: AsyncIterable<Uint8Array>, packing: Packing) => AsyncIterable<Uint8Array>

const AS_TEXT = 'save it as CSV or JSON lines'
/** Workbooks and Parquet. */
const BY_COMMAND = 'or submit it by the command (assay submit), as it is'
const UNPACK = 'unpack it first'
const AS_UTF8 = 'save it as UTF-8'

/** Other formats by their first bytes, in Latin-1. */
const FORMATS: readonly [begins: string, said: string][] = [
  ['\x50\x4b\x03\x04', `is an Excel workbook or another zip archive: ${AS_TEXT}, ${BY_COMMAND}`],
  ['\x50\x4b\x05\x06', `is an empty zip archive: ${AS_TEXT}`],
  ['PAR1', `is a Parquet file: ${AS_TEXT}, ${BY_COMMAND}`],
  [
    '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1',
    `is an Excel workbook of before 2007 (.xls), or one with a password: save it without as .xlsx, or as CSV`,
  ],
  ['ARROW1', `is an Arrow (Feather) file: ${AS_TEXT}`],
  ['Obj\x01', `is an Avro file: ${AS_TEXT}`],
  ['ORC', `is an ORC file: ${AS_TEXT}`],
  ['SQLite format 3\0', `is an SQLite database: ${AS_TEXT}`],
  ['\x89HDF', `is an HDF5 file: ${AS_TEXT}`],
  ['\x93NUMPY', `is a NumPy array: ${AS_TEXT}`],
  ['\x80\x04\x95', `is a Python pickle: ${AS_TEXT}`],
  ['\x80\x05\x95', `is a Python pickle: ${AS_TEXT}`],
  ['%PDF', `is a PDF document: ${AS_TEXT}`],
  ['{\\rtf', `is an RTF document: ${AS_TEXT}`],
  ['\x89PNG', `is a PNG image: ${AS_TEXT}`],
  ['\xff\xd8\xff', `is a JPEG image: ${AS_TEXT}`],
  ['\x7fELF', `is a program: ${AS_TEXT}`],
  ['BZh', `is packed with bzip2: ${UNPACK}`],
  ['\xfd7zXZ\0', `is packed with xz: ${UNPACK}`],
  ['7z\xbc\xaf\x27\x1c', `is a 7-Zip archive: ${UNPACK}`],
  ['Rar!', `is a RAR archive: ${UNPACK}`],
  ['\x04\x22\x4d\x18', `is packed with LZ4: ${UNPACK}`],
  ['\xff\x06\0\0sNaPpY', `is packed with Snappy: ${UNPACK}`],
  ['\xff\xfe\0\0', `is UTF-32: ${AS_UTF8}`],
  ['\0\0\xfe\xff', `is UTF-32: ${AS_UTF8}`],
]
/** Some of these could also begin a table. */
const ALSO_TEXT = new Set(['ORC', 'BZh', 'PAR1', 'ARROW1', 'Rar!', '%PDF'])

const LF = 0x0a
/** How many first bytes decide; a tar archive says what it is at 257. */
const HEAD_BYTES = 512
const isHead = (head: Uint8Array) => head.length >= HEAD_BYTES

/** @throws NotText */
export async function* utf8Of(
  chunks: AsyncIterable<Uint8Array>,
  unpack?: Unpack,
): AsyncGenerator<Uint8Array> {
  const { head, all } = await peeked(chunks, isHead)
  const packing = packingOf(head)
  if (packing === undefined) return yield* decodedFrom(head, all)
  if (unpack === undefined)
    throw new NotText(`is packed with ${packing}: ${UNPACK}, or submit it by the command (assay submit)`)
  const unpacked = await peeked(unpackedBy(unpack, all, packing), isHead)
  const again = packingOf(unpacked.head)
  if (again !== undefined) throw new NotText(`is packed twice, with ${packing} and ${again}: ${UNPACK}`)
  yield* decodedFrom(unpacked.head, unpacked.all)
}

/** What any file may unpack to, and beyond that how many times its size: lines of a table shrink to a tenth, rarely to a fiftieth. */
const UNPACKED = { sure: 1024 ** 3, times: 200 }

/** The bytes of a file that may be packed, as they were before that. @throws NotText */
export async function* unpacked(
  chunks: AsyncIterable<Uint8Array>,
  unpack: Unpack,
): AsyncGenerator<Uint8Array> {
  const { head, all } = await peeked(chunks, isHead)
  const packing = packingOf(head)
  yield* packing === undefined ? all : unpackedBy(unpack, all, packing)
}

export function packingOf(head: Uint8Array): Packing | undefined {
  if (begins(head, '\x1f\x8b')) return 'gzip'
  // A skippable frame may come before others: pzstd writes one.
  const skippable = head[0]! >> 4 === 5 && begins(head.subarray(1), '\x2a\x4d\x18')
  return begins(head, '\x28\xb5\x2f\xfd') || skippable ? 'zstd' : undefined
}

async function* unpackedBy(unpack: Unpack, chunks: AsyncIterable<Uint8Array>, packing: Packing) {
  let [packed, count] = [0, 0]
  async function* counted() {
    for await (const chunk of chunks) {
      packed += chunk.length
      yield chunk
    }
  }
  try {
    for await (const chunk of unpack(counted(), packing)) {
      count += chunk.length
      if (count > Math.max(UNPACKED.sure, UNPACKED.times * packed))
        throw new NotText(
          `unpacks to over ${UNPACKED.sure} bytes, and to ${UNPACKED.times} times its size: ${UNPACK} to see what it is, and submit that`,
        )
      yield chunk
    }
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code !== 'string' || !/^(Z_|ZSTD_|ERR_ZSTD)/.test(code)) throw error
    const why = code === 'Z_BUF_ERROR' ? 'it ends too early' : (error as Error).message
    throw new NotText(`is packed with ${packing} and cannot be unpacked to its end (${why}): write it again`)
  }
}

/** The first bytes, and all bytes from the beginning. */
export async function peeked(
  chunks: AsyncIterable<Uint8Array>,
  isEnough: (head: Uint8Array) => boolean,
): Promise<{ head: Uint8Array; all: AsyncGenerator<Uint8Array> }> {
  const reader = chunks[Symbol.asyncIterator]()
  const parts: Uint8Array[] = []
  let [length, asked, atLineEnds, isLast] = [0, 1, 0, false]
  const head = () => {
    if (parts.length > 1) parts.splice(0, parts.length, joined(parts, length))
    return parts[0] ?? new Uint8Array()
  }
  while (!isLast) {
    const { done, value } = await reader.next()
    if (done) break
    parts.push(value.slice())
    length += value.length
    // Asked at line ends and when there is twice as much: chunks may be short and lines long. Of a head that is no longer small, at
    // line ends too only once it is an eighth longer: each time all of it is read.
    if (length < asked && !(length >= atLineEnds && value.includes(LF))) continue
    isLast = isEnough(head())
    asked = length * 2
    atLineEnds = length > INPUT_LIMITS.reread_characters ? length * 1.125 : 0
  }
  async function* all() {
    try {
      if (length > 0) yield head()
      parts.length = 0
      for (let next = await reader.next(); !next.done; next = await reader.next()) yield next.value
    } finally {
      await reader.return?.()
    }
  }
  return { head: head(), all: all() }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const latin1 = (bytes: Uint8Array) => String.fromCharCode(...bytes)
const begins = (head: Uint8Array, text: string) => latin1(head.subarray(0, text.length)) === text

async function* decodedFrom(head: Uint8Array, all: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const said = formatOf(head)
  if (said !== undefined) {
    await all.return(undefined)
    throw new NotText(said)
  }
  const isBig = begins(head, '\xfe\xff') || isSpread(head, 1)
  if (isBig || begins(head, '\xff\xfe') || isSpread(head, 0)) yield* fromUtf16(all, isBig)
  else yield* all
}

function formatOf(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, HEAD_BYTES)
  const isBinary = head.some(byte => byte < 9 || byte > 0x7f)
  const found = FORMATS.find(([text]) => begins(head, text) && (isBinary || !ALSO_TEXT.has(text)))
  if (found !== undefined) return found[1]
  if (begins(head.subarray(257), 'ustar')) return `is a tar archive: ${UNPACK}`
  const zeros = [...head.subarray(0, 4)].map(byte => (byte === 0 ? 0 : 1)).join('')
  if (zeros === '1000' || zeros === '0001') return `is UTF-32: ${AS_UTF8}`
  if (/^\s*<(!doctype html|html|\?xml)/i.test(latin1(head)))
    return 'is a page (HTML or XML), as a sign-in page is: look at what was saved'
  return undefined
}

/** Whether two ASCII characters are written in two bytes each; `at` is where the first of them is not zero. */
const isSpread = (head: Uint8Array, at: 0 | 1) =>
  head.length >= 4 && head[at] !== 0 && head[at + 2] !== 0 && head[1 - at] === 0 && head[3 - at] === 0

/** UTF-16 as UTF-8. @throws NotText if it is broken */
async function* fromUtf16(chunks: AsyncIterable<Uint8Array>, isBig: boolean): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder('utf-16le', { fatal: true })
  const encoder = new TextEncoder()
  let odd: Uint8Array = new Uint8Array()
  const broken = () => new NotText(`is UTF-16 that cannot be read to its end: ${AS_UTF8}`)
  for await (const chunk of chunks) {
    const bytes = joined([odd, chunk], odd.length + chunk.length)
    const even = bytes.length - (bytes.length % 2)
    odd = bytes.slice(even)
    const units = bytes.subarray(0, even)
    if (isBig) for (let at = 0; at < even; at += 2) [units[at], units[at + 1]] = [units[at + 1]!, units[at]!]
    let text: string
    try {
      text = decoder.decode(units, { stream: true })
    } catch {
      throw broken()
    }
    if (text !== '') yield encoder.encode(text)
  }
  try {
    decoder.decode()
  } catch {
    throw broken()
  }
  if (odd.length > 0) throw broken()
}
