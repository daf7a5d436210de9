// The format of an agent's answer between the runtime function and the consumer. Guarantee: what the runtime knows
// about the end of an answer (that the agent's process died, and why) arrives as its last line, which no agent can
// imitate; an answer without that line was cut on the way.

import { AgentProcessDied, type AgentTarget, NotSent } from '../../shared/agents/rules/invoke-agent.ts'

/** Sent as one JSON line before the agent's own body. */
export interface HopRequest {
  target: AgentTarget
  /** The bundle's code, if the runtime has requested it. */
  code?: string
  headers: Record<string, string>
  /** How many items the request has. */
  items?: number
}

/** The path at which the runtime loads a bundle once, a POST of a `BundleToLoad`. */
export const LOAD_PATH = '/load'

/** The status by which the runtime says that it loads too many others. */
export const LOADS_BUSY = 429

/** The status by which the runtime requests the same request with its bundle's code. */
export const BUNDLE_WANTED = 428

/** The headers of an answer. */
export const HOP_HEADERS = {
  /** The agent's status; absent when it gave no answer, for which the last line has the error. */
  status: 'assay-agent-status',
  type: 'assay-agent-type',
  /** The word that begins the last line; new for each answer. */
  end: 'assay-agent-end',
} as const

/** How an answer ended; successfully where there is no error. */
export interface HopEnd {
  error?: { message: string; died?: AgentProcessDied['code']; items?: number; not_sent?: true }
}

function endOf(error: unknown): HopEnd {
  const message = error instanceof Error ? error.message : String(error)
  return {
    error: {
      message,
      ...(error instanceof AgentProcessDied && { died: error.code, items: error.items }),
      ...(error instanceof NotSent && { not_sent: true }),
    },
  }
}

function errorOf({ message, died, items, not_sent }: NonNullable<HopEnd['error']>): Error {
  if (not_sent) return new NotSent(message)
  return died === undefined ? new Error(message) : new AgentProcessDied(died, message, items)
}

const NEWLINE = 10

/** Yields the agent's part of the runtime's answer. @throws the error that its last line reports */
export async function* withoutEnd(chunks: AsyncIterable<Uint8Array>, end: string): AsyncGenerator<Buffer> {
  const word = Buffer.from(end)
  let held = Buffer.alloc(0) // bytes that may be the last line
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk])
    const line = bytes.lastIndexOf(NEWLINE) + 1
    const begins = Math.min(bytes.length, line + word.length)
    const mayEnd = bytes.subarray(line, begins).equals(word.subarray(0, begins - line))
    const mine = mayEnd ? line : bytes.length
    if (mine > 0) yield bytes.subarray(0, mine)
    held = bytes.subarray(mine)
  }
  if (held.length <= word.length) throw new Error('the agent runtime ended before its answer did')
  const { error }: HopEnd = JSON.parse(held.subarray(word.length).toString())
  if (error) throw errorOf(error)
}

/** Yields the agent's bytes and then a line with how they ended, as the runtime sends them. */
export async function* withEnd(chunks: AsyncIterable<Uint8Array>, end: string): AsyncGenerator<Uint8Array> {
  let last: number | undefined
  let ended: HopEnd = {}
  try {
    for await (const chunk of chunks) {
      last = chunk.at(-1) ?? last
      yield chunk
    }
  } catch (error) {
    ended = endOf(error)
  }
  const newline = last === undefined || last === NEWLINE ? '' : '\n'
  yield Buffer.from(`${newline}${end}${JSON.stringify(ended)}`)
}
