import { DrizzleQueryError } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { errorText } from './error-text.ts'

it('names a failed query and why it failed, not its parameters', () => {
  const failed = new DrizzleQueryError('insert into k values ($1)', ['secret'], new Error('no table k'))
  const said = errorText(failed)
  expect(said).toMatch(/^query failed: insert into k values \(\$1\)\nError: no table k/)
  expect(said).not.toContain('secret')
})

it('says where any other error came from', () => {
  expect(errorText(new Error('a'))).toMatch(/^Error: a\n\s+at /)
  expect(errorText('b')).toBe('b')
})
