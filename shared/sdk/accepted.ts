// Decides what becomes of a model's answer that its agent does not take. Guarantee: whatever a check returns or throws, there is
// a reason in words.

import { noAnswer, surelyNoAnswer } from '../upstreams/rules/no-answer.ts'
import type { ModelCallOptions } from './context.ts'
import { isA, messageOf, NoAnswerError } from './errors.ts'
import type { OpenStep } from './item-lines.ts'
import { answeredBy, type SeenAnswers, type Trouble } from './seen-answers.ts'

/** Why an answer is not accepted; undefined if it is. A check that throws does not accept. */
export async function refusalOf(
  accept: NonNullable<ModelCallOptions<unknown>['accept']>,
  answer: unknown,
): Promise<string | undefined> {
  try {
    const accepted: unknown = await accept(answer)
    if (accepted === true) return undefined
    return typeof accepted === 'string' && accepted !== ''
      ? accepted
      : `accept returned ${JSON.stringify(accepted)}`
  } catch (error) {
    return messageOf(error)
  }
}

/** The error of a call whose latest answer was none, which clients meet in words of their own. */
export function withTrouble(error: unknown, trouble: Trouble | undefined): unknown {
  return trouble === undefined || isA(error, NoAnswerError)
    ? error
    : new NoAnswerError(trouble, undefined, error)
}

/** What came before a call threw: each answer of a model costs. */
export function paidFor(error: unknown, answers: SeenAnswers): unknown[] {
  const seen = answers.all()
  if (isA(error, NoAnswerError)) return error.body === undefined ? seen : [...seen, error.body]
  if (seen.length > 0) return seen
  const answered = answeredBy(error)
  return answered === undefined ? [] : [answered]
}

/**
 * Checks that a call was answered, by what its provider sent. What the function returned is its own reading of that, so it
 * is judged only where nothing was seen of its calls.
 *
 * @throws NoAnswerError
 */
export function checkAnswer(value: unknown, { answer }: OpenStep, answers: SeenAnswers): void {
  if (answer !== undefined && saysText(answer)) return
  if (answers.isEmpty) {
    const none = surelyNoAnswer(value)
    if (none !== undefined) throw new NoAnswerError(none, value)
    return
  }
  const sent = answers.none()
  if (sent === undefined) return
  if (noAnswer(value) !== undefined) throw new NoAnswerError(sent.none, value)
  // Anything else in it came from elsewhere: a provider whose calls are not seen, the agent's own default.
  if (isVoid(value)) throw new NoAnswerError(sent.none, sent.body)
}

const READ_DEPTH = 5

/** Nothing, or an object of nothing: what code makes of an answer that lacks all that it reads. */
function isVoid(value: unknown, depth = 0): boolean {
  if (value === undefined || value === null || value === '') return true
  return (
    typeof value === 'object' &&
    depth < READ_DEPTH &&
    Object.values(value).every(one => isVoid(one, depth + 1))
  )
}

/** Whether the agent's own reading of an answer has a text, or calls a tool. */
function saysText(answer: string): boolean {
  const { text, tool_calls } = JSON.parse(answer) as { text?: string; tool_calls?: boolean }
  return (text !== undefined && text !== '') || tool_calls === true
}
