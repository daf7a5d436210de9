// The agent of README.md, as it is there.

import { agent, type Context } from 'assay'
import OpenAI from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { z } from 'zod'

const Question = z.object({ id: z.string(), text: z.string() })
const Answer = z.object({ label: z.enum(['billing', 'delivery', 'other', 'none']) })

@agent({
  name: 'Classify',
  retries: 2,
  network: ['api.openai.com', '$OPENAI_BASE_URL'],
  input: Question,
  output: Answer,
})
export default class Classify {
  openai = new OpenAI({ maxRetries: 0 }) // Assay retries, and pays for no step twice

  async run(ctx: Context, question: z.infer<typeof Question>) {
    const completion = await ctx.llm(
      'classify',
      {
        model: 'gpt-5-mini',
        messages: [{ role: 'user', content: `Label: ${question.text}` }],
        response_format: zodResponseFormat(Answer, 'answer'),
      },
      request => this.openai.chat.completions.create(request, { signal: ctx.signal }),
    )
    const { message, finish_reason } = completion.choices[0]!
    // Cut off, empty or refused: the verdict says so, read from the recorded answer.
    if (finish_reason !== 'stop' || !message.content) return { label: 'none' }
    return JSON.parse(message.content)
  }
}
