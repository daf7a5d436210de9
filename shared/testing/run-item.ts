// Runs an agent over one item in memory, with the server's own protocol and verdicts. Guarantee: status, verdict, steps
// and cost are those that a server records for the same answers; attempts follow each other without a pause.

import { DEFAULT_CHECKS } from '../grading/rules/checks.ts'
import type { DeployedDeclaration } from '../grading/rules/grading.ts'
import { readStep, type StepRow } from '../grading/rules/step-row.ts'
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
import { ndjsonLines } from '../json/ndjson.ts'
import { rawMembers } from '../json/raw-members.ts'
import { LIMITS } from '../kernel/limits.ts'
import { type OwnPrice, PriceBook } from '../prices/rules/price-book.ts'
import { usdOf } from '../prices/rules/pricing.ts'
import type { AgentDeclaration, AgentLine, ItemLine } from '../protocol/rules/protocol.ts'
import { type AgentClass, declarationOf } from '../sdk/agent.ts'
import { isA } from '../sdk/errors.ts'
import { bodyOf, type Model, ModelError, nameOf } from './model.ts'
import { type Answering, withAnswers, withKeys } from './network.ts'
import { isModelRequest } from './providers.ts'
import { served } from './served.ts'

export interface RunItemOptions {
  /** The input that a submitter sends: JSON, checked by the agent's `input` schema. */
  input: unknown
  /** Answers instead of the model providers; without it, a model call is an error of the test. */
  model?: Model
  /** Answers the agent's other fetches, such as its tools' services; without it, they are errors of the test. */
  fetch?: (request: Request) => Response | Promise<Response>
  /** `ctx.item.item_id`; the default is `item`. */
  item_id?: string
  /** `ctx.item.partition_key`; the default is null. */
  partition_key?: string | null
  /** Lets the item pass every `ctx.hold`, like a person who resumes it. */
  resume?: boolean
  /** Prices that add to or override the price list, in dollars per million tokens, as in a project's settings. */
  prices?: Record<string, OwnPrice>
}

/** Of these, what does not depend on where the agent is served. */
export type ServedOptions = Pick<RunItemOptions, 'input' | 'item_id' | 'partition_key' | 'resume' | 'prices'>

export interface ItemStep {
  key: string
  kind: StepKind
  name: string
  /** The model of a model call; null if it is not known. */
  model: string | null
  /** The attempt that ran it, from 1. */
  attempt: number
  outcome: { status: Outcome; reason: OutcomeReason | null }
  error: { code: string; message: string } | null
  input: unknown
  output: unknown
  input_tokens: number
  output_tokens: number
  /** In millionths of a dollar; 0 if the model has no known price. */
  cost_micro: number
}

export interface ItemCost {
  /** In millionths of a dollar, whole. */
  micro: number
  /** The same in dollars. */
  usd: number
  /** Whether a model without a known price was called; the cost is then a lower bound. */
  unpriced: boolean
  input_tokens: number
  output_tokens: number
}

export interface ItemResult<Output = unknown> {
  /** Whether the item ran. */
  status: Verdict['status']
  /** Whether the item worked; `status` is null while it is paused. `message` says why it is not ok, or is held. */
  outcome: { status: Outcome | null; reason: OutcomeReason | null; message: string | null }
  error: { code: string; message: string } | null
  /** The value that `run` returned, as parsed from JSON; null unless the item completed. */
  output: Output | null
  /** Steps in the order they ended, including those of failed attempts. */
  steps: ItemStep[]
  cost: ItemCost
  /** How many attempts the item took: 1, or more with declared `retries` or `resume`. */
  attempts: number
}

type OutputOf<C extends AgentClass> = Awaited<ReturnType<InstanceType<C>['run']>>

/**
 * Runs an agent over one item, without a server and without a network.
 *
 * Import `assay/testing` before the agent: a client that is created while the agent's file loads keeps the `fetch` it
 * finds then.
 *
 * @throws ModelError when the agent sends a request that `model` or `fetch` has no answer for
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
  const world = worldOf(options)
  const work = async () => {
    using agent = await served(target, world.answer)
    return await runServed(agent.handle, declarationOf(target), options, world) // before it is given back
  }
  return withAnswers(world.answer, () => (options.model?.live ? work() : withKeys(work))) as Promise<
    ItemResult<OutputOf<C>>
  >
}

/** Runs an item by the protocol, attempt by attempt, as a consumer does, on an agent that is served anywhere. */
export async function runServed(
  handle: (request: Request) => Promise<Response>,
  declared: AgentDeclaration,
  options: ServedOptions,
  world: Pick<World, 'problem'> = { problem: undefined },
): Promise<ItemResult> {
  const declaration = { ...declared, default_checks: DEFAULT_CHECKS }
  const progress: ItemProgress = {
    seq: 1,
    attempt: 0,
    graded: [],
    step_count: 0,
    cost_micro: 0,
    item: { agent_failures: 0 },
  }
  const prices = new PriceBook(options.prices)
  const rows: StepRow[] = []
  let verdict: Verdict | 'again' = 'again'
  while (verdict === 'again' || (options.resume && isHeld(verdict))) {
    if (progress.attempt === LIMITS.attempts_per_item) break
    const line = nextLine(progress, rows, declaration, options)
    const body = new Request('http://agent/', { method: 'POST', body: `${JSON.stringify(line)}\n` })
    verdict = await read(await handle(body), { progress, rows, declaration, world, prices })
  }
  return resultOf(verdict, rows, progress)
}

const isHeld = (verdict: Verdict) => verdict.status === 'paused' && verdict.outcome_reason === null

/** Answers all requests of the agent, and keeps the first error about a request that the test did not foresee. */
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
        if (isA(error, ModelError)) world.problem ??= error
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
  { input, item_id = 'item', partition_key = null }: ServedOptions,
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
    yield_ms: 2 * timeout_ms, // never: no consumer's time ends here
    budget_micro: budget === null ? null : budget - progress.cost_micro,
    recorded: kept.map(({ key, output }) => ({
      key,
      ...(output !== null && { output: JSON.parse(output) }),
    })),
    input,
  }
}

interface Reading {
  progress: ItemProgress
  rows: StepRow[]
  declaration: DeployedDeclaration
  world: Pick<World, 'problem'>
  prices: PriceBook
}

/** Reads an attempt's lines as the consumer does. An agent may continue a little after a step that ends its item. */
async function read(response: Response, reading: Reading): Promise<Verdict | 'again'> {
  const { progress, rows, declaration, world, prices } = reading
  const held: StepRow[] = []
  for await (const { lines } of ndjsonLines(response.body!, LIMITS.agent_line_bytes)) {
    for (const text of lines) {
      const line = JSON.parse(text) as AgentLine
      if (line.type === 'step') {
        const { row, holds, verdict } = countStep(
          progress,
          readStep(line.step, rawMembers(text)!.get('step')!),
          declaration,
          prices,
        )
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
    return resultVerdict(line, rawMembers(text)?.get('output') ?? 'null', progress.graded, declaration)
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
