// Lists all known shapes of answers, in the order in which they are tried.

import type { Shape } from './answer.ts'
import { anthropic } from './anthropic.ts'
import { bedrockConverse } from './bedrock.ts'
import { cohere } from './cohere.ts'
import { embeddings } from './embeddings.ts'
import { gemini, geminiInteractions } from './gemini.ts'
import { images } from './images.ts'
import { langchain } from './langchain.ts'
import { llamaindex } from './llamaindex.ts'
import { ollama } from './ollama.ts'
import { openaiAgents } from './openai-agents.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { rankings } from './rankings.ts'
import { transcripts } from './transcripts.ts'
import { vercelAi, vercelAiData } from './vercel-ai.ts'

export const SHAPES: readonly Shape[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  gemini,
  bedrockConverse,
  langchain,
  llamaindex,
  ollama,
  cohere,
  openaiAgents,
  geminiInteractions,
  vercelAi,
  vercelAiData,
  embeddings,
  rankings,
  transcripts,
  images,
]
