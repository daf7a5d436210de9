// Reads what model providers answer, whichever of five shapes it has.
// Guarantee: an object that is none of them is undefined, so that a customer's own output is not taken for one.

import { LIMITS } from './limits.ts'

export type Provider = 'openai_chat' | 'openai_responses' | 'anthropic' | 'gemini' | 'vercel_ai'
export type Finish = 'stop' | 'length' | 'content_filter' | 'refusal' | 'tool_calls' | 'other'

export interface CompletionUsage {
  /** All input tokens, whether read from or written to a cache or neither. */
  input_tokens: number
  output_tokens: number
  cached_input_tokens: number
}

export interface Completion {
  provider: Provider
  model?: string
  text: string
  has_tool_calls: boolean
  /** An answer that is no text: an image, audio, a generated object. */
  has_data: boolean
  finish: Finish
  /** The model's words where the provider marks a refusal as such. */
  refusal?: string
  usage?: CompletionUsage
}

type Fields = Record<string, unknown>

/** The parts of an answer that readers gather while they walk through it. */
interface Gathered {
  text: string
  has_tool_calls: boolean
  has_data: boolean
  refusal: string | undefined
}

export function readCompletion(output: unknown): Completion | undefined {
  const body = fields(output)
  if (body === undefined) return undefined
  if (Array.isArray(body.choices)) return readOpenAiChat(body, body.choices)
  if (body.object === 'response') return readOpenAiResponse(body)
  if (body.type === 'message' && body.role === 'assistant') return readAnthropic(body)
  if (Array.isArray(body.candidates) || body.promptFeedback !== undefined) return readGemini(body)
  return readVercelAi(body)
}

const OPENAI_FINISH: Record<string, Finish> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content_filter',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
}

function readOpenAiChat(body: Fields, choices: unknown[]): Completion | undefined {
  const choice = fields(choices[0])
  const message = fields(choice?.message)
  if (message === undefined && body.object !== 'chat.completion') return undefined
  if (message !== undefined && !('content' in message || 'role' in message)) return undefined
  const gathered = nothing()
  gatherText(message?.content, gathered)
  if (filled(message?.refusal)) gathered.refusal = message?.refusal as string
  gathered.has_tool_calls = filled(message?.tool_calls) || message?.function_call != null
  gathered.has_data ||= message?.audio != null || filled(message?.images)
  const usage = fields(body.usage)
  return completion(
    'openai_chat',
    body.model,
    gathered,
    finishOf(OPENAI_FINISH, choice?.finish_reason),
    usage && {
      input_tokens: count(usage.prompt_tokens),
      output_tokens: count(usage.completion_tokens),
      cached_input_tokens: count(fields(usage.prompt_tokens_details)?.cached_tokens),
    },
  )
}

/** Calls that the provider runs itself; without text after them, the model has not answered. */
const PROVIDER_RUN_CALLS = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'mcp_call',
])

function readOpenAiResponse(body: Fields): Completion {
  const gathered = nothing()
  for (const entry of list(body.output)) {
    const item = fields(entry)
    const type = typeof item?.type === 'string' ? item.type : ''
    if (type === 'message') gatherText(item?.content, gathered)
    else if (type === 'image_generation_call') gathered.has_data = true
    else if (type === 'mcp_approval_request') gathered.has_tool_calls = true
    else if (type.endsWith('_call') && !PROVIDER_RUN_CALLS.has(type)) gathered.has_tool_calls = true
  }
  if (gathered.text === '' && typeof body.output_text === 'string') gathered.text = body.output_text
  const usage = fields(body.usage)
  return completion(
    'openai_responses',
    body.model,
    gathered,
    responseFinish(body, gathered),
    usage && {
      input_tokens: count(usage.input_tokens),
      output_tokens: count(usage.output_tokens),
      cached_input_tokens: count(fields(usage.input_tokens_details)?.cached_tokens),
    },
  )
}

function responseFinish(body: Fields, gathered: Gathered): Finish {
  if (body.status === 'incomplete') {
    const reason = fields(body.incomplete_details)?.reason
    if (reason === 'max_output_tokens') return 'length'
    return reason === 'content_filter' ? 'content_filter' : 'other'
  }
  if (body.status !== 'completed' && body.status !== undefined) return 'other'
  return gathered.has_tool_calls ? 'tool_calls' : 'stop'
}

const ANTHROPIC_FINISH: Record<string, Finish> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'refusal',
}

