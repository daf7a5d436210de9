import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { unpack } from '../../../infra/packing/packing.ts'
import { BadLines, itemLines, type Taking } from './file-items.ts'

type Content = string | Uint8Array

const bytesOf = (content: Content) =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content

/** The inputs made from a file; the same however it is split. */
async function inputsOf(name: string, content: Content, taking: Taking & { item_id?: string } = {}) {
  const bytes = bytesOf(content)
  const { item_id, ...options } = taking
  const read = async (chunk: number) => {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.slice(at, at + chunk)
    }
    let text = ''
    for await (const piece of itemLines(name, chunks(), { item_id }, options))
      text += new TextDecoder().decode(piece)
    return text
  }
  const [whole, split] = await Promise.all(
    [bytes.length + 1, 7].map(chunk => read(chunk).catch((error: Error) => error)),
  )
  expect(split).toEqual(whole)
  if (whole instanceof Error) throw whole
  return whole!
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line).input)
}

async function refusal(name: string, content: Content, taking: Taking & { item_id?: string } = {}) {
  const error = await inputsOf(name, content, taking).then(
    inputs => expect.fail(`it was read as ${JSON.stringify(inputs)}`),
    error => error,
  )
  expect(error).toBeInstanceOf(BadLines)
  return (error as BadLines).named.join(' ')
}

const texts = (rows: readonly { text: string }[]) => rows.map(({ text }) => text)
const TWO = [
  { id: '1', text: 'hello' },
  { id: '2', text: 'world' },
]

describe('a quote in CSV', () => {
  it('is text in the middle of a value, at its end, and behind its beginning', async () => {
    const csv =
      'id,text\n1,I said "no" to them\n3,so they said "ok"\n4,5" screen\n5,a "quoted, \n6,fine\n'.replace(
        'quoted, ',
        'quoted',
      )
    expect(texts(await inputsOf('a.csv', csv))).toEqual([
      'I said "no" to them',
      'so they said "ok"',
      '5" screen',
      'a "quoted',
      'fine',
    ])
  })

  it('that closes before more text leaves the text in the value, as spreadsheets show it', async () => {
    const csv = 'id,text\n1,"Bye" now\n2,"a" and "b"\n3,""x\n4,"x" \n5,"ha ""ha""" ha\n'
    expect(texts(await inputsOf('a.csv', csv))).toEqual(['Bye now', 'a and "b"', 'x', 'x ', 'ha "ha" ha'])
  })

  it('that never closes is refused with its line, whatever quotes follow', async () => {
    const never = 'cannot be read as CSV, nor what follows: a quote is opened and never closed'
    const stray = '1,I said "no" to them\n2,"Never again\n3,Loved it\n4,so they said "ok"\n5,"Bye" now\n'
    expect(await refusal('stray.csv', `id,text\n${stray}6,fine\n`)).toContain(`line 3: ${never}`)
    expect(await refusal('a.csv', 'id,text\n1,a\n2,"b\n3,c\n')).toContain(`line 3: ${never}`)
    expect(await refusal('a.csv', 'id,text\n1,"a\n2,"b"\n3,c\n')).toContain(`line 2: ${never}`)
    expect(await refusal('a.csv', 'id,a,b\n1,"x\ny","z\n2,q,"w"\n')).toContain(`line 3: ${never}`)
    expect(await refusal('a.csv', 'id,text\r\n1,"a\r\n2,said "no"\r\n')).toContain(`line 2: ${never}`)
    expect(await refusal('a.csv', 'id,text\r1,"a\r2,b\r')).toContain(`line 2: ${never}`)
  })

  it('behind a blank is text', async () => {
    expect(texts(await inputsOf('a.csv', 'id,text\n1, "hello"\n'))).toEqual([' "hello"'])
    expect(await refusal('a.csv', 'id,text\n1, "hello, world"\n')).toContain(
      'line 2: has 3 fields; the first line names 2; a quote behind a blank is text: write it right behind the delimiter',
    )
  })

  it('opens a value of several lines if nothing stands behind the closing one', async () => {
    const csv = 'id,text\r\n1,"two\r\nlines, ""so"""\r\n2,"\n"\n3,x'
    expect(texts(await inputsOf('a.csv', csv))).toEqual(['two\r\nlines, "so"', '\n', 'x'])
  })

  it('behind a backslash is refused with the option that reads it, and read with that option', async () => {
    const spark = 'id,text,label\n1,"He said \\"hi\\" then left",x\n2,"path C:\\\\dir\\\\",y\n3,"plain",z\n'
    expect(await refusal('spark.csv', spark)).toMatch(
      /line 2: has a quote behind a backslash.*--escape spark/,
    )
    const comma = 'id,text\n1,"He said \\"hi\\", then left"\n2,"plain"\n'
    expect(await refusal('spark.csv', comma)).toContain('--escape spark')
    expect(await refusal('spark.csv', 'id,text\n1,"two\nlines \\"hi\\""\n')).toContain('--escape spark')
    expect(texts(await inputsOf('spark.csv', spark, { escape: 'spark' }))).toEqual([
      'He said "hi" then left',
      'path C:\\dir\\',
      'plain',
    ])
    expect(texts(await inputsOf('spark.csv', comma, { escape: 'spark' }))).toEqual([
      'He said "hi", then left',
      'plain',
    ])
  })

  it('and other characters may be escaped as Spark or MySQL does', async () => {
    const csv = 'id,text\n1,"C:\\new ""x"""\n2,a\\nb\n3,\\N\n4,"\\N"\n'
    expect(texts(await inputsOf('a.csv', csv, { escape: 'spark' }))).toEqual([
      'C:\\new "x"',
      'a\\nb',
      '\\N',
      '\\N',
    ])
    expect(texts(await inputsOf('a.csv', csv, { escape: 'mysql' }))).toEqual([
      'C:\new "x"',
      'a\nb',
      null,
      'N',
    ])
    const tsv = 'id\ttext\n1\ta\\tb\\\\c\\\nd\n2\tsaid \\"no\\0\\"\n3\t\\N\n'
    expect(texts(await inputsOf('a.tsv', tsv, { escape: 'mysql' }))).toEqual([
      'a\tb\\c\nd',
      'said "no\0"',
      null,
    ])
  })
})

