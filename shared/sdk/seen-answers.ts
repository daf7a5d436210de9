// What the providers answered while a model call ran, and what an error says of that, in case the call throws after its answer
// was paid for; and who answered, and billed what. Guarantee: never throws; holds what clients have read anyway, until its call
// ends.

import { LIMITS } from '../kernel/limits.ts'
import { BILL_HEADERS, billIn, mayBill, microOfDollars } from '../providers/rules/bills.ts'
import { classify } from '../upstreams/rules/classify.ts'
import { type NoAnswer, noAnswer } from '../upstreams/rules/no-answer.ts'
import type { Fault } from '../upstreams/vocabulary.ts'
import { partsOf } from './errors.ts'

/** A provider's answer that was none, though its status was good. */
export interface Trouble {
  words: string
  fault: Fault
}

/** The parts of a body as a client reads them. */
class Parts {
  readonly #parts: string[] = []
  #characters = 0

  add(part: string): void {
    this.#characters += part.length
    if (this.#characters <= LIMITS.seen_answer_characters) this.#parts.push(part)
  }

  get text(): string {
    return this.#parts.join('')
  }
}

/** Where an answer came from. */
export interface Origin {
  /** With a port that is not the scheme's. */
  host: string
  header(name: string): string | null
}

export class SeenAnswers {
  readonly #bodies: unknown[] = []
  readonly #origins = new Map<unknown, Origin>()
  #called: string | undefined
  /** Of the latest answer. */
  trouble: Trouble | undefined

  /** A host is called. */
  calls(host: string): void {
    this.#called = host
  }

