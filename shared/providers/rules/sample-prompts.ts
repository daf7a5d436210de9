// A small prompt of every known shape, with the word "decoy" in all that is no message.

const SCHEMA = {
  type: 'object',
  properties: { kind: { type: 'string', enum: ['decoy'], description: 'decoy' } },
}
export const TOOL = { name: 'decoy', description: 'decoy', parameters: SCHEMA, input_schema: SCHEMA }
/** What every prompt says. */
export const SAID = 'A refund, please'
export const SCHEMA_OF_ANSWER = { type: 'json_schema', json_schema: { name: 'decoy', schema: SCHEMA } }

/** A prompt of each provider, with decoys in all that is no message. */
export const PROMPTS: Record<string, unknown> = {
  'OpenAI chat': {
    model: 'decoy',
    response_format: SCHEMA_OF_ANSWER,
    tools: [{ type: 'function', function: TOOL }],
    tool_choice: { type: 'function', function: { name: 'decoy' } },
    metadata: { team: 'decoy' },
    user: 'decoy',
    stop: ['decoy'],
    prediction: { type: 'content', content: 'decoy' },
    messages: [{ role: 'user', name: 'decoy', content: [{ type: 'text', text: SAID }] }],
  },
  'OpenAI completion': { model: 'decoy', prompt: SAID, suffix: 'decoy' },
  'OpenAI responses': {
    model: 'decoy',
    text: { format: { name: 'decoy', ...SCHEMA_OF_ANSWER } },
    tools: [TOOL],
    input: [{ role: 'user', content: [{ type: 'input_text', text: SAID }] }],
  },
  Anthropic: {
    model: 'decoy',
    tools: [TOOL],
    output_config: { format: SCHEMA },
    messages: [{ role: 'user', content: [{ type: 'text', text: SAID, cache_control: { type: 'decoy' } }] }],
  },
  Gemini: {
    model: 'decoy',
    config: { responseSchema: SCHEMA, tools: [{ functionDeclarations: [TOOL] }] },
    contents: [{ role: 'user', parts: [{ text: SAID }] }],
  },
  'Gemini, by REST': {
    generationConfig: { responseSchema: SCHEMA },
    system_instruction: { parts: [{ text: SAID }] },
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'decoy', data: 'decoy' } }] }],
  },
  'Gemini, a list of texts': { model: 'decoy', contents: [SAID], config: { responseSchema: SCHEMA } },
  Bedrock: {
    modelId: 'decoy',
    toolConfig: { tools: [{ toolSpec: TOOL }] },
    messages: [{ role: 'user', content: [{ text: SAID }] }],
  },
  Cohere: {
    model: 'decoy',
    response_format: { type: 'json_object', schema: SCHEMA },
    messages: [{ role: 'user', content: SAID }],
  },
  'Cohere, the first version': { model: 'decoy', tools: [TOOL], chat_history: [], message: SAID },
  'Cohere ranking': { model: 'decoy', query: SAID, documents: [{ id: 'decoy' }] },
  Ollama: { model: 'decoy', format: SCHEMA, prompt: SAID },
  LangChain: [
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: SAID, additional_kwargs: { tools: [TOOL] }, response_metadata: { model: 'decoy' } },
    },
  ],
  'LangChain, as a dict': { messages: [{ type: 'human', data: { content: SAID, name: 'decoy' } }] },
  LlamaIndex: { messages: [{ role: 'user', blocks: [{ block_type: 'text', text: SAID }] }], tools: [TOOL] },
  'OpenAI Agents': {
    modelSettings: { decoy: 'decoy' },
    outputType: SCHEMA_OF_ANSWER,
    input: [{ type: 'message', role: 'user', content: SAID }],
  },
  'Vercel AI SDK': { model: 'decoy', schema: SCHEMA, tools: { decoy: TOOL }, prompt: SAID },
  embeddings: { model: 'decoy', input: [SAID], user: 'decoy' },
  transcripts: { model: 'decoy', prompt: SAID, file: { name: 'decoy' } },
  'a request as a text': JSON.stringify({
    model: 'decoy',
    tools: [TOOL],
    messages: [{ role: 'user', content: SAID }],
  }),
  'a line of a batch file': {
    custom_id: 'decoy',
    body: { model: 'decoy', response_format: SCHEMA_OF_ANSWER, messages: [{ role: 'user', content: SAID }] },
  },
  'arguments of a call': [{ model: 'decoy', tools: [TOOL], messages: [{ role: 'user', content: SAID }] }],
  'an unknown request': { model: 'decoy', answerFormat: SCHEMA, ticket: SAID },
}
