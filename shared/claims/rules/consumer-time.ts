// What a consumer's time means for steps of items. Guarantee: a step that is known to outlast any consumer is not begun,
// and one that outlasts what this one has left waits for one that has its time before it.

import type { DeploymentKind, DeployWarning } from '../../agents/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'

/** What a step may take of an invocation that lasts so long; the rest is for giving back what did not end. */
export const stepTimeMs = (invocation_ms: number): number => invocation_ms - LIMITS.hand_over_ms

/** Whether its agent could be let go and answer later: a bundle reaches nothing but what its declaration names. */
export const mayAnswerLater = (kind: DeploymentKind, base_url: string): boolean =>
  kind === 'url' && base_url !== ''

/** What any consumer has for a step that has its time before it: it may come to the item a moment after it began. */
export const surelyLeftMs = (whole_ms: number): number => whole_ms - LIMITS.consumer_fresh_ms

/** What a consumer has left that has been at work for a while; one that has just begun, or has no end, is not late. */
export interface Late {
  left_ms: number
  /** What it had for a step as it began. */
  whole_ms: number
  /** Where agents that answer later do so; empty where none can. */
  base_url: string
}

export interface Duration {
  /** The longest step by the agent's declaration, and by the item's own record; 0 where nothing is known. */
  declared_ms: number
  recorded_ms: number
  /** What this consumer has left for a step, and what one has that has just begun. */
  left_ms: number
  whole_ms: number
  /** How often a step was cut off, where the item waited for a consumer that has just begun, which this one is. */
  cuts: number | null
}

/**
 * When an item is begun that was claimed. By the declaration alone it is never given back: what would wait for that
 * reason is not claimed. Steps on record are not made again, so they say little of those to come; that much they do
 * say where one that would not fit any consumer was followed by one that was cut off.
 *
 * @example
 * beginningOf({ declared_ms: 0, recorded_ms: 45_000, left_ms: 20_000, whole_ms: 48_000, cuts: null }) // 'next'
 */
export function beginningOf(duration: Duration): 'now' | 'next' | 'never' {
  const { declared_ms, recorded_ms, left_ms, whole_ms, cuts } = duration
  const next_ms = surelyLeftMs(whole_ms)
  if (declared_ms > next_ms) return 'never'
  if (recorded_ms >= whole_ms && cuts !== null && cuts > 0) return 'never'
  // Where the next has no more time than this one, waiting is in vain.
  return Math.min(recorded_ms, next_ms) > left_ms && cuts === null ? 'next' : 'now'
}

/** How an agent is reached, and what it says about itself. */
export interface DeployedAs {
  kind: DeploymentKind
  declaration: Pick<AgentDeclaration, 'step_seconds' | 'timeout_seconds' | 'answers_later'>
}

/** Whether its agent is known to answer later what outlasts a consumer. */
export const isKnownToAnswerLater = ({ kind, declaration }: DeployedAs, base_url: string): boolean =>
  declaration.answers_later === true && mayAnswerLater(kind, base_url)

export interface Warning {
  code: DeployWarning
  message: string
  hint: string
}

/**
 * What whoever deploys an agent should hear about its steps, where consumers are invocations that last so long. A step
 * may take what the declaration says of steps, or else all the time of an item.
 */
export function timeWarnings(
  deployed: DeployedAs,
  consume_ms: number | undefined,
  base_url: string,
): Warning[] {
  if (consume_ms === undefined) return []
  const { kind, declaration } = deployed
  const { step_seconds, timeout_seconds } = declaration
  const needed_s = step_seconds ?? timeout_seconds ?? LIMITS.agent_timeout_seconds.default
  const left_s = surelyLeftMs(stepTimeMs(consume_ms)) / 1000
  if (needed_s <= left_s || isKnownToAnswerLater(deployed, base_url)) return []
  const outcome =
    step_seconds === undefined
      ? 'A step that takes longer is cut off, made once more, and then its item ends as step_outlasts_consumer.'
      : 'Its items end as step_outlasts_consumer before they are begun.'
  return [
    {
      code: 'step_outlasts_consumer',
      message: `A step of this agent may take ${needed_s} s${saidBy(declaration)}, and this installation's consumers have ${consume_ms / 1000} s. ${outcome}`,
      hint: `${waysOut(kind, base_url, needed_s)}${step_seconds === undefined ? ` If no step takes longer than ${left_s} s, declare that: step_seconds, stepSeconds of @agent.` : ''}`,
    },
  ]
}

function saidBy({ step_seconds, timeout_seconds }: DeployedAs['declaration']): string {
  if (step_seconds !== undefined) return ' (step_seconds)'
  return timeout_seconds !== undefined
    ? ' (timeout_seconds)'
    : ' (the time of an item, unless timeout_seconds is declared)'
}

function waysOut(kind: DeploymentKind, base_url: string, needed_s: number): string {
  const seconds = needed_s + (LIMITS.hand_over_ms + LIMITS.consumer_fresh_ms) / 1000
  const longer =
    seconds <= LIMITS.consume_seconds.max
      ? `Give consumers ${seconds} s (consumer_seconds of the values, ASSAY_CONSUME_SECONDS), or `
      : ''
  const later =
    kind === 'bundle'
      ? 'run the agent behind a URL, where serve(Agent) answers later'
      : base_url === ''
        ? 'set BASE_URL, so that the agent can answer later'
        : 'let the agent answer later, as serve(Agent) does, and declare it (assay deploy --answers-later)'
  const way = `${longer}${later}.`
  return way.charAt(0).toUpperCase() + way.slice(1)
}