  /** A client has read a body. */
  read(body: unknown, origin?: Origin): void {
    if (this.#bodies.length >= LIMITS.seen_answers) return
    this.#bodies.push(body)
    if (origin !== undefined) this.#origins.set(body, origin)
  }

  /** A client reads a body in parts. */
  reads(origin?: Origin): (part: string) => void {
    const parts = new Parts()
    this.read(parts, origin)
    return part => parts.add(part)
  }

  /** Of the latest answer of a model, else of the latest call. */
  get host(): string | undefined {
    const hosts = new Set([...this.#origins.values()].map(({ host }) => host))
    if (hosts.size <= 1) return this.#called
    const last = this.#bodies.findLast(body => isOfModel(bodyOf(body)))
    return this.#origins.get(last)?.host ?? this.#called
  }

  /** What the providers say that they bill for the answers, in micro-dollars; undefined unless each does. */
  billed_micro(): number | undefined {
    if (!this.#bodies.some(body => this.#mayBill(body))) return undefined
    const bills = this.#bodies.flatMap(body => {
      const answer = bodyOf(body)
      return isOfModel(answer) ? [billIn(answer) ?? this.#billInHeader(body)] : []
    })
    const isWhole = bills.length > 0 && bills.every(bill => bill !== undefined)
    return isWhole ? bills.reduce((sum, bill) => sum + bill, 0) : undefined
  }

  /** Most answers have no bill, and need not be parsed to know it. */
  #mayBill(body: unknown): boolean {
    const text = textOf(body)
    return text === undefined || mayBill(text) || this.#billInHeader(body) !== undefined
  }

  #billInHeader(body: unknown): number | undefined {
    const origin = this.#origins.get(body)
    const named = BILL_HEADERS.map(name => origin?.header(name)).find(text => text != null && text !== '')
    return microOfDollars(named)
  }

  /** This text of a good answer may be an error. */
  speaksOfError(body: string): void {
    const header = () => null
    this.trouble ??= classify({ status: 200, header, body, sent: true, took_ms: 0, is_model_call: true }, 0)
  }

  /** The answers of models, in the order they were read. */
  all(): unknown[] {
    return this.#bodies.map(bodyOf).filter(isOfModel)
  }

  /** Nothing was seen of any call. */
  get isEmpty(): boolean {
    return this.#bodies.length === 0 && this.trouble === undefined
  }

  /** What came instead of an answer, if no answer came at all. */
  none(): { none: NoAnswer; body?: unknown } | undefined {
    const bodies = this.#bodies.map(body => bodyOf(body) ?? textOf(body))
    if (bodies.some(isOfModel)) return undefined
    const body = bodies.at(-1)
    const none = noAnswer(body)
    if (none !== undefined) return { none, body }
    return this.trouble && { none: { ...this.trouble, status: null } }
  }
}

function bodyOf(body: unknown): unknown {
  const text = textOf(body)
  if (text !== undefined) return parsed(text)
  // A sound, a picture, a form.
  const isOther = [Blob, FormData].some(type => body instanceof type)
  return isOther ? undefined : body
}

/** The text of what is no JSON yet. */
function textOf(body: unknown): string | undefined {
  if (body instanceof Parts) return body.text
  if (body instanceof ArrayBuffer || body instanceof Uint8Array) return new TextDecoder().decode(body)
  return typeof body === 'string' ? body : undefined
}

/** JSON, or the list of events of a stream; undefined for what is neither. */
function parsed(text: string): unknown {
  const whole = jsonOf(text)
  if (whole !== undefined) return whole
  const events = text.split('\n').flatMap(line => jsonOf(line.replace(/^data:/, '')) ?? [])
  return events.length > 0 ? events : undefined
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that show that a body is a model's, and not that of something else that the function asked. */
const OF_MODELS = [
  'choices',
  'candidates',
  'usage',
  'usageMetadata',
  'stop_reason',
  'stopReason',
  'finish_reason',
  'finishReason',
  'done_reason',
  'prompt_eval_count',
]

function isOfModel(body: unknown): boolean {
  if (Array.isArray(body))
    return body.some(one => isFields(one) && (isOfModel(one) || 'delta' in one || 'response' in one))
  return isFields(body) && OF_MODELS.some(name => name in body) && noAnswer(body) === undefined
}

const CAUSES = 8

/** The answer that an error, or one that it wraps, is about; undefined if it has none. */
export function answeredBy(error: unknown): unknown {
  let one = error
  for (let depth = 0; depth < CAUSES && typeof one === 'object' && one !== null; depth++) {
    const found = answeredIn(one)
    if (found !== undefined) return found
    one = partsOf(one).cause
  }
  return undefined
}

/** Where clients put the answer itself: OpenAI, AI SDK (of a call, as text), axios, LangChain. */
const WHOLE = ['completion', 'response', 'responseBody', 'body', 'answer', 'output', 'message'] as const
const TEXTS = ['text', 'llmOutput', 'completion', 'output'] as const

function answeredIn(error: object): unknown {
  const field = (name: string): unknown => {
    try {
      return (error as Fields)[name]
    } catch {
      return undefined
    }
  }
  try {
    for (const name of WHOLE) {
      const body = bodyOf(field(name))
      const inner = isFields(body) && !isOfModel(body) ? bodyOf(body.data ?? body.body) : body
      if (isOfModel(inner)) return JSON.parse(JSON.stringify(inner))
    }
    return partsIn(field)
  } catch {
    return undefined
  }
}

/** The answer as AI SDK has it, as far as the error has its parts; usage is read from it as from any answer. */
function partsIn(field: (name: string) => unknown): unknown {
  const text = TEXTS.map(field).find(one => typeof one === 'string')
  const usage = field('usage') ?? field('usageMetadata')
  if (text === undefined && !isFields(usage)) return undefined
  const response = field('response')
  const modelId = isFields(response) ? (response.modelId ?? response.model) : field('model')
  const finishReason = field('finishReason') ?? field('finish_reason') ?? field('stop_reason')
  if (!isFields(usage)) return text
  const parts = {
    text: text ?? '',
    finishReason: finishReason ?? 'stop',
    usage: 'inputTokens' in usage ? usage : { ...usage, raw: usage.raw ?? usage },
    response: { modelId },
    providerMetadata: field('providerMetadata'),
  }
  return JSON.parse(JSON.stringify(parts))
}
