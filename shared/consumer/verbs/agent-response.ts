// What an agent's response to a request says of its items, line by line. Guarantee: no more of it is held than a line,
// or a plain output, may have.

import type { AgentResponse } from '../../agents/rules/invoke-agent.ts'
import type { AgentProtocol } from '../../agents/vocabulary.ts'
import { ProtocolError } from '../../grading/rules/step-row.ts'
import { ndjsonLines } from '../../json/ndjson.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { NDJSON } from '../../protocol/rules/protocol.ts'
import type { Answer } from './agent-answer.ts'

/** Reads it to its end, or until all items have ended; `timeout` cuts it off. */
export function readResponse(
  answer: Answer,
  response: AgentResponse,
  protocol: AgentProtocol,
  timeout: AbortController,
): Promise<void> {
  return protocol === 'json' ? readPlain(answer, response) : readLines(answer, response, timeout)
}

async function readLines(answer: Answer, response: AgentResponse, timeout: AbortController): Promise<void> {
  await checkStatus(answer, response)
  if (answer.open === 0) return
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
  try {
    for await (const { lines } of ndjsonLines(response.body, LIMITS.agent_line_bytes)) {
      if (lines.length > 0) isSilent = false
      for (const line of lines) answer.line(line)
      if (answer.cutShort && answer.open === 0) return timeout.abort()
      // A well-behaved agent ends here, and the connection can be used again; another is cut off.
      if (answer.open === 0) linger ??= setTimeout(() => timeout.abort(), LIMITS.agent_linger_ms)
    }
  } finally {
    clearTimeout(linger)
  }
  // With lines in it, a 202 is an open answer like any other.
  if (isLater && isSilent) answer.later()
}

/** Lets an answer that says nothing end, so that its connection can be used again; of a long one the rest is cut off. */
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
  const output = await bodyText(response, LIMITS.agent_line_bytes)
  if (response.status === ACCEPTED && output.trim() === '') return answer.later()
  answer.plain(inFlight, output.trim() || 'null')
}

/** The agent answers later; one whose answer has lines, or of a plain one a body, has answered. */
const ACCEPTED = 202

/** 4xx ends the items, 408, 429 and 5xx are transport faults. */
async function checkStatus(answer: Answer, response: AgentResponse): Promise<void> {
  const { status } = response
  if (status >= 200 && status < 300) return
  const said = await bodyText(response, LIMITS.agent_error_bytes).catch(() => '')
  const message = `The agent answered ${status}${said ? `: ${said.slice(0, 500)}` : ''}.`
  if (status < 400 || status === 408 || status === 429 || status >= 500) throw new Error(message)
  for (const inFlight of answer.unfinished()) answer.fail(inFlight, 'agent_error', message, 'agent_error')
}

async function bodyText(response: AgentResponse, maxBytes: number): Promise<string> {
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
