// The agent of later-answer.slow.test.ts, a process that the test can kill: it answers everything later. Steps are calls
// to the test's probe, as in agent.ts. Reads PORT and PROBE_URL.

import { listen } from '../../../infra/node/listen.ts'
import { agent } from '../../../shared/sdk/agent.ts'
import type { Context } from '../../../shared/sdk/context.ts'
import { serve } from '../../../shared/sdk/serve.ts'

class LaterProbe {
  async run(ctx: Context) {
    const { run_id, item_id, attempt } = ctx.item
    const call = async (step: string) => {
      const query = new URLSearchParams({ run: run_id, item: item_id, attempt: String(attempt), step })
      const response = await fetch(`${process.env.PROBE_URL}/?${query}`, { signal: ctx.signal })
      return response.json()
    }
    await ctx.tool('s1', {}, () => call('s1'))
    await ctx.llm('price', { model: 'gpt-4o' }, () => call('price'))
    return { item: item_id }
  }
}
agent({ name: 'later probe' })(LaterProbe, { kind: 'class', name: 'LaterProbe' } as never)

const handler = serve(LaterProbe, { answer: 'later' })
const at = { port: Number(process.env.PORT), host: '127.0.0.1' }
const listener = await listen(at, request => handler(request, { ASSAY_AGENT_KEY: '' }))
console.log(JSON.stringify({ event: 'ready', url: listener.url }))
