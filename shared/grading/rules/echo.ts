// Detects whether an answer repeats its prompt. Guarantee: pure; a bounded part of a prompt of any length is read.

import { readPrompt } from '../../providers/rules/conversation.ts'
import { normalized } from './normalized.ts'

/** A shorter answer may be right: a word can be its own translation. */
const LEAST_CHARACTERS = 80
/** An answer that begins with so many characters of a longer message has started to repeat it. */
const PIECE_CHARACTERS = 200
/** White space takes at most half of a text, so twice as many characters hold a piece. */
const READ_CHARACTERS = 2 * PIECE_CHARACTERS
const WHOLE_CHARACTERS = 20_000
const LATEST_MESSAGES = 20
/** An answer that is a smaller share of a message may be a part of it that was asked for. */
const MOST = 0.72

/** Whether the answer is a message of the prompt or most of one, or begins with a message or a long piece of one. */
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

/** Matches the end of a message that is complete: an open sentence is there for the model to complete. */
const CLOSED = /[^\p{L}\p{N}\s,;(-]\s*$/u

function isEcho(answer: string, head: string, text: string): boolean {
  const beginning = normalized(text.slice(0, READ_CHARACTERS)).slice(0, PIECE_CHARACTERS)
  const isPiece = beginning.length === PIECE_CHARACTERS || CLOSED.test(text.slice(-20))
  if (isPiece && beginning.length >= LEAST_CHARACTERS && head.startsWith(beginning)) return true
  // The material stands behind the instruction: the message contains all of the answer, which is most of the message.
  if (
    answer.length > WHOLE_CHARACTERS ||
    text.length > answer.length / MOST ||
    text.length < answer.length / 2
  )
    return false
  const whole = normalized(answer)
  return whole.length >= PIECE_CHARACTERS && normalized(text).includes(whole)
}
