// Recorded answers with what they cost, by client and provider: the shapes that the pinned clients return, cut to what a
// bill is read from. The table in shared/grading/grading.md is made of them.

import type { Fields } from '../../../shared/providers/rules/answer.ts'

export interface SampleBill {
  client: string
  provider: string
  /** What is told of the cost, in words. */
  reports: string
  answer: Fields
  /** Micro-dollars, written as tokens × price. */
  cost: number
  /** The cost is a lower bound. */
  unknown?: true
  /** Thinking that the output tokens must include. */
  reasoning?: number
}

type Row = Omit<SampleBill, 'client' | 'provider'>

const chat = (model: string, usage: unknown, more: Fields = {}): Fields => ({
  id: 'x',
  object: 'chat.completion',
  model,
  choices: [{ index: 0, message: { role: 'assistant', content: 'billing' }, finish_reason: 'stop' }],
  usage,
  ...more,
})

const responses = (model: string, usage: unknown, more: Fields = {}): Fields => ({
  object: 'response',
  model,
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'billing' }] }],
  usage,
  ...more,
})

const message = (model: string, usage: unknown, more: Fields = {}): Fields => ({
  type: 'message',
  role: 'assistant',
  model,
  content: [{ type: 'text', text: 'billing' }],
  stop_reason: 'end_turn',
  usage,
  ...more,
})

const generated = (
  model: string,
  usageMetadata: unknown,
  parts: unknown = [{ text: 'billing' }],
): Fields => ({
  modelVersion: model,
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
  usageMetadata,
})

/** A result of the Vercel AI SDK with one step, as its JSON has it. */
const sdk = (modelId: string, usage: Fields, providerMetadata: Fields = {}, more: Fields = {}): Fields => ({
  steps: [
    {
      content: [{ type: 'text', text: 'billing' }],
      finishReason: 'stop',
      usage,
      response: { modelId },
      providerMetadata,
      ...more,
    },
  ],
  totalUsage: usage,
})

const langchain = (model: string, usage_metadata: Fields | undefined, metadata: Fields = {}): Fields => ({
  type: 'ai',
  content: 'billing',
  response_metadata: { model_name: model, finish_reason: 'stop', ...metadata },
  ...(usage_metadata && { usage_metadata }),
})

const agents = (model: string, usage: Fields, providerData: Fields = {}): Fields => ({
  rawResponses: [
    {
      responseId: 'resp_1',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'billing' }] }],
      usage: { requests: 1, ...usage },
      providerData: { model, ...providerData },
    },
  ],
})

const of = (client: string, provider: string, rows: readonly Row[]): SampleBill[] =>
  rows.map(row => ({ client, provider, ...row }))

const CACHED_CLAUDE = {
  input_tokens: 10,
  output_tokens: 500,
  cache_read_input_tokens: 20_000,
  cache_creation_input_tokens: 1000,
}
const HOUR_CLAUDE = {
  ...CACHED_CLAUDE,
  cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 600 },
}
const CLAUDE = 'claude-sonnet-4-5-20250929'
const CACHED_COST = 10 * 3 + 20_000 * 0.3 + 1000 * 3.75 + 500 * 15
const HOUR_COST = 10 * 3 + 20_000 * 0.3 + 400 * 3.75 + 600 * 6 + 500 * 15

const THOUGHT_GEMINI = {
  promptTokenCount: 20,
  candidatesTokenCount: 198,
  thoughtsTokenCount: 405,
  totalTokenCount: 623,
}
const THOUGHT_COST = Math.ceil(20 * 0.3 + 603 * 2.5)
const IMAGE_GEMINI = {
  promptTokenCount: 100,
  candidatesTokenCount: 1300,
  totalTokenCount: 1400,
  candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
}
const IMAGE_COST = 100 * 0.3 + 10 * 2.5 + 1290 * 30

