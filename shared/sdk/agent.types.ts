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

class Cart {
  items: { at: Date; bytes: Uint8Array; price?: number }[] = []
  get total(): number {
    return this.items.length
  }
  add(): void {}
}

/** What a step returns has its data and its getters; what is not kept cannot be read. */
export async function readsWhatIsKept(ctx: Context): Promise<unknown> {
  const cart = await ctx.tool('cart', {}, () => new Cart())
  const total: number = cart.total
  const at: string | undefined = cart.items[0]?.at
  const price: number | undefined = cart.items[0]?.price
  // @ts-expect-error a method is not kept
  cart.add()
  // @ts-expect-error a date is a text
  cart.items[0]?.at.getTime()
  // @ts-expect-error bytes are not kept
  cart.items[0]?.bytes.length
  const pair: [string, number] = await ctx.step('pair', (): [string, number] => ['a', 1])
  const loose: unknown = await ctx.step('loose', (): unknown => 1)
  const numbers: number[] = await ctx.step('numbers', () => new Float32Array(2))
  const found: { a: 1 } | { b: 2 } | undefined = await ctx.step(
    'found',
    () => undefined as { a: 1 } | { b: 2 } | undefined,
  )
  const openai = {} as OpenAI
  const answer = await ctx.llm('ask', { model: 'm', input: 'x' }, request => openai.responses.create(request))
  const text: string = answer.output_text
  const chat: OpenAI.ChatCompletion = await ctx.llm('chat', { model: 'm', messages: [] }, request =>
    openai.chat.completions.create(request),
  )
  return { total, at, price, pair, loose, numbers, found, text, chat }
}
