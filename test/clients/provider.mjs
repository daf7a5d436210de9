// A double of the model providers' APIs. Answers each client with the same text or the same call of a tool.

import { createServer } from 'node:http'

const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 5 },
}

/** `says` has `text` or `calls: {name, input}`, and may be changed between calls. */
export async function startProvider(says) {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', part => {
      text += part
    })
    request.on('end', () => {
      const asked = text === '' ? {} : JSON.parse(text)
      const body = answerTo(request.url, asked, says)
      if (asked.stream && request.url.includes('/chat/completions')) return stream(response, body)
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': 'application/json',
        'x-request-id': 'req_1',
      })
      response.end(JSON.stringify(body ?? { error: { message: `nothing at ${request.url}` } }))
    })
  })
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

function stream(response, { choices, ...chunk }) {
  const { role, content } = choices[0].message
  const delta = (delta, finish_reason = null) => ({
    ...chunk,
    usage: null,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  })
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of [
    delta({ role, content }),
    delta({}, 'stop'),
    { ...chunk, object: 'chat.completion.chunk', choices: [] },
  ])
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  response.end('data: [DONE]\n\n')
}

function answerTo(url, asked, says) {
  const model = asked.model ?? 'm'
  const isAgain =
    JSON.stringify(asked).includes('tool_call_id') || JSON.stringify(asked).includes('tool_result')
  const { text } = says
  const calls = isAgain || asked.tools === undefined ? undefined : says.calls
  if (url.includes('/chat/completions')) return chat({ model, text, calls })
  if (url.includes('/responses')) return response({ model, text, calls })
  if (url.includes('/messages')) return message({ model, text, calls })
  if (url.includes('/embeddings')) return embeddings(model, asked)
  if (url.includes(':generateContent')) return gemini({ text, calls })
  if (url.includes(':batchEmbedContents')) return { embeddings: [{ values: [0.5, 0.25] }] }
  if (url.includes('/converse')) return converse(text)
  if (url.includes('/v2/chat')) return cohere(text)
  if (url.includes('/api/chat')) return { ...ollama(model), message: { role: 'assistant', content: text } }
  if (url.includes('/api/generate')) return { ...ollama(model), response: text }
}

const chat = ({ model, text, calls }) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model,
  choices: [
    {
      index: 0,
      message: calls
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: 'call_1',
                type: 'function',
                function: { name: calls.name, arguments: JSON.stringify(calls.input) },
              },
            ],
          }
        : { role: 'assistant', content: text, refusal: null },
      finish_reason: calls ? 'tool_calls' : 'stop',
      logprobs: null,
    },
  ],
  usage,
})

const response = ({ model, text, calls }) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output: calls
    ? [
        {
          type: 'function_call',
          id: 'fc_1',
          call_id: 'call_1',
          name: calls.name,
          arguments: JSON.stringify(calls.input),
          status: 'completed',
        },
      ]
    : [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ],
  usage: {
    input_tokens: 100,
    output_tokens: 20,
    total_tokens: 120,
    input_tokens_details: { cached_tokens: 5 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  temperature: 1,
  top_p: 1,
})

const message = ({ model, text, calls }) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content: calls
    ? [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'toolu_1', name: calls.name, input: calls.input },
      ]
    : [{ type: 'text', text }],
  stop_reason: calls ? 'tool_use' : 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 5, cache_creation_input_tokens: 0 },
})

const embeddings = (model, { encoding_format }) => {
  const numbers = [0.5, 0.25]
  const embedding =
    encoding_format === 'base64' ? Buffer.from(new Float32Array(numbers).buffer).toString('base64') : numbers
  return {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding }],
    model,
    usage: { prompt_tokens: 5, total_tokens: 5 },
  }
}

const gemini = ({ text, calls }) => ({
  candidates: [
    {
      content: {
        role: 'model',
        parts: calls ? [{ functionCall: { name: calls.name, args: calls.input } }] : [{ text }],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
  modelVersion: 'gemini-2.5-flash',
  responseId: 'r1',
})

const converse = text => ({
  output: { message: { role: 'assistant', content: [{ text }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
  metrics: { latencyMs: 1 },
})

const cohere = text => ({
  id: 'c1',
  finish_reason: 'COMPLETE',
  message: { role: 'assistant', content: [{ type: 'text', text }] },
  usage: {
    billed_units: { input_tokens: 5, output_tokens: 6 },
    tokens: { input_tokens: 5, output_tokens: 6 },
  },
})

const ollama = model => ({
  model,
  created_at: '2026-01-01T00:00:00Z',
  done: true,
  done_reason: 'stop',
  total_duration: 1,
  load_duration: 1,
  prompt_eval_count: 26,
  prompt_eval_duration: 1,
  eval_count: 4,
  eval_duration: 1,
})
