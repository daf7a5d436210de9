// Runs a generator of an agent in memory, through the protocol. Guarantee: the values are those that a run would get as
// inputs; an error has the message that a start would report.

import { ndjsonLines } from '../json/ndjson.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { GeneratorLine } from '../protocol/rules/protocol.ts'
import type { AgentClass } from '../sdk/agent.ts'
import type { Occurrence } from '../sdk/generator.ts'
import { withAnswers } from './network.ts'
import { served } from './served.ts'

export interface RunGeneratorOptions {
  /** The start to make items for; the default is now, in UTC. */
  occurrence?: Partial<Occurrence>
  /** Answers the generator's fetches; without it, a fetch is an error of the test. */
  fetch?: (request: Request) => Response | Promise<Response>
  /** Maximum number of items to take; the default is all. */
  first?: number
}

/**
 * Returns the inputs that an `@items` method yields, as parsed from JSON.
 *
 * @throws Error with the message of the generator's error
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
  const answer = (request: Request) => {
    if (fetch) return Promise.resolve(fetch(request))
    throw new Error(
      `the generator asked ${request.url}, and nothing reaches the network in a test: give fetch`,
    )
  }
  const read = async () => {
    using agent = await served(target, answer)
    const response = await agent.handle(new Request('http://agent/', { method: 'POST', body }))
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
  await withAnswers(answer, read)
  return items
}
