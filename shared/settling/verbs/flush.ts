// Builds what a flush writes about each item, and about its items together. Guarantee: every step of an item and its
// cost is in exactly one part, and counts as written from then on.

import type { StepRow } from '../../grading/rules/step-row.ts'
import type { Verdict } from '../../grading/rules/verdict.ts'
import type { ItemErrorCode } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { endedTheSame } from '../../recovery/rules/reuse.ts'
import { type Symptoms, symptomsOf } from '../../triage/rules/causes.ts'
import { promptHead } from '../../triage/rules/clustering.ts'
import type { Entry } from '../queries/entries.ts'
import type { InFlightItem } from './in-flight-item.ts'

/** What a flush writes about one item. */
export interface Part {
  inFlight: InFlightItem
  entry: Entry
  steps: StepRow[]
  /** What names the cause of an item that is not ok; null if it is ok or has no verdict yet. */
  symptoms: Symptoms | null
}

const UNAVAILABLE: ItemErrorCode = 'upstream_unavailable'

const refusedVerdict = (error: unknown): Verdict => ({
  status: 'failed',
  outcome: 'failed',
  outcome_reason: 'agent_error',
  degraded_reason: null,
  error_code: 'protocol_error',
  error_message: plainText(
    `What the agent sent cannot be stored: ${(error as Error).message}.`,
    LIMITS.error_message_characters,
  ),
  output: null,
})

/** The part of an item whose content PostgreSQL refuses: it fails as `protocol_error`. */
export function refusedPart(part: Part, error: unknown): Part {
  const verdict = refusedVerdict(error)
  const { item, graded } = part.inFlight
  return {
    ...part,
    entry: { ...part.entry, verdict, prompt: promptHead(item.input) },
    symptoms: symptomsOf(verdict, graded, item.input),
  }
}

/** Failures in a row at the end of a flush, and whether any item completed before them. What nobody tried is none. */
export function streakOf(parts: readonly Part[]) {
  let failure_streak = 0
  let streak_broken = false
  for (const { entry } of parts) {
    if (entry.verdict?.error_code === UNAVAILABLE) continue
    if (entry.verdict?.status === 'failed') failure_streak++
    else if (entry.verdict?.status === 'completed') {
      failure_streak = 0
      streak_broken = true
    }
  }
  return { failure_streak, streak_broken }
}

/**
 * The model of a call whose cost is unknown, preferring calls that hold their item; null if there is none. Empty if no
 * price would give the cost: the call reported no tokens, or its model has a price already. An item held by such a call
 * waits for a person, so empty wins over other models that hold items.
 */
export function unpricedModelOf(parts: readonly Part[]): string | null {
  const modelsOf = (some: readonly Part[]) =>
    some
      .flatMap(({ steps }) => steps.filter(step => step.unpriced).slice(-1))
      .map(({ model, has_price }) => (has_price ? '' : (model ?? '')))
  const holding = modelsOf(parts.filter(({ entry }) => entry.verdict?.outcome_reason === 'unpriced_model'))
  if (holding.includes('')) return ''
  return holding[0] ?? modelsOf(parts)[0] ?? null
}

/** Takes as many items as one statement should carry, without those of another flush. */
export function takeParts(touched: Set<InFlightItem>): Part[] {
  const parts: Part[] = []
  let bytes = 0
  for (const inFlight of touched) {
    if (parts.length >= LIMITS.settle_items || bytes > LIMITS.settle_bytes) break
    if (inFlight.writing) continue
    touched.delete(inFlight)
    inFlight.writing = true
    const part = partOf(inFlight)
    for (const step of part.steps) bytes += (step.input?.length ?? 0) + (step.output?.length ?? 0)
    bytes += inFlight.verdict?.output?.length ?? 0
    parts.push(part)
  }
  return parts
}

/** Takes all there is to write about an item now; from then on it counts as written. */
export function partOf(inFlight: InFlightItem): Part {
  const { pending: steps, verdict } = inFlight
  inFlight.pending = []
  let cost = 0
  let input = 0
  let output = 0
  let unpriced = false
  let model_calls = 0
  let unread_calls = 0
  let suspected_calls = 0
  for (const step of steps) {
    if (step.graded || step.unread !== null) model_calls++
    if (step.unread !== null) unread_calls++
    if (step.outcome_reason === 'suspected_refusal') suspected_calls++
    cost += step.cost_micro
    input += step.input_tokens
    output += step.output_tokens
    unpriced ||= step.unpriced
  }
  const newly_unpriced = unpriced && !inFlight.unpriced
  inFlight.unpriced ||= unpriced
  const steps_before = inFlight.steps_written
  inFlight.steps_written += steps.length
  const entry = {
    seq: inFlight.seq,
    attempt: inFlight.attempt,
    steps_before,
    steps_after: inFlight.steps_written,
    cost_micro: cost,
    input_tokens: input,
    output_tokens: output,
    newly_unpriced,
    model_calls,
    unread_calls,
    suspected_calls,
    code_version: null,
    verdict,
    unchanged: verdict !== null && isUnchanged(inFlight, verdict),
    prompt: (verdict?.error_code ?? null) === null ? null : promptHead(inFlight.item.input),
    cause: null,
  }
  const worked = verdict === null || (verdict.status === 'completed' && verdict.outcome === 'ok')
  return {
    inFlight,
    entry,
    steps,
    symptoms: worked ? null : symptomsOf(verdict, inFlight.graded, inFlight.item.input),
  }
}

/** Whether a replay reused all of its steps and ended like its original: nothing ran again. */
const isUnchanged = ({ item, step_count, steps_run }: InFlightItem, verdict: Verdict) =>
  item.original !== null && step_count > 0 && steps_run === 0 && endedTheSame(verdict, item.original)

/** Numbers the versions of code that ended or held items, which takes a round trip only if a version is new. */
export async function withVersions(
  parts: readonly Part[],
  number: (deployment_id: string, names: ReadonlySet<string>) => Promise<ReadonlyMap<string, number>>,
): Promise<void> {
  const ended = parts.filter(({ inFlight, entry: { verdict } }) => inFlight.code !== null && verdict !== null)
  for (const [deployment_id, of] of Map.groupBy(ended, ({ inFlight }) => inFlight.code!.deployment_id)) {
    const numbers = await number(deployment_id, new Set(of.map(({ inFlight }) => inFlight.code!.version)))
    for (const { inFlight, entry } of of) entry.code_version = numbers.get(inFlight.code!.version)!
  }
}

/** Names the causes of items that are not ok, which takes a round trip only if a cause is new. */
export async function withCauses(
  parts: readonly Part[],
  name: (symptoms: readonly Symptoms[]) => Promise<Iterable<NonNullable<Entry['cause']>>>,
): Promise<Entry[]> {
  const symptoms = parts.flatMap(part => part.symptoms ?? [])
  if (symptoms.length === 0) return parts.map(({ entry }) => entry)
  const named = (await name(symptoms))[Symbol.iterator]()
  return parts.map(({ entry, symptoms }) =>
    symptoms === null ? entry : { ...entry, cause: named.next().value! },
  )
}
