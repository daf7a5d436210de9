// Summarises in two sentences what is new in a feed: every working day at half past seven in Berlin, and whenever the
// site itself reports that something was published.

import { agent, type Context, schedule, trigger } from 'assay'
import OpenAI from 'openai'
import { z } from 'zod'

const Order = z.looseObject({ hours: z.number().positive().max(744).default(24) })
const Digest = z.object({ entries: z.number().int(), digest: z.string() })

// https://www.jsonfeed.org/version/1.1
const Feed = z.looseObject({
  items: z.array(
    z.looseObject({
      title: z.string().default('Untitled'),
      content_text: z.string().default(''),
      date_published: z.iso.datetime({ offset: true }),
    }),
  ),
})

const MODEL = process.env.OPENAI_MODEL ?? 'assay-demo-small'
const ENTRIES_READ = 20
const HOUR_MS = 3_600_000

@schedule('30 7 * * 1-5', { timezone: 'Europe/Berlin' })
@trigger('published', { secretEnv: 'DIGEST_SECRET' })
@agent({
  name: 'Feed digest',
  description: 'Says what is new in a feed',
  itemBudgetCents: 10,
  timeoutSeconds: 60,
  retries: 2,
  network: ['$FEED_URL', 'api.openai.com', '$OPENAI_BASE_URL'],
  scheduleInput: { hours: 24 },
  input: Order,
  output: Digest,
})
export default class FeedDigest {
  openai = new OpenAI({ maxRetries: 0 }) // Assay retries

  async run(ctx: Context, { hours }: z.infer<typeof Order>): Promise<z.infer<typeof Digest>> {
    const news = await ctx.tool('read_feed', { hours }, () => this.read(hours, ctx.signal))
    if (news.length === 0) return { entries: 0, digest: 'Nothing new.' }
    const completion = await ctx.llm(
      'summarize',
      {
        model: MODEL,
        messages: [
          { role: 'system', content: 'Summarise what is new, in at most two sentences.' },
          { role: 'user', content: news.map(entry => `${entry.title}. ${entry.text}`).join('\n') },
        ],
      },
      request => this.openai.chat.completions.create(request, { signal: ctx.signal }),
    )
    // Cut off, empty or refused: the verdict says so, read from the recorded answer.
    return { entries: news.length, digest: completion.choices[0]?.message.content ?? '' }
  }

  async read(hours: number, signal: AbortSignal): Promise<{ title: string; text: string }[]> {
    const response = await fetch(process.env.FEED_URL!, { signal })
    if (!response.ok) throw new Error(`the feed answered ${response.status}`)
    const { items } = Feed.parse(await response.json())
    return items
      .filter(item => Date.parse(item.date_published) > Date.now() - hours * HOUR_MS)
      .slice(0, ENTRIES_READ)
      .map(({ title, content_text: text }) => ({ title, text }))
  }
}