describe('a quote in TSV', () => {
  it('is text, unless its value closes on the same line', async () => {
    const tsv =
      'id\ttext\n1\tI said "no" to them\n2\t"Never again, worst hotel\n3\tLoved it\n4\t5" screen is too small\n5\tThe "best" ever"\n6\t"a ""b"" c"\n7\t"Bye" now\n8\t"\n9\t""\n'
    expect(texts(await inputsOf('stray.tsv', tsv))).toEqual([
      'I said "no" to them',
      '"Never again, worst hotel',
      'Loved it',
      '5" screen is too small',
      'The "best" ever"',
      'a "b" c',
      '"Bye" now',
      '"',
      '',
    ])
  })

  it('keeps every row, however many rows stand between stray quotes', async () => {
    const rows = Array.from({ length: 200 }, (_, n) => (n === 20 ? `"review ${n}` : `review ${n} "again"`))
    const tsv = `id\ttext\n${rows.map((row, n) => `${n}\t${row}`).join('\n')}`
    expect(texts(await inputsOf('reviews.tsv', tsv))).toEqual(rows)
  })

  it('opens a value of several lines, or with a tab, if the row has the right number of values only so', async () => {
    const tsv = 'id\ttext\n1\t"two\nlines, ""so"""\n2\t"a\tb"\n3\t"a\n\nb"\n4\t"never\n5\tx\n'
    expect(texts(await inputsOf('a.tsv', tsv))).toEqual(['two\nlines, "so"', 'a\tb', 'a\n\nb', '"never', 'x'])
    expect(await inputsOf('a.tsv', 'text\tid\r\n"a\r\nb"\t1\r\n')).toEqual([{ text: 'a\r\nb', id: '1' }])
  })
})

