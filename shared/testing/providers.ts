// Builds answers in the formats of the model providers. Guarantee: the provider's client and the grader read each of
// them; a request to none of the known providers gets none.

/** An answer before it is put into a provider's format. */
export interface Said {
  model: string
  text: string
  refusal: string | undefined
  tool_calls: readonly { name: string; arguments: unknown }[]
  finish: 'stop' | 'length' | 'content_filter'
  input_tokens: number
  output_tokens: number
  /** The number of the answer in its script, from 1. */
  place: number
}

interface Provider {
  /** Matches the end of the request's path. */
  path: RegExp
  body: (said: Said) => object
}

export const isModelRequest = (request: Request) => providerOf(request) !== undefined

export function providerOf({ method, url }: Request): Provider | undefined {
  const { pathname } = new URL(url)
  return method === 'POST' ? PROVIDERS.find(({ path }) => path.test(pathname)) : undefined
}

const openAiChat = (said: Said) => ({
  id: `chatcmpl-${said.place}`,
  object: 'chat.completion',
  created: 0,
  model: said.model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: said.text === '' && said.tool_calls.length > 0 ? null : said.text,
        refusal: said.refusal ?? null,
        ...(said.tool_calls.length > 0 && {
          tool_calls: said.tool_calls.map(({ name, arguments: given }, at) => ({
            id: `call_${said.place}_${at + 1}`,
            type: 'function',
            function: { name, arguments: JSON.stringify(given) },
          })),
        }),
      },
      logprobs: null,
      finish_reason: said.tool_calls.length > 0 ? 'tool_calls' : said.finish,
    },
  ],
  usage: {
    prompt_tokens: said.input_tokens,
    completion_tokens: said.output_tokens,
    total_tokens: said.input_tokens + said.output_tokens,
  },
})

function openAiResponse(said: Said) {
  const part =
    said.refusal === undefined
      ? { type: 'output_text', text: said.text, annotations: [] }
      : { type: 'refusal', refusal: said.refusal }
  const incomplete = { length: 'max_output_tokens', content_filter: 'content_filter', stop: undefined }[
    said.finish
  ]
  return {
    id: `resp_${said.place}`,
    object: 'response',
    created_at: 0,
    status: incomplete === undefined ? 'completed' : 'incomplete',
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    error: null,
    model: said.model,
    output: [
      ...(said.text !== '' || said.refusal !== undefined || said.tool_calls.length === 0
        ? [
            {
              id: `msg_${said.place}`,
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [part],
            },
          ]
        : []),
      ...said.tool_calls.map(({ name, arguments: given }, at) => ({
        id: `fc_${said.place}_${at + 1}`,
        call_id: `call_${said.place}_${at + 1}`,
        type: 'function_call',
        status: 'completed',
        name,
        arguments: JSON.stringify(given),
      })),
    ],
    usage: {
      input_tokens: said.input_tokens,
      output_tokens: said.output_tokens,
      total_tokens: said.input_tokens + said.output_tokens,
    },
  }
}

const ANTHROPIC_STOP = { stop: 'end_turn', length: 'max_tokens', content_filter: 'refusal' }

const anthropicMessage = (said: Said) => ({
  id: `msg_${said.place}`,
  type: 'message',
  role: 'assistant',
  model: said.model,
  content: [
    ...((said.refusal ?? said.text) === '' ? [] : [{ type: 'text', text: said.refusal ?? said.text }]),
    ...said.tool_calls.map(({ name, arguments: input }, at) => ({
      type: 'tool_use',
      id: `toolu_${said.place}_${at + 1}`,
      name,
      input,
    })),
  ],
  stop_reason:
    said.refusal !== undefined
      ? 'refusal'
      : said.tool_calls.length > 0
        ? 'tool_use'
        : ANTHROPIC_STOP[said.finish],
  stop_sequence: null,
  usage: { input_tokens: said.input_tokens, output_tokens: said.output_tokens },
})

const GEMINI_FINISH = { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }

const geminiResponse = (said: Said) => ({
  modelVersion: said.model,
  candidates: [
    {
      index: 0,
      finishReason: GEMINI_FINISH[said.finish],
      content: {
        role: 'model',
        parts: [
          ...((said.refusal ?? said.text) === '' ? [] : [{ text: said.refusal ?? said.text }]),
          ...said.tool_calls.map(({ name, arguments: args }) => ({ functionCall: { name, args } })),
        ],
      },
    },
  ],
  usageMetadata: {
    promptTokenCount: said.input_tokens,
    candidatesTokenCount: said.output_tokens,
    totalTokenCount: said.input_tokens + said.output_tokens,
  },
})

const PROVIDERS: readonly Provider[] = [
  { path: /\/chat\/completions$/, body: openAiChat },
  { path: /\/responses$/, body: openAiResponse },
  { path: /\/messages$/, body: anthropicMessage },
  { path: /:generateContent$/, body: geminiResponse },
]
