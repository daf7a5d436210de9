// Says what each provider's word for the end of an answer means. Guarantee: a word has one meaning, whatever its case
// and separators; a word that is in no row and names no fault says nothing.

export type Finish =
  | 'stop'
  | 'tool_calls'
  | 'length'
  | 'content_filter'
  | 'refusal'
  | 'interrupted'
  /** Nothing is said of how the answer ended. */
  | 'other'

type Words = Partial<Record<Finish, readonly string[]>>

/**
 * Every finish word of every provider that is read; the table in ../../grading/grading.md is made of it. A host with
 * OpenAI's format is in the row of those words which it adds.
 */
export const FINISH_WORDS = {
  openai: {
    of: 'OpenAI chat and completions, and hosts with the same words (Azure, Groq, Cerebras, Fireworks, Perplexity, Moonshot, vLLM, llama.cpp …)',
    stop: ['stop'],
    tool_calls: ['tool_calls', 'function_call'],
    length: ['length'],
    content_filter: ['content_filter'],
  },
  openai_responses: {
    of: 'OpenAI responses: the status, or the reason why it is incomplete',
    stop: ['completed'],
    length: ['max_output_tokens'],
    content_filter: ['content_filter'],
    interrupted: ['failed', 'cancelled', 'in_progress', 'queued', 'incomplete', 'max_messages', 'steered'],
  },
  anthropic: {
    of: 'Anthropic',
    stop: ['end_turn', 'stop_sequence'],
    tool_calls: ['tool_use'],
    length: ['max_tokens', 'model_context_window_exceeded'],
    refusal: ['refusal'],
    interrupted: ['pause_turn', 'compaction'],
  },
  bedrock: {
    of: 'Amazon Bedrock',
    stop: ['end_turn', 'stop_sequence'],
    tool_calls: ['tool_use'],
    length: ['max_tokens', 'model_context_window_exceeded'],
    content_filter: ['content_filtered', 'guardrail_intervened'],
    interrupted: ['malformed_model_output', 'malformed_tool_use'],
  },
  gemini: {
    of: 'Gemini: why it stopped, or why the prompt was blocked',
    stop: ['STOP'],
    length: ['MAX_TOKENS'],
    content_filter: [
      'SAFETY',
      'RECITATION',
      'LANGUAGE',
      'BLOCKLIST',
      'PROHIBITED_CONTENT',
      'SPII',
      'MODEL_ARMOR',
      'JAILBREAK',
      'IMAGE_SAFETY',
      'IMAGE_PROHIBITED_CONTENT',
      'IMAGE_RECITATION',
    ],
    interrupted: [
      'OTHER',
      'MALFORMED_FUNCTION_CALL',
      'MALFORMED_RESPONSE',
      'UNEXPECTED_TOOL_CALL',
      'TOO_MANY_TOOL_CALLS',
      'MISSING_THOUGHT_SIGNATURE',
      'NO_IMAGE',
      'IMAGE_OTHER',
    ],
    other: ['FINISH_REASON_UNSPECIFIED', 'BLOCKED_REASON_UNSPECIFIED'],
  },
  gemini_interactions: {
    of: 'Gemini interactions: the status',
    stop: ['completed'],
    tool_calls: ['requires_action'],
    length: ['incomplete', 'budget_exceeded'],
    interrupted: ['failed', 'cancelled', 'in_progress'],
  },
  cohere: {
    of: 'Cohere',
    stop: ['COMPLETE', 'STOP_SEQUENCE'],
    tool_calls: ['TOOL_CALL'],
    length: ['MAX_TOKENS', 'ERROR_LIMIT'],
    content_filter: ['ERROR_TOXIC'],
    interrupted: ['ERROR', 'TIMEOUT', 'USER_CANCEL'],
  },
  mistral: {
    of: 'Mistral',
    stop: ['stop'],
    tool_calls: ['tool_calls'],
    length: ['length', 'model_length'],
    interrupted: ['error'],
  },
  ollama: {
    of: 'Ollama',
    stop: ['stop'],
    length: ['length'],
    other: ['load', 'unload'],
  },
  chinese: {
    of: 'DeepSeek, Qwen, Zhipu, MiniMax, ERNIE, Hunyuan',
    stop: ['stop', 'normal'],
    tool_calls: ['tool_calls', 'function_call'],
    length: ['length', 'model_context_window_exceeded'],
    content_filter: ['content_filter', 'sensitive'],
    interrupted: ['insufficient_system_resource', 'network_error', 'repetition_truncation'],
    other: ['null'],
  },
  xai: {
    of: 'xAI, with those of its own protocol',
    stop: ['stop', 'end_turn', 'REASON_STOP'],
    tool_calls: ['tool_calls', 'REASON_TOOL_CALLS'],
    length: ['length', 'REASON_MAX_LEN', 'REASON_MAX_CONTEXT'],
    interrupted: ['REASON_TIME_LIMIT', 'REASON_INVALID'],
  },
  gateways: {
    of: 'OpenRouter, LiteLLM, Together, SiliconFlow and other gateways',
    stop: ['eos', 'completed', 'finished'],
    content_filter: ['guardrails', 'moderation'],
    interrupted: ['error', 'server_error', 'engine_overloaded'],
  },
  servers: {
    of: 'vLLM, SGLang, TGI, TensorRT-LLM, LM Studio',
    stop: ['eos_token', 'stop_sequence', 'eosFound', 'stopStringFound', 'end_id', 'stop_words'],
    tool_calls: ['toolCalls'],
    length: ['maxPredictedTokensReached', 'contextLengthReached'],
    interrupted: ['abort', 'aborted', 'error', 'repetition', 'timed_out', 'userStopped', 'modelUnloaded'],
    other: ['not_finished'],
  },
  platforms: {
    of: 'watsonx, GigaChat, Yandex, AI21',
    stop: ['eos_token', 'stop_sequence', 'endoftext', 'ALTERNATIVE_STATUS_FINAL'],
    tool_calls: ['ALTERNATIVE_STATUS_TOOL_CALLS'],
    length: ['max_tokens', 'token_limit', 'ALTERNATIVE_STATUS_TRUNCATED_FINAL'],
    content_filter: ['blacklist', 'ALTERNATIVE_STATUS_CONTENT_FILTER'],
    interrupted: ['cancelled', 'time_limit', 'error', 'ALTERNATIVE_STATUS_PARTIAL'],
    other: ['ALTERNATIVE_STATUS_UNSPECIFIED'],
  },
  vercel_ai: {
    of: 'Vercel AI SDK; its word `other` gives way to the provider’s own, and says nothing from version 6 on if there is none',
    stop: ['stop'],
    tool_calls: ['tool-calls'],
    length: ['length'],
    content_filter: ['content-filter'],
    interrupted: ['error', 'other'],
    other: ['unknown'],
  },
  assay: {
    of: 'Assay: a stream that closed before its end',
    interrupted: ['unfinished_stream'],
  },
} as const satisfies Record<string, { of: string } & Words>

