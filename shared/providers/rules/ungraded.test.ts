// Calls that cost money and have nothing to grade.

import { expect, it } from 'vitest'
import { gradeStep } from '../../grading/rules/grading.ts'
import { readCompletion } from './completion.ts'

const USAGE = { input_tokens: 0, output_tokens: 0, cached_input_tokens: 0 }
const image = { b64_json: 'AAAA' }

it.each<[string, object, object | undefined]>([
  [
    'OpenAI’s embeddings',
    {
      object: 'list',
      data: [{ object: 'embedding', embedding: [0.1] }],
      model: 'e',
      usage: { prompt_tokens: 8 },
    },
    { input_tokens: 8 },
  ],
  [
    'Voyage’s embeddings',
    { object: 'list', data: [{ object: 'embedding', embedding: [0.1] }], usage: { total_tokens: 9 } },
    { input_tokens: 9 },
  ],
  [
    'Cohere’s embeddings',
    { id: 'e', embeddings: { float: [[0.1]] }, texts: ['x'], meta: { billed_units: { input_tokens: 7 } } },
    { input_tokens: 7 },
  ],
  [
    'Vertex’s embeddings',
    {
      predictions: [
        { embeddings: { values: [0.1], statistics: { token_count: 4, truncated: false } } },
        { embeddings: { values: [0.2], statistics: { token_count: 5 } } },
      ],
    },
    { input_tokens: 9 },
  ],
  ['Gemini’s embeddings, which report no tokens', { embeddings: [{ values: [0.1] }] }, undefined],
  [
    'Ollama’s embeddings',
    { model: 'm', embeddings: [[0.1]], total_duration: 1, prompt_eval_count: 3 },
    { input_tokens: 3 },
  ],
  [
    'the Vercel AI SDK’s embedding',
    { value: 'x', embedding: [0.1], usage: { tokens: 6 } },
    { input_tokens: 6 },
  ],
  [
    'Cohere’s ranking',
    { id: 'r', results: [{ index: 1, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } },
    { searches: 1 },
  ],
  [
    'Voyage’s ranking',
    { object: 'list', data: [{ index: 1, relevance_score: 0.9 }], usage: { total_tokens: 26 } },
    { input_tokens: 26 },
  ],
  [
    'OpenAI’s transcript by tokens',
    {
      text: 'Hi',
      usage: {
        type: 'tokens',
        input_tokens: 14,
        input_token_details: { audio_tokens: 13 },
        output_tokens: 5,
      },
    },
    { input_tokens: 14, output_tokens: 5, input_audio_tokens: 13 },
  ],
  [
    'OpenAI’s transcript by length',
    { text: 'Hi', usage: { type: 'duration', seconds: 37 } },
    { audio_seconds: 37 },
  ],
  [
    'Whisper’s transcript',
    { task: 'transcribe', text: 'Hi', duration: 8.5, segments: [] },
    { audio_seconds: 8.5 },
  ],
  [
    'Mistral’s transcript',
    { model: 'voxtral', text: 'Hi', usage: { prompt_audio_seconds: 36, prompt_tokens: 13 } },
    { audio_seconds: 36 },
  ],
  [
    'Deepgram’s transcript',
    { metadata: { duration: 5 }, results: { channels: [{ alternatives: [{ transcript: 'Hi' }] }] } },
    { audio_seconds: 5 },
  ],
  [
    'OpenAI’s images',
    { created: 1, data: [image, image], usage: { input_tokens: 9, output_tokens: 4 } },
    { images: 2, input_tokens: 9, output_tokens: 4, output_image_tokens: 4 },
  ],
  [
    'Vertex’s images',
    { predictions: [{ bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }] },
    { images: 1 },
  ],
])('%s are counted and not graded', (_, output, usage) => {
  const read = readCompletion(output)
  expect(read).toMatchObject({ ungraded: true })
  expect(read?.usage).toEqual(usage && { ...USAGE, ...usage })
  const step = { key: 'k', kind: 'llm_call', name: 'm', started_at: '', duration_ms: 0, output } as const
  expect(gradeStep(step)).toEqual({ outcome: 'ok', reason: null })
})

it.each([
  [{ data: [{ url: 'https://example.com/me.png', name: 'Ada' }] }],
  [{ results: [{ index: 1, title: 'Hello' }] }],
  [{ text: 'Hello', duration: 3 }],
  [{ text: 'Hello', chunks: ['Hel', 'lo'] }],
  [{ embedding: 'a word' }],
  [{ predictions: [{ label: 'billing', score: 0.9 }] }],
  [{ done: true, message: { role: 'assistant', content: 'x' } }],
  [{ message: { role: 'assistant', content: 'x' } }],
  [{ raw: 'a text', parsed: { label: 'x' } }],
  [{ output: [{ label: 'x' }], usage: { seats: 3 } }],
  [{ messages: [{ type: 'ai', content: 'x' }] }],
])('a customer’s own output is not taken for a known answer: %j', output => {
  expect(readCompletion(output)).toBeUndefined()
})
