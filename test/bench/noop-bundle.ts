// The same agent that does nothing, made with the SDK, for the agent runtime: STEPS from its environment.

import { agent, type Context, serve } from 'assay'

class Noop {
  async run(ctx: Context, _input: unknown) {
    const steps = Number(process.env.STEPS ?? 0)
    for (let i = 1; i <= steps; i++) await ctx.step(`s${i}`, () => ({ i }))
    return { ok: true, at: Date.now() }
  }
}
// By hand what `@agent` does: Node runs this file as it is, and it does not know decorators.
agent({ name: 'noop bundle', maxSteps: 1000 })(Noop, { kind: 'class', name: 'Noop' } as ClassDecoratorContext<
  typeof Noop
>)

export default Noop
export const fetch = serve(Noop)
