import { describe, expect, it } from 'vitest'
import { rowOf } from './first-rows.ts'
import { guessInput, misfitOf, wantedOf } from './wanted-fields.ts'

const rows = (...given: object[]) => given.map(one => rowOf(JSON.stringify(one)))
const WANTED = wantedOf({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } })!
const CASES = rows({ reference: 'CASE-1', customer: 'a', message: 'the lamp' })

describe('misfitOf', () => {
  it('says which fields the agent requires and which the rows have, if no row fits', () => {
    const said = (input: string) => misfitOf('ticket-triage', WANTED, CASES, input)?.said
    expect(said('')).toBe('ticket-triage wants text; the rows have reference, customer, message.')
    expect(misfitOf('a', WANTED, rows({}), '')?.said).toBe('a wants text; the rows have no fields.')
    expect(said('message')).toBe('ticket-triage wants text; the rows are no objects.')
  })

  it('says nothing if a row fits or the agent requires nothing', () => {
    expect(misfitOf('a', WANTED, rows({ text: 'b' }, { n: 1 }), '')).toBeUndefined()
    expect(misfitOf('a', WANTED, rows({ row: { text: 'b' } }), 'row')).toBeUndefined()
    for (const schema of [
      undefined,
      true,
      {},
      { type: 'object' },
      { type: ['object', 'null'], required: ['a'] },
    ])
      expect(wantedOf(schema)).toBeUndefined()
  })

  it('says that text is required if the rows are objects', () => {
    const text = wantedOf({ type: 'string' })!
    expect(misfitOf('a', text, CASES, '')?.said).toMatch(/^a wants a text; the rows have reference/)
    expect(misfitOf('a', text, CASES, 'message')).toBeUndefined()
  })
})

describe('guessInput', () => {
  it('returns the only field that has what the agent requires, if the whole row does not', () => {
    expect(guessInput(rows({ id: 1, ticket: { text: 'b' } }), WANTED, ['id'])).toBe('ticket')
    expect(guessInput(rows({ id: 1, text: 'b', ticket: { text: 'b' } }), WANTED, ['id'])).toBeUndefined()
    expect(guessInput(CASES, wantedOf({ type: 'string' })!, ['reference', 'customer'])).toBe('message')
    expect(guessInput(CASES, wantedOf({ type: 'string' })!, ['reference'])).toBeUndefined()
  })
})
