// Writes the items that a consumer settled as spans of the run's trace. Guarantee: spans are made of recorded results,
// after the write, so nothing waits for them, and they contain no input or output. A run of any length shows a bounded
// number of items: those of isTraced, and the first LIMITS.traced_failures that did not work.

import type { Claim } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import type { StepRow } from '../../grading/rules/step-row.ts'
import type { Verdict } from '../../grading/rules/verdict.ts'
import { findEndedRun } from '../../items/queries/runs.ts'
import { itemRecordId } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { usdOf } from '../../prices/rules/pricing.ts'
import type { Attributes, Telemetry } from '../../traces/rules/telemetry.ts'
import {
  attemptSpanId,
  isTraced,
  runSpan,
  type SpanPlace,
  stepSpanId,
  traceIdOf,
  writeTraceparent,
} from '../../traces/rules/tracing.ts'
import type { Entry } from '../queries/entries.ts'
import type { Return } from '../queries/returns.ts'
import type { Flushed } from '../queries/settle.ts'
import type { InFlightItem, TracedStep } from './in-flight-item.ts'

type Described = Record<string, string | number | boolean | null>

/** Attributes without those that are null. */
const attributesOf = (given: Described): Attributes =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as Attributes

/** The `traceparent` below which an agent puts its own spans for one item of a request. */
export function traceparentOf(telemetry: Telemetry, runId: string, { seq, attempt }: InFlightItem): string {
  const trace_id = traceIdOf(runId)
  const sampled = isTraced(seq) && telemetry.shows(trace_id)
  return writeTraceparent({ trace_id, span_id: attemptSpanId(seq, attempt), sampled })
}

/** How an attempt ended. */
interface Ending {
  attributes: Described
  error: string | null
}

/** Whether an item has ended and is not ok, as the run counts it too. */
const isNotOk = (verdict: Verdict | null) =>
  verdict !== null && verdict.status !== 'paused' && verdict.outcome !== 'ok'

function endingOf({ status, outcome, outcome_reason, error_code, error_message }: Verdict): Ending {
  const hasFailed = outcome === 'failed'
  return {
    attributes: {
      'assay.status': status,
      'assay.outcome': outcome,
      'assay.outcome_reason': outcome_reason,
      'error.type': hasFailed ? (error_code ?? outcome_reason) : null,
    },
    error: hasFailed ? (error_message ?? outcome_reason ?? '') : null,
  }
}

/** One for each run a consumer works on, if telemetry is collected. */
export class RunTrace {
  readonly #ctx: Context
  readonly #telemetry: Telemetry
  readonly #claim: Pick<Claim, 'run_id' | 'target'>
  readonly #root: SpanPlace
  readonly #isShown: boolean

  constructor(ctx: Context, telemetry: Telemetry, claim: Pick<Claim, 'run_id' | 'target'>) {
    this.#ctx = ctx
    this.#telemetry = telemetry
    this.#claim = claim
    this.#root = runSpan(claim.run_id)
    this.#isShown = telemetry.shows(this.#root.trace_id)
  }

  /** Called when an attempt is over; its results are not written yet. */
  ended(inFlight: InFlightItem): void {
    inFlight.ended_ms = this.#ctx.now()
  }

