// What providers answer when they do not answer well: provider by kind of failure, with status, headers and body. Shapes are
// those that the clients `openai` and `@anthropic-ai/sdk` read and the providers' pages about errors show; messages are as
// users of the providers have reported them.

import type { Provider } from './settings.ts'
import { anthropic } from './words/anthropic.ts'
import { azure } from './words/azure.ts'
import { bedrock } from './words/bedrock.ts'
import { gemini } from './words/gemini.ts'
import { groq } from './words/groq.ts'
import { openai } from './words/openai.ts'
import { openrouter } from './words/openrouter.ts'
import type { Row } from './words/row.ts'
import { vllm } from './words/vllm.ts'

export const WORDS: Record<Provider, Row> = {
  openai,
  azure,
  anthropic,
  gemini,
  bedrock,
  groq,
  openrouter,
  vllm,
}
