// Says of an answer whose fault it is that it is not a good one; SDK, egress and consumer all ask here. Guarantee: never
// throws, takes time in proportion to 16 KiB at most, and decides by status, headers and the provider's own fields alone.

import { plainText } from '../../kernel/plain-text.ts'
import { retryAfterMs } from '../../pacing/rules/moment.ts'
import type { Fault } from '../vocabulary.ts'
import { errorInGood, errorOf, type Said, saidIn } from './error-body.ts'
import { MONEY, ROWS, type Row } from './fault-words.ts'

export interface SeenAnswer {
  /** Null if no answer came, or if it ended before its end. */
  status: number | null
  /** A header by its lower-case name. */
  header(name: string): string | null
  /** The body, or its beginning (at most 16 KiB), and of a stream the end rather than the beginning; empty if there is none. */
  body: string
  /** Whether the request may have reached the other side. */
  sent: boolean
  took_ms: number
  /** It was made by ctx.llm; false: anywhere else in an agent, or a request to an agent itself. */
  is_model_call: boolean
}

export interface Classified {
  fault: Fault
  /** What the provider said, in one line without a key. */
  words: string
  /** From `now_ms` on; null if the answer names no moment, or if waiting does not help. */
  retry_after_ms: number | null
}

/** What is answered within it was refused by a gateway that could not pass it on; later, somebody may have worked on it. */
const AT_ONCE_MS = 1000
const WORDS_CHARACTERS = 300

/** Undefined for a good answer. */
export function classify(answer: SeenAnswer, now_ms: number): Classified | undefined {
  const { status, sent, is_model_call } = answer
  if (!sent) return { fault: 'away', words: 'no connection', retry_after_ms: null }
  if (status === null) return { fault: 'cut', words: 'no answer', retry_after_ms: null }
  if (status < 400) {
    // What an agent or a tool answers with 200 is for its caller to read.
    const said = is_model_call ? errorInGood(answer.body, answer.header) : undefined
    return said && classified(answer, said, faultIn200(said, answer), now_ms)
  }
  const said = saidIn(answer.body, answer.header)
  const fault = is_model_call ? faultOfModel(status, said, answer) : faultOfOther(status, answer, now_ms)
  return classified(answer, said, fault, now_ms)
}

/** The same for a body whose status was a good one, with the status that it names itself. */
export function classifyBody(body: unknown): (Classified & { status: number | null }) | undefined {
  const said = errorOf(body)
  if (said === undefined) return undefined
  const answer: SeenAnswer = {
    status: said.status ?? 200,
    header: () => null,
    body: '',
    sent: true,
    took_ms: 0,
    is_model_call: true,
  }
  return { ...classified(answer, said, faultIn200(said, answer), 0), status: said.status }
}

function classified(answer: SeenAnswer, said: Said, fault: Fault, now_ms: number): Classified {
  const waits = ['rate', 'overloaded', 'away', 'quota'].includes(fault) && !isNoLimit(said)
  return { fault, words: wordsOf(answer, said), retry_after_ms: waits ? retryAfterMs(answer, now_ms) : null }
}

/**
 * A gateway's refusal, and what it gave up on. Outside model calls nothing but this is known of a 5xx: a tool's 500 may be
 * about its input.
 */
function faultOfOther(status: number, answer: SeenAnswer, now_ms: number): Fault {
  if (status === 429 || status === 425 || status === 529) return 'rate'
  const isGateway = isOfGateway(status)
  if ((isGateway || status === 503) && answer.took_ms <= AT_ONCE_MS) return 'away'
  if (isGateway || status === 504) return 'cut'
  // "Not now", by which an agent that speaks plain JSON passes on what its own provider said.
  if (status === 503 && retryAfterMs(answer, now_ms) !== null) return 'overloaded'
  // 408: the other side did not get the whole request.
  return status < 500 && status !== 408 ? 'rejected' : 'provider_error'
}