/** The finish word of a stream whose provider sent none before it closed. */
export const UNFINISHED = 'unfinished_stream'

/** Rows of statuses: what they mean depends on who says it, so that only their own readers look there. */
export const STATUS_ROWS = ['openai_responses', 'gemini_interactions'] as const
type StatusRow = (typeof STATUS_ROWS)[number]

export const FINISHES: readonly Finish[] = [
  'stop',
  'length',
  'content_filter',
  'refusal',
  'tool_calls',
  'interrupted',
  'other',
]

/**
 * What a word means that is in no row, by a part of it. Providers add words, and those that name a fault do so in
 * plain English. The first that applies decides.
 */
const FAULTS_NAMED: readonly [Finish, RegExp][] = [
  [
    'content_filter',
    /(?:^|_)(?:filter(?:ed|ing)?|safety|unsafe|moderat(?:ed|ion)|sensitive|guardrails?|block(?:ed|list)?|blacklist|prohibited|toxic(?:ity)?|censor(?:ed|ship)?|flagged|policy|violation|recitation|copyright)(?:_|$)/,
  ],
  [
    'interrupted',
    /(?:^|_)(?:error(?:ed|s)?|fail(?:ed|ure)?|abort(?:ed)?|cancel(?:l?ed)?|time_?out|timed_out|time_limit|interrupt(?:ed)?|incomplete|unfinished|malformed|invalid|unexpected|over_?load(?:ed)?|unavailable|exception|(?:dis)?connect(?:ed|ion)?|network|insufficient|evicted|preempt(?:ed)?|killed|crash(?:ed)?|expired|deadline|repetition|rate_limit(?:ed)?|quota|paused?)(?:_|$)/,
  ],
  ['refusal', /(?:^|_)(?:refus(?:al|ed)|declined)(?:_|$)/],
  [
    'length',
    /(?:^|_)(?:length|max_len|truncat(?:ed|ion)|context|max_(?:[a-z]+_)?tokens?|tokens?_limit|tokens?_exceeded)(?:_|$)/,
  ],
]

