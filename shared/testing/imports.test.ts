import { expect, it } from 'vitest'
import page from '../sdk/SANDBOX.md'

it('Vitest imports a file of text as its text, by the plugin agents()', () => {
  expect(page).toContain('# What the sandbox cannot do')
})
