import { expect, it } from 'vitest'
import { variablesRead } from './agent-environment.ts'

it.each([
  ['a variable', 'const key = process.env.CRM_KEY', ['CRM_KEY']],
  ['one in brackets', "const key = process.env['CRM_KEY']!", ['CRM_KEY']],
  [
    'not one with a default',
    "const url = process.env.CRM_URL ?? 'https://x'; const n = process.env.N || 1",
    [],
  ],
  ['the key of a client', "import OpenAI from 'openai'\nnew OpenAI({ maxRetries: 0 })", ['OPENAI_API_KEY']],
  [
    'not where the key is given',
    "import OpenAI from 'openai'\nnew OpenAI({ apiKey: process.env.MINE })",
    ['MINE'],
  ],
  ['not for types alone', "import type OpenAI from 'openai'", []],
  ['each once', 'process.env.B; process.env.A; process.env.B', ['A', 'B']],
])('the environment variables that an agent’s code reads are found: %s', (_, source, names) => {
  expect(variablesRead([source])).toEqual(names)
})