const openaiClients = [
  ...of('OpenAI', 'OpenAI', [
    {
      reports: 'cached tokens, thinking among the output',
      answer: chat('o3', {
        prompt_tokens: 1000,
        completion_tokens: 387,
        total_tokens: 1387,
        prompt_tokens_details: { cached_tokens: 200 },
        completion_tokens_details: { reasoning_tokens: 386 },
      }),
      cost: 800 * 2 + 200 * 0.5 + 387 * 8,
      reasoning: 386,
    },
    {
      reports: 'sound in and out',
      answer: chat('gpt-4o-audio-preview', {
        prompt_tokens: 1000,
        completion_tokens: 500,
        total_tokens: 1500,
        prompt_tokens_details: { audio_tokens: 900 },
        completion_tokens_details: { audio_tokens: 400 },
      }),
      cost: 100 * 2.5 + 900 * 40 + 100 * 10 + 400 * 80,
    },
    ...(
      [
        ['default', 27_000],
        ['auto', 27_000],
        ['flex', 13_500],
        ['batch', 13_500],
        ['priority', 48_600],
        ['scale', 0, true],
        ['turbo', 27_000, true],
      ] as const
    ).map(([service_tier, cost, unknown]) => ({
      reports: `the tier ${service_tier}`,
      answer: chat(
        'gpt-5-mini',
        { prompt_tokens: 100_000, completion_tokens: 1000, total_tokens: 101_000 },
        { service_tier },
      ),
      cost,
      ...(unknown && { unknown }),
    })),
    ...(
      [
        ['gpt-5.4', 20_000],
        ['gpt-5.5', 20_000, true],
      ] as const
    ).map(([model, cost, unknown]) => ({
      reports: `the tier priority of ${model}`,
      answer: chat(
        model,
        { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
        { service_tier: 'priority' },
      ),
      cost,
      ...(unknown && { unknown }),
    })),
    ...['file_search_call', 'code_interpreter_call', 'shell_call'].map(type => ({
      reports: `responses: a ${type}, which is billed beside the tokens`,
      answer: responses(
        'gpt-4o-mini',
        { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 },
        {
          output: [
            { type, status: 'completed' },
            { type: 'message', content: [{ type: 'output_text', text: 'billing' }] },
          ],
        },
      ),
      cost: 450,
      unknown: true as const,
    })),
    {
      reports: 'responses: cached tokens and the tier',
      answer: responses(
        'gpt-5-mini',
        {
          input_tokens: 1000,
          output_tokens: 100,
          total_tokens: 1100,
          input_tokens_details: { cached_tokens: 400 },
          output_tokens_details: { reasoning_tokens: 80 },
        },
        { service_tier: 'flex' },
      ),
      cost: (600 * 0.25 + 400 * 0.025 + 100 * 2) / 2,
      reasoning: 80,
    },
    {
      reports: 'images of a model that only makes images, with an image in the prompt',
      answer: {
        created: 1,
        model: 'gpt-image-1',
        data: [{ b64_json: 'AAAA' }],
        usage: {
          input_tokens: 350,
          output_tokens: 1056,
          total_tokens: 1406,
          input_tokens_details: { text_tokens: 50, image_tokens: 300 },
        },
      },
      cost: 50 * 5 + 300 * 10 + 1056 * 40,
    },
  ]),
  ...of('OpenAI', 'xAI', [
    {
      reports: 'thinking beside the output',
      answer: chat('grok-4', {
        prompt_tokens: 12,
        completion_tokens: 1,
        total_tokens: 399,
        completion_tokens_details: { reasoning_tokens: 386 },
      }),
      cost: 12 * 3 + 387 * 15,
      reasoning: 386,
    },
    {
      reports: 'thinking beside the output, without a sum',
      answer: chat('grok-4', {
        prompt_tokens: 12,
        completion_tokens: 1,
        completion_tokens_details: { reasoning_tokens: 386 },
      }),
      cost: 12 * 3 + 387 * 15,
      reasoning: 386,
    },
    {
      reports: 'thinking beside the output, by chance as much as the cache',
      answer: chat('grok-4', {
        prompt_tokens: 1000,
        completion_tokens: 1,
        total_tokens: 1349,
        prompt_tokens_details: { cached_tokens: 348 },
        completion_tokens_details: { reasoning_tokens: 348 },
      }),
      cost: 652 * 3 + 348 * 0.75 + 349 * 15,
      reasoning: 348,
    },
    {
      reports: 'its bill, in ticks',
      answer: chat('grok-99', {
        prompt_tokens: 100,
        completion_tokens: 1,
        total_tokens: 101,
        cost_in_usd_ticks: 232_856_000,
      }),
      cost: 23_286,
    },
    {
      reports: 'responses: its bill, in ticks',
      answer: responses('grok-4', {
        input_tokens: 100,
        output_tokens: 1,
        total_tokens: 101,
        cost_in_usd_ticks: 37_756_000,
      }),
      cost: 3776,
    },
  ]),
  ...of('OpenAI', 'Gemini', [
    {
      reports: 'thoughts in the sum alone',
      answer: chat('gemini-2.5-flash', { prompt_tokens: 20, completion_tokens: 198, total_tokens: 623 }),
      cost: THOUGHT_COST,
      reasoning: 405,
    },
    {
      reports: 'no output beside its thoughts',
      answer: chat('gemini-2.5-flash', { prompt_tokens: 21, completion_tokens: 0, total_tokens: 81 }),
      cost: Math.ceil(21 * 0.3 + 60 * 2.5),
      reasoning: 60,
    },
  ]),
  ...of('OpenAI', 'OpenRouter', [
    {
      reports: 'its bill',
      answer: chat(
        'anthropic/claude-sonnet-4.5',
        { prompt_tokens: 1000, completion_tokens: 500, cost: 0.0141, is_byok: false },
        { id: 'gen-1', provider: 'Anthropic' },
      ),
      cost: 14_100,
    },
    {
      reports: 'its bill, of which the share of the provider behind it is a part',
      answer: chat(
        'some/new-model',
        {
          prompt_tokens: 1000,
          completion_tokens: 500,
          cost: 0.0141,
          is_byok: false,
          cost_details: { upstream_inference_cost: 0.0134 },
        },
        { id: 'gen-1', provider: 'X' },
      ),
      cost: 14_100,
    },
    {
      reports: "its fee and the provider's bill, with a key of one's own",
      answer: chat(
        'openai/gpt-4o-mini',
        {
          prompt_tokens: 1000,
          completion_tokens: 500,
          cost: 0.00002,
          is_byok: true,
          cost_details: { upstream_inference_cost: 0.00045 },
        },
        { id: 'gen-1', provider: 'OpenAI' },
      ),
      cost: 470,
    },
    {
      reports: "only its fee, with a key of one's own",
      answer: chat(
        'openai/gpt-4o-mini',
        { prompt_tokens: 1000, completion_tokens: 500, cost: 0, is_byok: true },
        { id: 'gen-1', provider: 'OpenAI' },
      ),
      cost: 450,
    },
    {
      reports: 'a free model',
      answer: chat('meta-llama/llama-3.3-70b-instruct:free', {
        prompt_tokens: 1_000_000,
        completion_tokens: 1_000_000,
      }),
      cost: 0,
    },
  ]),
  ...of('OpenAI', 'Perplexity', [
    {
      reports: 'its bill',
      answer: chat('sonar-pro', {
        prompt_tokens: 14,
        completion_tokens: 200,
        total_tokens: 214,
        search_context_size: 'high',
        cost: {
          input_tokens_cost: 0.00004,
          output_tokens_cost: 0.003,
          request_cost: 0.014,
          total_cost: 0.01704,
        },
      }),
      cost: 17_040,
    },
    {
      reports: 'the fee of a call by its search',
      answer: chat('sonar-pro', {
        prompt_tokens: 14,
        completion_tokens: 200,
        total_tokens: 214,
        search_context_size: 'low',
      }),
      cost: 14 * 3 + 200 * 15 + 6000,
    },
    {
      reports: 'citations, thinking and searches',
      answer: chat('sonar-deep-research', {
        prompt_tokens: 108,
        completion_tokens: 3256,
        total_tokens: 3364,
        citation_tokens: 7299,
        num_search_queries: 74,
        reasoning_tokens: 73_248,
      }),
      cost: 108 * 2 + 3256 * 8 + 7299 * 2 + 73_248 * 3 + 74 * 5000,
    },
  ]),
  ...of('OpenAI', 'LiteLLM', [
    {
      reports: "Anthropic's cache beside the input",
      answer: chat(CLAUDE, {
        prompt_tokens: 10,
        completion_tokens: 500,
        total_tokens: 510,
        cache_creation_input_tokens: 1000,
        cache_read_input_tokens: 20_000,
      }),
      cost: CACHED_COST,
    },
    {
      reports: "Anthropic's cache in the input, some of it for an hour",
      answer: chat(CLAUDE, {
        prompt_tokens: 21_010,
        completion_tokens: 500,
        total_tokens: 21_510,
        prompt_tokens_details: {
          cached_tokens: 20_000,
          cache_creation_tokens: 1000,
          cache_creation_token_details: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 600 },
        },
        cache_creation_input_tokens: 1000,
        cache_read_input_tokens: 20_000,
      }),
      cost: HOUR_COST,
    },
  ]),
  ...of('OpenAI', 'LiteLLM', [
    {
      reports: 'the bill, in what it hides',
      answer: chat(
        'nobodys-model',
        { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
        { _hidden_params: { response_cost: 3.5e-5 } },
      ),
      cost: 35,
    },
  ]),
  ...of('OpenAI', 'AI Gateway', [
    {
      reports: 'its bill, in its words about the provider',
      answer: {
        ...chat('some/new-model', { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 }),
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            message: {
              role: 'assistant',
              content: 'billing',
              provider_metadata: { gateway: { cost: '0.0045405' } },
            },
          },
        ],
      },
      cost: 4541,
    },
    {
      reports: "no bill of its own, with a key of one's own",
      answer: chat('openai/gpt-4o-mini', {
        prompt_tokens: 1000,
        completion_tokens: 500,
        total_tokens: 1500,
        cost: 0,
        market_cost: 0.00045,
      }),
      cost: 450,
    },
  ]),
  ...of('OpenAI', 'DeepInfra', [
    {
      reports: 'its bill, which it names an estimate',
      answer: chat('Qwen/Qwen3-32B', {
        prompt_tokens: 100,
        completion_tokens: 10,
        total_tokens: 110,
        estimated_cost: 0.0000123,
      }),
      cost: 13,
    },
  ]),
  ...of('OpenAI', 'a host of your own', [
    {
      reports: "Ollama's name for a model",
      answer: chat('deepseek-r1:14b', { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }),
      cost: 0,
      unknown: true,
    },
    {
      reports: "vLLM's fields, with a name that others host",
      answer: chat(
        'meta-llama/Llama-3.3-70B-Instruct-Turbo',
        { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
        { prompt_logprobs: null, kv_transfer_params: null },
      ),
      cost: 0,
      unknown: true,
    },
    {
      reports: 'the name of weights that anybody may run',
      answer: chat('openai/gpt-oss-120b', { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }),
      cost: 0,
      unknown: true,
    },
  ]),
  ...of('OpenAI', 'Together', [
    {
      reports: 'that it is the host',
      answer: chat(
        'meta-llama/Llama-3.3-70B-Instruct-Turbo',
        { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000 },
        { prompt: [] },
      ),
      cost: 2000 * 0.88,
    },
  ]),
  ...of('Groq', 'Groq', [
    {
      reports: 'its usual tier, and that it is the host',
      answer: chat(
        'openai/gpt-oss-120b',
        { prompt_tokens: 1000, completion_tokens: 1000, total_tokens: 2000, queue_time: 0.1 },
        { service_tier: 'on_demand', x_groq: { id: 'req_1' } },
      ),
      cost: 1000 * 0.15 + 1000 * 0.6,
    },
  ]),
  ...of('Mistral', 'Mistral', [
    {
      reports: 'tokens in camel case, and the length of the sound',
      answer: {
        ...chat('mistral-small-latest', { promptTokens: 1000, completionTokens: 100, totalTokens: 1100 }),
        object: 'chat.completion',
      },
      cost: 1000 * 0.1 + 100 * 0.3,
    },
  ]),
]