function readAnthropic(body: Fields): Completion | undefined {
  if (!Array.isArray(body.content)) return undefined
  const gathered = nothing()
  gatherText(body.content, gathered)
  const usage = fields(body.usage)
  const cached = count(usage?.cache_read_input_tokens)
  return completion(
    'anthropic',
    body.model,
    gathered,
    finishOf(ANTHROPIC_FINISH, body.stop_reason),
    usage && {
      // Anthropic counts cached tokens beside input_tokens, the others count them within.
      input_tokens: count(usage.input_tokens) + cached + count(usage.cache_creation_input_tokens),
      output_tokens: count(usage.output_tokens),
      cached_input_tokens: cached,
    },
  )
}

const GEMINI_FINISH: Record<string, Finish> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
}

function readGemini(body: Fields): Completion | undefined {
  const candidate = fields(list(body.candidates)[0])
  const content = fields(candidate?.content)
  const blocked = filled(fields(body.promptFeedback)?.blockReason)
  const isGemini = Array.isArray(content?.parts) || typeof candidate?.finishReason === 'string'
  if (!isGemini && !blocked) return undefined
  const gathered = nothing()
  for (const entry of list(content?.parts)) {
    const part = fields(entry)
    if (typeof part?.text === 'string' && part.thought !== true) gathered.text += part.text
    if (part?.functionCall != null) gathered.has_tool_calls = true
    if (part?.inlineData != null || part?.fileData != null) gathered.has_data = true
  }
  const finish = finishOf(GEMINI_FINISH, candidate?.finishReason)
  const usage = fields(body.usageMetadata)
  return completion(
    'gemini',
    body.modelVersion,
    gathered,
    blocked ? 'content_filter' : finish === 'stop' && gathered.has_tool_calls ? 'tool_calls' : finish,
    usage && {
      input_tokens: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
      output_tokens: count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
      cached_input_tokens: count(usage.cachedContentTokenCount),
    },
  )
}

const VERCEL_FINISH: Record<string, Finish> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
}

/** A result keeps its text in getters of its class; when it was sent as JSON only its list of steps is left. */
function readVercelAi(body: Fields): Completion | undefined {
  const steps = list(body.steps)
  const last = typeof body.finishReason === 'string' ? body : fields(steps[steps.length - 1])
  const usage = fields(body.totalUsage) ?? fields(last?.usage)
  if (last === undefined || typeof last.finishReason !== 'string' || usage === undefined) return undefined
  const gathered = nothing()
  if (typeof last.text === 'string') gathered.text = last.text
  else gatherText(last.content, gathered)
  gathered.has_tool_calls ||= filled(last.toolCalls)
  gathered.has_data ||= last.object != null || filled(last.files)
  return completion(
    'vercel_ai',
    fields(last.response)?.modelId,
    gathered,
    finishOf(VERCEL_FINISH, last.finishReason),
    {
      input_tokens: count(usage.inputTokens ?? usage.promptTokens),
      output_tokens: count(usage.outputTokens ?? usage.completionTokens),
      cached_input_tokens: count(usage.cachedInputTokens ?? fields(usage.inputTokenDetails)?.cacheReadTokens),
    },
  )
}

/** Text, refusals and calls from a string or a list of typed parts, as OpenAI, Anthropic and Vercel have them. */
function gatherText(content: unknown, into: Gathered): void {
  if (typeof content === 'string') {
    into.text += content
    return
  }
  for (const entry of list(content)) {
    const part = fields(entry)
    if (part === undefined) continue
    if (part.type === 'text' || part.type === 'output_text') {
      if (typeof part.text === 'string') into.text += part.text
    } else if (part.type === 'refusal') {
      if (filled(part.refusal)) into.refusal = part.refusal as string
    } else if (part.type === 'tool_use' || part.type === 'tool-call') into.has_tool_calls = true
    else if (part.type === 'image' || part.type === 'file') into.has_data = true
  }
}

function completion(
  provider: Provider,
  model: unknown,
  gathered: Gathered,
  finish: Finish,
  usage: CompletionUsage | undefined,
): Completion {
  const read: Completion = {
    provider,
    text: gathered.text,
    has_tool_calls: gathered.has_tool_calls,
    has_data: gathered.has_data,
    finish: gathered.refusal === undefined ? finish : 'refusal',
  }
  if (typeof model === 'string' && model !== '') read.model = model
  if (gathered.refusal !== undefined) read.refusal = gathered.refusal
  if (usage !== undefined) read.usage = usage
  return read
}

const nothing = (): Gathered => ({ text: '', has_tool_calls: false, has_data: false, refusal: undefined })

function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

const filled = (value: unknown): boolean =>
  (typeof value === 'string' || Array.isArray(value)) && value.length > 0

function finishOf(table: Record<string, Finish>, reason: unknown): Finish {
  return typeof reason === 'string' && Object.hasOwn(table, reason) ? table[reason]! : 'other'
}

/** A count of tokens; what is no whole number from zero counts as none, and an absurd one as the bound. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0
    ? Math.min(value, LIMITS.step_tokens)
    : 0
}
