import { parse } from 'csv-parse/sync'
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

it('reads what another reader of CSV reads, however the text is cut, or refuses it as that one does', async () => {
  const piece = fc.constantFrom('a', 'é', ' ', ',', '"', '""', '\n', '\r\n', ',"', '",', '"\n')
  const texts = fc.array(piece, { maxLength: 30 }).map(pieces => `x,y\n${pieces.join('')}`)
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 9 }), async (text, chunk) => {
      let other: string[][] | undefined
      try {
        other = parse(text, {
          relax_column_count: true,
          skip_empty_lines: true,
          record_delimiter: ['\r\n', '\n'],
        })
      } catch {
        other = undefined
      }
      expect(await valuesOf(text, chunk).catch(() => undefined)).toEqual(other)
    }),
    { numRuns: 1000 },
  )
})

it('names a record by the line it begins on', async () => {
  expect(await recordsOf('a\n"two\nlines"\n\r\n\nb\rc')).toEqual([
    { line: 1, values: ['a'] },
    { line: 2, values: ['two\nlines'] },
    { line: 6, values: ['b'] },
    { line: 7, values: ['c'] },
  ])
})

it('refuses what is doubtful, by its line, and gives what came before', async () => {
  const refused = async (text: string) => {
    const error = await recordsOf(text, 65_536).catch(error => error)
    expect(error).toBeInstanceOf(CsvError)
    return `${error.line}: ${error.message}`
  }
  expect(await refused('a,b\n1,5" screen\n')).toBe(
    '2: a quote stands inside a value that does not begin with one',
  )
  expect(await refused('a,b\n"1"x,2\n')).toBe('2: something stands behind a closing quote')
  expect(await refused('a\n\n"1\n')).toBe('3: a quote is opened and never closed')
  expect(await refused(`a\n"${'x'.repeat(1024 * 1024)}`)).toMatch(/^2: (is longer than|a quote is opened)/)
})
