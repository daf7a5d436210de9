// The agent of `npm run bench:bills` that calls its model with the Vercel AI SDK.

import { createOpenAI } from '@ai-sdk/openai'
import { generateText, streamText } from 'ai'
import { agent } from 'assay'
import { URL, work } from './bills-work.mjs'

const openai = createOpenAI({ apiKey: 'key-of-the-bills', baseURL: URL })

@agent({
  name: 'bills by the AI SDK',
  retries: 3,
  network: ['$MODEL_URL'],
  maxConsecutiveFailures: 1_000_000,
})
export default class Bills {
  run(ctx, input) {
    const ask = ({ model, stream, prompt }) =>
      (stream ? streamText : generateText)({ model: openai.chat(model), prompt, maxRetries: 0 })
    return work(ctx, input, { ask, textOf: ({ text }) => text })
  }
}