const nothing = (reports: string, usage: unknown, cost = 0): Row => ({
  reports,
  answer: chat('gpt-4o-mini', usage),
  cost,
  unknown: true,
})

const unknowns = of('any', 'any', [
  nothing('zeros beside a text', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }),
  nothing('only a sum', { total_tokens: 120 }),
  nothing('a sum and zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 120 }),
  nothing('no count', {}),
  nothing('nulls', { prompt_tokens: null, completion_tokens: null, total_tokens: null }),
  nothing('null', null),
  nothing('no output', { prompt_tokens: 12, completion_tokens: 0, total_tokens: 12 }, 2),
  nothing('no input', { prompt_tokens: 0, completion_tokens: 3, total_tokens: 3 }, 2),
  nothing('texts', { prompt_tokens: '12', completion_tokens: '3' }),
  {
    reports: 'the sum and one side',
    answer: chat('gpt-4o-mini', { completion_tokens: 20, total_tokens: 120 }),
    cost: 100 * 0.15 + 20 * 0.6,
  },
  {
    reports: 'more from the cache than went in',
    answer: chat('gpt-4o-mini', {
      prompt_tokens: 10,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 5000 },
    }),
    cost: Math.ceil(10 * 0.15 + 5000 * 0.075 + 3 * 0.6),
  },
  {
    reports: 'the cache in the sum alone',
    answer: chat('gpt-4o-mini', {
      prompt_tokens: 900,
      completion_tokens: 100,
      total_tokens: 1800,
      prompt_tokens_details: { cached_tokens: 800 },
    }),
    cost: 900 * 0.15 + 800 * 0.075 + 100 * 0.6,
  },
])

