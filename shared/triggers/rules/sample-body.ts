// What a trigger's sender may post, as an example: its agent takes it where the agent says what it takes.

import { sampleOf } from '../../kernel/sample.ts'

interface Sampled {
  items: boolean
  source: unknown
}

/** JSON as one word of a command line. */
export function sampleBody({ items, source }: Sampled, input_schema: unknown): string {
  if (source !== null) return "'null'"
  const input = sampleOf(input_schema) ?? { hello: 'world' }
  return `'${JSON.stringify(items ? [input] : input).replaceAll("'", "'\\''")}'`
}
