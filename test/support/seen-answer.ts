// Answers of model providers as `classify` sees them, in one line each.

import type { SeenAnswer } from '../../shared/upstreams/rules/classify.ts'

/** An answer to a model call, at once, unless said otherwise. */
export function seen(
  status: number | null,
  body: unknown = '',
  headers: Record<string, string> = {},
  more: Partial<SeenAnswer> = {},
): SeenAnswer {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    status,
    header: name => lower.get(name) ?? null,
    body: (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 16 * 1024),
    sent: true,
    took_ms: 100,
    is_model_call: true,
    ...more,
  }
}

/** OpenAI's envelope, which most providers have. */
export const openaiError = (
  message: string,
  code: string | number | null = null,
  type: string | null = null,
) => ({
  error: { message, type, param: null, code },
})

export const pageOf = (title: string, by: string) =>
  `<html>\n<head><title>${title}</title></head>\n<body>\n<center><h1>${title}</h1></center>\n<hr><center>${by}</center>\n</body>\n</html>`
