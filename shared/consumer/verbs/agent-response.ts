// Reads an agent's response to a request, line by line. Guarantee: it holds no more than the longest allowed line or
// plain output in memory.

import type { AgentResponse } from '../../agents/rules/invoke-agent.ts'
import type { AgentProtocol } from '../../agents/vocabulary.ts'
import { ProtocolError } from '../../grading/rules/step-row.ts'
import { looseLines } from '../../json/loose-lines.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { slicesOfParts } from '../../kernel/slices.ts'
import { retryAfterMs } from '../../pacing/rules/moment.ts'
import { NDJSON, REPORT_TYPE, VERSION_HEADER } from '../../protocol/rules/protocol.ts'
import type { Answer } from './agent-answer.ts'

/** Reads the response to its end, or until all items have ended; then it aborts `timeout` if the agent continues. */
export function readResponse(
  answer: Answer,
  response: AgentResponse,
  protocol: AgentProtocol,
  timeout: AbortController,
): Promise<void> {
  answer.ofVersion(response.header?.(VERSION_HEADER) ?? null)
  return protocol === 'json' ? readPlain(answer, response) : readLines(answer, response, timeout)
}

async function readLines(answer: Answer, response: AgentResponse, timeout: AbortController): Promise<void> {
  await checkStatus(answer, response)
  const isLater = response.status === ACCEPTED
  if (!response.contentType.startsWith(NDJSON)) {
    if (isLater) {
      answer.later()
      return passOver(response)
    }
    throw new ProtocolError(
      `the answer's content-type is ${response.contentType || 'missing'}, not ${NDJSON}`,
    )
  }
  let isSilent = true
  let linger: ReturnType<typeof setTimeout> | undefined
  const bounds = { ...LINES, endless: { bytes: LIMITS.unrecorded_bytes, seen: answer.endless } }
  try {
    for await (const { lines, blank_bytes } of looseLines(response.body, bounds)) {
      const began_ms = performance.now()
      if (lines.length > 0) isSilent = false
      for (const line of lines) {
        const rest = answer.rest()
        if (rest) await rest
        answer.line(line)
      }
      if (blank_bytes > 0) answer.unrecorded.add(blank_bytes)
      if (answer.cutShort && answer.open === 0) return timeout.abort()
      // A well-behaved agent ends here, and its connection can be used again; any other agent is cut off.
      const turn = letOthersIn(began_ms)
      if (turn) await turn
      if (answer.open === 0) linger ??= setTimeout(() => timeout.abort(), LIMITS.agent_linger_ms)
    }
  } finally {
    clearTimeout(linger)
  }
  // A 202 with lines in it is an open answer like any other.
  if (isLater && isSilent) answer.later()
}

/** One slice for all answers: many of them together hold the process no longer than one. */
const letOthersIn = slicesOfParts()

const LINES = { line_bytes: LIMITS.agent_line_bytes, skipped_bytes: LIMITS.agent_skipped_line_bytes }

/** Reads a response without lines to its end, so that its connection can be used again; a long one is cut off. */
async function passOver(response: AgentResponse): Promise<void> {
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > LIMITS.agent_error_bytes) return
  }
}

async function readPlain(answer: Answer, response: AgentResponse): Promise<void> {
  await checkStatus(answer, response)
  const [inFlight] = answer.unfinished()
  if (!inFlight) return
  if (response.contentType.startsWith(REPORT_TYPE))
    return answer.report(inFlight, await bodyText(response, LIMITS.answer_bytes))
  const output = await bodyText(response, LIMITS.agent_line_bytes)
  if (response.status === ACCEPTED && output.trim() === '') return answer.later()
  await answer.rest()
  answer.plain(inFlight, output.trim() || 'null')
}

/** The agent answers later, unless the response has lines, or a body in the plain protocol: then it has answered. */
const ACCEPTED = 202

/** The agent answered with a status that says something went wrong. */
export class BadStatus extends Error {
  readonly kind: 'not_now' | 'refused' | 'no_agent' | 'gateway' | 'broken'
  readonly status: number
  /** When the agent says that it takes items again; null if it does not. */
  readonly retry_after_ms: number | null
  constructor(status: number, message: string, retry_after_ms: number | null = null) {
    super(message)
    this.status = status
    this.retry_after_ms = retry_after_ms
    this.kind = KINDS[status] ?? (status < 400 ? 'not_now' : status < 500 ? 'refused' : 'broken')
  }
}

/** Statuses that say something else than others of their hundred. */
const KINDS: Partial<Record<number, BadStatus['kind']>> = {
  // Nothing about the items, which are sent again as they are
  408: 'not_now',
  429: 'not_now',
  503: 'not_now',
  // About the address, whatever is sent there
  401: 'no_agent',
  404: 'no_agent',
  405: 'no_agent',
  410: 'no_agent',
  // About what is behind a gateway
  502: 'gateway',
  504: 'gateway',
}

async function checkStatus(
  answer: Answer,
  { status, header = () => null, body }: AgentResponse,
): Promise<void> {
  if (status >= 200 && status < 300) return
  const words = await bodyText({ body }, LIMITS.agent_error_bytes).catch(() => '')
  throw new BadStatus(
    status,
    `The agent answered ${status}${words ? `: ${answer.hide(words).slice(0, 500)}` : ''}.`,
    retryAfterMs({ header, body: words }, answer.now()),
  )
}

async function bodyText(response: Pick<AgentResponse, 'body'>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new ProtocolError(`the answer is longer than ${maxBytes} bytes`)
    text += decoded(decoder, chunk)
  }
  return text + decoded(decoder)
}

function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined })
  } catch {
    throw new ProtocolError('the answer is not valid UTF-8')
  }
}
