import { describe, expect, it } from 'vitest'
import { messageTexts } from './message-texts.ts'
import { ANSWERS } from './sample-answers.ts'

const SCHEMA = {
  type: 'object',
  properties: { kind: { type: 'string', enum: ['decoy'], description: 'decoy' } },
}
const TOOL = { name: 'decoy', description: 'decoy', parameters: SCHEMA, input_schema: SCHEMA }
const said = 'A refund, please'
const SCHEMA_OF_ANSWER = { type: 'json_schema', json_schema: { name: 'decoy', schema: SCHEMA } }

/** A prompt of each provider, with decoys in all that is no message. */
const PROMPTS: Record<string, unknown> = {
  'OpenAI chat': {
    model: 'decoy',
    response_format: SCHEMA_OF_ANSWER,
    tools: [{ type: 'function', function: TOOL }],
    tool_choice: { type: 'function', function: { name: 'decoy' } },
    metadata: { team: 'decoy' },
    user: 'decoy',
    stop: ['decoy'],
    prediction: { type: 'content', content: 'decoy' },
    messages: [{ role: 'user', name: 'decoy', content: [{ type: 'text', text: said }] }],
  },
  'OpenAI completion': { model: 'decoy', prompt: said, suffix: 'decoy' },
  'OpenAI responses': {
    model: 'decoy',
    text: { format: { name: 'decoy', ...SCHEMA_OF_ANSWER } },
    tools: [TOOL],
    input: [{ role: 'user', content: [{ type: 'input_text', text: said }] }],
  },
  Anthropic: {
    model: 'decoy',
    tools: [TOOL],
    output_config: { format: SCHEMA },
    messages: [{ role: 'user', content: [{ type: 'text', text: said, cache_control: { type: 'decoy' } }] }],
  },
  Gemini: {
    model: 'decoy',
    config: { responseSchema: SCHEMA, tools: [{ functionDeclarations: [TOOL] }] },
    contents: [{ role: 'user', parts: [{ text: said }] }],
  },
  'Gemini, by REST': {
    generationConfig: { responseSchema: SCHEMA },
    system_instruction: { parts: [{ text: said }] },
    contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'decoy', data: 'decoy' } }] }],
  },
  'Gemini, a list of texts': { model: 'decoy', contents: [said], config: { responseSchema: SCHEMA } },
  Bedrock: {
    modelId: 'decoy',
    toolConfig: { tools: [{ toolSpec: TOOL }] },
    messages: [{ role: 'user', content: [{ text: said }] }],
  },
  Cohere: {
    model: 'decoy',
    response_format: { type: 'json_object', schema: SCHEMA },
    messages: [{ role: 'user', content: said }],
  },
  'Cohere, the first version': { model: 'decoy', tools: [TOOL], chat_history: [], message: said },
  'Cohere ranking': { model: 'decoy', query: said, documents: [{ id: 'decoy' }] },
  Ollama: { model: 'decoy', format: SCHEMA, prompt: said },
  LangChain: [
    {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: said, additional_kwargs: { tools: [TOOL] }, response_metadata: { model: 'decoy' } },
    },
  ],
  'LangChain, as a dict': { messages: [{ type: 'human', data: { content: said, name: 'decoy' } }] },
  LlamaIndex: { messages: [{ role: 'user', blocks: [{ block_type: 'text', text: said }] }], tools: [TOOL] },
  'OpenAI Agents': {
    modelSettings: { decoy: 'decoy' },
    outputType: SCHEMA_OF_ANSWER,
    input: [{ type: 'message', role: 'user', content: said }],
  },
  'Vercel AI SDK': { model: 'decoy', schema: SCHEMA, tools: { decoy: TOOL }, prompt: said },
  embeddings: { model: 'decoy', input: [said], user: 'decoy' },
  transcripts: { model: 'decoy', prompt: said, file: { name: 'decoy' } },
  'a request as a text': JSON.stringify({
    model: 'decoy',
    tools: [TOOL],
    messages: [{ role: 'user', content: said }],
  }),
  'a line of a batch file': {
    custom_id: 'decoy',
    body: { model: 'decoy', response_format: SCHEMA_OF_ANSWER, messages: [{ role: 'user', content: said }] },
  },
  'arguments of a call': [{ model: 'decoy', tools: [TOOL], messages: [{ role: 'user', content: said }] }],
  'an unknown request': { model: 'decoy', answerFormat: SCHEMA, ticket: said },
}