const anthropic = of('Anthropic', 'Anthropic', [
  { reports: 'its cache', answer: message(CLAUDE, CACHED_CLAUDE), cost: CACHED_COST },
  { reports: 'what its cache keeps for an hour', answer: message(CLAUDE, HOUR_CLAUDE), cost: HOUR_COST },
  {
    reports: 'searches of the web',
    answer: message(CLAUDE, {
      input_tokens: 1000,
      output_tokens: 100,
      server_tool_use: { web_search_requests: 10 },
    }),
    cost: 1000 * 3 + 100 * 15 + 10 * 10_000,
  },
  ...(
    [
      [{ service_tier: 'standard' }, 1],
      [{ service_tier: 'batch' }, 0.5],
      [{ service_tier: 'priority' }, 1, true],
      [{ inference_geo: 'us' }, 1.1],
      [{ inference_geo: 'not_available' }, 1],
      [{ inference_geo: 'mars' }, 1, true],
      [{ speed: 'standard' }, 1],
      [{ speed: 'fast' }, 1, true],
      [{ service_tier: 'batch', inference_geo: 'us' }, 0.55],
    ] as const
  ).map(([mode, factor, unknown]) => ({
    reports: Object.entries(mode).flat().join(' '),
    answer: message(CLAUDE, { input_tokens: 1000, output_tokens: 100, ...mode }),
    cost: (1000 * 3 + 100 * 15) * factor,
    ...(unknown && { unknown }),
  })),
  {
    reports: 'the fast mode of a model whose price is known',
    answer: message('claude-opus-4-6', { input_tokens: 1000, output_tokens: 100, speed: 'fast' }),
    cost: (1000 * 5 + 100 * 25) * 6,
  },
  {
    reports: 'a compaction before the answer',
    answer: message(CLAUDE, {
      input_tokens: 23_000,
      output_tokens: 1000,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3500 },
        { type: 'message', input_tokens: 23_000, output_tokens: 1000 },
      ],
    }),
    cost: 203_000 * 3 + 4500 * 15,
  },
])