describe('a table', () => {
  it.each([
    ['semicolons', 'id;text;amount\n1;"a;b";1,50\n2;c;2,00\n', { id: '1', text: 'a;b', amount: '1,50' }],
    ['bars', 'id|text\n1|hello, world\n2|bye, now\n', { id: '1', text: 'hello, world' }],
    ['tabs', 'id\ttext, long\n1\ta, b\n', { id: '1', 'text, long': 'a, b' }],
    ['sep=;', 'sep=;\nid;text\n1;hello\n2;world\n', { id: '1', text: 'hello' }],
    ['sep=, in quotes and a mark', '\ufeff"sep=^"\r\nid^text\r\n1^a,b\r\n', { id: '1', text: 'a,b' }],
    ['CR alone', 'id,text\r1,hello\r2,world\r', { id: '1', text: 'hello' }],
    ['CR, CR and LF', 'id,text\r\r\n1,hello\r\r\n', { id: '1', text: 'hello' }],
    ['a BOM', '\ufeffid,text\r\n1,hello\r\n', { id: '1', text: 'hello' }],
    [
      'a U+FFFD of its own',
      'id,text\n1,"scraped \ufffd page"\n2,ok\n',
      { id: '1', text: 'scraped \ufffd page' },
    ],
    ['a NUL', 'id,text\n1,a\0b\n', { id: '1', text: 'a\0b' }],
    ['names in many lines', '"id\nof";"a;b"\n1;2\n', { 'id\nof': '1', 'a;b': '2' }],
    [
      'names that are numbers or __proto__',
      'id,7,__proto__\na,b,c\n',
      JSON.parse('{"id":"a","7":"b","__proto__":"c"}'),
    ],
    ['blank lines', '\n\nid,text\n\n1,hello\n   \n\n', { id: '1', text: 'hello' }],
  ])('is read with %s', async (_, csv, first) => {
    expect((await inputsOf('a.csv', csv))[0]).toEqual(first)
  })

  it('names the line in the file below sep=', async () => {
    expect(await refusal('a.csv', 'sep=;\nid;text\n1;a;b\n')).toContain('line 3: has 3 fields')
  })

  it('may have trailing delimiters in its first line, its rows, or both', async () => {
    expect(await inputsOf('a.csv', 'id,text,\n1,hello,\n2,world,\n')).toEqual(TWO)
    expect(await inputsOf('a.csv', 'id,text\n1,hello,\n2,world,,,\n')).toEqual(TWO)
    expect(await inputsOf('a.csv', 'id,text,,\n1,hello\n2,world,\n')).toEqual(TWO)
    expect(await refusal('a.csv', 'id,text,\n1,hello,x\n')).toContain(
      'line 2: has "x" in column 3, which the first line does not name',
    )
    expect(await refusal('a.csv', 'id,text\n1,hello,x\n')).toContain(
      'line 2: has 3 fields; the first line names 2',
    )
    expect(await refusal('a.csv', 'id,text,more\n1,hello\n')).toContain('line 2: has 2 fields')
  })

  it('may have an index of pandas or R, which is left out, and no other column without a name', async () => {
    expect(await inputsOf('a.csv', ',id,text\n0,1,hello\n1,2,world\n')).toEqual(TWO)
    expect(await inputsOf('a.csv', '"","id","text"\n"7","1","hello"\n"7","2","world"\n')).toEqual(TWO)
    expect(await inputsOf('a.tsv', '\tid\ttext\n0\t1\thello\n1\t2\tworld\n')).toEqual(TWO)
    expect(await inputsOf('a.csv', 'id,,text\n1,,hello\n2,,world\n')).toEqual(TWO)
    expect(await refusal('a.csv', ',id,text\nT-1,1,hello\n')).toContain(
      'line 2: has "T-1" in column 1, which the first line does not name',
    )
    expect(await refusal('a.csv', ',,\n1,2,3\n')).toContain('line 1: names no column')
  })

  it('may be UTF-16 of either order, with a BOM or without', async () => {
    const text = 'id,text\n1,"héllo, wörld"\n2,"say ""hi"" 🙂"\n'
    const rows = ['héllo, wörld', 'say "hi" 🙂']
    const big = (from: string) => Buffer.from(from, 'utf16le').swap16()
    for (const bytes of [
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(text, 'utf16le'),
      big(`\ufeff${text}`),
      big(text),
    ])
      expect(texts(await inputsOf('a.csv', bytes))).toEqual(rows)
    const broken = Buffer.concat([Buffer.from(text, 'utf16le'), Buffer.from([0x00, 0xd8, 0x41, 0x00])])
    expect(await refusal('a.csv', broken)).toContain('a.csv is UTF-16 that cannot be read to its end')
    expect(await refusal('a.csv', Buffer.from(text, 'utf16le').subarray(0, -1))).toContain('is UTF-16')
  })

  it('of another encoding is refused by its name, with the line', async () => {
    const latin = Buffer.concat([Buffer.from('id,text\n1,ok\n2,'), Buffer.from([0xe9]), Buffer.from('t\n')])
    expect(await refusal('a.csv', latin)).toMatch(/line 3: is not UTF-8, and perhaps Latin-1/)
    expect(await refusal('a.csv', Buffer.from([0x61, 0x0a, 0xe4]))).toMatch(/line 2: is not UTF-8/)
    const utf32 = Buffer.from([...'id\n1'].flatMap(c => [c.charCodeAt(0), 0, 0, 0]))
    expect(await refusal('a.csv', utf32)).toContain('a.csv is UTF-32')
    expect(await refusal('a.csv', Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0]), utf32]))).toContain(
      'UTF-32',
    )
  })
})