  /** Called after the flush that wrote the parts. */
  settled(
    parts: readonly { inFlight: InFlightItem; entry: Entry; steps: readonly StepRow[] }[],
    { recorded, not_ok }: Flushed,
  ): void {
    this.#count(parts.map(({ entry }) => entry))
    if (!this.#isShown) return
    const notOkNow = parts.filter(({ entry }) => isNotOk(entry.verdict)).length
    // Nothing was recorded: the flush came too late or was sent again, and nobody knows which.
    let room = recorded === 0 ? 0 : LIMITS.traced_failures - (not_ok - notOkNow)
    for (const { inFlight, entry, steps } of parts) {
      this.#keep(inFlight, steps)
      const { verdict } = entry
      if (verdict === null) continue
      if (isTraced(inFlight.seq) || (isNotOk(verdict) && room-- > 0))
        this.#attempt(inFlight, endingOf(verdict))
      inFlight.traced = null
    }
  }

  /** Called after the items were given back. */
  returned(given: readonly { inFlight: InFlightItem; entry: Return }[]): void {
    for (const { inFlight, entry } of given) {
      const { fault, code } = entry
      this.#telemetry.measure('assay.items.returned', 1, { 'assay.fault': fault })
      if (this.#isShown && isTraced(inFlight.seq)) {
        const isFault = fault !== 'none'
        this.#attempt(inFlight, {
          attributes: { 'assay.status': 'queued', 'assay.code': code, 'error.type': isFault ? code : null },
          error: isFault ? entry.message : null,
        })
      }
      inFlight.traced = null
    }
  }

  /** Called after the flush that ended the run. */
  runEnded(): void {
    traceRunEnd(this.#ctx, this.#claim.run_id)
  }

  #count(entries: readonly Entry[]): void {
    const verdicts = new Map<string, { n: number; attributes: Attributes }>()
    let [cost, input, output] = [0, 0, 0]
    for (const { verdict, cost_micro, input_tokens, output_tokens } of entries) {
      cost += cost_micro
      input += input_tokens
      output += output_tokens
      if (verdict === null) continue
      const { status, outcome } = verdict
      const key = `${status} ${outcome}`
      const counted = verdicts.get(key)
      if (counted) counted.n++
      else
        verdicts.set(key, {
          n: 1,
          attributes: attributesOf({ 'assay.status': status, 'assay.outcome': outcome }),
        })
    }
    for (const { n, attributes } of verdicts.values())
      this.#telemetry.measure('assay.items.settled', n, attributes)
    if (cost > 0) this.#telemetry.measure('assay.cost', usdOf(cost))
    if (input > 0) this.#telemetry.measure('assay.tokens', input, { 'gen_ai.token.type': 'input' })
    if (output > 0) this.#telemetry.measure('assay.tokens', output, { 'gen_ai.token.type': 'output' })
  }

  /** Keeps the last steps of an item: nobody knows yet whether an item outside the sample will work. */
  #keep(inFlight: InFlightItem, steps: readonly StepRow[]): void {
    for (const { input: _, output: __, ...step } of steps) {
      inFlight.traced ??= []
      inFlight.traced.push(step)
      if (inFlight.traced.length > LIMITS.traced_steps) inFlight.traced.shift()
    }
  }

  #attempt(inFlight: InFlightItem, { attributes, error }: Ending): void {
    const { run_id, target } = this.#claim
    const { seq, attempt } = inFlight
    const span_id = attemptSpanId(seq, attempt)
    const { trace_id } = this.#root
    const { name } = target.declaration
    this.#telemetry.span({
      trace_id,
      span_id,
      parent_id: this.#root.span_id,
      name: `invoke_agent ${name}`,
      kind: 'client',
      start_ms: inFlight.lease.taken_ms,
      end_ms: inFlight.ended_ms || this.#ctx.now(), // unset if it was ended because its content could not be stored
      attributes: attributesOf({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': name,
        'gen_ai.agent.id': target.agent_id,
        'assay.run_id': run_id,
        'assay.record_id': itemRecordId(run_id, seq),
        'assay.deployment_id': target.deployment_id,
        'assay.attempt': attempt,
        'assay.step_count': inFlight.step_count,
        'assay.cost_usd': usdOf(inFlight.cost_micro),
        ...attributes,
      }),
      error,
      links: [],
    })
    for (const step of inFlight.traced ?? []) this.#telemetry.span(stepSpan(step, { trace_id, span_id }))
  }
}

const KINDS = {
  llm_call: 'chat',
  tool_call: 'execute_tool',
  tool_result: 'execute_tool',
  step: null,
} as const

function stepSpan(step: TracedStep, parent: SpanPlace) {
  const operation = KINDS[step.kind]
  const isTool = operation === 'execute_tool'
  const isModel = operation === 'chat'
  const start_ms = step.started_ms
  const hasFailed = step.outcome === 'failed'
  return {
    trace_id: parent.trace_id,
    span_id: stepSpanId(step.seq, step.attempt, step.step_no),
    parent_id: parent.span_id,
    name: isModel
      ? `chat ${step.model ?? step.name}`
      : isTool
        ? `execute_tool ${step.name}`
        : `step ${step.name}`,
    kind: isModel ? ('client' as const) : ('internal' as const),
    start_ms,
    end_ms: start_ms + Math.max(0, step.duration_ms),
    attributes: attributesOf({
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': step.model,
      'gen_ai.usage.input_tokens': isModel && !step.unpriced ? step.input_tokens : null,
      'gen_ai.usage.output_tokens': isModel && !step.unpriced ? step.output_tokens : null,
      'gen_ai.usage.cost': isModel && !step.unpriced ? usdOf(step.cost_micro) : null,
      'gen_ai.tool.name': isTool ? step.name : null,
      'assay.step': step.key,
      'assay.outcome': step.outcome,
      'assay.outcome_reason': step.outcome_reason,
      'error.type': hasFailed ? (step.error_code ?? step.outcome_reason) : null,
    }),
    error: hasFailed ? (step.error_message ?? step.outcome_reason ?? '') : null,
    links: [],
  }
}

/** Writes the root span of a run, if the run has ended. */
export function traceRunEnd(ctx: Context, run_id: string): void {
  const { telemetry } = ctx
  if (telemetry?.shows(traceIdOf(run_id))) ctx.waitUntil(writeRun(ctx, telemetry, run_id))
}

async function writeRun(ctx: Context, telemetry: Telemetry, run_id: string): Promise<void> {
  const run = await findEndedRun(ctx.sql, run_id)
  if (run === undefined) return
  const failed = run.failed + run.budget_exceeded
  telemetry.span({
    ...runSpan(run_id),
    parent_id: null,
    name: `run ${run.agent_slug}`,
    kind: 'internal',
    start_ms: run.created_ms,
    end_ms: run.finished_ms,
    attributes: attributesOf({
      'assay.run_id': run_id,
      'assay.project_id': run.project_id,
      'gen_ai.agent.id': run.agent_id,
      'gen_ai.agent.name': run.agent_slug,
      'assay.status': run.status,
      'assay.stop_reason': run.stop_reason,
      'assay.items': run.total_items,
      'assay.items.ok': run.ok,
      'assay.items.degraded': run.degraded,
      'assay.items.failed': failed,
      'assay.cost_usd': usdOf(run.cost_micro),
      'gen_ai.usage.input_tokens': run.input_tokens,
      'gen_ai.usage.output_tokens': run.output_tokens,
    }),
    error: failed > 0 ? `${failed} of ${run.total_items} items failed` : null,
    links: [],
  })
}
