import { describe, expect, it } from 'vitest'
import { firstRows, guessFields } from './first-rows.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const lines = (rows: readonly unknown[]) => bytes(rows.map(row => `${JSON.stringify(row)}\n`).join(''))

async function guessed(rows: readonly object[]) {
  const head = lines(rows)
  return guessFields((await firstRows('rows.jsonl', head, head.length)).rows)
}

describe('guessFields', () => {
  it('takes a field as the id by its name if all its values differ, and another one as the partition key', async () => {
    const rows = ['T-1', 'T-2', 'T-3'].map(ticket_id => ({ ticket_id, tenant: 'north', text: 'the lamp' }))
    expect(await guessed(rows)).toEqual({ item_id: 'ticket_id', partition_key: 'tenant' })
  })

  it('prefers item_id, then id, then the first of the others', async () => {
    expect(await guessed([{ user_id: 7, id: 1 }])).toMatchObject({ item_id: 'id' })
    expect(await guessed([{ id: 1, item_id: 'a' }])).toMatchObject({ item_id: 'item_id' })
    expect(await guessed([{ order_id: 1, line_id: 2 }])).toMatchObject({ item_id: 'order_id' })
  })

  it('takes a reference as the id if all its values differ and look like ids', async () => {
    const cases = [9000, 9001].map(n => ({ customer: 'a', Reference: `CASE-${n}`, message: 'the lamp' }))
    expect(await guessed(cases)).toMatchObject({ item_id: 'Reference', partition_key: 'customer' })
    expect(await guessed([{ invoice_number: 17 }, { invoice_number: 18 }])).toMatchObject({
      item_id: 'invoice_number',
    })
    expect(await guessed([{ code: 'red' }, { code: 'green' }])).toMatchObject({ item_id: undefined })
    expect(await guessed([{ ref: 'R-1' }, { ref: 'R-1' }])).toMatchObject({ item_id: undefined })
  })

  it('takes no id that repeats, is missing or empty, or cannot be a key', async () => {
    expect(await guessed([{ user_id: 7 }, { user_id: 7 }])).toMatchObject({ item_id: undefined })
    expect(await guessed([{ id: 1 }, { n: 2 }])).toMatchObject({ item_id: undefined })
    expect(await guessed([{ id: '' }])).toMatchObject({ item_id: undefined })
    expect(await guessed([{ id: null }])).toMatchObject({ item_id: undefined })
    expect(await guessed([{ id: 1.5 }])).toMatchObject({ item_id: undefined })
    expect(await guessed([{ id: 'x'.repeat(300) }])).toMatchObject({ item_id: undefined })
  })

  it('recognises names in camel case and with blanks', async () => {
    expect(await guessed([{ ticketId: 1, 'Customer ID': 'c' }])).toEqual({
      item_id: 'ticketId',
      partition_key: 'Customer ID',
    })
  })

  it('takes the field that says whom a row is for as the partition key, even if some values are empty', async () => {
    expect(await guessed([{ account_id: 'a' }, { account_id: null }])).toEqual({
      partition_key: 'account_id',
    })
    expect(await guessed([{ tenant: { name: 'a' } }])).toMatchObject({ partition_key: undefined })
  })

  it('leaves the whole row as the input, unless the rows are items already', async () => {
    expect(await guessed([{ id: 1, text: 'a text' }])).toMatchObject({ input: undefined })
    expect(await guessed([{ item_id: 'a', input: { text: 'b' } }])).toEqual({
      item_id: 'item_id',
      input: 'input',
    })
    expect(await guessed([{ item_id: 'a', input: 1, note: 'b' }])).toMatchObject({ input: undefined })
  })

  it('guesses nothing from rows that are not objects, or from no rows', async () => {
    expect(guessFields([])).toEqual({})
    const head = bytes('"a"\n"b"\n')
    expect(guessFields((await firstRows('rows.jsonl', head, head.length)).rows)).toEqual({})
  })
})

describe('firstRows', () => {
  it('reads a CSV table with the names in its first line', async () => {
    const head = bytes('ticket_id;tenant\n007;acme\n')
    const { rows } = await firstRows('rows.csv', head, head.length)
    expect(rows.map(row => [...row])).toEqual([
      [
        ['ticket_id', '"007"'],
        ['tenant', '"acme"'],
      ],
    ])
  })

  it('leaves out a row cut off at the end of the sample, and reports a broken row of a whole file', async () => {
    const head = bytes('{"id":1}\n{"id":')
    expect(await firstRows('rows.jsonl', head, 1000)).toMatchObject({ rows: [{ size: 1 }], problems: [] })
    const { problems } = await firstRows('rows.jsonl', head, head.length)
    expect(problems.join()).toContain('line 2')
  })
})
