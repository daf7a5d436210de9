// Files that are small outside and huge inside, read as `assay submit` reads them before it sends anything. Each ends with one
// sentence that names what is wrong and where, in bounded memory, disk and time.

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MiB } from '../../shared/kernel/limits/bytes.ts'
import { zipOf } from '../support/stored-zip.ts'
import { CODEC, ENCODING, page, parquetFile, plainTexts, varint } from './support/small-parquet.ts'

const READ = join(import.meta.dirname, 'support/read-file.ts')
/** As the command starts itself (assay.mjs). */
const BOUNDS = ['--max-semi-space-size=16', '--max-old-space-size=512']
/** A process that reads an honest small file has 90 MiB; the largest page and its values are in memory beside it. */
const MEMORY_BYTES = 480 * MiB
const DISK_BYTES = 400 * MiB
const SMALL_BYTES = 3 * MiB

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-small-files-'))
})
afterAll(() => rm(folder, { recursive: true }))

interface Read {
  rows: number
  problem: string | null
  peak_bytes: number
}

/** How reading the file ended, in a process of its own, and the most that it kept in temporary files. */
async function read(name: string, bytes: Uint8Array): Promise<Read & { disk_bytes: number }> {
  expect(bytes.length).toBeLessThan(SMALL_BYTES)
  const path = join(folder, name)
  const temporary = await mkdtemp(join(folder, 'tmp-'))
  await writeFile(path, bytes)
  let disk_bytes = 0
  let isOver = false
  const watch = (async () => {
    while (!isOver) {
      disk_bytes = Math.max(disk_bytes, await sizeOf(temporary))
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  })()
  const env = { ...process.env, TMPDIR: temporary }
  const [output, errors] = await new Promise<[string, string]>(resolve =>
    execFile(process.execPath, [...BOUNDS, READ, path], { env, timeout: 400_000 }, (_, stdout, stderr) =>
      resolve([stdout, stderr]),
    ),
  )
  isOver = true
  await watch
  if (output === '') throw new Error(`reading ${name} ended without a word: ${errors.slice(0, 2000)}`)
  expect(await readdir(temporary)).toEqual([])
  return { ...(JSON.parse(output) as Read), disk_bytes }
}

async function sizeOf(path: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(path, { recursive: true }).catch(() => []))
    bytes += (await stat(join(path, entry)).catch(() => undefined))?.size ?? 0
  return bytes
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relation = (id: string, kind: string, target: string) =>
  `<Relationship Id="${id}" Type="${RELATIONS}/${kind}" Target="${target}"/>`

function workbook({
  rows = '',
  shared = '',
  styles = '',
  sheets = '',
  raw,
}: {
  rows?: string
  shared?: string
  styles?: string
  sheets?: string
  raw?: string
}): Buffer {
  const parts: Record<string, string> = {
    '_rels/.rels': `<Relationships>${relation('r1', 'officeDocument', '/xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook><sheets><sheet name="A" r:id="r1"/>${sheets}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relation('r1', 'worksheet', 'sheet.xml')}${relation('r2', 'styles', 'styles.xml')}${relation('r3', 'sharedStrings', 'texts.xml')}</Relationships>`,
    'xl/styles.xml': `<styleSheet>${styles}</styleSheet>`,
    'xl/texts.xml': `<sst>${shared}</sst>`,
    'xl/sheet.xml':
      raw ??
      `<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>v</t></is></c></row>${rows}</sheetData></worksheet>`,
  }
  return zipOf(parts, deflateRawSync)
}

const long = (bytes: number) => 'x'.repeat(bytes)
const row = (n: number, cells: string) => `<row r="${n}">${cells}</row>`
const rowsOf = (count: number, cells: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => row(n + 2, cells(n + 2))).join('')
const sharedCell = '<c t="s"><v>0</v></c>'

describe('a workbook', () => {
  it.each<[string, () => Buffer, RegExp]>([
    [
      'one shared text in every cell of a row',
      () =>
        workbook({
          shared: `<si><t>${long(MiB - 10)}</t></si>`,
          rows: rowsOf(40, () => sharedCell.repeat(500)),
        }),
      /rows? 2.*: has over 4194304 characters in its cells, up to column \d+: leave columns out/,
    ],
    [
      'one shared text in a cell of every row',
      () => workbook({ shared: `<si><t>${long(MiB - 10)}</t></si>`, rows: rowsOf(20_000, () => sharedCell) }),
      /holds over .* in its rows, more than 200 times its own/,
    ],
    [
      'six shared texts in turn',
      () =>
        workbook({
          shared: `<si><t>${long(MiB - 10)}</t></si>`.repeat(6),
          rows: rowsOf(20_000, n => `<c t="s"><v>${n % 6}</v></c>`),
        }),
      /holds over .* in its rows/,
    ],
    [
      'a shared text of 200 MiB',
      () => workbook({ shared: `<si><t>${long(200 * MiB)}</t></si>`, rows: rowsOf(1, () => sharedCell) }),
      /a text of its cells has over 1048576 characters/,
    ],
    [
      'ten million shared texts',
      () => workbook({ shared: '<si><t>x</t></si>'.repeat(18_000_000), rows: rowsOf(1, () => sharedCell) }),
      /holds over 256 MiB in xl\/texts.xml|holds over .* in xl\/texts.xml/,
    ],
    [
      'a cell of 200 MiB',
      () => workbook({ rows: rowsOf(1, () => `<c t="str"><v>${long(200 * MiB)}</v></c>`) }),
      /rows? 2.*: has over 1048576 characters in column 1/,
    ],
    [
      'cells at the last column alone',
      () => workbook({ rows: rowsOf(40_000, () => '<c r="XFD2"><v>1</v></c>') }),
      /rows? 2.*: has a value in column 16384, and the first row names none beyond column 1/,
    ],
    [
      'a cell in a column that no sheet has',
      () => workbook({ rows: rowsOf(1, () => `<c r="${'Z'.repeat(1000)}1"><v>1</v></c>`) }),
      /the cell Z{20} is in no column from A to XFD/,
    ],
    [
      'a row that no sheet has',
      () => workbook({ rows: '<row r="1000000000000000"><c><v>1</v></c></row>' }),
      /behind row 1 is a row 1000000000000000, and rows have rising numbers up to 1048576/,
    ],
    [
      'rows that go back',
      () => workbook({ rows: row(5, '<c><v>1</v></c>') + row(2, '<c><v>1</v></c>') }),
      /behind row 5 is a row 2/,
    ],
    [
      'a million styles',
      () =>
        workbook({
          styles: `<cellXfs>${'<xf numFmtId="14"/>'.repeat(1_000_000)}</cellXfs>`,
          rows: rowsOf(1, () => '<c><v>1</v></c>'),
        }),
      /it has over 100000 formats/,
    ],
    [
      'a million sheets',
      () => workbook({ sheets: '<sheet name="B" r:id="r1"/>'.repeat(1_000_000) }),
      /it has over 10000 sheets/,
    ],
    [
      'a tag of 100 MiB',
      () => workbook({ raw: `<worksheet><sheetData><row r="${long(100 * MiB)}"/></sheetData></worksheet>` }),
      /a tag or a comment has over 1048576 bytes/,
    ],
    [
      'elements a million deep',
      () => workbook({ raw: '<a>'.repeat(1_000_000) }),
      /its elements are over 100 deep/,
    ],
    [
      'rows of 300 MiB without a value',
      () =>
        workbook({
          rows: '<row/>'.repeat(0),
          raw: `<worksheet><sheetData>${'<c/>'.repeat(80_000_000)}</sheetData></worksheet>`,
        }),
      /holds over .* in xl\/sheet.xml|in no column/,
    ],
  ])('with %s ends with a sentence', async (name, made, problem) => {
    const found = await read('a.xlsx', made())
    console.log(`${name}: ${Math.round(found.peak_bytes / MiB)} MiB`)
    expect(found.problem).toMatch(problem)
    expect(found.peak_bytes).toBeLessThan(MEMORY_BYTES)
    expect(found.disk_bytes).toBeLessThan(DISK_BYTES)
  })

  it('whose part has another size than it states is refused', async () => {
    const bytes = workbook({ rows: rowsOf(1000, () => '<c><v>1</v></c>') })
    const name = Buffer.from('xl/sheet.xml')
    for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
      const isCentral = bytes.readUInt32LE(at - 46) === 0x02014b50
      if (isCentral) bytes.writeUInt32LE(100, at - 46 + 24)
    }
    expect((await read('b.xlsx', bytes)).problem).toMatch(
      /is no Excel workbook that can be read \(.*(size|bytes).*\): save it as CSV/,
    )
  })
})

