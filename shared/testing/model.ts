// The model that replaces the model providers while an agent is tested.

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
 * The test is at fault, not the agent: the agent sent a request for which the test has no answer. `runItem` rejects
 * with this error, even if the agent catches it.
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

/** A request as error messages name it: method and URL, the model, and the end of the prompt. */
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

/** The fields that hold the prompt in providers' requests; all texts below them belong to it. */
const PROMPT_FIELDS = ['system', 'instructions', 'systemInstruction', 'messages', 'input', 'contents']

/** All texts of a prompt, one per line. */
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

/** The body parsed as JSON, or as text if it is not JSON; null if it is empty. */
export async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.clone().text()
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
