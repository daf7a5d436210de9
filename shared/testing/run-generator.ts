// Runs a generator of an agent in memory, through the protocol. Guarantee: what comes out is what a run would have for
// its inputs; what is thrown is told as a start would tell it.

import { ndjsonLines } from '../json/ndjson.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { GeneratorLine } from '../protocol/rules/protocol.ts'
import type { AgentClass } from '../sdk/agent.ts'
import type { Occurrence } from '../sdk/generator.ts'
import { serve } from '../sdk/serve.ts'
import { withAnswers } from './network.ts'

export interface RunGeneratorOptions {
  /** The start it makes items for; now, in UTC, unless told. */
  occurrence?: Partial<Occurrence>
  /** Answers what the generator fetches; without it, that is an error of the test. */
  fetch?: (request: Request) => Response | Promise<Response>
  /** Takes no more items than this; all of them unless told. */
  first?: number
}

/**
 * The inputs that a method under `@items` yields, as they come out of JSON.
 *
 * @throws Error with the words of what the generator threw
 * @example
 * const tickets = await runGenerator(TicketTriage, 'tickets', { occurrence: { date: '2026-03-29' } })
 * assert.equal(tickets.length, 3)
 */
export async function runGenerator(
  target: AgentClass,
  generator: string,
  { occurrence = {}, fetch, first = Number.POSITIVE_INFINITY }: RunGeneratorOptions = {},
): Promise<unknown[]> {
  const scheduled_for = occurrence.scheduled_for ?? new Date().toISOString()
  const whole = { scheduled_for, timezone: 'UTC', date: scheduled_for.slice(0, 10), ...occurrence }
  const body = JSON.stringify({ generator, occurrence: whole })
  const items: unknown[] = []
  const read = async () => {
    const request = new Request('http://agent/', { method: 'POST', body })
    // A key in the environment of whoever runs the tests is none of this agent's.
    const response = await serve(target)(request, { ASSAY_AGENT_KEY: '' })
    if (response.status !== 200) throw new Error((await response.json()).error.message)
    for await (const { lines } of ndjsonLines(response.body!, LIMITS.agent_line_bytes)) {
      for (const text of lines) {
        const line = JSON.parse(text) as GeneratorLine
        if (line.type === 'error') throw new Error(line.error.message)
        if (line.type !== 'item') continue
        if (items.length >= first) return
        items.push(line.input)
      }
    }
  }
  await withAnswers(request => {
    if (fetch) return Promise.resolve(fetch(request))
    throw new Error(
      `the generator asked ${request.url}, and nothing reaches the network in a test: give fetch`,
    )
  }, read)
  return items
}
