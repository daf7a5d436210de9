import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeXlsx } from 'hucre/xlsx'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answering } from '../../test/support/cli-session.ts'
import { Survey } from '../submission/rules/survey.ts'
import { tableFile } from './results-table.ts'
import { readItems, type Source } from './submit-file.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-tables-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function kept(name: string, bytes: Uint8Array | ArrayBuffer) {
  const path = join(folder, name)
  await writeFile(path, new Uint8Array(bytes))
  return path
}

async function inputsOf(path: string, more: Partial<Source> = {}) {
  let text = ''
  for await (const piece of readItems(answering({})(80), { path, fields: {}, ...more }, 'reading'))
    text += new TextDecoder().decode(piece)
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).input)
}

const workbook = (...sheets: { name: string; rows: unknown[][] }[]) => writeXlsx({ sheets } as never)

describe('an Excel workbook', () => {
  it('is read as its sheet shows it, with numbers, truths and dates of their own types', async () => {
    const rows = [
      ['id', 'text', 'when', 'n', 'ok', ''],
      [1, 'héllo 🙂\nline', new Date('2026-03-01T00:00:00Z'), 1.5, true, null],
      [null, null, null, null, null, null],
      ['2', '=1+1', new Date('2026-03-01T12:30:05Z'), -0.1, false, null],
      ['3', 'short'],
    ]
    const path = await kept('tickets.csv', await workbook({ name: 'Tickets', rows }))
    expect(await inputsOf(path)).toEqual([
      { id: 1, text: 'héllo 🙂\nline', when: '2026-03-01', n: 1.5, ok: true },
      { id: '2', text: '=1+1', when: '2026-03-01T12:30:05', n: -0.1, ok: false },
      { id: '3', text: 'short', when: null, n: null, ok: null },
    ])
  })

  it('of several sheets with rows is read only by the name of one', async () => {
    const sheets = [
      { name: 'A', rows: [['id'], ['a']] },
      { name: 'B', rows: [['id'], ['b']] },
    ]
    const path = await kept('two.xlsx', await workbook(...sheets))
    await expect(inputsOf(path)).rejects.toMatchObject({ code: 'several_sheets' })
    expect(await inputsOf(path, { sheet: 'B' })).toEqual([{ id: 'b' }])
    await expect(inputsOf(path, { sheet: 'C' })).rejects.toMatchObject({ code: 'no_sheet' })
    const empty = await kept('one.xlsx', await workbook(sheets[0]!, { name: 'Empty', rows: [] }))
    expect(await inputsOf(empty)).toEqual([{ id: 'a' }])
  })

  it('is described by its rows and columns, and its bad rows by their numbers', async () => {
    const rows = [
      ['id', 'text'],
      ['1', 'a'],
      ['2', 'b', 'c'],
    ]
    const path = await kept('bad.xlsx', await workbook({ name: 'A', rows }))
    await expect(inputsOf(path)).rejects.toThrow('row 3: has 3 fields; the first line names 2')
    const good = await kept('good.xlsx', await workbook({ name: 'A', rows: rows.slice(0, 2) }))
    const survey = new Survey()
    await inputsOf(good, survey.taking)
    expect(survey.result()).toMatchObject({ rows: 1, lines: null, columns: ['id', 'text'], delimiter: null })
  })

  it('that is another archive is refused by its name', async () => {
    const path = await kept('a.zip', Buffer.from('PK\x03\x04 no workbook', 'latin1'))
    await expect(inputsOf(path)).rejects.toThrow(`${path} is no Excel workbook that can be read`)
    const text = await kept('a.csv', Buffer.from('id\n1\n'))
    await expect(inputsOf(text, { sheet: 'A' })).rejects.toThrow('--sheet is of Excel workbooks')
  })
})

