// Runs an agent over one item in memory, through the protocol and the verdicts of the real thing. Guarantee: status,
// verdict, steps and cost are what a run on a server records for the same answers; nothing waits between attempts.

import { DEFAULT_CHECKS } from '../grading/rules/checks.ts'
import type { DeployedDeclaration } from '../grading/rules/grading.ts'
import type { StepRow } from '../grading/rules/step-row.ts'
import {
  countStep,
  errorVerdict,
  holdVerdict,
  type ItemProgress,
  itemBudgetMicro,
  resultVerdict,
  type Verdict,
} from '../grading/rules/verdict.ts'
import type { OutcomeReason } from '../grading/vocabulary.ts'
import type { Outcome, StepKind } from '../items/vocabulary.ts'
import { fieldsOf } from '../json/json.ts'
import { ndjsonLines } from '../json/ndjson.ts'
import { LIMITS } from '../kernel/limits.ts'
import { type OwnPrice, PriceBook } from '../prices/rules/price-book.ts'
import { usdOf } from '../prices/rules/pricing.ts'
import type { AgentDeclaration, AgentLine, ItemLine } from '../protocol/rules/protocol.ts'
import { type AgentClass, declarationOf } from '../sdk/agent.ts'
import { serve } from '../sdk/serve.ts'
import { bodyOf, type Model, ModelError, nameOf } from './model.ts'
import { type Answering, withAnswers, withKeys } from './network.ts'
import { isModelRequest } from './providers.ts'

export interface RunItemOptions {
  /** What a submitter sends: JSON, checked by the agent's `input` schema. */
  input: unknown
  /** Answers for the model providers; without it, a call of a model is an error of the test. */
  model?: Model
  /** Answers whatever else the agent fetches, such as its tools' services; without it, that is an error of the test. */
  fetch?: (request: Request) => Response | Promise<Response>
  /** `ctx.item.item_id`; `item` unless told. */
  item_id?: string
  /** `ctx.item.partition_key`; null unless told. */
  partition_key?: string | null
  /** Lets the item pass every `ctx.hold`, as a person would who resumes it. */
  resume?: boolean
  /** Prices beside or instead of the list's, in dollars per million tokens, as in a project's settings. */
  prices?: Record<string, OwnPrice>
}

export interface ItemStep {
  key: string
  kind: StepKind
  name: string
  /** Of a model call; null where nobody says. */
  model: string | null
  /** The attempt that ran it, from 1. */
  attempt: number
  outcome: { status: Outcome; reason: OutcomeReason | null }
  error: { code: string; message: string } | null
  input: unknown
  output: unknown
  input_tokens: number
  output_tokens: number
  /** In millionths of a dollar; 0 where the model has no known price. */
  cost_micro: number
}

export interface ItemCost {
  /** In millionths of a dollar, whole. */
  micro: number
  /** The same in dollars. */
  usd: number
  /** A model without a known price was called: the cost is a lower bound. */
  unpriced: boolean
  input_tokens: number
  output_tokens: number
}

export interface ItemResult<Output = unknown> {
  /** Whether it ran. */
  status: Verdict['status']
  /** Whether it worked; `status` is null while the item is paused. The message says why it is not ok, or is held. */
  outcome: { status: Outcome | null; reason: OutcomeReason | null; message: string | null }
  error: { code: string; message: string } | null
  /** What `run` returned, as it comes out of JSON; null unless the item completed. */
  output: Output | null
  /** In the order they ended, those of failed attempts too. */
  steps: ItemStep[]
  cost: ItemCost
  /** How often the item was offered to the agent: 1, and more with declared `retries` or `resume`. */
  attempts: number
}

type OutputOf<C extends AgentClass> = Awaited<ReturnType<InstanceType<C>['run']>>

/**
 * Runs an agent over one item, without a server and without a network.
 *
 * Import `assay/testing` before the agent: a client that is made when the agent's file is loaded takes the fetch
 * that is there by then.
 *
 * @throws ModelError when the agent asks what the model, or `fetch`, has no answer for
 * @throws DecoratorTargetError when `@agent` does not stand on the class
 * @example
 * const result = await runItem(TicketTriage, {
 *   input: { text: 'Where is my card?' },
 *   model: scripted([{ json: { category: 'card_delivery', priority: 'high', confidence: 0.9 } }, 'It is on its way.']),
 * })
 * assert.equal(result.status, 'completed')
 * assert.equal(result.outcome.status, 'ok')
 * assert.deepEqual(result.steps.map(step => step.key), ['classify', 'lookup_policy', 'draft'])
 */
export async function runItem<C extends AgentClass>(
  target: C,
  options: RunItemOptions,
): Promise<ItemResult<OutputOf<C>>> {
  const declaration = { ...declarationOf(target), default_checks: DEFAULT_CHECKS }
  const progress: ItemProgress = {
    seq: 1,
    attempt: 0,
    graded: [],
    step_count: 0,
    cost_micro: 0,
    item: { agent_failures: 0 },
  }
  const world = worldOf(options)
  const prices = new PriceBook(options.prices)
  const handle = serve(target)
  const rows: StepRow[] = []
  let verdict: Verdict | 'again' = 'again'
  const work = async () => {
    while (verdict === 'again' || (options.resume && isHeld(verdict))) {
      if (progress.attempt === LIMITS.attempts_per_item) break
      const line = nextLine(progress, rows, declaration, options)
      const body = new Request('http://agent/', { method: 'POST', body: `${JSON.stringify(line)}\n` })
      // A key in the environment of whoever runs the tests is none of this agent's.
      const response = await handle(body, { ASSAY_AGENT_KEY: '' })
      verdict = await read(response, { progress, rows, declaration, world, prices })
    }
  }
  await withAnswers(world.answer, () => (options.model?.live ? work() : withKeys(work)))
  return resultOf(verdict as Verdict | 'again', rows, progress) as ItemResult<OutputOf<C>>
}

