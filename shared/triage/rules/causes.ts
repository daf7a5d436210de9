// Groups items that did not work by their cause. Guarantee: the first message that is like no other defines a cause,
// which never changes afterwards. So its key is the same tomorrow, in every process, and after the rows that made it
// are gone. Stored messages decide what is like a cause, not what a process has seen.
//
// Two messages are similar when they have the same number of words, the same first two words and the same last word,
// and when four of five words are equal in the same place. (On loghub's sets, 0.945 of the messages are in groups that
// are exactly right. Without the last word it is 0.90, with one first word 0.91; four of five is best by a point.)

import type { GradedStep } from '../../grading/rules/grading.ts'
import type { Verdict } from '../../grading/rules/verdict.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { maskedWords, VARIABLE } from './masking.ts'
import { itemErrorMeaning, reasonMeaning } from './outcome-meanings.ts'

/** How a cause's id is spelled. */
export const CAUSE_ID = /^cause_[0-9a-f]{12}$/

/** What the items of a cause share in addition to their message. */
export interface CauseKind {
  /** The step that failed or was judged, without its index; empty where there was none. */
  step: string
  /** Empty for items that ran to their end. */
  error_code: string
  reason: string
}

/** What identifies a cause within its agent. */
export interface CauseText extends CauseKind {
  /** The words of its first message. */
  template: string
}

/** A cause as it travels with an item; its id is derived from the other fields and the agent. */
export interface NamedCause extends CauseText {
  id: string
}

/** What the cause of one item is found by. */
export interface Symptoms extends CauseKind {
  words: readonly string[]
}

const FIRST_WORDS = 2
const LIKENESS = 0.8

/** The words of the catch-all cause, for all further messages of a kind that has too many. */
const OTHER_WORDS: readonly string[] = [VARIABLE]

/** The fields of an item's record that say how it ended. */
type Ended = Pick<Verdict, 'outcome_reason' | 'error_code' | 'error_message' | 'degraded_reason'>

/** The symptoms of an item that did not work, or is held. */
export function symptomsOf(ended: Ended, steps: readonly GradedStep[], input: string): Symptoms {
  const { outcome_reason, error_code, error_message, degraded_reason } = ended
  return {
    step: stepName(judgedStep(ended, steps)?.key ?? ''),
    error_code: error_code ?? '',
    // The same fallback as in the item's row of triage.
    reason: outcome_reason ?? error_code ?? 'hold',
    words: maskedWords(error_message ?? degraded_reason ?? '', input),
  }
}

/** For the error of a step, the last failed step; otherwise the last model call, else the last step. */
function judgedStep({ outcome_reason }: Ended, steps: readonly GradedStep[]): GradedStep | undefined {
  const failed = steps.findLast(step => step.outcome === 'failed')
  const isOfStep = outcome_reason === 'step_error' || outcome_reason === 'provider_error'
  if (isOfStep && failed !== undefined) return failed
  return steps.findLast(step => step.kind === 'llm_call') ?? steps.at(-1)
}

/** @example stepName('page-12#3') // 'page-*' */
export const stepName = (key: string): string => key.replace(/#\d+$/, '').replace(/\d+/g, VARIABLE)

/** A cause in memory. Its words never change; those that vary are only shown as `*` on screen. */
export interface KnownCause {
  id: string
  words: readonly string[]
  /** Places of words that differ among its messages. */
  varies: Set<number>
}

/** The causes of one kind. */
export class CausesOfKind {
  readonly #buckets = new Map<string, KnownCause[]>()
  size = 0

  add(cause: KnownCause): void {
    const key = bucketOf(cause.words)
    const bucket = this.#buckets.get(key)
    if (bucket === undefined) this.#buckets.set(key, [cause])
    else bucket.push(cause)
    this.size++
  }

  /** The cause whose words are most like these; of two equally similar, the one with the smaller id. */
  find(words: readonly string[]): KnownCause | undefined {
    let best: KnownCause | undefined
    let most = Math.ceil(LIKENESS * words.length)
    for (const cause of this.#buckets.get(bucketOf(words)) ?? []) {
      const same = sameWords(cause.words, words)
      if (same > most || (same === most && (best === undefined || cause.id < best.id))) {
        best = cause
        most = same
      }
    }
    return best
  }
}

const bucketOf = (words: readonly string[]): string =>
  [words.length, ...[...words.slice(0, FIRST_WORDS), words.at(-1) ?? ''].map(fixed)].join(' ')

/** A word that contains a variable does not distinguish messages. */
const fixed = (word: string) => (word.includes(VARIABLE) ? VARIABLE : word)

function sameWords(a: readonly string[], b: readonly string[]): number {
  let same = 0
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) same++
  return same
}

