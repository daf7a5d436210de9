// What stands for the model providers while an agent is tested.

/** Answers the requests an agent sends to its model providers: `scripted(…)` or `recorded(…)`. */
export interface Model {
  /** Whether requests may go out, so that the agent's own keys are needed. */
  readonly live: boolean
  /** @throws ModelError */
  answer(request: Request, send: typeof fetch): Promise<Response>
}

export type ModelErrorCode =
  | 'unscripted_request'
  | 'unrecorded_request'
  | 'unexpected_request'
  | 'bad_script'
  | 'bad_recording'

/**
 * The test is at fault, not the agent: it was asked something that it has no answer for. `runItem` rejects with it,
 * whatever the agent makes of it.
 */
export class ModelError extends Error {
  readonly code: ModelErrorCode
  constructor(code: ModelErrorCode, message: string) {
    super(message)
    this.name = 'ModelError'
    this.code = code
  }
}

const NAMED_CHARACTERS = 120

/** A request as a message names it: what it is, its model and how its prompt ends. */
export function nameOf({ method, url }: Request, body: unknown): string {
  const model = (body as { model?: unknown } | null)?.model
  const prompt = promptOf(body)
  const end = prompt.length > NAMED_CHARACTERS ? `…${prompt.slice(-NAMED_CHARACTERS)}` : prompt
  const parts = [typeof model === 'string' && `model ${model}`, end !== '' && `prompt ${JSON.stringify(end)}`]
  const known = parts.filter(Boolean).join(', ')
  return `${method} ${withoutKey(url)}${known === '' ? '' : ` (${known})`}`
}

/** A URL without the key that a provider such as Gemini takes in the query. */
export function withoutKey(url: string): string {
  const named = new URL(url)
  if (named.searchParams.has('key')) named.searchParams.delete('key')
  return named.href
}

/** The fields that hold what is said to a model, in every provider's request; all texts below them are the prompt. */
const PROMPT_FIELDS = ['system', 'instructions', 'systemInstruction', 'messages', 'input', 'contents']

/** All texts of a prompt, a line each. */
export function promptOf(body: unknown): string {
  if (typeof body !== 'object' || body === null) return ''
  return PROMPT_FIELDS.flatMap(field => textsIn((body as Record<string, unknown>)[field])).join('\n')
}

const TEXT_FIELDS = ['content', 'text', 'parts', 'output']

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return TEXT_FIELDS.flatMap(field => textsIn((value as Record<string, unknown>)[field]))
}

/** The body as JSON; as text where it is none; null where there is none. */
export async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.clone().text()
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