const ones = (count: number) => Buffer.concat([Buffer.from([1]), varint(count * 2), Buffer.from([0])])
const dictionary = (text: string) => page({ bytes: plainTexts([text]), values: 1, kind: 'dictionary' })
const BILLION = 1_000_000_000

describe('a Parquet file', () => {
  it.each<[string, () => Buffer, RegExp]>([
    [
      'a dictionary page of a billion values',
      () =>
        parquetFile({
          rows: BILLION,
          pages: [
            dictionary('x'),
            page({ bytes: ones(BILLION), values: BILLION, encoding: ENCODING.dictionary }),
          ],
        }),
      /claims 1000000000 rows, and a run has at most 10000000/,
    ],
    [
      'a page of more values than are read at once',
      () =>
        parquetFile({
          rows: 10_000_000,
          pages: [
            dictionary('x'),
            page({ bytes: ones(10_000_000), values: 10_000_000, encoding: ENCODING.dictionary }),
          ],
        }),
      /"v": a page claims 10000000 values, and may have 2097152/,
    ],
    [
      'a run that is longer than its page',
      () =>
        parquetFile({
          rows: 10,
          pages: [dictionary('x'), page({ bytes: ones(BILLION), values: 10, encoding: ENCODING.dictionary })],
        }),
      /"v": a page has a run of 1000000000 values, and 10 are left/,
    ],
    [
      'one long text for each of a million rows',
      () =>
        parquetFile({
          rows: 1_000_000,
          pages: [
            dictionary(long(MiB - 20)),
            page({ bytes: ones(1_000_000), values: 1_000_000, encoding: ENCODING.dictionary }),
          ],
        }),
      /holds over .* in its rows, more than 200 times its own/,
    ],
    [
      'one long text in many columns',
      () =>
        parquetFile({
          rows: 100,
          copies: 200,
          pages: [
            dictionary(long(MiB - 20)),
            page({ bytes: ones(100), values: 100, encoding: ENCODING.dictionary }),
          ],
        }),
      /rows? 1.*: has over 4194304 characters as JSON, up to "v\d+": leave columns out/,
    ],
    [
      'a list of a million long texts',
      () =>
        parquetFile({
          rows: 1,
          values: 1_000_000,
          isList: true,
          pages: [
            dictionary(long(MiB - 20)),
            page({
              bytes: Buffer.concat([
                sized(Buffer.concat([run(1, 0), run(999_999, 1)])),
                sized(run(1_000_000, 1)),
                ones(1_000_000),
              ]),
              values: 1_000_000,
              encoding: ENCODING.dictionary,
            }),
          ],
        }),
      /rows? 1.*: has over 4194304 characters as JSON, up to "v"/,
    ],
    [
      'a page that unpacks to 900 MiB',
      () =>
        parquetFile({
          rows: 1,
          codec: CODEC.zstd,
          pages: [page({ bytes: zstdCompressSync(Buffer.alloc(900 * MiB)), values: 1, size: 100 })],
        }),
      /"v": .*(larger than|Cannot create|claims)/,
    ],
    [
      'a page that claims 2 GiB',
      () =>
        parquetFile({
          rows: 1,
          codec: CODEC.zstd,
          pages: [page({ bytes: zstdCompressSync(Buffer.alloc(100)), values: 1, size: 2 ** 31 - 1 })],
        }),
      /"v": a page claims 2147483647 bytes, and may have 134217728/,
    ],
    [
      'a size below zero',
      () =>
        parquetFile({
          rows: 1,
          pages: [
            page({ bytes: Buffer.alloc(0), values: 1, kind: 'index', packed_size: -7 }),
            page({ bytes: plainTexts(['a']), values: 1 }),
          ],
        }),
      /a page of "v" is longer than its column/,
    ],
    [
      'texts that repeat one another',
      () =>
        parquetFile({
          rows: 100_000,
          pages: [page({ bytes: repeating(100_000), values: 100_000, encoding: ENCODING.delta_bytes })],
        }),
      /"v": the values of a page have \d+ bytes, and may have 134217728/,
    ],
    [
      'fewer rows than it claims',
      () =>
        parquetFile({ rows: 1_000_000, values: 1, pages: [page({ bytes: plainTexts(['a']), values: 1 })] }),
      /"v" has too few values/,
    ],
    [
      'many columns of large pages',
      () =>
        parquetFile({
          rows: 1_000_000,
          copies: 60,
          pages: [
            dictionary('x'),
            page({ bytes: ones(1_000_000), values: 1_000_000, encoding: ENCODING.dictionary }),
          ],
        }),
      /take over 320 MiB when they are read: write smaller pages or row groups/,
    ],
  ])('with %s ends with a sentence', async (name, made, problem) => {
    const found = await read('a.parquet', made())
    console.log(`${name}: ${Math.round(found.peak_bytes / MiB)} MiB`)
    expect(found.problem).toMatch(problem)
    expect(found.peak_bytes).toBeLessThan(MEMORY_BYTES + 400 * MiB * Number(/many columns/.test(name)))
  })
})

