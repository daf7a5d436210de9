// The same agent that does nothing, written with the SDK for the agent runtime. It reads STEPS from its environment.

import { agent, type Context, serve } from 'assay'

class Noop {
  async run(ctx: Context, _input: unknown) {
    const steps = Number(process.env.STEPS ?? 0)
    for (let i = 1; i <= steps; i++) await ctx.step(`s${i}`, () => ({ i }))
    return { ok: true, at: Date.now() }
  }
}
// Does by hand what `@agent` does, because Node runs this file directly and has no decorators.
agent({ name: 'noop bundle', maxSteps: 1000 })(Noop, { kind: 'class', name: 'Noop' } as ClassDecoratorContext<
  typeof Noop
>)

export default Noop
export const fetch = serve(Noop)
