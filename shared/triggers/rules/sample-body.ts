// Makes an example of what a trigger's sender may post. It fits the agent's input schema, if the agent has one.

import { sampleOf } from '../../kernel/sample.ts'

interface Sampled {
  items: boolean
  source: unknown
}

/** JSON, quoted as one word of a command line. */
export function sampleBody({ items, source }: Sampled, input_schema: unknown): string {
  if (source !== null) return "'null'"
  const input = sampleOf(input_schema) ?? { hello: 'world' }
  return `'${JSON.stringify(items ? [input] : input).replaceAll("'", "'\\''")}'`
}
