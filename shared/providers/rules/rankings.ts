// Reads documents ranked by how well they fit a query: of Cohere, which bills searches, and of Voyage, Together and
// Jina, which bill tokens.

import { type Fields, fields, Gathered, list, type Shape, ungraded } from './answer.ts'

export const rankings: Shape = {
  read(body) {
    const first = fields(list(body.results ?? body.data)[0])
    if (first === undefined || typeof first.index !== 'number') return undefined
    if (typeof (first.relevance_score ?? first.relevanceScore) !== 'number') return undefined
    const gathered = new Gathered()
    return ungraded('rankings', body.model, usageOf(body, gathered), gathered)
  },
}

function usageOf(body: Fields, gathered: Gathered) {
  const none = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 }
  const billed = fields(fields(body.meta)?.billed_units ?? fields(body.meta)?.billedUnits)
  if (billed !== undefined)
    return { ...none, searches: gathered.count(billed, 'search_units', 'searchUnits') }
  const usage = fields(body.usage)
  return usage && { ...none, input_tokens: gathered.count(usage, 'prompt_tokens', 'total_tokens') }
}
