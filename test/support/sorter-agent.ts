// An agent that looks something up, asks a model, notifies somebody, and files the model's answer.

import { z } from 'zod'
import { agent } from '../../shared/sdk/agent.ts'
import type { Context } from '../../shared/sdk/context.ts'

interface Input {
  n: number
  /** The URL of its model and its tools. */
  services: string
}

class Sorter {
  async run(ctx: Context, { n, services }: Input) {
    const post = async (path: string, body: unknown) =>
      (await fetch(new URL(path, services), { method: 'POST', body: JSON.stringify(body) })).json()
    const found = await ctx.tool('find', { n }, input => post('find', input))
    const request = { model: 'test-model', messages: [{ role: 'user', content: found.text }] }
    const answer = await ctx.llm('sort', request, request => post('model', request))
    const category = answer.choices[0].message.content
    await ctx.tool('notify', { n }, input => post('notify', input))
    await ctx.tool('file', { n, category }, input => post('file', input))
    return { category }
  }
}

const output = z.object({ category: z.enum(['card', 'loan']) })
agent({ name: 'Sorter', output })(Sorter as never, { kind: 'class', name: 'Sorter' } as never)

export default Sorter
