import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeXlsx } from 'hucre/xlsx'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storedZip } from '../../test/support/stored-zip.ts'
import type { Row } from '../submission/rules/rows.ts'
import { sheetRows } from './xlsx.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-workbooks-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function rowsOf(bytes: Uint8Array, sheet?: string): Promise<unknown[]> {
  const path = join(folder, 'a.xlsx')
  await writeFile(path, bytes)
  const rows: Row[] = []
  for await (const some of sheetRows(path, {}, { sheet })) rows.push(...some)
  return rows.map(row => ('text' in row ? JSON.parse(row.text) : row))
}

const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const NUMBERS = ['General', 'yyyy-mm-dd', '[h]:mm:ss', 'h:mm AM/PM', '0.00" days"', 'd. mmm yy']

/** A workbook whose first sheet has these rows in XML, and parts of its own. */
function workbook(rows: string, { props = '', shared = '', parts = {}, prefix = '' } = {}): Buffer {
  const p = prefix && `${prefix}:`
  return storedZip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships><Relationship Id="r1" Type="${RELATIONS}/officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<?xml version="1.0"?><workbook><workbookPr ${props}/><sheets><sheet name="Plot" r:id="rId9"/><sheet name="A &amp; B" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId9" Type="${RELATIONS}/chartsheet" Target="chartsheets/sheet1.xml"/><Relationship Id="rId1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet%201.xml"/><Relationship Id="rId2" Type="${RELATIONS}/styles" Target="styles.xml"/><Relationship Id="rId3" Type="${RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet><numFmts>${NUMBERS.map((code, at) => `<numFmt numFmtId="${170 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${NUMBERS.map((_, at) => `<xf numFmtId="${170 + at}"/>`).join('')}<xf numFmtId="14"/><xf numFmtId="46"/></cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst>${shared}</sst>`,
    'xl/worksheets/sheet 1.xml': `<${p}worksheet><${p}sheetData>${rows}</${p}sheetData></${p}worksheet>`,
    ...parts,
  })
}

const HEADER = '<row><c t="inlineStr"><is><t>v</t></is></c></row>'
const row = (cell: string) => `${HEADER}<row r="2">${cell}</row>`
const readCell = async (cell: string, options = {}) => {
  const [found] = await rowsOf(workbook(row(cell), options))
  return (found as { v: unknown }).v
}

describe('a cell', () => {
  it.each([
    ['a number', '<c r="A2"><v>-0.5</v></c>', -0.5],
    ['a number in another notation', '<c r="A2"><v>1.5E-3</v></c>', 0.0015],
    ['a truth', '<c t="b"><v>1</v></c>', true],
    ['an error', '<c t="e"><v>#DIV/0!</v></c>', '#DIV/0!'],
    ['a formula with its text', '<c t="str"><f>A1&amp;"x"</f><v>vx</v></c>', 'vx'],
    [
      'a formula whose value is an empty text',
      '<c t="n"><v>1</v></c><c r="B2" t="str"><f>A1</f><v></v></c>',
      1,
    ],
    [
      'a text as it stands',
      '<c t="inlineStr"><is><t xml:space="preserve"> &lt;a&gt;_x000D_\n </t></is></c>',
      ' <a>\r\n ',
    ],
    ['a text of several fonts', '<c t="inlineStr"><is><r><t>a</t></r><r><rPr/><t>b</t></r></is></c>', 'ab'],
    ['a shared text', '<c t="s"><v>0</v></c>', 'one'],
    ['a shared text without how it sounds', '<c t="s"><v>1</v></c>', '東京'],
    ['a number kept as text', '<c t="s"><v>2</v></c>', '0042'],
    ['a day', '<c s="1"><v>46082</v></c>', '2026-03-01'],
    ['a day and a time', '<c s="1"><v>46082.52089120370</v></c>', '2026-03-01T12:30:05'],
    ['a day of a format with a number', '<c s="6"><v>46082</v></c>', '2026-03-01'],
    ['a day in other words', '<c s="5"><v>46082</v></c>', '2026-03-01'],
    ['a day in words of its own', '<c t="d"><v>2026-03-01T00:00:00</v></c>', '2026-03-01'],
    ['a time', '<c s="3"><v>0.34375</v></c>', '08:15:00'],
    ['a duration of over a day', '<c s="2"><v>1.5034722222</v></c>', '36:05:00'],
    ['a duration of a format with a number', '<c s="7"><v>0.25</v></c>', '06:00:00'],
    ['a number with a word behind it', '<c s="4"><v>3</v></c>', 3],
  ])('with %s is that', async (_, cell, value) => {
    const shared =
      '<si><t>one</t></si><si><r><t>東</t></r><r><t>京</t></r><rPh sb="0"><t>トウキョウ</t></rPh></si><si><t>0042</t></si>'
    expect(await readCell(cell, { shared })).toBe(value)
  })

  it('with a day counts from 1904 where the workbook does', async () => {
    const options = { props: 'date1904="1"' }
    expect(await readCell('<c s="1"><v>44620</v></c>', options)).toBe('2026-03-01')
    expect(await readCell('<c s="1"><v>0</v></c>', options)).toBe('1904-01-01')
  })

  it('stands in the column that its place names', async () => {
    const cells = '<c r="A1" t="str"><v>a</v></c><c r="AB1" t="str"><v>b</v></c>'
    const data = '<row r="7"><c r="AB7"><v>2</v></c></row>'
    expect(await rowsOf(workbook(`<row r="1">${cells}</row>${data}`))).toEqual([{ a: null, b: 2 }])
  })
})

describe('a workbook', () => {
  it('with a formula whose value is not stored has that row refused', async () => {
    const rows = await rowsOf(workbook(row('<c><f>B1</f></c>')))
    expect(rows).toEqual([
      { line: 2, problem: expect.stringContaining('has a formula whose value is not in') },
    ])
  })

  it('whose names have a prefix is read', async () => {
    const rows = '<x:row><x:c t="str"><x:v>v</x:v></x:c></x:row><x:row><x:c><x:v>1</x:v></x:c></x:row>'
    expect(await rowsOf(workbook(rows, { prefix: 'x' }))).toEqual([{ v: 1 }])
  })

  it('is read by the name of a sheet, also where that has entities', async () => {
    expect(await rowsOf(workbook(row('<c><v>1</v></c>')), 'A & B')).toEqual([{ v: 1 }])
  })

  it('with more shared texts than are in memory has each where it belongs', async () => {
    const rows = Array.from({ length: 30_000 }, (_, at) => [`${at} ${'ä'.repeat(200)}`, `tenant ${at % 3}\n`])
    const bytes = await writeXlsx({ sheets: [{ name: 'A', rows: [['text', 'tenant'], ...rows] }] })
    expect(await rowsOf(bytes)).toEqual(rows.map(([text, tenant]) => ({ text, tenant })))
  })

  it('that is cut off within its XML is refused', async () => {
    const parts = { 'xl/worksheets/sheet 1.xml': `<worksheet><sheetData>${HEADER}<row><c><v>1` }
    await expect(rowsOf(workbook('', { parts }))).rejects.toThrow('<worksheet> is not closed')
    const texts = { 'xl/sharedStrings.xml': '<sst><si><t>a</t></si><si><t>b' }
    const cells = row('<c t="s"><v>0</v></c>')
    await expect(rowsOf(workbook(cells))).rejects.toThrow('text 0 is missing')
    await expect(rowsOf(workbook(cells, { parts: texts }))).rejects.toThrow('<sst> is not closed')
  })

  it.each([
    ['xl/workbook.bin', 'is a binary Excel workbook (.xlsb): save it as .xlsx'],
    ['content.xml', 'is an OpenDocument file (.ods): save it as .xlsx or CSV'],
    ['Index/Document.iwa', 'is a spreadsheet of Apple Numbers: export it as Excel or CSV'],
    ['word/document.xml', 'is a Word document: save its table as CSV'],
    ['data/items.csv', 'is a zip archive without a workbook: unpack it, and submit the files in it'],
  ])('is not an archive with %s, which is refused by its name', async (part, said) => {
    await expect(rowsOf(storedZip({ [part]: 'x' }))).rejects.toThrow(said)
  })
})

describe('cells in the last column of a sheet', () => {
  const LAST = '<c r="XFD1"><v>1</v></c>'

  it('take no room for those before them', async () => {
    const rows = `${HEADER}${`<row>${LAST}</row>`.repeat(20_000)}`
    const path = join(folder, 'wide.xlsx')
    await writeFile(path, workbook(rows))
    const before = process.memoryUsage().heapUsed // other files were tested in this process
    let most = 0
    let found = 0
    for await (const some of sheetRows(path, {}, {})) {
      most = Math.max(most, process.memoryUsage().heapUsed - before)
      found += some.length
      for (const row of some.slice(0, 1))
        expect(row).toMatchObject({
          problem: 'has a value in column 16384, and the first row names none beyond column 1',
        })
    }
    expect(found).toBe(20_000)
    expect(most).toBeLessThan(300 * 1024 * 1024)
  })

  it('are refused as the only names', async () => {
    const [row] = await rowsOf(
      workbook('<row><c r="XFD1" t="inlineStr"><is><t>v</t></is></c></row><row><c><v>1</v></c></row>'),
    )
    expect(row).toMatchObject({
      problem:
        'leaves 16383 columns before its last name without one, and at most 1000 may be: move the names together',
    })
  })
})
