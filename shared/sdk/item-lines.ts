// Writes the lines about an item as text. Guarantee: each line names its item and its attempt; an agent's text that is
// too long to store is cut, and an output that is too long becomes an error that says so.

import type { StepKind } from '../items/vocabulary.ts'
import { LIMITS } from '../kernel/limits.ts'
import { shortened } from '../kernel/text-head.ts'
import type { ModelAnswer, UpstreamReport, ItemError as WireError } from '../protocol/rules/protocol.ts'
import { messageOf } from './errors.ts'
import { outputJson } from './kept.ts'
import { ownMask } from './own-mask.ts'
import { isLongerThan } from './payload.ts'

/** A step that has started. */
export interface OpenStep {
  key: string
  kind: StepKind
  name: string
  started: number
  clock: number
  /** As JSON text. */
  input?: string | undefined
  /** The agent's own reading of a model's answer, as JSON text. */
  answer?: string | undefined
  /** Who was called for a model, and what that bills in micro-dollars if it says so. */
  host?: string | undefined
  billed_micro?: number | undefined
  /** What its call showed of an upstream that the consumer asks about. */
  upstream?: UpstreamReport | undefined
}

/** What a step ended with, as JSON texts. */
export interface Ending {
  output?: string | undefined
  error?: string
}

/** The error of a step, as JSON text. */
export const wireOf = (code: string, message: string): string =>
  JSON.stringify({ code, message: shorten(message) })

export class ItemLines {
  #seq: number
  #attempt: number

  constructor({ seq, attempt }: { seq: number; attempt: number }) {
    this.#seq = seq
    this.#attempt = attempt
  }

  step(step: OpenStep, ending: Ending): string {
    return `${this.#head('step')},"step":${this.#stepText(step, ending)}}`
  }

  /** The line of a step that was replaced by its recording. */
  reused(step: OpenStep): string {
    return `${this.#head('step')},"step":${this.#stepHead(step)},"reused":true}}`
  }

  /** The line of `step`, by which the next attempt knows that a person let the item pass, and the hold. */
  hold(step: OpenStep, reason: string): string {
    const line = `${this.#head('hold')},"reason":${JSON.stringify(reason)}}`
    return `${this.step(step, { output: '{"held":true}' })}\n${line}`
  }

  yield(): string {
    return `${this.#head('yield')}}`
  }

  /** `problem` says where the output does not match its schema. */
  result(value: unknown, degraded: string | undefined, problem: string | undefined): string {
    const output = ownMask().json(outputJson(value, 'the output') ?? 'null')
    if (isLongerThan(output, LIMITS.item_output_bytes)) {
      const message = `the output is longer than ${LIMITS.item_output_bytes} bytes`
      return this.error({ code: 'output_too_large', message })
    }
    let line = this.#head('result')
    if (degraded !== undefined) line += `,"degraded":${JSON.stringify(shorten(degraded))}`
    if (problem !== undefined) line += `,"schema_error":${JSON.stringify(shorten(problem))}`
    return `${line},"output":${output}}`
  }

  error(error: WireError): string {
    const { code, message } = error
    const masked = { ...error, code: ownMask().text(code), message: shorten(message) }
    return `${this.#head('error')},"error":${JSON.stringify(masked)}}`
  }

  /** The error of a call that was refused, with its step, which counts only if the refusal is the item's own. */
  refused(error: WireError, step: OpenStep): string {
    const line = this.error(error)
    const { code, message } = error
    const report = this.#stepText(step, { error: wireOf(code, message) })
    return `${line.slice(0, -2)},"step":${report}}}`
  }

  #head(type: string): string {
    return `{"type":"${type}","seq":${this.#seq},"attempt":${this.#attempt}`
  }

  #stepText(step: OpenStep, { output, error }: Ending): string {
    let report = this.#stepHead(step)
    if (step.input !== undefined) report += `,"input":${step.input}`
    if (output !== undefined) report += `,"output":${output}`
    if (error !== undefined) report += `,"error":${error}`
    if (step.answer !== undefined) report += `,"answer":${step.answer}`
    if (step.host !== undefined) report += `,"host":${JSON.stringify(step.host)}`
    if (step.billed_micro !== undefined) report += `,"cost_usd":${step.billed_micro / 1e6}`
    if (step.upstream !== undefined) report += `,"upstream":${JSON.stringify(step.upstream)}`
    return `${report}}`
  }

  /** A step without its payloads and its closing brace. */
  #stepHead({ key, kind, name, started, clock }: OpenStep): string {
    const duration_ms = Math.round((performance.now() - clock) * 1000) / 1000
    const quoted = JSON.stringify(name)
    const head = `{"key":${key === name ? quoted : JSON.stringify(key)},"kind":"${kind}","name":${quoted}`
    return `${head},"started_at":"${isoOf(started)}","duration_ms":${duration_ms}`
  }
}

// Steps of one millisecond share its formatted text: formatting takes as long as the rest of a short line.
let lastMs = Number.NaN
let lastIso = ''
function isoOf(ms: number): string {
  if (ms !== lastMs) {
    lastIso = new Date(ms).toISOString()
    lastMs = ms
  }
  return lastIso
}

/** The agent's own reading of an answer, as JSON text. If `read` throws, the answer is kept, since it was paid for. */
export function answerText<T>(output: T, read: (output: T) => ModelAnswer): string {
  try {
    const { text, ...rest } = read(output)
    const kept = text === undefined ? rest : { ...rest, text: text.slice(0, LIMITS.reported_text_characters) }
    return JSON.stringify(kept)
  } catch (error) {
    return JSON.stringify({ unread: shorten(`The agent's read failed: ${messageOf(error)}`) })
  }
}

export function shorten(text: string): string {
  const masked = ownMask().text(text) // first: a secret that is cut is not found
  return shortened(masked, LIMITS.error_message_characters)
}