const gemini = of('Google', 'Gemini', [
  {
    reports: 'thoughts',
    answer: generated('gemini-2.5-flash', THOUGHT_GEMINI),
    cost: THOUGHT_COST,
    reasoning: 405,
  },
  {
    reports: 'an image',
    answer: generated('gemini-2.5-flash-image', IMAGE_GEMINI, [{ inlineData: { data: 'AAAA' } }]),
    cost: IMAGE_COST,
  },
  {
    reports: 'sound, also in the cache',
    answer: generated('gemini-2.5-flash', {
      promptTokenCount: 1000,
      candidatesTokenCount: 100,
      totalTokenCount: 1100,
      cachedContentTokenCount: 400,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 200 },
        { modality: 'AUDIO', tokenCount: 800 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 400 }],
    }),
    cost: 200 * 0.3 + 400 * 1 + 400 * 0.1 + 100 * 2.5,
  },
  ...(
    [
      ['ON_DEMAND', 1],
      ['ON_DEMAND_FLEX', 0.5],
      ['PROVISIONED_THROUGHPUT', 0, true],
    ] as const
  ).map(([trafficType, factor, unknown]) => ({
    reports: `the traffic ${trafficType}`,
    answer: generated('gemini-2.5-flash', {
      promptTokenCount: 1000,
      candidatesTokenCount: 100,
      totalTokenCount: 1100,
      trafficType,
    }),
    cost: (1000 * 0.3 + 100 * 2.5) * factor,
    ...(unknown && { unknown }),
  })),
  {
    reports: "thoughts, in the words of Python's client",
    answer: {
      model_version: 'gemini-2.5-flash',
      candidates: [{ content: { role: 'model', parts: [{ text: 'billing' }] }, finish_reason: 'STOP' }],
      usage_metadata: {
        prompt_token_count: 20,
        candidates_token_count: 198,
        thoughts_token_count: 405,
        total_token_count: 623,
      },
    },
    cost: THOUGHT_COST,
    reasoning: 405,
  },
])

const bedrock = of('AWS', 'Bedrock', [
  {
    reports: 'its cache, some of it for an hour',
    answer: {
      output: { message: { role: 'assistant', content: [{ text: 'billing' }] } },
      stopReason: 'end_turn',
      modelId: 'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
      usage: {
        inputTokens: 10,
        outputTokens: 500,
        totalTokens: 21_510,
        cacheReadInputTokens: 20_000,
        cacheWriteInputTokens: 1000,
        cacheDetails: [
          { ttl: '5m', inputTokens: 400 },
          { ttl: '1h', inputTokens: 600 },
        ],
      },
    },
    cost: HOUR_COST,
  },
])

const CONVERSED = {
  output: { message: { role: 'assistant', content: [{ text: 'billing' }] } },
  stopReason: 'end_turn',
  modelId: 'amazon.nova-lite-v1:0',
  usage: { inputTokens: 1000, outputTokens: 500, totalTokens: 1500 },
}
const conversed = of(
  'AWS',
  'Bedrock',
  (
    [
      [{ serviceTier: { type: 'default' } }, 1],
      [{ serviceTier: { type: 'flex' } }, 0.5, true],
      [{ serviceTier: { type: 'priority' } }, 1, true],
      [{ serviceTier: { type: 'reserved' } }, 0, true],
      [{ performanceConfig: { latency: 'standard' } }, 1],
      [{ performanceConfig: { latency: 'optimized' } }, 1, true],
    ] as const
  ).map(([mode, factor, unknown]) => ({
    reports: Object.values(mode).flatMap(Object.values).join(),
    answer: { ...CONVERSED, ...mode },
    cost: (1000 * 0.06 + 500 * 0.24) * factor,
    ...(unknown && { unknown }),
  })),
)