describe('JSON', () => {
  const rows = [
    { id: 1, text: 'a' },
    { id: 2, text: 'b' },
  ]

  it.each([
    ['an array in one line', JSON.stringify(rows)],
    ['an array in one line with a line end', `${JSON.stringify(rows)}\n`],
    ['an array in many lines', JSON.stringify(rows, null, 2)],
    ['an array of an item a line', `[${rows.map(row => JSON.stringify(row)).join(',\n')}]`],
    ['an array behind a BOM and blanks', `\ufeff \n ${JSON.stringify(rows)}`],
    ['an array in UTF-16', Buffer.from(`\ufeff${JSON.stringify(rows, null, 2)}`, 'utf16le')],
    ['lines', rows.map(row => `${JSON.stringify(row)}\n`).join('')],
    ['lines behind a BOM', `\ufeff${rows.map(row => `${JSON.stringify(row)}\n`).join('')}`],
    [
      'lines in UTF-16',
      Buffer.from(`\ufeff${rows.map(row => `${JSON.stringify(row)}\r\n`).join('')}`, 'utf16le'),
    ],
    ['values in many lines', rows.map(row => `${JSON.stringify(row, null, 2)}\n`).join('')],
    ['values without line ends', rows.map(row => JSON.stringify(row)).join('')],
    ['values with blanks', rows.map(row => JSON.stringify(row)).join(' ')],
    ['values with CR', rows.map(row => JSON.stringify(row)).join('\r')],
  ])('is read as %s, whatever its file is called', async (_, content) => {
    for (const name of ['a.json', 'a.jsonl', 'a', 'a.csv', 'a.txt', 'standard input'])
      expect(await inputsOf(name, content, { item_id: 'id' })).toEqual(rows)
  })

  it('lines of arrays stay items, and so does the only object of a file', async () => {
    expect(await inputsOf('a.jsonl', '[1,2]\n[3]\n')).toEqual([[1, 2], [3]])
    expect(await inputsOf('a.jsonl', '{"data":[{"id":1}]}\n')).toEqual([{ data: [{ id: 1 }] }])
    expect(await inputsOf('a.json', '{"messages":[{"id":1}]}\n')).toEqual([{ messages: [{ id: 1 }] }])
  })

  it('an array longer than a row may be is read in pieces', async () => {
    const long = Array.from({ length: 30_000 }, (_, n) => ({ id: n, text: `a long text, "${n}"` }))
    const bytes = bytesOf(JSON.stringify(long))
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.slice(at, at + 65_536)
    }
    let lines = 0
    for await (const piece of itemLines('a.json', chunks(), {}))
      lines += new TextDecoder().decode(piece).split('\n').length - 1
    expect(lines).toBe(30_000)
  })

  it('that holds a table by its columns, as pandas writes it by default, is refused', async () => {
    for (const json of ['{"id":{"0":1,"1":2},"t":{"0":"a","1":"b"}}', '{\n "a \\"b\\"": {"0": null}}'])
      expect(await refusal('frame.json', json)).toContain("to_json(orient='records', lines=True)")
    expect(await refusal('split.json', '{"columns":["id"],"index":[0],"data":[[1]]}')).toContain(
      "jq -c '.data[]'",
    )
    expect(await inputsOf('a.json', '{"id":{"1":2}}')).toEqual([{ id: { 1: 2 } }])
  })

  it('with the rows in an object is refused with the way to get them out', async () => {
    for (const json of ['{"data": [{"id": 1}, {"id": 2}]}', '{\n "count": 2,\n "items": [\n  {"id": 1}]}\n'])
      expect(await refusal('wrapped.json', json)).toMatch(
        /is one JSON object whose "(data|items)" holds the rows.*jq/,
      )
  })

  it('with values that JSON does not have is refused by their names', async () => {
    const json = '{"id":"1","score":NaN}\n{"id":"2","score":Infinity}\n{"id":"3","score":-Infinity}\n'
    const said = await refusal('nan.jsonl', `${json}{"id":None}\n{"id":True}\n{"id":undefined}`)
    expect(said).toMatch(/line 1: is not JSON \(NaN found at column 19: JSON has no NaN, write null/)
    expect(said).toMatch(/line 2: .*JSON has no Infinity.*line 3: .*JSON has no Infinity/)
    expect(said).toMatch(/line 4: .*JSON has no None.*line 5: .*JSON has no True.*line 6: .*no undefined/)
    expect(await refusal('a.json', `[${json.trim().split('\n').join(',')}]`)).toMatch(
      /row 1: is not JSON \(NaN/,
    )
  })

  it('that does not end is refused, and never fewer rows', async () => {
    expect(await refusal('a.json', '[{"id":1},{"id":2}')).toContain('a.json ended before its array did')
    expect(await refusal('a.json', '[{"id":1},\n{"id":2')).toContain('a.json ended before its array did')
    expect(await refusal('a.json', '{\n"id":1}\n{\n"id":')).toContain('row 2: is not JSON (it does not end)')
    expect(await refusal('a.jsonl', '{"id":1}\n{"id":')).toContain('line 2: is not JSON')
    expect(await refusal('a.json', '[{"id":1}] and more')).toContain('is no JSON array of rows')
    expect(await refusal('a.jsonl', '{"id":"1\n{"id":"2"}\n')).toContain('line 1: is not JSON')
    expect(await refusal('a.json', `[{"id":1},\n{"t":"${'x'.repeat(1024 * 1024)}"}]`)).toContain(
      'row 2: is longer',
    )
  })
})

describe('a packed file', () => {
  const csv = 'id,text\n1,hello\n2,world\n'

  it('is unpacked by its first bytes, not by its name', async () => {
    for (const pack of [gzipSync, zstdCompressSync])
      for (const name of ['a.csv.gz', 'a.csv.zst', 'a.csv'])
        expect(await inputsOf(name, pack(csv), { unpack })).toEqual(TWO)
    expect(await inputsOf('gz.jsonl.gz', gzipSync('{"id": 1}\n'), { unpack })).toEqual([{ id: 1 }])
    expect(await inputsOf('a.csv.gz', csv, { unpack })).toEqual(TWO)
    expect(await inputsOf('a.csv.gz', gzipSync(Buffer.from(`\ufeff${csv}`, 'utf16le')), { unpack })).toEqual(
      TWO,
    )
    const members = Buffer.concat([gzipSync(csv.slice(0, 12)), gzipSync(csv.slice(12))])
    expect(await inputsOf('a.csv.gz', members, { unpack })).toEqual(TWO)
  })

  it('that is cut off, packed twice, or cannot be unpacked here is refused by its name', async () => {
    expect(await refusal('a.gz', gzipSync(csv).subarray(0, -5), { unpack })).toMatch(
      /a.gz is packed with gzip and cannot be unpacked to its end \(it ends too early\)/,
    )
    expect(await refusal('a.zst', zstdCompressSync(csv).subarray(0, -2), { unpack })).toMatch(
      /a.zst is packed with zstd and cannot be unpacked to its end/,
    )
    expect(await refusal('a.gz', gzipSync(gzipSync(csv)), { unpack })).toContain('is packed twice')
    expect(await refusal('a.gz', gzipSync(csv))).toContain('is packed with gzip: unpack it first')
  })
})

it.each([
  ['PK\x03\x04\x14\0\x06\0', 'an Excel workbook'],
  ['PAR1\x15\x04\x15\xff', 'a Parquet file'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'an Excel workbook of before 2007'],
  ['SQLite format 3\0', 'an SQLite database'],
  ['%PDF-1.7\n%\xe2\xe3\xcf\xd3', 'a PDF document'],
  ['BZh91AY&SY\x8f', 'packed with bzip2'],
  ['\xfd7zXZ\0\0\x04', 'packed with xz'],
  ['<!DOCTYPE html><html>', 'a page (HTML or XML)'],
])('a file that begins with %j is refused as %s, whatever it is called', async (begin, said) => {
  const bytes = Buffer.concat([Buffer.from(begin, 'latin1'), Buffer.alloc(600)])
  for (const name of ['a.csv', 'a.jsonl', 'a'])
    expect(await refusal(name, bytes)).toContain(`${name} is ${said}`)
})
