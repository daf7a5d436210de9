// The common form of a model's answer, whichever provider gave it, and helpers that the readers of providers share.
// Guarantee: every count, and every sum of counts, is a whole number from zero to LIMITS.step_tokens, whatever the
// answer holds; an invalid one is named in `fault`.

import { isCutJson } from '../../json/cut-json.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { shortened } from '../../kernel/text-head.ts'
import { type CompletionUsage, type Content, type Counts, settled } from './counts.ts'
import type { Finish } from './finish-words.ts'

export type { CompletionUsage, Counts } from './counts.ts'
export { FINISHES, type Finish, finishOf } from './finish-words.ts'

export interface Completion {
  provider: string
  model?: string
  /** Who served the model, by the name in the list of prices, or `OWN_HOST`; if the answer shows it. */
  host?: string
  text: string
  has_tool_calls: boolean
  /** The arguments of a tool call are JSON that begins and does not end. */
  has_cut_call?: true
  /** The answer has data that is no text: an image, audio, a generated object. */
  has_data: boolean
  finish: Finish
  /** The model's words, if the provider marks the answer as a refusal. */
  refusal?: string
  usage?: CompletionUsage
  /** The answer has nothing to grade: embeddings, rankings, transcripts, images. */
  ungraded?: true
  /** Only the beginning of its text, or the beginnings of its parts, were kept. */
  is_beginning?: true
  /** An invalid count or model name in it, in words. */
  fault?: string
}

export type Fields = Record<string, unknown>

/** Reads an answer within an answer; undefined if it is none, or is nested too deeply. */
export type Inner = (value: unknown) => Completion | undefined

/** Reads the answers of one kind of call. The table in `shapes.ts` tries one shape after another. */
export interface Shape {
  /** Undefined if the object is something else, so that a customer's own output is not taken for an answer. */
  read(body: Fields, inner: Inner): Completion | undefined
  /** The answer as messages in the provider's own words, for people to read. */
  messages?(body: Fields): readonly Fields[] | undefined
  /** Joins a stream that was recorded piece by piece into the answer it came to. */
  join?(pieces: readonly Fields[]): Fields | undefined
}

const LONGEST_S = 30 * 86_400 // nobody transcribes a month in a call

/** Collects what a reader finds while it walks through an answer. */
export class Gathered {
  text = ''
  has_tool_calls = false
  has_cut_call = false
  has_data = false
  refusal: string | undefined
  fault: string | undefined
  host: string | undefined
  /** Its counts are those of an agent, which leaves out zeros. */
  is_counted = false

  /** Adds the text, refusals, calls and data of a string or a list of typed parts. */
  add(content: unknown): this {
    if (typeof content === 'string') this.text += content
    else for (const entry of list(content)) this.#part(entry)
    return this
  }

  #part(entry: unknown): void {
    if (typeof entry === 'string') this.text += entry
    const part = fields(entry)
    switch (part?.type) {
      case 'text':
      case 'output_text':
        if (typeof part.text === 'string') this.text += part.text
        return
      case 'refusal':
        if (filled(part.refusal)) this.refusal = part.refusal
        return
      case 'tool_use':
      case 'tool-call':
      case 'tool_call':
      case 'function_call':
        this.call(part)
        return
      case 'image':
      case 'file':
      case 'audio':
        this.has_data = true
    }
  }

  /** Adds the tool calls of a list, as OpenAI, LangChain and others have them beside the text. */
  calls(calls: unknown): this {
    for (const call of list(calls)) this.call(call)
    return this
  }

  /** Adds a tool call. Its arguments are a value, or the JSON of one. */
  call(call: unknown): void {
    this.has_tool_calls = true
    const one = fields(call)
    const inner = fields(one?.function) ?? one
    const given = inner?.arguments ?? inner?.args ?? inner?.input
    if (typeof given === 'string' && isCutJson(given)) this.has_cut_call = true
  }

  /** The first of these fields that is there, as a count; 0 if there is none, or if it is invalid. */
  count(of: Fields | undefined, ...names: string[]): number {
    return this.known(of, ...names) ?? 0
  }

  /** The same, undefined if none of the fields is there. */
  known(of: Fields | undefined, ...names: string[]): number | undefined {
    const name = of && names.find(name => of[name] !== undefined && of[name] !== null)
    if (name === undefined) return undefined
    const value = of![name]
    const most = LIMITS.step_tokens
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most) return value
    this.fault ??= `${name} is ${shown(value)}, which is no count of tokens`
    return 0
  }

  /** The length of audio in seconds; 0 if it is invalid. */
  seconds(value: unknown): number {
    if (typeof value === 'number' && value >= 0 && value <= LONGEST_S) return value
    this.fault ??= `the length of the sound is ${shown(value)}, which is no number of seconds`
    return 0
  }

  /**
   * Settles counts by what the answer has. Leaves out optional fields that are zero, except a bill. A sum is bounded as
   * each of its counts is.
   */
  usage(counts: Counts | undefined, content: Content = this.content): CompletionUsage | undefined {
    const usage = counts && settled(counts, content)
    if (usage === undefined) return undefined
    const { input_tokens, output_tokens, cached_input_tokens, billed_micro, ...more } = usage
    const kept: CompletionUsage = { input_tokens, output_tokens, cached_input_tokens }
    for (const [name, value] of Object.entries(more)) if (value) Object.assign(kept, { [name]: value })
    for (const [name, value] of Object.entries(kept)) {
      if (typeof value !== 'number' || value <= LIMITS.step_tokens) continue
      this.fault ??= `${name} add up to ${shown(value)}, which is more than a call can have`
      Object.assign(kept, { [name]: 0 })
    }
    if (billed_micro !== undefined) kept.billed_micro = billed_micro
    return kept
  }

  get content(): Content {
    if (this.text.trim() !== '' || this.has_tool_calls || this.refusal !== undefined)
      return this.is_counted ? 'counted' : 'text'
    return this.has_data ? 'data' : 'nothing'
  }

  completion(provider: string, model: unknown, finish: Finish, counts?: Counts): Completion {
    const read: Completion = {
      provider,
      text: this.text,
      has_tool_calls: this.has_tool_calls,
      has_data: this.has_data,
      finish: this.refusal === undefined ? finish : 'refusal',
    }
    if (this.has_cut_call) read.has_cut_call = true
    if (filled(model)) read.model = model
    else if (model !== undefined && model !== null && model !== '')
      this.fault ??= `model is ${shown(model)}, which is no name`
    if (this.refusal !== undefined) read.refusal = this.refusal
    const usage = this.usage(counts)
    if (usage !== undefined) read.usage = usage
    if (this.fault !== undefined) read.fault = this.fault
    if (this.host !== undefined) read.host = this.host
    return read
  }
}

/** An answer that costs money and has nothing to grade. */
export function ungraded(
  provider: string,
  model: unknown,
  counts: Counts | undefined,
  into = new Gathered(),
): Completion {
  into.has_data = true
  return { ...into.completion(provider, model, 'stop', counts), ungraded: true }
}

export function fields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A string that is not empty. */
export const filled = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** The string, or '' for anything else: making a string of another value may throw. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A list that is not empty. */
export const some = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0

const SHOWN_CHARACTERS = 40

/** The value in words, short enough for a sentence. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return shortened(text, SHOWN_CHARACTERS)
}
