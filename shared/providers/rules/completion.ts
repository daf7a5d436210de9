// Reads the answers of models, in any known shape. Guarantee: an object of no known shape is undefined, so that a
// customer's own output is not taken for an answer; a model call that cannot be read gives the reason in words; no
// input makes it throw.

import { LIMITS } from '../../kernel/limits.ts'
import type { ModelAnswer, StepReport } from '../../protocol/rules/protocol.ts'
import {
  type Completion,
  type CompletionUsage,
  type Counts,
  FINISHES,
  type Fields,
  type Finish,
  fields,
  filled,
  Gathered,
  shown,
} from './answer.ts'
import { tierOf } from './raw-usage.ts'
import { SHAPES } from './shapes.ts'

export type { Completion, CompletionUsage, Finish }

/** A model call's answer that has no known shape, with the reason in words. */
export interface Unread {
  unread: string
}

export const isRead = (reading: Reading | undefined): reading is Completion =>
  reading !== undefined && !('unread' in reading)

/** How deep answers are nested: LlamaIndex keeps the provider's answer, which keeps no other. */
const DEEPEST = 2

export function readCompletion(output: unknown, depth = 0): Completion | undefined {
  const body = fields(output)
  if (body === undefined || depth > DEEPEST) return undefined
  const inner = (value: unknown) => readCompletion(value, depth + 1)
  for (const shape of SHAPES) {
    const read = shape.read(body, inner)
    if (read !== undefined) return read
  }
  return undefined
}

export type Reading = Completion | Unread

/**
 * Reads the answer of a model call: as its agent reports it, as plain text, as a known shape, or as a stream of one.
 * Undefined for a step that called no model, or had no answer.
 */
export function readCall({ kind, error, output, answer }: StepReport): Reading | undefined {
  if (kind !== 'llm_call') return undefined
  // A call that failed after its answer had come was paid for.
  if (error !== undefined && output === undefined && answer === undefined) return undefined
  try {
    return answer === undefined ? readOutput(output) : readReported(answer, output)
  } catch {
    return { unread: 'The output could not be read.' }
  }
}

function readOutput(output: unknown): Reading {
  if (typeof output === 'string') return new Gathered().add(output).completion('text', undefined, 'other')
  const whole = wholeOf(output)
  const read = readCompletion(whole)
  if (read === undefined) return { unread: unreadWords(output, whole) }
  return isCut(output) ? { ...read, is_beginning: true } : read
}

/** The output was longer than a trace keeps, so an outline is stored in its place. */
const isCut = (output: unknown) => fields(output)?.cut === true

/** The answer itself: the outline if it was too long for the trace, the joined pieces if it is a stream. */
export function wholeOf(output: unknown): unknown {
  const outlined = isCut(output) ? (output as Fields).outline : output
  const stream = fields(outlined)?.stream
  // Some clients put the stream into their answer.
  const kept = Array.isArray(stream) ? stream : outlined
  if (!Array.isArray(kept)) return kept
  const pieces = kept.map(piece => fields(piece) ?? {})
  for (const { join } of SHAPES) {
    const whole = join?.(pieces)
    if (whole !== undefined) return whole
  }
  return outlined
}

const KEYS_SHOWN = 8

function unreadWords(output: unknown, whole: unknown): string {
  if (output === undefined || output === null) return 'The call has no output.'
  const where = isCut(output)
    ? `The beginning that was kept of ${shown((output as Fields).bytes)} bytes`
    : 'The output'
  if (whole === undefined) return `${where} says neither text nor tokens.`
  const body = fields(whole)
  if (body === undefined)
    return `${where} is ${Array.isArray(whole) ? 'a list, and no stream that is known' : shown(whole)}.`
  const error = fields(body.error)
  if (error !== undefined && !('output' in body))
    return `${where} is an error: ${typeof error.message === 'string' ? error.message : shown(error.code)}`
  const keys = Object.keys(body).filter(key => key !== '$getters') // what the SDK keeps of a class
  const names = keys.slice(0, KEYS_SHOWN).map(shown).join(', ')
  const more = keys.length > KEYS_SHOWN ? ' …' : ''
  return `${where} is no answer that is known: an object with ${names || 'nothing in it'}${more}.`
}

const REPORTED_COUNTS = [
  'input_tokens',
  'output_tokens',
  'cached_input_tokens',
  'cache_write_tokens',
  'input_audio_tokens',
  'output_audio_tokens',
  'images',
  'searches',
] as const satisfies readonly (keyof CompletionUsage)[]

/** Reads an answer in an agent's own words. Usage and model that it leaves out are taken from the output. */
function readReported(answer: ModelAnswer, output: unknown): Reading {
  const reported = fields(answer)
  if (reported === undefined)
    return { unread: `The answer that the agent reports is ${shown(answer)}, not an object.` }
  if (filled(reported.unread)) return { unread: reported.unread }
  if (!saysAnswer(reported)) return readCounted(reported, output)
  const { text = '', finish = 'stop', refusal, model, usage, tool_calls } = reported
  if (typeof text !== 'string') return { unread: `The text that the agent reports is ${shown(text)}.` }
  if (!FINISHES.includes(finish as Finish))
    return {
      unread: `The finish that the agent reports is ${shown(finish)}, and not one of ${FINISHES.join(', ')}.`,
    }
  const gathered = new Gathered().add(text)
  gathered.has_tool_calls = tool_calls === true || finish === 'tool_calls'
  if (filled(refusal)) gathered.refusal = refusal
  const given = fields(usage)
  const read = gathered.completion('told', model, finish as Finish, given && reportedUsage(given, gathered))
  // The SDK sends no more of the text than this.
  if (text.length >= LIMITS.reported_text_characters) read.is_beginning = true
  if (read.usage !== undefined && read.model !== undefined) return read
  const found = readCompletion(wholeOf(output))
  if (found?.usage !== undefined) read.usage ??= found.usage
  if (found?.model !== undefined) read.model ??= found.model
  return read
}

const SAYINGS = ['text', 'finish', 'refusal', 'tool_calls'] as const satisfies readonly (keyof ModelAnswer)[]

/** Whether an agent reports what its call is graded by, not only tokens or a model: then the output is not graded. */
export function saysAnswer(answer: unknown): boolean {
  const reported = fields(answer)
  if (reported === undefined) return answer !== undefined
  return filled(reported.unread) || SAYINGS.some(name => reported[name] !== undefined)
}

/** Reads an answer for which the agent reports only tokens or a model; the rest comes from the output. */
function readCounted({ model, usage }: Fields, output: unknown): Reading {
  const found = readOutput(output)
  if (!isRead(found)) return found
  const gathered = new Gathered().add(found.text)
  const given = fields(usage)
  const reported = gathered.completion('told', model, 'other', given && reportedUsage(given, gathered))
  const read: Completion = { ...found }
  if (reported.model !== undefined) read.model = reported.model
  // The reported usage replaces a wrong count in the output.
  if (reported.usage !== undefined) {
    read.usage = reported.usage
    delete read.fault
  }
  if (reported.fault !== undefined) read.fault = reported.fault
  return read
}

/** Tokens as an agent reports them. */
export function reportedUsage(given: Fields, gathered: Gathered): Counts {
  gathered.is_counted = true
  const counts = REPORTED_COUNTS.map(name => [name, gathered.count(given, name)])
  return { ...Object.fromEntries(counts), ...tierOf(given.service_tier) }
}
