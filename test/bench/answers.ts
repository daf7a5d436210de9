// Compares what Assay reads from recorded answers with what `@pydantic/genai-prices` extracts from them. Each `.json` file
// below FOLDER is the output of a model call. It prints the answers that Assay cannot read, and those whose tokens differ.
//
//   node test/bench/answers.ts FOLDER

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { extractUsage, findProvider, type Usage } from '@pydantic/genai-prices'
import { type Completion, isRead, readCall } from '../../shared/providers/rules/completion.ts'

const folder = process.argv[2]
if (folder === undefined) {
  console.error('node test/bench/answers.ts FOLDER: a folder with recorded answers, one a .json file')
  process.exit(2)
}

/** The provider, and the API of it, whose extractor reads an answer of each shape. */
const EXTRACTORS: Record<string, [provider: string, flavor: string][]> = {
  openai_chat: [['openai', 'chat']],
  openai_completion: [['openai', 'chat']],
  openai_responses: [['openai', 'responses']],
  openai_embeddings: [['openai', 'embeddings']],
  anthropic: [['anthropic', 'default']],
  gemini: [['google', 'default']],
  bedrock_converse: [['aws', 'default']],
  cohere: [
    ['cohere', 'default'],
    ['cohere', 'chat'],
  ],
}

function extracted({ provider }: Completion, output: unknown): Usage | undefined {
  for (const [providerId, flavor] of EXTRACTORS[provider] ?? []) {
    const found = findProvider({ providerId })
    try {
      if (found !== undefined) return extractUsage(found, output, flavor).usage
    } catch {}
  }
  return undefined
}

const tally = { answers: 0, unread: 0, both: 0, equal: 0 }
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
  if (!name.endsWith('.json')) continue
  const output: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const step = { key: name, kind: 'llm_call', name, output, started_at: '', duration_ms: 0 } as const
  const read = readCall(step)
  tally.answers++
  if (!isRead(read)) {
    tally.unread++
    console.log(`unread    ${name}: ${read?.unread}`)
    continue
  }
  const theirs = extracted(read, output)
  if (theirs === undefined || read.usage === undefined) continue
  tally.both++
  const ours: Usage = {
    input_tokens: read.usage.input_tokens,
    output_tokens: read.usage.output_tokens,
    cache_read_tokens: read.usage.cached_input_tokens,
    cache_write_tokens: read.usage.cache_write_tokens ?? 0,
  }
  const differing = Object.entries(ours).filter(([key, value]) => (theirs[key] ?? 0) !== value)
  if (differing.length === 0) tally.equal++
  for (const [key, value] of differing)
    console.log(`differs   ${name} (${read.provider}): ${key} ${value}, theirs ${theirs[key]}`)
}
console.log(
  `${tally.answers} answers, ${tally.answers - tally.unread} read, ${tally.unread} not; ` +
    `of ${tally.both} that both read, ${tally.equal} agree in every token count`,
)