const others = [
  ...of('Cohere', 'Cohere', [
    {
      reports: 'billed tokens, in the words of its client',
      answer: {
        id: 'x',
        model: 'command-a-03-2025',
        finishReason: 'COMPLETE',
        message: { role: 'assistant', content: [{ type: 'text', text: 'billing' }] },
        usage: {
          billedUnits: { inputTokens: 100, outputTokens: 10 },
          tokens: { inputTokens: 170, outputTokens: 12 },
        },
      },
      cost: 100 * 2.5 + 10 * 10,
    },
  ]),
  ...of('Ollama', 'a host of your own', [
    {
      reports: 'tokens',
      answer: {
        model: 'deepseek-r1:14b',
        created_at: 'x',
        message: { role: 'assistant', content: 'billing' },
        done: true,
        done_reason: 'stop',
        prompt_eval_count: 26,
        eval_count: 3,
      },
      cost: 0,
      unknown: true,
    },
  ]),
  ...of('OpenAI Agents', 'OpenAI', [
    {
      reports: 'cached tokens, and the tier in what it keeps',
      answer: agents(
        'gpt-5-mini',
        {
          inputTokens: 1000,
          outputTokens: 100,
          totalTokens: 1100,
          inputTokensDetails: { cached_tokens: 400 },
          outputTokensDetails: { reasoning_tokens: 80 },
        },
        { service_tier: 'flex' },
      ),
      cost: (600 * 0.25 + 400 * 0.025 + 100 * 2) / 2,
      reasoning: 80,
    },
  ]),
  ...of('OpenAI Agents', 'xAI', [
    {
      reports: 'thinking in the sum, and the bill in what it keeps',
      answer: agents(
        'grok-4',
        { inputTokens: 12, outputTokens: 1, totalTokens: 399 },
        {
          usage: {
            prompt_tokens: 12,
            completion_tokens: 1,
            total_tokens: 399,
            cost_in_usd_ticks: 58_410_000,
          },
        },
      ),
      cost: 5841,
      reasoning: 386,
    },
  ]),
]

