// Whether an answer is what the model was asked with. Guarantee: pure; of a prompt of any length a bounded part is read.

import { readPrompt } from '../../providers/rules/conversation.ts'
import { normalized } from './normalized.ts'

/** Shorter ones may be right: a word is its own translation. */
const LEAST_CHARACTERS = 80
/** Of a longer message, an answer that begins with so much of it has begun to repeat it. */
const PIECE_CHARACTERS = 200
/** Space in a text takes no more than that beside its words. */
const READ_CHARACTERS = 2 * PIECE_CHARACTERS
const WHOLE_CHARACTERS = 20_000
const LATEST_MESSAGES = 20
/** Of less, what was asked for may be a part of it. */
const MOST = 0.72

/** The answer is a message of the prompt, most of one, or begins with one or with a long piece of its beginning. */
export function echoes(answer: string, input: unknown): boolean {
  if (answer.length < LEAST_CHARACTERS) return false
  const head = normalized(answer.slice(0, READ_CHARACTERS)).slice(0, PIECE_CHARACTERS)
  if (head.length < LEAST_CHARACTERS) return false
  for (const { role, parts } of readPrompt(input)?.slice(-LATEST_MESSAGES) ?? []) {
    if (role === 'assistant') continue
    for (const part of parts) if (part.kind === 'text' && isEcho(answer, head, part.text)) return true
  }
  return false
}

/** A sentence that a message leaves open is there to be completed. */
const CLOSED = /[^\p{L}\p{N}\s,;(-]\s*$/u

function isEcho(answer: string, head: string, text: string): boolean {
  const beginning = normalized(text.slice(0, READ_CHARACTERS)).slice(0, PIECE_CHARACTERS)
  const isPiece = beginning.length === PIECE_CHARACTERS || CLOSED.test(text.slice(-20))
  if (isPiece && beginning.length >= LEAST_CHARACTERS && head.startsWith(beginning)) return true
  // What was to be worked on stands behind the instruction: all of the answer is there, and it is most of the message.
  if (
    answer.length > WHOLE_CHARACTERS ||
    text.length > answer.length / MOST ||
    text.length < answer.length / 2
  )
    return false
  const whole = normalized(answer)
  return whole.length >= PIECE_CHARACTERS && normalized(text).includes(whole)
}
