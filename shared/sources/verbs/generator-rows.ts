// Reads the rows that a generator of the agent yields, where the agent runs. Guarantee: rows end without an error only
// if the agent said that they ended, and how many there were.

import { signatureOf } from '../../accounts/verbs/agent-keys.ts'
import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { AgentResponse, AgentTarget } from '../../agents/rules/invoke-agent.ts'
import type { Context } from '../../context.ts'
import { fieldsOf as membersOf } from '../../json/json.ts'
import { LineError, ndjsonLines } from '../../json/ndjson.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type GeneratorRequest, NDJSON, PROTOCOL_VERSION } from '../../protocol/rules/protocol.ts'
import type { Row } from '../../submission/rules/file-items.ts'
import { type GeneratorSource, noGenerator, SourceError } from '../rules/source.ts'
import { occurrenceOf } from '../rules/source-url.ts'
import { type OpenSource, type Reading, type Silence, wordsOf } from './reading.ts'

export async function openGenerator(
  ctx: Context,
  reading: Reading<GeneratorSource>,
  silence: Silence,
  signal: AbortSignal,
): Promise<OpenSource> {
  const { generator } = reading.source
  const target = await targetOf(ctx, reading)
  const request: GeneratorRequest = { generator, occurrence: occurrenceOf(reading.occasion) }
  const body = `${JSON.stringify(request)}\n`
  const headers = {
    'content-type': NDJSON,
    accept: NDJSON,
    'assay-protocol': PROTOCOL_VERSION,
    ...(await signatureOf(ctx, target, body)),
  }
  const response = await ctx.invokeAgent(target, { headers, body, signal }).catch((error: Error) => {
    throw signal.aborted ? signal.reason : new SourceError(`The agent cannot be asked: ${error.message}`)
  })
  await checkHead(response)
  const answer = new GeneratorAnswer(generator)
  return { rows: answer.rows(silence.heard(response.body)), count: () => answer.items }
}

/** @throws SourceError when the current version has no such generator */
async function targetOf(ctx: Context, reading: Reading<GeneratorSource>): Promise<AgentTarget> {
  const { agent_id, deployment, source } = reading
  if (!ctx.reachesAgents)
    throw new SourceError(
      'No agent can be reached from here: where functions stand apart, generators are called when their schedule fires, by the consumer.',
    )
  if (deployment === null)
    throw new SourceError('The agent has no deployment: nothing can be asked for items.')
  const { generators = [] } = deployment.declaration
  if (!generators.includes(source.generator)) throw new SourceError(noGenerator(source.generator, generators))
  const { id: deployment_id, env_sealed, ...rest } = deployment
  const env = await openEnv(ctx, env_sealed)
  return { ...rest, agent_id, deployment_id, env, together: null, generates: true }
}

async function checkHead({ status, contentType, body }: AgentResponse): Promise<void> {
  if (status === 200 && contentType.startsWith(NDJSON)) return
  if (status === 200)
    throw new SourceError(`The agent answered with content-type ${contentType || 'missing'}, not ${NDJSON}.`)
  const said = await wordsOf(body)
  throw new SourceError(`The agent answered ${status}${said === '' ? '.' : `: ${said}`}`)
}

class GeneratorAnswer {
  /** The number of items, from the last line of the answer. */
  items: number | undefined
  readonly #name: string
  #read = 0

  constructor(name: string) {
    this.#name = name
  }

  async *rows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
    try {
      for await (const { lines } of ndjsonLines(chunks, LIMITS.agent_line_bytes)) {
        const rows = lines.flatMap(line => this.#row(line))
        if (rows.length > 0) yield rows
      }
    } catch (error) {
      throw error instanceof LineError ? this.#broken(error.message) : error
    }
    if (this.items === undefined) throw this.#broken('its answer ended before it was through')
  }

  /** The row of a line; none for a heartbeat or the last line. */
  #row(text: string): Row[] {
    if (this.items !== undefined) throw this.#broken('it went on after its last line')
    const members = this.#membersOf(text)
    const type = members.get('type')
    if (type === '"heartbeat"') return []
    const input = members.get('input')
    if (type === '"item"' && input !== undefined) return [{ line: ++this.#read, text: input }]
    if (type === '"end"') {
      const items = Number(members.get('items'))
      if (!Number.isSafeInteger(items))
        throw this.#broken('its last line does not say how many items there are')
      this.items = items
      return []
    }
    if (type === '"error"') throw this.#raised(JSON.parse(members.get('error') ?? 'null'))
    throw this.#broken(`a line is none of item, heartbeat, end and error: ${text.slice(0, 120)}`)
  }

  #membersOf(text: string): Map<string, string> {
    try {
      return membersOf(text)
    } catch (error) {
      throw this.#broken(`a line cannot be read (${(error as Error).message}): ${text.slice(0, 120)}`)
    }
  }

  #raised(error: { message?: unknown } | null): SourceError {
    const message = typeof error?.message === 'string' ? error.message : 'it did not say why'
    return new SourceError(`The generator ${this.#name} failed after ${this.#read} items: ${message}`)
  }

  #broken(what: string): SourceError {
    return new SourceError(`The generator ${this.#name}, after ${this.#read} items: ${what}.`)
  }
}
