// Reads an agent's response to a request, line by line. Guarantee: it holds no more than the longest allowed line or
// plain output in memory.

import type { AgentResponse } from '../../agents/rules/invoke-agent.ts'
import type { AgentProtocol } from '../../agents/vocabulary.ts'
import { ProtocolError } from '../../grading/rules/step-row.ts'
import { ndjsonLines } from '../../json/ndjson.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { NDJSON } from '../../protocol/rules/protocol.ts'
import type { Answer } from './agent-answer.ts'

/** Reads the response to its end, or until all items have ended; then it aborts `timeout` if the agent continues. */
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
      // A well-behaved agent ends here, and its connection can be used again; any other agent is cut off.
      if (answer.open === 0) linger ??= setTimeout(() => timeout.abort(), LIMITS.agent_linger_ms)
    }
  } finally {
    clearTimeout(linger)
  }
  // A 202 with lines in it is an open answer like any other.
  if (isLater && isSilent) answer.later()
}

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
  const output = await bodyText(response, LIMITS.agent_line_bytes)
  if (response.status === ACCEPTED && output.trim() === '') return answer.later()
  answer.plain(inFlight, output.trim() || 'null')
}

/** The agent answers later, unless the response has lines, or a body in the plain protocol: then it has answered. */
const ACCEPTED = 202

/** 4xx ends the items; 408, 429, 5xx and statuses below 400 other than 2xx are transport faults. */
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