/** 502 and Cloudflare's own. 529 is no gateway's but Anthropic's. */
const isOfGateway = (status: number) => status === 502 || (status >= 520 && status <= 527) || status === 530
/** Cloudflare's for a host that it never reached: refused, unreachable, TLS, DNS. What was sent nowhere cannot be paid. */
const NEVER_REACHED = [521, 523, 525, 526, 530]

function faultOfModel(status: number, said: Said, answer: SeenAnswer): Fault {
  // Its own words may be those of a rate (Groq), but waiting never makes it pass.
  if (status === 413) return 'rejected'
  if (status === 429 && exceedsAlone(said.message)) return 'rejected'
  return rowFor(status, said)?.fault ?? faultByStatus(status, answer.took_ms)
}

/** What was answered with 200 was worked on: "server error" does not say that it cost nothing, so it is retried as declared. */
function faultIn200(said: Said, answer: SeenAnswer): Fault {
  const { status } = said
  if (status === null || status === 500) return rowFor(200, said)?.fault ?? 'provider_error'
  return faultOfModel(status, said, answer)
}

function faultByStatus(status: number, took_ms: number): Fault {
  const isAtOnce = took_ms <= AT_ONCE_MS
  if (isOfGateway(status)) {
    if (isAtOnce) return 'away'
    return NEVER_REACHED.includes(status) ? 'overloaded' : 'cut'
  }
  switch (status) {
    case 401:
    case 403: // Also a firewall's page: only several items show whether it is about one of them.
      return 'refused'
    case 402:
      return 'quota'
    case 425:
    case 429:
    case 529:
      return 'rate'
    case 499: // nginx, Google: the caller or somebody between has given up.
    case 504:
      return 'cut'
    case 503:
      return isAtOnce ? 'away' : 'overloaded'
    case 408:
    case 498: // Groq
      return 'overloaded'
    default:
      return status < 500 ? 'rejected' : 'overloaded'
  }
}

function rowFor(status: number, said: Said): Row | undefined {
  return ROWS.find(({ codes, words, at }) => {
    if (codes !== undefined && (at === undefined || at.includes(status)) && hasCode(said, codes)) return true
    return words !== undefined && (at ?? MONEY).includes(status) && words.test(said.message)
  })
}

const hasCode = (said: Said, codes: readonly string[]) =>
  codes.some(code =>
    code.endsWith('*')
      ? said.codes.some(one => one.startsWith(code.slice(0, -1)))
      : said.codes.includes(code),
  )

/** "Limit 30000, Used 0, Requested 45000": OpenAI and Groq. */
function exceedsAlone(message: string): boolean {
  const number = (text: string | undefined) => Number(text?.replaceAll(',', ''))
  const limit = /\blimit:? (\d[\d,]{0,15})/i.exec(message)?.[1]
  const requested = /\brequested:? (\d[\d,]{0,15})/i.exec(message)?.[1]
  return number(requested) > number(limit)
}

/**
 * Gemini for a model that a tier does not have. Not out of credit, which would stop the key for all its models: cooling is
 * by model. The delay that it names does not help, so the next try is by our own count.
 */
const isNoLimit = ({ message }: Said) => /\blimit: 0(?![\d.])/.test(message)

/** What looks like a key: LiteLLM, DeepSeek and others repeat what they were sent. */
const KEY =
  /\b(?:sk|gsk|xai|pplx|r8|hf|fw|tgp|key|AIza|AKIA|ASIA|eyJ)[-_A-Za-z0-9]{12,}|\bBearer [^\s"']{1,200}/g

export const withoutKeys = (text: string): string => text.replace(KEY, '[key]')

function wordsOf({ status }: SeenAnswer, { message, codes }: Said): string {
  const code = codes.find(one => !/^\d+$/.test(one) && one !== 'error') ?? codes[0]
  const line = withoutKeys(message).replace(/\s+/g, ' ').trim()
  if (line === '') return code === undefined ? `answered ${status}` : plainText(code, WORDS_CHARACTERS)
  const ending = code === undefined || line.includes(code) ? '' : ` (${plainText(code, 80)})`
  return `${plainText(line, WORDS_CHARACTERS - ending.length)}${ending}`
}
