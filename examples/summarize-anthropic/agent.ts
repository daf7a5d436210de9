// Summarises a document in two sentences with Anthropic's client, long documents piece by piece.

import Anthropic from '@anthropic-ai/sdk'
import { agent, type Context } from 'assay'
import { z } from 'zod'

const Document = z.looseObject({ title: z.string().optional(), text: z.string().min(1) })
const Summary = z.object({ summary: z.string(), pieces: z.number().int() })

const MODEL = process.env.ANTHROPIC_MODEL ?? 'assay-demo-small'
const PIECE_CHARACTERS = 8000

@agent({
  name: 'Summarize',
  description: 'Summarises a document in two sentences',
  itemBudgetCents: 10,
  maxSteps: 50,
  timeoutSeconds: 120,
  retries: 2,
  network: ['api.anthropic.com', '$ANTHROPIC_BASE_URL'],
  input: Document,
  output: Summary,
})
export default class Summarize {
  anthropic = new Anthropic({ maxRetries: 0 }) // Assay retries

  async run(ctx: Context, { text }: z.infer<typeof Document>): Promise<z.infer<typeof Summary>> {
    const pieces = text.match(new RegExp(`[^]{1,${PIECE_CHARACTERS}}`, 'g')) ?? []
    const summaries: string[] = []
    for (const piece of pieces) summaries.push(await this.summarize(ctx, piece))
    const summary = summaries.length === 1 ? summaries[0]! : await this.summarize(ctx, summaries.join('\n'))
    return { summary, pieces: pieces.length }
  }

  /** Every call is a step: if the last of ten pieces fails, the next attempt pays only for that one. */
  async summarize(ctx: Context, text: string): Promise<string> {
    const message = await ctx.llm(
      'summarize',
      {
        model: MODEL,
        max_tokens: 400,
        system: 'Summarise the text in at most two sentences.',
        messages: [{ role: 'user', content: text }],
      },
      request => this.anthropic.messages.create(request, { signal: ctx.signal }),
    )
    // Cut off, empty or refused: the verdict says so, read from the recorded answer.
    return message.content.flatMap(block => (block.type === 'text' ? block.text : [])).join('')
  }
}