const isHeld = (verdict: Verdict) => verdict.status === 'paused' && verdict.outcome_reason === null

/** What the agent can reach, and the first request that the test did not foresee. */
interface World {
  answer: Answering
  problem: ModelError | undefined
}

function worldOf({ model, fetch }: RunItemOptions): World {
  const world: World = {
    problem: undefined,
    async answer(request, send) {
      try {
        if (model !== undefined && (model.live || fetch === undefined || isModelRequest(request)))
          return await model.answer(request, send)
        if (fetch !== undefined && !isModelRequest(request)) return await fetch(request)
        throw unexpected(request, await bodyOf(request))
      } catch (error) {
        if (error instanceof ModelError) world.problem ??= error
        throw error
      }
    },
  }
  return world
}

function unexpected(request: Request, body: unknown): ModelError {
  const missing = isModelRequest(request) ? 'model: scripted([…])' : 'fetch: request => Response.json(…)'
  return new ModelError(
    'unexpected_request',
    `the agent asked ${nameOf(request, body)}, and nothing reaches the network in a test: give runItem ${missing}`,
  )
}

/** The item as the next attempt gets it, with the steps that need not run again. */
function nextLine(
  progress: ItemProgress,
  rows: readonly StepRow[],
  declaration: AgentDeclaration,
  { input, item_id = 'item', partition_key = null }: RunItemOptions,
): ItemLine {
  const kept = rows.filter(row => row.error_code === null)
  progress.attempt++
  progress.graded = kept.map(row => ({
    kind: row.kind,
    key: row.key,
    outcome: row.outcome,
    reason: row.outcome_reason,
  }))
  const budget = itemBudgetMicro(declaration, progress)
  const timeout_ms = (declaration.timeout_seconds ?? LIMITS.agent_timeout_seconds.default) * 1000
  return {
    seq: progress.seq,
    attempt: progress.attempt,
    item_id,
    partition_key,
    timeout_ms,
    yield_ms: 2 * timeout_ms, // no consumer whose time could end
    budget_micro: budget === null ? null : budget - progress.cost_micro,
    recorded: kept.map(({ key, output }) => ({ key, output: parsed(output) })),
    input,
  }
}

interface Reading {
  progress: ItemProgress
  rows: StepRow[]
  declaration: DeployedDeclaration
  world: World
  prices: PriceBook
}

/** Reads an attempt's lines as the consumer does. An item that its own step ends may have gone on a little. */
async function read(response: Response, reading: Reading): Promise<Verdict | 'again'> {
  const { progress, rows, declaration, world, prices } = reading
  const held: StepRow[] = []
  for await (const { lines } of ndjsonLines(response.body!, LIMITS.agent_line_bytes)) {
    for (const text of lines) {
      const line = JSON.parse(text) as AgentLine
      if (line.type === 'step') {
        const { row, holds, verdict } = countStep(progress, line.step, declaration, prices)
        if (row) (holds ? held : rows).push(row)
        if (verdict) return verdict
        continue
      }
      if (line.type === 'heartbeat' || line.type === 'later') continue
      if (world.problem !== undefined) throw world.problem
      return ended(line, text, held, reading)
    }
  }
  throw new Error("the agent's answer ended before its item did")
}

type LastLine = Exclude<AgentLine, { type: 'step' | 'heartbeat' | 'later' }>

function ended(line: LastLine, text: string, held: StepRow[], reading: Reading): Verdict | 'again' {
  const { progress, rows, declaration } = reading
  if (line.type === 'result')
    return resultVerdict(line, fieldsOf(text).get('output') ?? 'null', progress.graded, declaration)
  if (line.type === 'hold') {
    rows.push(...held)
    progress.step_count += held.length
    return holdVerdict(line.reason)
  }
  if (line.type === 'yield') return 'again'
  const verdict = errorVerdict(line.error, progress, declaration)
  if (verdict === 'again') progress.item.agent_failures++
  return verdict
}

function resultOf(verdict: Verdict | 'again', rows: readonly StepRow[], progress: ItemProgress): ItemResult {
  if (verdict === 'again')
    throw new Error(`the item was offered ${progress.attempt} times and came to no end`)
  const { status, outcome, outcome_reason: reason, error_code, error_message, output } = verdict
  const message = verdict.degraded_reason ?? error_message
  const sum = (count: (row: StepRow) => number) => rows.reduce((total, row) => total + count(row), 0)
  return {
    status,
    outcome: { status: outcome, reason, message },
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
    output: parsed(output),
    steps: rows.map(stepOf),
    cost: {
      micro: progress.cost_micro,
      usd: usdOf(progress.cost_micro),
      unpriced: rows.some(row => row.unpriced),
      input_tokens: sum(row => row.input_tokens),
      output_tokens: sum(row => row.output_tokens),
    },
    attempts: progress.attempt,
  }
}

function stepOf(row: StepRow): ItemStep {
  const { key, kind, name, model, attempt, input_tokens, output_tokens, cost_micro } = row
  return {
    key,
    kind,
    name,
    model,
    attempt,
    outcome: { status: row.outcome, reason: row.outcome_reason },
    error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
    input: parsed(row.input),
    output: parsed(row.output),
    input_tokens,
    output_tokens,
    cost_micro,
  }
}

const parsed = (text: string | null) => (text === null ? null : JSON.parse(text))
