import { expect, it } from 'vitest'
import { variablesRead } from './agent-environment.ts'

it.each([
  ['a variable after a dot', 'const key = process.env.CRM_KEY', ['CRM_KEY']],
  ['a variable in brackets', "const key = process.env['CRM_KEY']!", ['CRM_KEY']],
  [
    'no variable with a default',
    "const url = process.env.CRM_URL ?? 'https://x'; const n = process.env.N || 1",
    [],
  ],
  [
    'the key that a client reads by itself',
    "import OpenAI from 'openai'\nnew OpenAI({ maxRetries: 0 })",
    ['OPENAI_API_KEY'],
  ],
  [
    'not the key of a client that is given another',
    "import OpenAI from 'openai'\nnew OpenAI({ apiKey: process.env.MINE })",
    ['MINE'],
  ],
  ['no key for an import of types only', "import type OpenAI from 'openai'", []],
  ['each variable once', 'process.env.B; process.env.A; process.env.B', ['A', 'B']],
])('the environment variables that an agent’s code reads are found: %s', (_, source, names) => {
  expect(variablesRead([source])).toEqual(names)
})
