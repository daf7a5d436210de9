// Runs that end: a host of the suite has no consumer, so tests consume items themselves, with a played agent.

import { consume } from '../../shared/consumer/verbs/consume.ts'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import type { AgentLine, ItemLine } from '../../shared/protocol/rules/protocol.ts'
import { makeAgent, makeRun } from './make.ts'
import type { World } from './world.ts'

/** What an agent answers to an item; `url` is that of its deployment. */
export type Play = (item: ItemLine, url?: string) => AgentLine[]

export const recordId = (run: string, seq = 1) => itemRecordId(run, seq)

const STEP = {
  kind: 'tool_call' as const,
  name: 'look_up',
  started_at: '2026-01-01T00:00:00Z',
  duration_ms: 1,
}

export const works: Play = ({ seq, attempt }) => [{ type: 'result', seq, attempt, output: { ok: true } }]

export const fails =
  (code = 'tool_call_error'): Play =>
  ({ seq, attempt }) => [
    { type: 'step', seq, attempt, step: { ...STEP, key: 'look_up', output: { found: 7 } } },
    { type: 'error', seq, attempt, error: { code, message: 'no answer' } },
  ]

/** Holds the item once; when it is resumed, it works. */
export const holds: Play = ({ seq, attempt, recorded }) =>
  recorded.length > 0
    ? [{ type: 'result', seq, attempt, output: 'approved' }]
    : [
        { type: 'step', seq, attempt, step: { ...STEP, key: 'hold', kind: 'step', output: { held: true } } },
        { type: 'hold', seq, attempt, reason: 'looks like fraud' },
      ]

/** A model call with what its price depends on. */
export const called = (
  { seq, attempt }: ItemLine,
  model: string,
  input_tokens: number,
  output_tokens = 0,
  output: unknown = 'an answer',
): AgentLine => ({
  type: 'step',
  seq,
  attempt,
  step: {
    ...STEP,
    key: `ask ${model}`,
    kind: 'llm_call',
    name: model,
    input: { prompt: 'well?' },
    output,
    usage: { model, input_tokens, output_tokens },
  },
})

/** Consumes all items, including retries that are not due yet, unless it is stopped before. */
export async function workOff(world: World, play: Play, stop?: AbortSignal): Promise<void> {
  const ctx: World['ctx'] = {
    ...world.ctx,
    async invokeAgent(target, { body }) {
      const items = body
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line) as ItemLine)
      const lines = items
        .flatMap(item => play(item, target.url ?? ''))
        .map(line => `${JSON.stringify(line)}\n`)
      async function* answer() {
        yield new TextEncoder().encode(lines.join(''))
      }
      return { status: 200, contentType: 'application/x-ndjson', body: answer() }
    },
  }
  await consume(ctx, stop && { stop })
}

/** Deploys a version whose code is played. */
export async function deploy(world: World, agentId: string, declared: object = {}, token?: string) {
  const declaration = { name: 'played', max_consecutive_failures: 100_000, ...declared }
  const body = { kind: 'url', url: 'http://127.0.0.1:9/', declaration }
  const call = token === undefined ? { body } : { body, token }
  return (await world.call('POST', `/v1/agents/${agentId}/deployments`, call)).json
}

/** An agent of its own with a deployment, and a run over the items that has been consumed. */
export async function ran(world: World, play: Play, items: object[], more: object = {}) {
  const agent = await makeAgent(world)
  await deploy(world, agent.id)
  const run = await makeRun(world, agent.id, items, more)
  await workOff(world, play)
  return { agent, run }
}
