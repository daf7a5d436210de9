import { describe, expect, it } from 'vitest'
import { itemLines } from './file-items.ts'
import { SeenIds } from './seen-ids.ts'
import { Survey } from './survey.ts'

async function surveyed(name: string, text: string, item_id?: string) {
  const survey = new Survey()
  async function* chunks() {
    yield new TextEncoder().encode(text)
  }
  for await (const _ of itemLines(name, chunks(), { item_id }, survey.taking));
  const { sample: _, ...found } = survey.result()
  return found
}

describe('a file before it is sent', () => {
  it('is described by its lines, rows, columns and delimiter', async () => {
    expect(await surveyed('a.csv', 'sep=;\nid;text\n1;"two\nlines"\n\n2;x\n')).toEqual({
      rows: 2,
      lines: 6,
      columns: ['id', 'text'],
      delimiter: ';',
      odd: [],
    })
    expect(await surveyed('a.jsonl', '{"id":1}\n\n{"text":2}\n')).toMatchObject({
      rows: 2,
      lines: 3,
      columns: ['id', 'text'],
      delimiter: null,
    })
    expect(await surveyed('a.json', '[{"id":1},\n{"id":2}]')).toMatchObject({ rows: 2, lines: null })
  })

  it('shows a row of over ten lines, rows without a value, and an index that is left out', async () => {
    const long = (lines: number) => `"${'x\n'.repeat(lines - 1)}"`
    expect((await surveyed('a.csv', `id,text\n1,${long(10)}\n2,${long(11)}\n,\n,\n`)).odd).toEqual([
      { kind: 'long_row', count: 1, line: 12, item_id: null },
      { kind: 'empty_row', count: 2, line: 23, item_id: null },
    ])
    expect((await surveyed('a.csv', ',id\n0,a\n1,b\n')).odd).toEqual([
      { kind: 'unnamed_index', count: 2, line: 1, item_id: null },
    ])
  })

  it('shows ids that are the same but for case, blanks or the way a letter is written', async () => {
    const ids = ['T-1', 'T-2', ' t-1', 'café', 'cafe\u0301', 'T-1\u200b', 'T-10']
    const odd = (await surveyed('a.csv', `id\n${ids.join('\n')}\n`, 'id')).odd
    expect(odd).toEqual([{ kind: 'repeated_id', count: 3, line: 4, item_id: ' t-1' }])
    expect((await surveyed('a.csv', 'id\nT-1\nt-1\n')).odd).toEqual([])
  })
})

it('a hundred thousand different ids are all distinguished', () => {
  const seen = new SeenIds()
  for (let n = 0; n < 100_000; n++) expect(seen.hasLike(`ticket-${n}`)).toBe(false)
  for (let n = 0; n < 100_000; n += 777) expect(seen.hasLike(` TICKET-${n} `)).toBe(true)
})
