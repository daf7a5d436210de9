// An agent whose items end their process as their input says; others wait for a moment, after a call if they are to.

import { agent, type Context } from 'assay'

interface Input {
  do: 'wait' | 'exit' | 'memory' | 'loop'
  calls?: boolean
}

@agent({ name: 'Deadly' })
export default class Deadly {
  async run(ctx: Context, input: Input) {
    if (input.calls) await ctx.step('call', () => 'recorded')
    switch (input.do) {
      case 'exit':
        await new Promise(resolve => setTimeout(resolve, 300)) // the others' calls are recorded by then
        ;(globalThis as { process?: { exit(code: number): void } }).process!.exit(3)
        return 'no exit'
      case 'memory':
        for (const kept: number[][] = []; ; await new Promise(resolve => setTimeout(resolve)))
          kept.push(new Array(1e6).fill(1.5))
      case 'loop':
        for (;;);
      default:
        await new Promise(resolve => setTimeout(resolve, 1000))
        return { ok: true }
    }
  }
}