const run = (count: number, value: number) => Buffer.concat([varint(count * 2), Buffer.from([value])])

function sized(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Texts of which each is the one before and a letter more. */
function repeating(count: number): Buffer {
  const lengths = (first: number, step: number) => {
    const blocks = [varint(128), varint(1), varint(count), varint(2 * first)]
    for (let left = count - 1; left > 0; left -= 128) blocks.push(varint(2 * step), Buffer.from([0]))
    return Buffer.concat(blocks)
  }
  return Buffer.concat([lengths(0, 1), lengths(1, 0), Buffer.alloc(count, 'x')])
}

describe('a packed or endless text', () => {
  it.each<[string, string, () => Buffer, RegExp]>([
    [
      'an endless quoted cell',
      'a.csv.gz',
      () => gzipSync(Buffer.from(`a,b\n1,"${long(200 * MiB)}`)),
      /line 2: .*(never closed|longer than)/,
    ],
    [
      'an endless line of delimiters',
      'b.csv.gz',
      () => gzipSync(Buffer.from(`a,b\n${','.repeat(200 * MiB)}`)),
      /line 2: .*longer than/,
    ],
    [
      'an endless element',
      'c.json.gz',
      () => gzipSync(Buffer.from(`[{"a":"${long(200 * MiB)}`)),
      /row 1|longer/,
    ],
    [
      'an endless line',
      'd.jsonl.zst',
      () => zstdCompressSync(Buffer.from(`{"a":"${long(200 * MiB)}`)),
      /line 1: .*longer/,
    ],
    [
      'blank lines without an end',
      'e.jsonl.zst',
      () => zstdCompressSync(Buffer.from(`{"a":1}\n${'\n'.repeat(200 * MiB)}`)),
      /line \d+: is blank/,
    ],
    [
      '1.2 GiB of rows in 200 KiB',
      'f.jsonl.zst',
      () =>
        twice(zstdCompressSync(Buffer.from(`${JSON.stringify({ a: long(1000) })}\n`.repeat(100_000))), 13),
      /unpacks to over 1073741824 bytes, and to 200 times its size/,
    ],
    [
      '1.2 GiB of blanks between values',
      'g.json.zst',
      () =>
        twice(zstdCompressSync(Buffer.from(' '.repeat(100 * MiB))), 13, zstdCompressSync(Buffer.from('[1,'))),
      /longer|unpacks to over 1073741824 bytes|blank/,
    ],
  ])('with %s ends with a sentence', async (name, file, made, problem) => {
    const found = await read(file, made())
    console.log(`${name}: ${Math.round(found.peak_bytes / MiB)} MiB`)
    expect(found.problem).toMatch(problem)
    expect(found.peak_bytes).toBeLessThan(MEMORY_BYTES)
  })
})

const twice = (frame: Buffer, count: number, first = Buffer.alloc(0)) =>
  Buffer.concat([first, ...Array.from({ length: count }, () => frame)])
