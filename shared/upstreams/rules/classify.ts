// Placeholder until the table of words is merged.

import type { Fault } from '../vocabulary.ts'
import { retryAfterMs } from './moment.ts'

export interface SeenAnswer {
  status: number | null
  header(name: string): string | null
  body: string
  sent: boolean
  took_ms: number
  is_model_call: boolean
}

export interface Classified {
  fault: Fault
  words: string
  retry_after_ms: number | null
}

export function classify(answer: SeenAnswer, now_ms: number): Classified | undefined {
  const { status, body, sent } = answer
  const words = body.slice(0, 300) || `answered ${status ?? 'nothing'}`
  const as = (fault: Fault): Classified => ({ fault, words, retry_after_ms: retryAfterMs(answer, now_ms) })
  if (status === null) return as(sent ? 'cut' : 'away')
  if (status < 400) return undefined
  if (/insufficient_quota|credit/.test(body) || status === 402) return as('quota')
  if (status === 429 || status === 529) return as('rate')
  if (status === 401 || status === 403) return as('refused')
  if (status === 504) return as('cut')
  if (status === 502) return as(answer.took_ms < 1000 ? 'away' : 'cut')
  if (status >= 500) return as('overloaded')
  return as('rejected')
}
