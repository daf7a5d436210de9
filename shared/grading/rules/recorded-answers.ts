// Grades models' answers in a file, one JSON value a line. Guarantee: whatever a line holds, it is graded or reported
// as unread with the reason; what is kept does not grow with the file.

import { OUTCOMES } from '../../items/vocabulary.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { fields, filled } from '../../providers/rules/answer.ts'
import { batchLineOf } from '../../providers/rules/batch-line.ts'
import { OUTCOME_REASONS } from '../vocabulary.ts'
import type { GradeChoices } from './grading.ts'
import { gradeAnswer, type Regrade, RegradeTally, type VerdictWord } from './regrade.ts'

export interface LabelCount {
  label: string
  verdict: VerdictWord
  count: number
}

export interface GradedFile extends Regrade {
  /** Lines that have a label, and those of them whose grade agrees with it. */
  labelled: number
  agreed: number
  labels: LabelCount[]
  /** The first answers that were not read: where, and what was found. */
  unread: { item_id: string; found: string }[]
}

const VERDICTS = new Set<string>([...OUTCOMES, ...OUTCOME_REASONS, 'unread'])
const OTHER = 'other'

export class RecordedAnswers {
  readonly #declared: GradeChoices
  readonly #tally = new RegradeTally()
  /** Names of verdicts in the file that are none of ours. */
  readonly #foreign = new Set<string>()
  readonly #labels = new Map<string, LabelCount>()
  readonly #unread: GradedFile['unread'] = []
  #labelled = 0
  #agreed = 0

  constructor(declared: GradeChoices) {
    this.#declared = declared
  }

  /**
   * Grades a line: a provider's answer as it came, or an object that has it in `answer` and, if known, has an
   * `item_id`, the `input` of the call, the `verdict` it got and the `label` it ought to have. These two are `ok`,
   * `degraded`, or a reason such as `refusal`. Lines of batch services and of promptfoo are read too.
   */
  line(text: string, number: number): void {
    for (const line of linesOf(text)) this.#grade(line, number)
  }

  #grade({ output, input, error, problem, item_id, verdict, label }: Line, number: number): void {
    const graded = error === undefined ? gradeAnswer(output, this.#declared, input) : NO_ANSWER
    const { outcome, word, unread } = graded
    const id = item_id ?? `line ${number}`
    if (unread !== null && this.#unread.length < LIMITS.regrade_examples)
      this.#unread.push({ item_id: id, found: problem ?? unread })
    // A verdict that names no reason agrees with any.
    const was = verdict === outcome && outcome !== 'ok' ? word : this.#known(verdict)
    this.#tally.call({ was, now: word }, { item_id: id, record_id: null, step: null })
    if (label === null) return
    this.#labelled++
    if (label === word || (label === outcome && unread === null)) this.#agreed++
    this.#count(label, word)
  }

  result(): GradedFile {
    const labels = [...this.#labels.values()].sort(
      (a, b) => a.label.localeCompare(b.label) || b.count - a.count,
    )
    return {
      ...this.#tally.result(),
      labelled: this.#labelled,
      agreed: this.#agreed,
      labels,
      unread: this.#unread,
    }
  }

  /** A verdict by its name; foreign names beyond LIMITS.regrade_labels share `other`. */
  #known(verdict: string | null): VerdictWord | null {
    if (verdict === null || VERDICTS.has(verdict) || this.#foreign.has(verdict)) return verdict
    if (this.#foreign.size >= LIMITS.regrade_labels) return OTHER
    this.#foreign.add(verdict)
    return verdict
  }

  #count(label: string, verdict: VerdictWord): void {
    const found = this.#labels.get(`${label}\n${verdict}`)
    if (found !== undefined) found.count++
    else if (this.#labels.size < LIMITS.regrade_labels)
      this.#labels.set(`${label}\n${verdict}`, { label, verdict, count: 1 })
  }
}

/** The provider, or who called it, reported an error instead of an answer. */
const NO_ANSWER = { outcome: 'failed', word: 'provider_error', unread: null } as const

interface Line {
  output: unknown
  error?: string
  input?: unknown
  problem?: string
  item_id: string | null
  verdict: string | null
  label: string | null
}

const UNNAMED = { item_id: null, verdict: null, label: null }

function* linesOf(text: string): Generator<Line> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return yield { ...UNNAMED, output: undefined, problem: 'The line is not JSON.' }
  }
  // All of promptfoo's results in one object, as `promptfoo eval -o results.json` writes them.
  const { results } = fields(fields(value)?.results) ?? {}
  for (const one of Array.isArray(results) ? results : [value]) yield lineOf(one)
}

function lineOf(value: unknown): Line {
  const line = fields(value)
  const word = (name: string) => {
    const said = line?.[name]
    return filled(said) ? said.slice(0, LIMITS.name_characters) : null
  }
  const [item_id, verdict, label] = [word('item_id'), word('verdict'), word('label')]
  if (line !== undefined && 'answer' in line)
    return { output: line.answer, input: line.input, item_id, verdict, label }
  const batch = batchLineOf(value)
  return batch === undefined ? { ...UNNAMED, output: value } : { ...UNNAMED, verdict, label, ...batch }
}
