// Decides by a consumer's time whether items begin. Guarantee: a step known to outlast every consumer is not started,
// and a step that outlasts this consumer's remaining time waits for a fresh consumer, one that has just started.

import type { DeploymentKind, DeployWarning } from '../../agents/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { AgentDeclaration } from '../../protocol/rules/protocol.ts'

/** How long a step may take in an invocation of this length; the rest is for giving back unfinished items. */
export const stepTimeMs = (invocation_ms: number): number => invocation_ms - LIMITS.hand_over_ms

/** Whether an agent could answer later: a bundle cannot, since it reaches only what its declaration names. */
export const mayAnswerLater = (kind: DeploymentKind, base_url: string): boolean =>
  kind === 'url' && base_url !== ''

/** The time that every fresh consumer has for a step: it may reach the item a moment after it began. */
export const surelyLeftMs = (whole_ms: number): number => whole_ms - LIMITS.consumer_fresh_ms

/** The time left to a consumer that is no longer fresh; a fresh one, or one without a time limit, is not late. */
export interface Late {
  left_ms: number
  /** The time that it had for a step when it began. */
  whole_ms: number
  /** The origin at which agents answer later; empty if none can. */
  base_url: string
}

export interface Duration {
  /** The longest step by the agent's declaration, and by the item's own record; 0 if unknown. */
  declared_ms: number
  recorded_ms: number
  /** The time for a step that this consumer has left, and that a fresh consumer has. */
  left_ms: number
  whole_ms: number
  /** How often a step was cut off, if the item waited for a fresh consumer, as this one is; else null. */
  cuts: number | null
}

/**
 * Decides when a claimed item begins: now, with the next consumer, or never. The declaration alone never gives an item
 * back: items that would wait for that reason are not claimed. Recorded steps do not run again, so they say little
 * about later steps. They rule an item out only if one that fits no consumer was followed by one that was cut off.
 *
 * @example
 * beginningOf({ declared_ms: 0, recorded_ms: 45_000, left_ms: 20_000, whole_ms: 48_000, cuts: null }) // 'next'
 */
export function beginningOf(duration: Duration): 'now' | 'next' | 'never' {
  const { declared_ms, recorded_ms, left_ms, whole_ms, cuts } = duration
  const next_ms = surelyLeftMs(whole_ms)
  if (declared_ms > next_ms) return 'never'
  if (recorded_ms >= whole_ms && cuts !== null && cuts > 0) return 'never'
  // Waiting is in vain if the next consumer has no more time than this one.
  return Math.min(recorded_ms, next_ms) > left_ms && cuts === null ? 'next' : 'now'
}

/** How an agent is reached, and what it says about itself. */
export interface DeployedAs {
  kind: DeploymentKind
  declaration: Pick<AgentDeclaration, 'step_seconds' | 'timeout_seconds' | 'answers_later'>
}

/** Whether the agent is known to answer later when a step outlasts a consumer. */
export const isKnownToAnswerLater = ({ kind, declaration }: DeployedAs, base_url: string): boolean =>
  declaration.answers_later === true && mayAnswerLater(kind, base_url)

export interface Warning {
  code: DeployWarning
  message: string
  hint: string
}

/**
 * Warnings about the steps of an agent, for the person who deploys it, if consumers are invocations of `consume_ms`. A
 * step may take the declared time of a step, or else the whole time of an item.
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
      : 'Its items end as step_outlasts_consumer before they are started.'
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
