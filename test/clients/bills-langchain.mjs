// The agent of `npm run bench:bills` that calls its model with LangChain.

import { ChatOpenAI } from '@langchain/openai'
import { agent } from 'assay'
import { URL, work } from './bills-work.mjs'

const models = new Map()
function modelOf(model) {
  if (!models.has(model))
    models.set(
      model,
      new ChatOpenAI({ model, apiKey: 'key-of-the-bills', maxRetries: 0, configuration: { baseURL: URL } }),
    )
  return models.get(model)
}

const textOf = answer =>
  Array.isArray(answer) ? answer.map(({ content }) => content).join('') : answer.content

@agent({ name: 'bills by LangChain', retries: 3, network: ['$MODEL_URL'], maxConsecutiveFailures: 1_000_000 })
export default class Bills {
  run(ctx, input) {
    const ask = ({ model, stream, prompt }) => modelOf(model)[stream ? 'stream' : 'invoke'](prompt)
    return work(ctx, input, { ask, textOf })
  }
}
