// Type tests of what an author's editor accepts and refuses; the compiler checks this file, and nothing runs it.

import type OpenAI from 'openai'
import * as z from 'zod'
import { agent } from './agent.ts'
import type { Context } from './context.ts'

const Input = z.object({ text: z.string() })
const Output = z.object({ n: z.number() })
@agent({ name: 'a', input: Input, output: Output })
export class Fits {
  async run(_ctx: unknown, input: { text: string }) {
    return { n: input.text.length }
  }
}
// @ts-expect-error the input has no property `body`
@agent({ name: 'a', input: Input })
export class WrongInput {
  async run(_ctx: unknown, input: { body: string }) {
    return input.body
  }
}
// @ts-expect-error the output is not an object with `n`
@agent({ name: 'a', output: Output })
export class WrongOutput {
  async run() {
    return 'text'
  }
}

@agent({ name: 'a' })
export class WithoutSchemas {
  async run(ctx: Context, input: { question: string }): Promise<string | null> {
    const openai = {} as OpenAI
    const messages = [{ role: 'user', content: input.question }] satisfies OpenAI.ChatCompletionMessageParam[]
    await ctx.llm('list', { model: 'm', messages }, request => openai.chat.completions.create(request))
    // In a request written in place, `role` keeps its literal type; the result has the type of the call's response.
    const answer = await ctx.llm(
      'ask',
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: input.question },
        ],
      },
      request => openai.chat.completions.create(request),
    )
    return answer.choices[0]?.message.content ?? null
  }
}
