// Sorts customer messages and drafts replies: one model call for every message, then a look-up, and a second call if a
// policy answers the message.

import { agent, type Context } from 'assay'
import OpenAI from 'openai'
import { z } from 'zod'
import { CATEGORIES, lookUpPolicy } from './policies.ts'

const Ticket = z.looseObject({ text: z.string().trim().min(1), tenant: z.string().optional() })

const Sorting = z.object({
  category: z.enum(CATEGORIES),
  priority: z.enum(['low', 'normal', 'high', 'urgent']),
  confidence: z.number().min(0).max(1),
})

const Verdict = z.object({
  category: z.enum([...CATEGORIES, 'unsorted']),
  priority: Sorting.shape.priority,
  reply: z.string().nullable(),
})

const MODEL = process.env.OPENAI_MODEL ?? 'assay-demo-small'
const LOW_CONFIDENCE = 0.25 // chance would be 0.06
const LIKELY_FRAUD = 0.6

@agent({
  name: 'Ticket triage',
  description: 'Sorts a customer message, sets its priority and drafts a reply',
  itemBudgetCents: 5,
  onBudget: 'pause',
  // The default checks, and two more: a reply must not go out with placeholders such as [Your Name], or repeat itself.
  checks: ['template_leak', 'repeats', 'cut_json', 'length_jump', 'cost_jump', 'placeholders'],
  maxSteps: 10,
  timeoutSeconds: 60,
  retries: 2,
  network: ['api.openai.com', '$OPENAI_BASE_URL'],
  input: Ticket,
  output: Verdict,
})
export default class TicketTriage {
  // Assay retries, and keeps the steps that succeeded; retries of the client would multiply with its own.
  openai = new OpenAI({ maxRetries: 0 })

  async run(ctx: Context, ticket: z.infer<typeof Ticket>): Promise<z.infer<typeof Verdict>> {
    const sorting = await this.sort(ctx, ticket.text)
    // Refused, cut off or empty: the grader sees that in the recorded step and reports it in the verdict.
    if (!sorting) return { category: 'unsorted', priority: 'normal', reply: null }

    const { category, priority, confidence } = sorting
    if (category === 'fraud' && confidence >= LIKELY_FRAUD)
      await ctx.hold('reported fraud: a person answers this')
    if (confidence < LOW_CONFIDENCE) ctx.degrade(`low confidence (${confidence}) in ${category}`)

    const policy = await ctx.tool('lookup_policy', { category, tenant: ticket.tenant }, lookUpPolicy)
    return { category, priority, reply: policy && (await this.draft(ctx, ticket.text, policy)) }
  }

  async sort(ctx: Context, text: string): Promise<z.infer<typeof Sorting> | undefined> {
    const completion = await ctx.llm(
      'classify',
      {
        model: MODEL,
        messages: [
          { role: 'system', content: 'Sort the message of a customer. Confidence is between 0 and 1.' },
          { role: 'user', content: text },
        ],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'sorting', strict: true, schema: z.toJSONSchema(Sorting) },
        },
      },
      request => this.openai.chat.completions.create(request, { signal: ctx.signal }),
    )
    return parsed(completion.choices[0]?.message.content)
  }

  async draft(ctx: Context, text: string, policy: string): Promise<string | null> {
    const completion = await ctx.llm(
      'draft',
      {
        model: MODEL,
        messages: [
          { role: 'system', content: `Reply to the customer in at most three sentences. Policy: ${policy}` },
          { role: 'user', content: text },
        ],
      },
      request => this.openai.chat.completions.create(request, { signal: ctx.signal }),
    )
    return completion.choices[0]?.message.content ?? null
  }
}

function parsed(content: string | null | undefined): z.infer<typeof Sorting> | undefined {
  try {
    return Sorting.parse(JSON.parse(content ?? ''))
  } catch {
    return undefined
  }
}
