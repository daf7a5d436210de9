// What an SDK agent's answers come to in the stores: the same value on every attempt, and every answer at its price.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { consume } from '../../../shared/consumer/verbs/consume.ts'
import type { AgentDeclaration, AgentLine } from '../../../shared/protocol/rules/protocol.ts'
import { agent } from '../../../shared/sdk/agent.ts'
import type { Context } from '../../../shared/sdk/context.ts'
import { serve } from '../../../shared/sdk/serve.ts'
import { conservation, type TestEngine, testEngine } from '../../support/engine.ts'

let engine: TestEngine
beforeEach(async () => {
  engine = await testEngine()
})
afterEach(() => engine.close())

/** Costs a cent. */
const chat = (content: string) => ({
  object: 'chat.completion',
  model: 'test-model',
  choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 999_990, completion_tokens: 10, total_tokens: 1_000_000 },
})
const UPSTREAM = { error: { code: 502, message: 'Upstream error' } }

class Answer {
  steps: ReturnType<typeof chat>[]
  constructor(text: string) {
    this.steps = [chat(text)]
  }
  get text() {
    return this.steps[0]!.choices[0]!.message.content
  }
}

/** Runs an agent over one item to its end; `answers` are what its calls get, in order. */
async function ran(
  run: (ctx: Context, ask: () => unknown) => unknown,
  answers: unknown[],
  declaration: Partial<AgentDeclaration> = {},
  order = {},
) {
  class Test {
    run(ctx: Context) {
      return run(ctx, () => answers.shift())
    }
  }
  agent({ name: 'test' })(Test as never, { kind: 'class', name: 'Test' } as never)
  const handle = serve(Test)
  engine.play(async function* (items) {
    const body = items.map(item => JSON.stringify(item)).join('\n')
    const response = await handle(new Request('http://agent/', { method: 'POST', body }), {
      ASSAY_AGENT_KEY: '',
    })
    for (const line of (await response.text()).trim().split('\n')) yield JSON.parse(line) as AgentLine
  })
  await engine.deploy(declaration)
  const runId = await engine.submit([{ item_id: 'a' }], order)
  for (let rounds = 0; rounds < 6; rounds++) {
    await consume(engine.ctx)
    await engine.skipBackoff()
  }
  const [item] = await engine.items(runId)
  const steps =
    await engine.sql`select key, outcome, outcome_reason, error_code, error_message, cost_micro::int, unpriced
    from steps where run_id = ${runId} order by step_no`
  expect(await conservation(engine, runId)).toEqual([])
  return { item: item!, run: await engine.run(runId), steps }
}

it('a retry reads the getters that the first attempt read', async () => {
  const read: unknown[] = []
  const { item } = await ran(
    async (ctx, ask) => {
      const answer = (await ctx.llm('ask', {}, ask)) as Answer
      read.push(answer, answer.text)
      if (ctx.item.attempt === 1) throw new Error('once more')
      return answer.text
    },
    [new Answer('billing')],
    { retries: 1 },
  )
  expect(item).toMatchObject({ status: 'completed', outcome: 'ok', output: '"billing"' })
  expect(read.slice(2)).toEqual(read.slice(0, 2))
})

describe('an error inside of a good answer', () => {
  const label = async (ctx: Context, ask: () => unknown) =>
    ((await ctx.llm('ask', {}, ask)) as ReturnType<typeof chat>).choices[0]!.message.content

  it('is asked again, is not unpriced under a budget, and costs nothing', async () => {
    const { item, steps } = await ran(
      label,
      [UPSTREAM, chat('billing')],
      { retries: 1 },
      { budget_micro: 100_000_000 },
    )
    expect(item).toMatchObject({ status: 'completed', outcome: 'ok', output: '"billing"' })
    expect(steps).toMatchObject([
      {
        key: 'ask',
        outcome: 'failed',
        outcome_reason: 'provider_error',
        error_message: 'Upstream error',
        cost_micro: 0,
        unpriced: false,
      },
      { key: 'ask', outcome: 'ok', cost_micro: 10_000 },
    ])
  })

  it('degrades an item whose agent sent a result all the same, which is not sent again', async () => {
    const { item } = await ran(
      (ctx, ask) =>
        ctx.llm('ask', {}, ask).then(
          () => 'answered',
          () => 'other',
        ),
      [UPSTREAM],
      { retries: 3 },
    )
    expect(item).toMatchObject({ status: 'completed', outcome: 'degraded', outcome_reason: 'provider_error' })
    expect(engine.requests).toHaveLength(1)
  })

  it('counts also where an agent of another language reports it as any output', async () => {
    engine.play(function* (items) {
      for (const { seq, attempt } of items) {
        const call = {
          kind: 'llm_call',
          name: 'test-model',
          started_at: '2026-01-01T00:00:00Z',
          duration_ms: 1,
        } as const
        yield {
          type: 'step',
          seq,
          attempt,
          step: { key: 'ask', ...call, output: attempt === 1 ? UPSTREAM : chat('x') },
        }
        if (attempt === 1)
          yield { type: 'error', seq, attempt, error: { code: 'agent_error', message: "'choices'" } }
        else yield { type: 'result', seq, attempt, output: 'billing' }
      }
    })
    await engine.deploy({ retries: 1 })
    const runId = await engine.submit(1)
    await consume(engine.ctx)
    await engine.skipBackoff()
    await consume(engine.ctx)
    expect(engine.requests.map(([item]) => item!.recorded)).toEqual([[], []])
    expect((await engine.items(runId))[0]).toMatchObject({ status: 'completed', outcome: 'ok' })
  })
})

describe('a refused answer', () => {
  const accept = (answer: ReturnType<typeof chat>) =>
    answer.choices[0]!.message.content === 'billing' || 'no category'
  const ask = (ctx: Context, ask: () => unknown) =>
    ctx.llm('ask', {}, ask as () => ReturnType<typeof chat>, { accept })

  it('is kept and paid beside the one that was accepted', async () => {
    const { item, steps } = await ran(
      async (ctx, asked) => (await ask(ctx, asked)).choices.length,
      [chat('a'), chat('billing')],
    )
    expect(item).toMatchObject({ status: 'completed', outcome: 'ok', cost_micro: 20000 })
    expect(steps).toMatchObject([
      {
        key: 'ask~1',
        outcome: 'degraded',
        outcome_reason: 'agent_degraded',
        error_code: 'answer_refused',
        error_message: 'no category',
        cost_micro: 10_000,
      },
      { key: 'ask', outcome: 'ok', error_code: null, cost_micro: 10_000 },
    ])
  })

  it('fails the item once all are refused, and is not found again by a retry', async () => {
    const { item, steps } = await ran(ask, ['a', 'b', 'c', 'd'].map(chat), { retries: 1 })
    expect(item).toMatchObject({
      status: 'failed',
      error_code: 'answer_refused',
      outcome_reason: 'agent_degraded',
      cost_micro: 40000,
    })
    expect(steps.map(step => step.key)).toEqual(['ask~1', 'ask~2', 'ask~1', 'ask~2'])
  })

  it('is asked again within the item’s budget', async () => {
    const { item } = await ran(
      (ctx, asked) => ctx.llm('ask', {}, asked, { accept: () => 'no', asks: 20 }),
      Array.from({ length: 21 }, () => chat('a')),
      { item_budget_cents: 3 },
    )
    expect(item).toMatchObject({ status: 'budget_exceeded', cost_micro: 30000 })
  })
})