/** Versions 5 and before have no details; from 6 on they, and the provider's own counts, are in the usage. */
const vercel = [
  ...of('AI SDK 5', 'Anthropic', [
    {
      reports: 'the input without the cache, beside its own counts',
      answer: sdk(
        CLAUDE,
        { inputTokens: 10, outputTokens: 500, totalTokens: 510, cachedInputTokens: 20_000 },
        { anthropic: { usage: HOUR_CLAUDE, cacheCreationInputTokens: 1000 } },
      ),
      cost: HOUR_COST,
    },
    {
      reports: 'the input without the cache, of which little was read',
      answer: sdk(
        CLAUDE,
        { inputTokens: 30_000, outputTokens: 500, totalTokens: 30_500, cachedInputTokens: 20_000 },
        { anthropic: { cacheCreationInputTokens: 1000 } },
      ),
      cost: 30_000 * 3 + 20_000 * 0.3 + 1000 * 3.75 + 500 * 15,
    },
  ]),
  ...of('AI SDK 5', 'Bedrock', [
    {
      reports: 'the input without the cache',
      answer: sdk(
        'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
        { inputTokens: 10, outputTokens: 500, totalTokens: 21_510, cachedInputTokens: 20_000 },
        { bedrock: { usage: { cacheReadInputTokens: 20_000, cacheWriteInputTokens: 1000 } } },
      ),
      cost: CACHED_COST,
    },
  ]),
  ...of('AI SDK 5', 'Gemini', [
    {
      reports: 'thoughts beside the output',
      answer: sdk('gemini-2.5-flash', {
        inputTokens: 20,
        outputTokens: 198,
        totalTokens: 623,
        reasoningTokens: 405,
      }),
      cost: THOUGHT_COST,
      reasoning: 405,
    },
    {
      reports: 'an image, in its own counts',
      answer: sdk(
        'gemini-2.5-flash-image',
        { inputTokens: 100, outputTokens: 1300, totalTokens: 1400 },
        { google: { usageMetadata: IMAGE_GEMINI } },
      ),
      cost: IMAGE_COST,
    },
  ]),
  ...of('AI SDK 5', 'xAI', [
    {
      reports: 'thinking beside the output',
      answer: sdk('grok-4', { inputTokens: 12, outputTokens: 1, totalTokens: 399, reasoningTokens: 386 }),
      cost: 12 * 3 + 387 * 15,
      reasoning: 386,
    },
  ]),
  ...of('AI SDK 5', 'OpenRouter', [
    {
      reports: 'its bill',
      answer: sdk(
        'anthropic/claude-sonnet-4.5',
        { inputTokens: 1000, outputTokens: 500, totalTokens: 1500 },
        {
          openrouter: {
            usage: {
              promptTokens: 1000,
              completionTokens: 500,
              totalTokens: 1500,
              cost: 0.0141,
              costDetails: { upstreamInferenceCost: 0.0134 },
            },
          },
        },
      ),
      cost: 14_100,
    },
    {
      reports: "its fee and the provider's bill, with a key of one's own",
      answer: sdk(
        'openai/gpt-4o-mini',
        { inputTokens: 1000, outputTokens: 500, totalTokens: 1500 },
        { openrouter: { usage: { cost: 0.00002, costDetails: { upstreamInferenceCost: 0.00045 } } } },
      ),
      cost: 470,
    },
  ]),
  ...of('AI SDK 6, 7', 'LiteLLM', [
    {
      reports: 'the bill, in a header',
      answer: sdk(
        'nobodys-model',
        { inputTokens: 1000, outputTokens: 500, totalTokens: 1500 },
        {},
        { response: { modelId: 'nobodys-model', headers: { 'x-litellm-response-cost': '3.5e-05' } } },
      ),
      cost: 35,
    },
  ]),
  ...of('AI SDK 6, 7', 'xAI', [
    {
      reports: 'its bill, in the body alone that it keeps',
      answer: sdk(
        'grok-4',
        {
          inputTokens: 12,
          outputTokens: 1,
          totalTokens: 13,
          raw: { prompt_tokens: 12, completion_tokens: 1, total_tokens: 399 },
        },
        {},
        {
          response: {
            modelId: 'grok-4',
            body: { usage: { prompt_tokens: 12, completion_tokens: 1, cost_in_usd_ticks: 58_410_000 } },
          },
        },
      ),
      cost: 5841,
    },
  ]),
  ...of('AI SDK 5', 'AI Gateway', [
    {
      reports: 'its bill, as a text',
      answer: sdk(
        'some/new-model',
        { inputTokens: 1000, outputTokens: 500, totalTokens: 1500 },
        { gateway: { cost: '0.0045405' } },
      ),
      cost: 4541,
    },
  ]),
  ...of('AI SDK 5', 'OpenAI', [
    {
      reports: 'the tier in its metadata',
      answer: sdk(
        'gpt-5-mini',
        { inputTokens: 1000, outputTokens: 100, totalTokens: 1100, cachedInputTokens: 400 },
        { openai: { serviceTier: 'flex' } },
      ),
      cost: (600 * 0.25 + 400 * 0.025 + 100 * 2) / 2,
    },
    {
      reports: 'no number',
      answer: sdk('gpt-4o-mini', { promptTokens: null, completionTokens: null, totalTokens: null }),
      cost: 0,
      unknown: true,
    },
  ]),
  ...of('AI SDK 6, 7', 'Anthropic', [
    {
      reports: 'its own counts',
      answer: sdk(CLAUDE, {
        inputTokens: 21_010,
        inputTokenDetails: { noCacheTokens: 10, cacheReadTokens: 20_000, cacheWriteTokens: 1000 },
        outputTokens: 500,
        outputTokenDetails: {},
        totalTokens: 21_510,
        raw: HOUR_CLAUDE,
      }),
      cost: HOUR_COST,
    },
    {
      reports: 'the cache in the input',
      answer: sdk(CLAUDE, {
        inputTokens: 21_010,
        inputTokenDetails: { noCacheTokens: 10, cacheReadTokens: 20_000, cacheWriteTokens: 1000 },
        outputTokens: 500,
        totalTokens: 21_510,
      }),
      cost: CACHED_COST,
    },
  ]),
  ...of('AI SDK 6, 7', 'Gemini', [
    {
      reports: 'its own counts',
      answer: sdk('gemini-2.5-flash-image', {
        inputTokens: 100,
        outputTokens: 1300,
        totalTokens: 1400,
        raw: IMAGE_GEMINI,
      }),
      cost: IMAGE_COST,
    },
  ]),
  ...of('AI SDK 6, 7', 'xAI', [
    {
      reports: 'its bill, in its own counts',
      answer: sdk('grok-4', {
        inputTokens: 12,
        outputTokens: 387,
        totalTokens: 399,
        raw: { prompt_tokens: 12, completion_tokens: 1, total_tokens: 399, cost_in_usd_ticks: 58_410_000 },
      }),
      cost: 5841,
      reasoning: 386,
    },
    {
      reports: 'its bill, in its metadata',
      answer: sdk(
        'grok-4',
        { inputTokens: 12, outputTokens: 387, totalTokens: 399 },
        { xai: { costInUsdTicks: 58_410_000 } },
      ),
      cost: 5841,
    },
  ]),
  ...of('AI SDK 6, 7', 'Perplexity', [
    {
      reports: 'its bill, in its metadata',
      answer: sdk(
        'sonar-pro',
        { inputTokens: 14, outputTokens: 200, totalTokens: 214 },
        { perplexity: { cost: { requestCost: 0.014, totalCost: 0.01704 } } },
      ),
      cost: 17_040,
    },
  ]),
  ...of('AI SDK 6, 7', 'a host of your own', [
    {
      reports: 'its provider',
      answer: sdk(
        'deepseek-r1',
        { inputTokens: 14, outputTokens: 200, totalTokens: 214 },
        {},
        { model: { provider: 'ollama.chat', modelId: 'deepseek-r1' } },
      ),
      cost: 0,
      unknown: true,
    },
  ]),
]

