// Measures what a declared schema costs an item: its verdict with and without a check, in turns in one process.
// Usage: npm run bench:schemas

import { resultVerdict } from '../../shared/grading/rules/verdict.ts'
import { readSchema } from '../../shared/schemas/rules/declared-schema.ts'

const SCHEMA = {
  type: 'object',
  required: ['label', 'urgency', 'policy', 'draft'],
  additionalProperties: false,
  properties: {
    label: { enum: ['card', 'payment', 'transfer', 'fraud', 'account', 'other'] },
    urgency: { type: 'integer', minimum: 1, maximum: 5 },
    policy: { anyOf: [{ type: 'string', pattern: '^P-[0-9]{4}$' }, { type: 'null' }] },
    draft: { type: 'string', minLength: 1 },
    active: { type: 'boolean' },
  },
}
const GOOD = {
  label: 'fraud',
  urgency: 3,
  policy: 'P-0123',
  draft: 'Dear customer, thank you for your letter. We will come back to you by Friday.',
  active: true,
}
const ROWS = Array.from({ length: 43_000 }, (_, at) => ({ id: at, ok: true }))
const ROW_SCHEMA = {
  items: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id', 'ok'] },
}

const CASES = [
  { what: 'an output of 5 fields that matches', schema: SCHEMA, output: GOOD, times: 20_000 },
  { what: 'one that does not', schema: SCHEMA, output: { ...GOOD, label: 42 }, times: 20_000 },
  { what: `${ROWS.length.toLocaleString('en')} rows, 1 MiB`, schema: ROW_SCHEMA, output: ROWS, times: 5 },
]
const ROUNDS = 7

for (const { what, schema, output, times } of CASES) {
  const began = performance.now()
  const result = await readSchema(schema, 'output_schema')
  const read_ms = performance.now() - began
  if ('fault' in result) throw new Error(result.fault.message)
  const { check } = result.read
  const text = JSON.stringify(output)
  const line = { type: 'result', seq: 1, attempt: 1, output } as const
  const cpuOf = (given?: typeof check) => {
    const before = process.cpuUsage()
    for (let n = 0; n < times; n++) resultVerdict(line, text, [], {}, given)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / times
  }
  const figures = Array.from({ length: ROUNDS }, () => ({ without: cpuOf(), with: cpuOf(check) }))
  const best = (of: 'with' | 'without') => Math.min(...figures.map(one => one[of]))
  const [before, after] = [best('without'), best('with')]
  const us = (value: number) => `${value.toFixed(value < 100 ? 2 : 0)} us`
  console.log(
    `${what}: verdict ${us(before)} without, ${us(after)} with a check, so ${us(after - before)} for it (processor time, the best of ${ROUNDS}); schema read in ${read_ms.toFixed(1)} ms`,
  )
}
