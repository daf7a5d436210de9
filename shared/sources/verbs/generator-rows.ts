// Reads the rows that a generator of the agent yields, where the agent runs. Guarantee: rows end without an error only
// after a last line with their number; a line that begins as an item is never passed over; and what yields no item, such
// as prints and blank lines, is bounded.

import { signatureOf } from '../../accounts/verbs/agent-keys.ts'
import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { AgentResponse, AgentTarget } from '../../agents/rules/invoke-agent.ts'
import type { Context } from '../../context.ts'
import { fieldsOf as membersOf } from '../../json/json.ts'
import { looseLines, type UnreadableLine } from '../../json/loose-lines.ts'
import { LineError } from '../../json/ndjson.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import { slices } from '../../kernel/slices.ts'
import { Allowance, Beats } from '../../protocol/rules/allowance.ts'
import { type GeneratorRequest, NDJSON, PROTOCOL_VERSION } from '../../protocol/rules/protocol.ts'
import type { Row } from '../../submission/rules/rows.ts'
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
  const answer = new GeneratorAnswer(generator, ctx.now)
  return { rows: answer.rows(silence.heard(response.body)), count: () => answer.items }
}

/** @throws SourceError when the current version has no such generator */
async function targetOf(ctx: Context, reading: Reading<GeneratorSource>): Promise<AgentTarget> {
  const { project_id, agent_id, deployment, source } = reading
  if (!ctx.reachesAgents)
    throw new SourceError(
      'No agent can be reached from here: where functions stand apart, generators are called when their schedule fires, by the consumer.',
    )
  if (deployment === null)
    throw new SourceError('The agent has no deployment: nothing can be asked for items.')
  const { generators = [] } = deployment.declaration
  if (!generators.includes(source.generator)) throw new SourceError(noGenerator(source.generator, generators))
  const { id: deployment_id, env_sealed: _, ...rest } = deployment
  const env = await openEnv(ctx, project_id, deployment)
  return { ...rest, agent_id, deployment_id, env, together: null, generates: true }
}

async function checkHead({ status, contentType, body }: AgentResponse): Promise<void> {
  if (status === 200 && contentType.startsWith(NDJSON)) return
  if (status === 200)
    throw new SourceError(`The agent answered with content-type ${contentType || 'missing'}, not ${NDJSON}.`)
  const said = await wordsOf(body)
  throw new SourceError(`The agent answered ${status}${said === '' ? '.' : `: ${said}`}`)
}

/** One slice for all that is read: many generators together hold the process no longer than one. */
const letOthersIn = slices()

const LINES = { line_bytes: LIMITS.agent_line_bytes, skipped_bytes: LIMITS.agent_skipped_line_bytes }
const TYPES = new Set(['"item"', '"heartbeat"', '"end"', '"error"'])
/** How an item begins, also as Python prints a dict. */
const ITEM_HEAD = /^\s*\{\s*["']type["']\s*:\s*["']item["']/

class GeneratorAnswer {
  /** The number of items, from the last line of the answer. */
  items: number | undefined
  readonly #name: string
  readonly #now: () => number
  readonly #beats = new Beats()
  /** What came since the last item; an item shows that the generator is not endless. */
  #unrecorded: Allowance | undefined
  /** The first line that was passed over. */
  #passedOver: string | undefined
  #read = 0

  constructor(name: string, now: () => number) {
    this.#name = name
    this.#now = now
  }

  async *rows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Row[]> {
    try {
      for await (const { lines, blank_bytes } of looseLines(chunks, LINES)) {
        await letOthersIn()
        const rows = lines.flatMap(line => this.#row(line))
        if (blank_bytes > 0) this.#charge(blank_bytes)
        if (rows.length > 0) yield rows
      }
    } catch (error) {
      throw error instanceof LineError ? this.#broken(error.message) : error
    }
    if (this.items !== undefined) return
    const after = this.#passedOver === undefined ? '' : `, after a line of no known type: ${this.#passedOver}`
    throw this.#broken(`its answer ended before it was through${after}`)
  }

  /** The row of a line; none for any line but an item. */
  #row(line: string | UnreadableLine): Row[] {
    const members = this.#membersOf(line)
    const type = members?.get('type')
    if (members === undefined || type === undefined || !TYPES.has(type)) {
      this.#passedOver ??= headOf(line)
      this.#charge(bytesOf(line))
      return []
    }
    if (this.items !== undefined) throw this.#broken('it went on after its last line')
    if (type === '"item"') return [this.#item(members)]
    if (type === '"error"') throw this.#raised(JSON.parse(members.get('error') ?? 'null'))
    if (type === '"end"') this.items = this.#count(members)
    else this.#charge(this.#beats.unrecordedOf(bytesOf(line), this.#now()))
    return []
  }

  #item(members: Map<string, string>): Row {
    const input = members.get('input')
    if (input === undefined) throw this.#broken(`item ${this.#read + 1} has no input`)
    this.#unrecorded = undefined
    return { line: ++this.#read, text: input }
  }

  #count(members: Map<string, string>): number {
    const items = Number(members.get('items'))
    if (!Number.isSafeInteger(items))
      throw this.#broken('its last line does not say how many items there are')
    if (items !== this.#read && this.#passedOver !== undefined)
      throw this.#broken(
        `its last line says that there are ${items}, and this line was passed over: ${this.#passedOver}`,
      )
    return items
  }

  /** Undefined for a line that cannot be read, unless it begins as an item: that must not be lost. */
  #membersOf(line: string | UnreadableLine): Map<string, string> | undefined {
    let problem: string
    try {
      if (typeof line === 'string') return membersOf(line)
      problem = line.problem
    } catch (error) {
      problem = (error as Error).message
    }
    const head = headOf(line)
    if (ITEM_HEAD.test(head))
      throw this.#broken(`item ${this.#read + 1} cannot be read (${problem}): ${head}`)
    return undefined
  }

  #charge(bytes: number): void {
    this.#unrecorded ??= new Allowance(this.#now())
    if (!this.#unrecorded.isSpentBy(bytes, this.#now())) return
    const suchAs = this.#passedOver === undefined ? '' : `, such as: ${this.#passedOver}`
    throw this.#broken(`it sent more than ${LIMITS.unrecorded_bytes} bytes without an item${suchAs}`)
  }

  #raised(error: { message?: unknown } | null): SourceError {
    const message = typeof error?.message === 'string' ? error.message : 'it did not say why'
    return new SourceError(`The generator ${this.#name} failed after ${this.#read} items: ${message}`)
  }

  #broken(what: string): SourceError {
    return new SourceError(`The generator ${this.#name}, after ${this.#read} items: ${what}.`)
  }
}

const headOf = (line: string | UnreadableLine): string =>
  plainText(typeof line === 'string' ? line : line.head, LIMITS.source_words_characters)

const bytesOf = (line: string | UnreadableLine): number =>
  (typeof line === 'string' ? line.length : line.bytes) + 1
