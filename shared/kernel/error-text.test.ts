import { DrizzleQueryError } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { errorText } from './error-text.ts'

it('the text of a failed query names the query and the cause, not its parameters', () => {
  const failed = new DrizzleQueryError('insert into k values ($1)', ['secret'], new Error('no table k'))
  const said = errorText(failed)
  expect(said).toMatch(/^query failed: insert into k values \(\$1\)\nError: no table k/)
  expect(said).not.toContain('secret')
})

it('the text of any other error says where it came from', () => {
  expect(errorText(new Error('a'))).toMatch(/^Error: a\n\s+at /)
  expect(errorText('b')).toBe('b')
})
