// The inputs that are sent and the outputs that must come back. Guarantee: everything about an item follows from its
// name alone, so the agent, the ledger and the checks agree without communicating.

import { hashOf } from './random.ts'

/** What the agents do with an item. */
export type Doing = 'answer' | 'step' | 'fail' | 'degrade' | 'slow' | 'hold' | 'print' | 'garble' | 'crash'

/** From which of 100 shares on an item is handled in each way; the lowest shares are answered at once. */
const DOINGS: readonly [from: number, Doing][] = [
  [99, 'hold'],
  [92, 'slow'],
  [86, 'degrade'],
  [79, 'fail'],
  [66, 'step'],
  [0, 'answer'],
]
/**
 * One item of so many is poisonous in this way, whatever it would do otherwise: it prints among the lines, sends a line
 * that is wrong, or ends its connection, of a bundle its process. An agent's own error, in a bundle, is a wrong line.
 */
const POISON: readonly [of: number, Doing][] = [
  [300, 'crash'],
  [200, 'garble'],
  [100, 'print'],
]
const SLOW_MS = { min: 100, span: 1500 }

export function doingOf(name: string): Doing {
  const poison = POISON.find(([of, doing]) => hashOf(`${name} may ${doing}`) % of === 0)
  if (poison !== undefined) return poison[1]
  const share = hashOf(`${name} does`) % 100
  return DOINGS.find(([from]) => share >= from)![1]
}

export const slowMsOf = (name: string) => SLOW_MS.min + (hashOf(`${name} takes`) % SLOW_MS.span)

export const OUTCOMES: Record<Doing, 'ok' | 'degraded' | 'failed'> = {
  answer: 'ok',
  step: 'ok',
  slow: 'ok',
  hold: 'ok',
  degrade: 'degraded',
  fail: 'failed',
  print: 'ok',
  garble: 'failed',
  crash: 'failed',
}

/** Written as no serializer would write it, so it comes back like this only if it is kept byte for byte. */
export function inputOf(name: string, doing: Doing = doingOf(name)): string {
  const number = hashOf(name)
  return `{ "do":"${doing}" , "name" : "${name}", "n":${number % 1000}.50,"e":1E+2,"t":"\\u00e9\\/ü😀","x":"${'.'.repeat(number % 300)}" }`
}

/** Output of the agent behind a URL; the SDK makes that of the bundle from a value. */
export const outputOf = (input: string) => `{ "given" : ${input},"r":1.0 }`

/** Cost of a model step: the list price of gpt-4o for 1,000 tokens in and 100 out. */
export const STEP_COST_MICRO = 3500
export const MODEL = 'gpt-4o'
export const COMPLETION = {
  object: 'chat.completion',
  model: MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 },
}

/** How the receiver of a run's callback behaves. */
export const MANNERS = ['takes', 'late', 'deaf'] as const
export type Manner = (typeof MANNERS)[number]

/** Name of the items that the schedule starts. */
export const BY_SCHEDULE = 'by schedule'
