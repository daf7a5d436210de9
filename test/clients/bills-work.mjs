// What the agents of `npm run bench:bills` do with an item: one call, or two, of which each is a step.

const isWhole = text => !/^\{"label": call/.test(text) || 'the label is missing'

/** `ask(request)` makes the call, and `textOf(answer)` has what it said. */
export async function work(ctx, { item, model, stream, checks }, { ask, textOf }) {
  for (const step of checks ? ['label', 'check'] : ['label']) {
    const request = { model, stream, prompt: `item-${item} ${step}` }
    await ctx.llm(step, request, ask, { accept: answer => isWhole(textOf(answer)) })
  }
  return { label: 'billing' }
}

export const URL = `${process.env.MODEL_URL}/v1`
