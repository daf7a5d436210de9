import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CsvError, csvRecords } from './csv.ts'

async function recordsOf(text: string, chunk = 3) {
  const encoded = new TextEncoder().encode(text)
  async function* chunks() {
    for (let at = 0; at < encoded.length; at += chunk) yield encoded.slice(at, at + chunk)
  }
  const records = []
  for await (const some of csvRecords(chunks())) records.push(...some)
  return records
}

const valuesOf = async (text: string, chunk?: number) =>
  (await recordsOf(text, chunk)).map(({ values }) => values)

// The cases of csv-spectrum, and variants that spreadsheets write.
it.each([
  [
    'a value with a comma in quotes',
    'first,zip\nJohn,"120 any st., Anytown, WW"\n',
    [['John', '120 any st., Anytown, WW']],
  ],
  [
    'empty values',
    'a,b,c\n1,"",""\n2,3,4\n',
    [
      ['1', '', ''],
      ['2', '3', '4'],
    ],
  ],
  [
    'empty values and CRLF',
    'a,b,c\r\n1,"",""\r\n2,3,4\r\n',
    [
      ['1', '', ''],
      ['2', '3', '4'],
    ],
  ],
  [
    'doubled quotes',
    'a,b\n1,"ha ""ha"" ha"\n3,4\n',
    [
      ['1', 'ha "ha" ha'],
      ['3', '4'],
    ],
  ],
  [
    'JSON in a cell',
    'key,val\n1,"{""type"": ""Point"", ""at"": [102.0, 0.5]}"\n',
    [['1', '{"type": "Point", "at": [102.0, 0.5]}']],
  ],
  [
    'lines in a value',
    'a,b,c\n1,2,3\n"Once upon \na time",5,6\n',
    [
      ['1', '2', '3'],
      ['Once upon \na time', '5', '6'],
    ],
  ],
  [
    'lines in a value and CRLF',
    'a,b,c\r\n1,2,3\r\n"Once upon \r\na time",5,6\r\n',
    [
      ['1', '2', '3'],
      ['Once upon \r\na time', '5', '6'],
    ],
  ],
  [
    'quotes and lines',
    'a,b\n1,"ha \n""ha"" \nha"\n3,4\n',
    [
      ['1', 'ha \n"ha" \nha'],
      ['3', '4'],
    ],
  ],
  ['nothing special', 'a,b,c\n1,2,3\n', [['1', '2', '3']]],
  ['nothing special and CRLF', 'a,b,c\r\n1,2,3\r\n', [['1', '2', '3']]],
  [
    'letters of the world',
    'a,b,c\n1,2,3\n4,5,ʤ\n',
    [
      ['1', '2', '3'],
      ['4', '5', 'ʤ'],
    ],
  ],
  [
    'marks of inches and seconds',
    'Latitude,Longitude\n38°54\'26.4",77°02\'13.9"\n3.5" disk,x\n',
    [
      ['38°54\'26.4"', '77°02\'13.9"'],
      ['3.5" disk', 'x'],
    ],
  ],
])('CSV is read with %s', async (_, text, rows) => {
  for (const chunk of [1, 7, 1000]) expect((await valuesOf(text, chunk)).slice(1)).toEqual(rows)
})

it('CSV is read the same however it is split into chunks', async () => {
  const piece = fc.constantFrom('a', 'é', ' ', ',', '"', '""', '\n', '\r\n', ',"', '",', '"\n')
  const texts = fc.array(piece, { maxLength: 30 }).map(pieces => `x,y\n${pieces.join('')}`)
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (text, chunk) => {
      const read = (size: number) => recordsOf(text, size).catch(error => [error.line, error.message])
      expect(await read(chunk)).toEqual(await read(text.length * 3))
    }),
    { numRuns: 300 },
  )
})

it('a long record is read the same in small pieces as at once', async () => {
  const long = `"${'a ""quoted"" line\n'.repeat(20_000)}"`
  const text = `x,y\n1,${long}\n2,b\n3,${long}`
  const whole = await valuesOf(text, text.length)
  expect(whole.map(values => values[0])).toEqual(['x', '1', '2', '3'])
  expect(await valuesOf(text, 100)).toEqual(whole)
})

it('CSV is read only as far as needed, and its source is closed when the reader stops', async () => {
  let given = 0
  let closed = false
  async function* endless() {
    try {
      for (; given < 10_000; given++) yield new TextEncoder().encode('a,b,c\n'.repeat(1000))
    } finally {
      closed = true
    }
  }
  for await (const records of csvRecords(endless())) if (records.length > 0) break
  expect(closed).toBe(true)
  expect(given).toBeLessThan(100)
})

it('an error of the source is passed on to the reader', async () => {
  async function* breaking() {
    yield new TextEncoder().encode('a,b\n1,2\n')
    throw new Error('the disk is gone')
  }
  const read = async () => {
    for await (const _ of csvRecords(breaking()));
  }
  await expect(read()).rejects.toThrow('the disk is gone')
})

it('a record has the number of the line on which it begins', async () => {
  expect(await recordsOf('a\n"two\nlines"\n\r\n\nb\rc')).toEqual([
    { line: 1, lines: 1, values: ['a'] },
    { line: 2, lines: 2, values: ['two\nlines'] },
    { line: 6, lines: 1, values: ['b'] },
    { line: 7, lines: 1, values: ['c'] },
  ])
})

it('CSV that cannot be read is refused with its line', async () => {
  const refused = async (text: string) => {
    const error = await recordsOf(text, 65_536).catch(error => error)
    expect(error).toBeInstanceOf(CsvError)
    return `${error.line}: ${error.message.replace('cannot be read as CSV, nor what follows: ', '')}`
  }
  expect(await refused('a\n\n"1\n')).toBe('3: a quote is opened and never closed')
  expect(await refused('a\n"1\n\n2\n\n')).toBe('2: a quote is opened and never closed')
  expect(await refused(`a\n"${'x'.repeat(1024 * 1024)}`)).toMatch(/^2: (it is longer than|a quote is opened)/)
})
