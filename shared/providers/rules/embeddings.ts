// Reads embeddings of OpenAI and providers in its format (Mistral, Voyage, Jina …), Cohere, Gemini, Vertex and Ollama.

import { OWN_HOST } from '../../prices/rules/own-models.ts'
import { type Fields, fields, Gathered, list, type Shape, some, ungraded } from './answer.ts'
import { billOf } from './bills.ts'

export const embeddings: Shape = {
  read(body) {
    const gathered = new Gathered()
    const found = tokensOf(body, gathered)
    if (found === undefined) return undefined
    const [provider, input_tokens] = found
    if (provider === 'ollama_embeddings') gathered.host = OWN_HOST
    const usage = fields(body.usage)
    const billed_micro = billOf(usage)
    const counts = { input_tokens, ...(billed_micro !== undefined && { billed_micro }) }
    return ungraded(provider, body.model, counts, gathered)
  },
}

/** The provider, and the input tokens if they are reported; undefined if the object has no embeddings. */
function tokensOf(
  body: Fields,
  gathered: Gathered,
): [provider: string, tokens: number | undefined] | undefined {
  const first = fields(list(body.data)[0])
  if (body.object === 'list' && first !== undefined && 'embedding' in first)
    return ['openai_embeddings', gathered.known(fields(body.usage), 'prompt_tokens', 'total_tokens')]
  const billed = fields(fields(body.meta)?.billed_units ?? fields(body.meta)?.billedUnits)
  if (body.embeddings !== undefined && billed !== undefined)
    return ['cohere_embeddings', gathered.known(billed, 'input_tokens', 'inputTokens')]
  if (some(body.embeddings) && Array.isArray(body.embeddings[0]) && 'total_duration' in body)
    return ['ollama_embeddings', gathered.known(body, 'prompt_eval_count')]
  const vectors = some(body.predictions)
    ? body.predictions.map(one => fields(fields(one)?.embeddings))
    : [...(some(body.embeddings) ? body.embeddings : []), body.embedding].filter(Boolean).map(fields)
  if (vectors.length === 0 || !vectors.every(one => Array.isArray(one?.values))) return undefined
  const tokens = vectors.flatMap(one => {
    const statistics = fields(one?.statistics)
    return statistics === undefined ? [] : [gathered.count(statistics, 'token_count', 'tokenCount')]
  })
  return ['vertex_embeddings', tokens.length > 0 ? tokens.reduce((a, b) => a + b, 0) : undefined]
}