/** Places at which words differ from those of their cause and that are not in its `varies` yet. */
export const newlyVarying = ({ words, varies }: KnownCause, of: readonly string[]): number[] =>
  words.length === of.length ? of.flatMap((word, i) => (word !== words[i] && !varies.has(i) ? [i] : [])) : []

/** The message of a cause, with `*` for the words that differ; empty when its messages are. */
export const messageOf = (template: string, varies: readonly number[]): string =>
  varies.length === 0
    ? template
    : template
        .split(' ')
        .map((word, i) => (varies.includes(i) ? VARIABLE : word))
        .join(' ')

/**
 * A cause in one line, for a list or a notification.
 *
 * @example causeTitle({ step: 'classify', error_code: 'llm_call_error', reason: 'provider_error', message: '503 Overloaded' })
 * // 'classify: llm_call_error: 503 Overloaded'
 */
export function causeTitle({ step, error_code, reason, message }: CauseKind & { message: string }): string {
  const said = message === '' || message === VARIABLE ? meaningOf({ error_code, reason }) : message
  return [step, error_code === '' ? reason : error_code, said].filter(Boolean).join(': ')
}

const meaningOf = ({ error_code, reason }: Pick<CauseKind, 'error_code' | 'reason'>) =>
  itemErrorMeaning(error_code) ?? reasonMeaning(reason)

/** Causes of an agent by their kind. */
export type CausesByKind = Map<string, CausesOfKind>

/** A kind as a key of a map. */
export const kindKey = ({ step, error_code, reason }: CauseKind): string =>
  JSON.stringify([step, error_code, reason])

/**
 * The searches for an item's cause, in order: its own symptoms, the catch-all cause of its kind, the catch-all cause of
 * its agent. The last two are created only when a kind, or a project, has as many causes as it may.
 */
export const searchesFor = (symptoms: Symptoms): readonly Symptoms[] => [
  symptoms,
  { ...symptoms, words: OTHER_WORDS },
  { step: '', error_code: '', reason: 'other', words: OTHER_WORDS },
]

/** Returns the causes to create so that each item has one, and adds them to `known`. `room` is left in the project. */
export function causesToMake(known: CausesByKind, of: readonly Symptoms[], room: number): Symptoms[] {
  const made: Symptoms[] = []
  for (const symptoms of of) {
    const [own, ofKind, ofAgent] = searchesFor(symptoms) as [Symptoms, Symptoms, Symptoms]
    if (findIn(known, own) !== undefined) continue
    const isFull = (known.get(kindKey(own))?.size ?? 0) >= LIMITS.causes_of_kind
    const wanted = made.length >= room ? ofAgent : isFull ? ofKind : own
    if (findIn(known, wanted) !== undefined) continue
    const key = kindKey(wanted)
    if (!known.has(key)) known.set(key, new CausesOfKind())
    known.get(key)!.add({ id: '', words: wanted.words, varies: new Set() })
    made.push(wanted)
  }
  return made
}

const findIn = (known: CausesByKind, symptoms: Symptoms) => known.get(kindKey(symptoms))?.find(symptoms.words)