describe('a Parquet file', () => {
  it('is read with all digits and fractions', async () => {
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: 'id', data: ['T-1', 'T-2'], type: 'STRING' },
        { name: 'big', data: [9007199254740993n, -1n], type: 'INT64' },
        { name: 'n', data: [0.1, null], type: 'DOUBLE', nullable: true },
        { name: 'ok', data: [true, false], type: 'BOOLEAN' },
        {
          name: 'at',
          data: [new Date('2026-03-01T12:30:05.250Z'), new Date('1969-12-31T23:59:59Z')],
          type: 'TIMESTAMP',
        },
        { name: 'tags', data: [{ a: [1, 'x'] }, { a: [] }], type: 'JSON' },
      ],
    })
    const path = await kept('a.parquet', bytes)
    let text = ''
    for await (const piece of readItems(answering({})(80), { path, fields: { item_id: 'id' } }, 'reading'))
      text += new TextDecoder().decode(piece)
    expect(text.split('\n').filter(Boolean)).toEqual([
      '{"input":{"id":"T-1","big":9007199254740993,"n":0.1,"ok":true,"at":"2026-03-01T12:30:05.25Z","tags":{"a":[1,"x"]}},"item_id":"T-1"}',
      '{"input":{"id":"T-2","big":-1,"n":null,"ok":false,"at":"1969-12-31T23:59:59Z","tags":{"a":[]}},"item_id":"T-2"}',
    ])
  })

  it('is read whole over pages, dictionaries and groups of rows that end at different rows', async () => {
    const rows = Array.from({ length: 30_000 }, (_, at) => ({
      id: at,
      tenant: `tenant-${at % 7}`,
      text: at % 3 === 0 ? null : `text ${at} é`,
      tags: at % 5 === 0 ? null : [`${at}`, null],
    }))
    const of = (name: keyof (typeof rows)[0]) => rows.map(row => row[name])
    const bytes = parquetWriteBuffer({
      columnData: [
        { name: 'id', data: of('id') },
        { name: 'tenant', data: of('tenant') },
        { name: 'text', data: of('text') },
        { name: 'tags', data: of('tags') },
      ],
      schema: [
        { name: 'root', num_children: 4 },
        { name: 'id', type: 'INT32', repetition_type: 'REQUIRED' },
        { name: 'tenant', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' },
        { name: 'text', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
        { name: 'tags', converted_type: 'LIST', repetition_type: 'OPTIONAL', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      ],
      rowGroupSize: [1000, 25_000],
      pageSize: 10_000,
    } as Parameters<typeof parquetWriteBuffer>[0])
    expect(await inputsOf(await kept('pages.parquet', bytes))).toEqual(rows)
  })

  it('with a value that JSON does not have is refused with its row, and a broken one by its name', async () => {
    const data = [{ name: 'score', data: [1, Number.NaN], type: 'DOUBLE' as const }]
    const path = await kept('nan.parquet', parquetWriteBuffer({ columnData: data }))
    await expect(inputsOf(path)).rejects.toThrow('row 2: has NaN in "score", which JSON does not have')
    const broken = await kept('broken.parquet', Buffer.from('PAR1 and no more, not even an end'))
    await expect(inputsOf(broken)).rejects.toThrow('is no Parquet file that can be read')
  })
})

describe.each(['xlsx', 'parquet'] as const)('results as %s', format => {
  const FIELDS = 'item_id,cost_usd,tries,unpriced,output,output.n,output.big'
  const result = (n: number, output: string) =>
    `{"item_id":"T-${n}","cost_usd":0.25,"tries":1,"unpriced":false,"output":${output},"output.n":1.5,"output.big":12345678901234567890}\n`

  async function file(lines: string[]) {
    async function* sent() {
      for (const line of lines) yield new TextEncoder().encode(line)
    }
    const parts = []
    for await (const part of tableFile(sent(), FIELDS, format)) parts.push(part)
    return kept(`results.${format}`, Buffer.concat(parts))
  }

  it('are read again as they were', async () => {
    const path = await file([result(1, '{"label":"a\\u0007 🙂"}'), result(2, 'null'), result(3, '"=1+1"')])
    const n = format === 'xlsx' ? 1.5 : '1.5'
    const other = {
      cost_usd: 0.25,
      tries: 1,
      unpriced: false,
      'output.n': n,
      'output.big': '12345678901234567890',
    }
    expect(await inputsOf(path)).toEqual([
      { item_id: 'T-1', ...other, output: '{"label":"a\\u0007 🙂"}' },
      { item_id: 'T-2', ...other, output: null },
      { item_id: 'T-3', ...other, output: '=1+1' },
    ])
  })

  it('have their columns even if there are none', async () => {
    expect(await inputsOf(await file([]))).toEqual([])
  })

  it('come in any number of groups', async () => {
    const path = await file(Array.from({ length: 45_000 }, (_, n) => result(n, `"${n}"`)))
    const inputs = await inputsOf(path)
    expect(inputs).toHaveLength(45_000)
    expect(inputs.at(-1)).toMatchObject({ item_id: 'T-44999', output: '44999' })
  })
})

describe('a sheet of results', () => {
  async function written(lines: Iterable<string>, fields = 'item_id,output') {
    async function* sent() {
      for (const line of lines) yield new TextEncoder().encode(line)
    }
    for await (const _ of tableFile(sent(), fields, 'xlsx'));
  }

  it('is refused with the row of a cell that is too long', async () => {
    const line = (length: number) => `{"item_id":"a","output":"${'x'.repeat(length)}"}\n`
    await written([line(32_767)])
    await expect(written([line(1), line(32_768)])).rejects.toMatchObject({
      code: 'format_limit',
      message:
        'row 3 has 32768 characters in "output", and a sheet of Excel holds at most 32767 characters in a cell',
    })
  })

  it('is refused at the row that no sheet has', async () => {
    const batch = '{"item_id":"a"}\n'.repeat(4096)
    await expect(
      written(
        Array.from({ length: 257 }, () => batch),
        'item_id',
      ),
    ).rejects.toThrow('row 1048577, and a sheet of Excel holds at most 1048576 rows')
  }, 240_000)
})