/** A fault that there was not. What a model needs is none: without `context` or `tokens` it cannot go on. */
const DENIED =
  /(?:^|_)(?:(?:no|non|not|without|zero|never)(?:_(?:any|an|content|safety|policy|server|internal|network|model))?_(?:error(?:ed|s)?|issues?|fail(?:ed|ures?)?|abort(?:ed)?|cancel(?:l?ed)?|time_?outs?|timed_out|interrupt(?:ed|ions?)?|exceptions?|filter(?:ed|ing|s)?|violations?|moderat(?:ed|ion)|block(?:ed)?|flagged|censor(?:ed|ship)|refus(?:al|ed)|declined|truncat(?:ed|ion)|repetition|crash(?:ed)?|over_?load(?:ed)?|unsafe|toxic|sensitive|invalid|malformed|unexpected|incomplete|expired)|error_free)(?=_|$)/g

const LONGEST_WORD = 100

/** One spelling for all: in small letters, and without what says no more than that it is a reason. */
const spelled = (word: string): string =>
  word
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/^_|_$/g, '')
    .replace(/^(?:finish_|stop_)?reason_(?!unspecified)/, '')

const entriesOf = ({ of: _, ...words }: { of: string } & Words) =>
  Object.entries(words).flatMap(([finish, list]) => list.map(word => [word, finish as Finish] as const))

const isStatusRow = (row: string): row is StatusRow => (STATUS_ROWS as readonly string[]).includes(row)

const ENTRIES = Object.entries(FINISH_WORDS).flatMap(([row, words]) =>
  isStatusRow(row) ? [] : entriesOf(words),
)
const AS_WRITTEN = new Map<unknown, Finish>(ENTRIES)
const joined = (word: string) => spelled(word).replaceAll('_', '')
const AS_SPELLED = new Map<string, Finish>(ENTRIES.map(([word, finish]) => [joined(word), finish]))
const STATUSES = new Map<StatusRow, ReadonlyMap<unknown, Finish>>(
  STATUS_ROWS.map(row => [row, new Map<unknown, Finish>(entriesOf(FINISH_WORDS[row]))]),
)

/** The meaning of a word that is in a row; undefined for any other. */
export function knownFinish(word: unknown): Finish | undefined {
  const written = AS_WRITTEN.get(word)
  if (written !== undefined || typeof word !== 'string') return written
  // Google's endpoint in OpenAI's format names the kind first: `content_filter: RECITATION`.
  const own = word.slice(word.lastIndexOf(':', LONGEST_WORD) + 1)
  return AS_SPELLED.get(joined(own.slice(0, LONGEST_WORD)))
}

/** What a finish word means, whoever says it. SGLang has it as the type of an object. */
export function finishOf(reason: unknown): Finish {
  const word = typeof reason === 'object' && reason !== null ? (reason as { type?: unknown }).type : reason
  const known = knownFinish(word)
  if (known !== undefined || typeof word !== 'string') return known ?? 'other'
  const text = spelled(word.slice(0, LONGEST_WORD)).replace(DENIED, '')
  return FAULTS_NAMED.find(([, named]) => named.test(text))?.[0] ?? 'other'
}

/** What a status means to the one who says it. */
export const finishOfStatus = (row: StatusRow, status: unknown): Finish =>
  STATUSES.get(row)!.get(status) ?? finishOf(status)

const SERIOUS = new Set<Finish>(['refusal', 'content_filter', 'length', 'interrupted'])

/** A fault that the provider itself names, and that a client or gateway before it did not name, or not exactly. */
export const worse = (said: Finish, own: Finish | undefined): Finish =>
  own !== undefined && SERIOUS.has(own) && (said === 'interrupted' || !SERIOUS.has(said)) ? own : said

/** What an error next to an answer means: its provider stopped, or a filter did. */
export function finishOfError(error: unknown): Finish {
  const { code, type } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  return worse(worse('interrupted', finishOf(code)), finishOf(type))
}

const COLUMNS: readonly [Finish, string][] = [
  ['stop', 'ended'],
  ['tool_calls', 'calls tools'],
  ['length', '`truncated`'],
  ['content_filter', '`content_filter`'],
  ['refusal', '`refusal`'],
  ['interrupted', '`interrupted`'],
  ['other', 'says nothing'],
]

/** The rows as a table for people. */
export function finishTable(): string {
  const cells = (row: readonly string[]) =>
    `| ${row.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |')
  return [
    cells(['finish words of', ...COLUMNS.map(([, name]) => name)]),
    `|${'---|'.repeat(COLUMNS.length + 1)}`,
    ...Object.values(FINISH_WORDS).map(({ of, ...words }: { of: string } & Words) =>
      cells([of, ...COLUMNS.map(([finish]) => (words[finish] ?? []).map(word => `\`${word}\``).join(', '))]),
    ),
  ].join('\n')
}
