import { ANSWERS_PATH, requestAt } from '../../shared/consumer/verbs/answer-address.ts'
import { takeAnswer } from '../../shared/consumer/verbs/later-answers.ts'
import { readBytes } from '../../shared/http/body.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { VERSION_HEADER } from '../../shared/protocol/rules/protocol.ts'
import { AnswerAddress, AnswerLine, AwaitedItems } from '../../shared/protocol/wire/later-answers.ts'

export const answerItems = endpoint({
  method: 'post',
  path: ANSWERS_PATH,
  tag: 'Runs',
  operation_id: 'answerItems',
  summary: 'Answer items later',
  description: `Where an agent behind a URL sends its lines after it answered 202, or ended its answer with \`later\`. Any POST renews the lease of what is still awaited there; without one for ${LIMITS.lease_ms / 1000} s the items are offered again. A line that is wrong ends the item that it names as \`protocol_error\`; one that names none is passed over and listed in \`passed_over\`; the others count. A step that was reported before in the same attempt, a line about an item that has ended and one of another attempt change nothing, so lines may be sent again. Send one POST at a time, the lines of an item in their order.`,
  auth: 'none',
  query: AnswerAddress,
  lines: { query: AnswerAddress, line: AnswerLine, description: 'Lines of the agent protocol.' },
  answers: { 200: { description: 'The lines were taken.', schema: AwaitedItems } },
  errors: ['unauthenticated', 'claim_ended', 'claim_not_handed_over', 'invalid_line'],
  async handle({ ctx, lines: address, request }) {
    if (address === undefined)
      throw new ApiError(
        'invalid_request',
        'The lines of an answer are sent as content-type: application/x-ndjson.',
      )
    const sent = await requestAt(ctx, address.to)
    const bytes = mostBytes(request)
    const within = { ms: LIMITS.answer_read_ms, tooSlow }
    const { open, passed_over } = await takeAnswer(ctx, sent, {
      bytes,
      version: request.headers.get(VERSION_HEADER),
      read: () => readBytes(request, bytes, 'Send the lines in several POSTs, one after the other.', within),
    })
    return { run_id: sent.run_id, open, ...(passed_over.length > 0 && { passed_over }) }
  },
})

/** The most bytes to read: `content-length` where it is given, and LIMITS.answer_bytes at most. */
function mostBytes(request: Request): number {
  if (request.body === null) return 0
  const bytes = Number(request.headers.get('content-length') ?? Number.NaN)
  return Number.isSafeInteger(bytes) ? Math.min(bytes, LIMITS.answer_bytes) : LIMITS.answer_bytes
}

const tooSlow = () =>
  new ApiError(
    'claim_not_handed_over',
    `The lines did not all come within ${LIMITS.answer_read_ms / 1000} s.`,
    'Send them again, fewer in one POST.',
    1,
  )