const langchains = [
  ...of('LangChain', 'OpenAI', [
    {
      reports: 'a tier that it names among the tokens',
      answer: langchain('gpt-5-mini', {
        input_tokens: 1000,
        output_tokens: 100,
        total_tokens: 1100,
        input_token_details: { flex: 600, flex_cache_read: 400 },
        output_token_details: { flex: 20, flex_reasoning: 80 },
      }),
      cost: (600 * 0.25 + 400 * 0.025 + 100 * 2) / 2,
      reasoning: 80,
    },
    {
      reports: 'the tier in its metadata',
      answer: langchain(
        'gpt-5-mini',
        {
          input_tokens: 1000,
          output_tokens: 100,
          total_tokens: 1100,
          input_token_details: { cache_read: 400 },
        },
        { service_tier: 'flex' },
      ),
      cost: (600 * 0.25 + 400 * 0.025 + 100 * 2) / 2,
    },
    {
      reports: 'sound in and out',
      answer: langchain('gpt-audio', {
        input_tokens: 1000,
        output_tokens: 500,
        total_tokens: 1500,
        input_token_details: { audio: 900 },
        output_token_details: { audio: 400 },
      }),
      cost: 100 * 2.5 + 900 * 32 + 100 * 10 + 400 * 64,
    },
  ]),
  ...of('LangChain', 'xAI', [
    {
      reports: 'thinking beside the output',
      answer: langchain('grok-4', {
        input_tokens: 12,
        output_tokens: 1,
        total_tokens: 399,
        output_token_details: { reasoning: 386 },
      }),
      cost: 12 * 3 + 387 * 15,
      reasoning: 386,
    },
    {
      reports: 'its bill',
      answer: langchain('grok-4', undefined, {
        token_usage: {
          prompt_tokens: 12,
          completion_tokens: 1,
          total_tokens: 399,
          cost_in_usd_ticks: 58_410_000,
        },
      }),
      cost: 5841,
      reasoning: 386,
    },
  ]),
  ...of('LangChain', 'Gemini', [
    {
      reports: 'thoughts in the sum alone',
      answer: langchain('gemini-2.5-flash', { input_tokens: 20, output_tokens: 198, total_tokens: 623 }),
      cost: THOUGHT_COST,
      reasoning: 405,
    },
  ]),
  ...of('LangChain', 'Anthropic', [
    {
      reports: 'the input without the cache',
      answer: langchain(CLAUDE, {
        input_tokens: 10,
        output_tokens: 500,
        total_tokens: 510,
        input_token_details: { cache_read: 20_000, cache_creation: 1000 },
      }),
      cost: CACHED_COST,
    },
    {
      reports: 'its own counts',
      answer: langchain(
        CLAUDE,
        { input_tokens: 10, output_tokens: 500, total_tokens: 510 },
        { usage: HOUR_CLAUDE },
      ),
      cost: HOUR_COST,
    },
    {
      reports: 'what its cache keeps for an hour',
      answer: langchain(CLAUDE, {
        input_tokens: 21_010,
        output_tokens: 500,
        total_tokens: 21_510,
        input_token_details: {
          cache_read: 20_000,
          cache_creation: 0,
          ephemeral_5m_input_tokens: 400,
          ephemeral_1h_input_tokens: 600,
        },
      }),
      cost: HOUR_COST,
    },
  ]),
  ...of('LangChain', 'LiteLLM', [
    {
      reports: 'the bill, in a header',
      answer: langchain(
        'nobodys-model',
        { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 },
        { headers: { 'x-litellm-response-cost': '3.5e-05' } },
      ),
      cost: 35,
    },
  ]),
  ...of('LangChain', 'OpenRouter', [
    {
      reports: 'its bill',
      answer: langchain(
        'anthropic/claude-sonnet-4.5',
        { input_tokens: 1000, output_tokens: 500, total_tokens: 1500 },
        { usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500, cost: 0.0141 } },
      ),
      cost: 14_100,
    },
  ]),
  ...of('LangChain', 'a host of your own', [
    {
      reports: 'its provider',
      answer: langchain(
        'llama-3.3-70b-versatile',
        { input_tokens: 26, output_tokens: 3, total_tokens: 29 },
        { model_provider: 'ollama' },
      ),
      cost: 0,
      unknown: true,
    },
  ]),
  ...of('LlamaIndex', 'xAI', [
    {
      reports: "thinking and bill of the provider's answer",
      answer: {
        message: { role: 'assistant', content: 'billing' },
        raw: chat('grok-4', {
          prompt_tokens: 12,
          completion_tokens: 1,
          total_tokens: 399,
          cost_in_usd_ticks: 58_410_000,
        }),
      },
      cost: 5841,
      reasoning: 386,
    },
  ]),
]

export const BILLS: readonly SampleBill[] = [
  ...openaiClients,
  ...anthropic,
  ...gemini,
  ...bedrock,
  ...conversed,
  ...others,
  ...vercel,
  ...langchains,
  ...unknowns,
]
