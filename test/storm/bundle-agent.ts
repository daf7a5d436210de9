// The same agent as url-agent.ts, written with the SDK, for the agent runtime.

import { agent, type Context, serve } from 'assay'
import { type Doing, MODEL, slowMsOf } from './payloads.ts'

const { PROVIDER_URL, PROVIDER_KEY } = (globalThis as unknown as { process: { env: Record<string, string> } })
  .process.env

/** As the clients of providers do it, which throw what is no good answer. */
async function ask(request: { model: string; of: string }): Promise<object> {
  const response = await globalThis.fetch(PROVIDER_URL!, {
    method: 'POST',
    headers: { authorization: `Bearer ${PROVIDER_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
  })
  if (!response.ok) throw new Error(`the provider answered ${response.status}`)
  return (await response.json()) as object
}

class StormAgent {
  async run(ctx: Context, input: { do: Doing; name: string }) {
    switch (input.do) {
      case 'step':
        await ctx.llm('ask', { model: MODEL, of: input.name }, ask)
        break
      case 'fail':
        throw new Error('it answered 503')
      case 'degrade':
        ctx.degrade('half of it')
        break
      case 'hold':
        await ctx.hold('a person must look')
        break
      case 'print':
        console.log('loading the model...')
        break
      case 'garble':
        throw new Error('the line is wrong')
      case 'crash':
        await new Promise(resolve => setTimeout(resolve, 20)) // so that others of the process are under way
        ;(globalThis as { process?: { exit(code: number): void } }).process!.exit(3)
        break
      case 'slow':
        await new Promise(resolve => setTimeout(resolve, slowMsOf(input.name)))
    }
    return { name: input.name }
  }
}
// Does by hand what `@agent` does: Node runs this file as it is, and does not support decorators.
const declaration = {
  name: 'storm bundle',
  maxConsecutiveFailures: 1_000_000,
  network: ['$PROVIDER_URL'],
}
agent(declaration)(StormAgent, { kind: 'class', name: 'StormAgent' } as ClassDecoratorContext<
  typeof StormAgent
>)

export default StormAgent
export const fetch = serve(StormAgent)
