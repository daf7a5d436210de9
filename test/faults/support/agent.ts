// The agent that the fault tests deploy. The input says what an item does; every step calls the test's probe, so that
// the test knows how often each step of each item really ran.

import { agent, type Context } from 'assay'

interface Work {
  /** Steps before the last one, which is a model call with a price; 2 by default. */
  steps?: number
  /** What the item does at its end instead of returning. */
  ending?: 'loop' | 'eat' | 'never'
}

@agent({ name: 'fault probe', maxSteps: 100 })
export default class FaultProbe {
  async run(ctx: Context, work: Work) {
    const { run_id, item_id, attempt } = ctx.item
    const call = async (step: string) => {
      const query = new URLSearchParams({ run: run_id, item: item_id, attempt: String(attempt), step })
      const response = await fetch(`${process.env.PROBE_URL}/?${query}`, { signal: ctx.signal })
      if (!response.ok) throw new Error(`the probe answered ${response.status}: ${await response.text()}`)
      return response.json()
    }
    const steps = work.steps ?? 2
    for (let i = 1; i <= steps; i++) await ctx.tool(`s${i}`, {}, () => call(`s${i}`))
    await ctx.llm('price', { model: 'gpt-4o' }, () => call('price'))
    if (work.ending === 'loop') for (;;);
    if (work.ending === 'eat') {
      const kept: number[][] = []
      for (;;) {
        kept.push(new Array(1_000_000).fill(kept.length + 0.5))
        await new Promise(resolve => setTimeout(resolve, 0))
      }
    }
    if (work.ending === 'never') await new Promise(() => setInterval(() => {}, 1000))
    return { item: item_id }
  }
}
