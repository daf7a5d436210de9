// An agent of two calls an item: a label, and a second look at it. Both say how many tokens an answer may have.

import { agent, type Context } from 'assay'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'

const Question = z.object({ id: z.string(), text: z.string() })
const Answer = z.object({ label: z.enum(['billing', 'delivery', 'other', 'none']) })
/** Many more than a label takes, as in most agents; scenarios.ts counts with them. */
const MOST_TOKENS = 400

@agent({
  name: 'Classify twice',
  retries: 2,
  network: ['$OPENAI_BASE_URL'],
  input: Question,
  output: Answer,
})
export default class ClassifyTwice {
  openai = new OpenAI({ maxRetries: 0 })

  async run(ctx: Context, { text }: z.infer<typeof Question>) {
    const { label } = await this.#ask(ctx, 'classify', `Label: ${text}`)
    return this.#ask(ctx, 'check', `Labelled as ${label}. Label again: ${text}`)
  }

  async #ask(ctx: Context, step: string, content: string): Promise<z.infer<typeof Answer>> {
    const completion = await ctx.llm(
      step,
      {
        model: 'gpt-5-mini',
        messages: [{ role: 'user' as const, content }],
        max_completion_tokens: MOST_TOKENS,
        response_format: zodResponseFormat(Answer, 'answer'),
      },
      request => this.openai.chat.completions.create(request, { signal: ctx.signal }),
    )
    return JSON.parse(completion.choices[0]!.message.content!)
  }
}
