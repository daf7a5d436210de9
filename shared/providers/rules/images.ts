// Reads generated images of OpenAI and providers in its format (xAI, Together, Fireworks …), and of Vertex.

import { fields, Gathered, list, type Shape, some, ungraded } from './answer.ts'

export const images: Shape = {
  read(body) {
    const made = [body.data, body.predictions, body.images].find(some)
    const first = fields(made?.[0])
    if (first === undefined) return undefined
    const isImage =
      typeof first.b64_json === 'string' ||
      typeof first.bytesBase64Encoded === 'string' ||
      (typeof first.url === 'string' &&
        ('created' in body || 'revised_prompt' in first || 'content_type' in first))
    if (!isImage) return undefined
    const gathered = new Gathered()
    const usage = fields(body.usage)
    const input_tokens = gathered.count(usage, 'input_tokens')
    const output_tokens = gathered.count(usage, 'output_tokens')
    const read = { input_tokens, output_tokens, cached_input_tokens: 0, images: list(made).length }
    return ungraded('images', body.model, read, gathered)
  },
}
