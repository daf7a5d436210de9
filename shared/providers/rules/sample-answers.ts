// A small answer of every known shape, with all the counts that are read of it.

const text = [{ type: 'text', text: 'billing' }]
const tokens = { input_tokens: 9, output_tokens: 3 }
const said = { role: 'assistant', content: 'billing' }

export const ANSWERS: Record<string, object> = {
  'OpenAI chat': {
    object: 'chat.completion',
    model: 'gpt-4o',
    service_tier: 'default',
    choices: [{ index: 0, message: { ...said, refusal: null, tool_calls: [] }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 9,
      completion_tokens: 3,
      prompt_tokens_details: { cached_tokens: 1, audio_tokens: 1 },
      completion_tokens_details: { audio_tokens: 1 },
    },
  },
  'OpenAI completion': {
    object: 'text_completion',
    model: 'gpt-3.5-turbo-instruct',
    choices: [{ text: 'billing', finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 3 },
  },
  'OpenAI responses': {
    object: 'response',
    model: 'gpt-5',
    status: 'completed',
    incomplete_details: { reason: null },
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'billing' }] },
      { type: 'web_search_call', status: 'completed' },
    ],
    usage: { ...tokens, input_tokens_details: { cached_tokens: 1 } },
  },
  Anthropic: {
    type: 'message',
    role: 'assistant',
    model: 'claude-haiku-4-5',
    content: text,
    stop_reason: 'end_turn',
    usage: {
      ...tokens,
      cache_read_input_tokens: 1,
      cache_creation_input_tokens: 1,
      server_tool_use: { web_search_requests: 1 },
    },
  },
  Gemini: {
    modelVersion: 'gemini-2.5-flash',
    promptFeedback: {},
    candidates: [
      {
        content: { role: 'model', parts: [{ text: 'billing' }] },
        finishReason: 'STOP',
        groundingMetadata: { webSearchQueries: ['q'] },
      },
    ],
    usageMetadata: {
      promptTokenCount: 9,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 1,
      cachedContentTokenCount: 1,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 1 }],
    },
  },
  'Gemini interactions': {
    object: 'interaction',
    model: 'gemini-3-pro-preview',
    status: 'completed',
    steps: [{ type: 'model_output', content: text }],
    usage: { total_input_tokens: 9, total_output_tokens: 3, total_thought_tokens: 1 },
  },
  Bedrock: {
    output: { message: { role: 'assistant', content: [{ text: 'billing' }] } },
    stopReason: 'end_turn',
    serviceTier: { type: 'flex' },
    trace: { promptRouter: { invokedModelId: 'amazon.nova-lite-v1:0' } },
    usage: { inputTokens: 9, outputTokens: 3, cacheReadInputTokens: 1, cacheWriteInputTokens: 1 },
  },
  Cohere: {
    model: 'command-a-03-2025',
    message: { role: 'assistant', content: text, tool_calls: [] },
    finish_reason: 'COMPLETE',
    usage: { billed_units: { ...tokens, search_units: 1 } },
  },
  'Cohere, without what is billed': {
    message: { role: 'assistant', content: text },
    finish_reason: 'COMPLETE',
    usage: { tokens },
  },
  Ollama: {
    model: 'llama3.1',
    created_at: '2026-01-01T00:00:00Z',
    message: said,
    done: true,
    done_reason: 'stop',
    prompt_eval_count: 9,
    eval_count: 3,
  },
  LangChain: {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'messages', 'AIMessage'],
    kwargs: {
      content: 'billing',
      tool_calls: [],
      additional_kwargs: {},
      response_metadata: { model_name: 'gpt-4o', finish_reason: 'stop' },
      usage_metadata: { ...tokens, input_token_details: { cache_read: 1 } },
    },
  },
  LangGraph: {
    messages: [
      { type: 'ai', content: 'billing', response_metadata: { model_name: 'gpt-4o' }, usage_metadata: tokens },
    ],
  },
  LlamaIndex: {
    message: { role: 'assistant', blocks: [{ block_type: 'text', text: 'billing' }] },
    delta: null,
    raw: { object: 'chat.completion', model: 'gpt-5', choices: [{ message: said, finish_reason: 'stop' }] },
  },
  'OpenAI Agents': {
    response_id: 'r',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'billing' }] }],
    usage: { requests: 2, ...tokens, input_tokens_details: { cached_tokens: 1 } },
  },
  'Vercel AI SDK': {
    text: 'billing',
    finishReason: 'stop',
    response: { modelId: 'gpt-5' },
    steps: [
      { content: text, finishReason: 'stop', usage: { inputTokens: 4, outputTokens: 1 } },
      { content: text, finishReason: 'stop', usage: { inputTokens: 5, outputTokens: 2 } },
    ],
    totalUsage: { inputTokens: 9, outputTokens: 3, inputTokenDetails: { cacheReadTokens: 1 } },
  },
  'Vercel AI SDK embeddings': {
    embeddings: [[0.1]],
    usage: { tokens: 9 },
    responses: [{ modelId: 'text-embedding-3-small' }],
  },
  'Vercel AI SDK transcript': {
    text: 'billing',
    segments: [{ text: 'billing', startSecond: 0, endSecond: 9 }],
    durationInSeconds: 9,
    responses: [{ modelId: 'whisper-1' }],
  },
  'Vercel AI SDK images': {
    images: [{ base64Data: 'aGk=', mediaType: 'image/png' }],
    responses: [{ modelId: 'dall-e-3' }],
  },
  'Vercel AI SDK ranking': {
    ranking: [{ originalIndex: 0, score: 0.9, document: 'billing' }],
    response: { modelId: 'rerank-v3.5' },
  },
  'Vertex embeddings': {
    predictions: [
      { embeddings: { values: [0.1], statistics: { token_count: 4 } } },
      { embeddings: { values: [0.2], statistics: { token_count: 5 } } },
    ],
  },
  'OpenAI embeddings': {
    object: 'list',
    model: 'text-embedding-3-small',
    data: [{ object: 'embedding', index: 0, embedding: [0.1] }],
    usage: { prompt_tokens: 9 },
  },
  'Cohere ranking': {
    id: 'r',
    results: [{ index: 0, relevance_score: 0.9 }],
    meta: { billed_units: { search_units: 1 } },
  },
  'OpenAI transcript': {
    text: 'billing',
    usage: { type: 'tokens', ...tokens, input_token_details: { audio_tokens: 1 } },
  },
  'OpenAI transcript by length': { text: 'billing', usage: { type: 'duration', seconds: 9 } },
  'OpenAI image': { created: 1, data: [{ b64_json: 'aGk=' }], usage: tokens },
}
