// Reads generated images of OpenAI and providers in its format (xAI, Together, Fireworks …), and of Vertex.

import { fields, Gathered, list, type Shape, some, ungraded } from './answer.ts'
import { countsOf } from './raw-usage.ts'

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
    const counts = countsOf(fields(body.usage), gathered)
    // Where the parts are not reported apart, the output is the images.
    const output_image_tokens = counts?.output_image_tokens || counts?.output_tokens
    const read = { ...counts, ...(output_image_tokens && { output_image_tokens }), images: list(made).length }
    return ungraded('images', body.model, read, gathered)
  },
}