const textsOfPrompt = (input: unknown, kind = 'llm_call') =>
  messageTexts({ kind, input: JSON.stringify(input), output: null }).input
const textsOfAnswer = (output: unknown, kind = 'llm_call') =>
  messageTexts({ kind, input: null, output: JSON.stringify(output) }).output

describe('texts of messages', () => {
  it.each(Object.entries(PROMPTS))('are found in a prompt of %s, and its parameters are not', (_, prompt) => {
    expect(textsOfPrompt(prompt)).toEqual([said])
  })

  it.each(Object.entries(ANSWERS).filter(([, answer]) => JSON.stringify(answer).includes('"billing"')))(
    'are found in an answer of %s, and its envelope is not',
    (_, answer) => expect([...new Set(textsOfAnswer(answer))]).toEqual(['billing']),
  )

  it.each(Object.entries(ANSWERS).filter(([, answer]) => !JSON.stringify(answer).includes('"billing"')))(
    'are not found in an answer of %s, which has none',
    (_, answer) => expect(textsOfAnswer(answer)).toEqual([]),
  )

  it('are those of an answer of OpenAI responses, which repeats its parameters', () => {
    const echoed = { instructions: 'decoy', tools: [TOOL], text: { format: SCHEMA_OF_ANSWER } }
    expect(textsOfAnswer({ ...ANSWERS['OpenAI responses'], ...echoed })).toEqual(['billing'])
  })

  it('hold arguments and results of tools, without their names', () => {
    const call = { id: 'decoy', function: { name: 'decoy', arguments: '{"decoy":"late parcel","n":7}' } }
    const messages = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'decoy', content: '{"decoy":["lost"]}' },
    ]
    expect(textsOfPrompt({ model: 'decoy', messages })).toEqual(['late parcel', '7', 'lost'])
    expect(textsOfPrompt({ decoy: 'late parcel', prompt: 'x' }, 'tool_call')).toEqual(['late parcel', 'x'])
    expect(textsOfAnswer({ decoy: { decoy: 'lost' } }, 'tool_result')).toEqual(['lost'])
  })

  it('are the values of an answer in JSON, whose names are those of its schema', () => {
    const answer = {
      object: 'chat.completion',
      choices: [{ message: { role: 'assistant', content: '{"decoy":"a \\"refund\\""}' } }],
    }
    expect(textsOfAnswer(answer)).toEqual(['a "refund"'])
  })

  it('are read as far as a payload goes', () => {
    const whole = JSON.stringify(PROMPTS['OpenAI chat'])
    for (let length = 0; length < whole.length; length++) {
      const { input } = messageTexts({ kind: 'llm_call', input: whole.slice(0, length), output: null })
      expect(input.join(), whole.slice(0, length)).not.toMatch(/deco/)
    }
    const cut = whole.slice(0, whole.indexOf('please'))
    expect(messageTexts({ kind: 'llm_call', input: cut, output: null }).input).toEqual(['A refund, '])
  })

  it.each([
    'no JSON',
    '[',
    '{"messages":[{"role":"user"}]}',
    '['.repeat(100_000),
    '{"a":'.repeat(50_000),
    '7',
    'null',
  ])('are none where there is no text: %.20s', input =>
    expect(messageTexts({ kind: 'llm_call', input, output: input })).toEqual({ input: [], output: [] }),
  )
})
