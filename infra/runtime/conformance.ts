// Checks an NDJSON agent endpoint against the agent protocol: `node infra/runtime/conformance.ts URL [--input JSON]`.
// Guarantee: only violations of rules for every conforming agent fail; a check that this agent cannot show is skipped.

import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { STEP_KINDS } from '../../shared/items/vocabulary.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { signingKey, standardHeaders } from '../../shared/kernel/message-signature.ts'
import {
  type AgentLine,
  type ItemLine,
  NDJSON,
  PROTOCOL_VERSION,
  type StepReport,
} from '../../shared/protocol/rules/protocol.ts'
import { generatorFaults } from './conformance-generators.ts'

export interface Check {
  name: string
  verdict: 'ok' | 'fail' | 'skip'
  why?: string
}

const FINAL: readonly string[] = ['result', 'error', 'hold', 'yield']
const ITEM_TIMEOUT_MS = 60_000
const SLOW_MS = 2000 // only a response that took this long shows whether lines come as things happen
const PIECE_BYTES = 7 // small enough to split keys, numbers and multi-byte characters
const WAIT_MS = ITEM_TIMEOUT_MS * 2

/** An agent's answer to some items. */
interface Answer {
  status: number
  contentType: string
  lines: AgentLine[]
  /** Faults in the lines, independent of the check. */
  faults: string[]
  first_ms: number
  total_ms: number
}

/** Runs the checks one after another; in each the agent runs `input` at most `items` times. */
export async function* conformance(url: string, input: unknown, items: number): AsyncGenerator<Check> {
  const [seq, attempt] = [7, 3]
  const one = await offer(url, [item(seq, attempt, input)])
  if ('error' in one) {
    yield { name: 'answers a request', verdict: 'fail', why: one.error }
    return
  }
  yield check('answers 200', one.status === 200 ? [] : [`the status is ${one.status}`])
  if (one.status !== 200) return
  const typed = one.contentType.split(';')[0]!.trim() === NDJSON
  yield check('names its content type', typed ? [] : [`it is "${one.contentType}", not ${NDJSON}`])
  yield check('answers an item with one final line that names its seq and attempt', one.faults)
  yield recordedCheck(await reoffer(url, one.lines, item(seq, attempt + 1, input)))

  const unknown = { ...item(1, 1, input), later: { version: 2 }, input }
  yield faultsOf('ignores fields it does not know', await offer(url, [unknown]))
  yield faultsOf(
    'accepts a body that arrives in small pieces',
    await offer(url, [item(2, 1, input), item(3, 2, input)], true),
  )
  const stop = { ...item(4, 1, input), yield_ms: 0, input }
  yield faultsOf('ends an item that is asked to stop at once', await offer(url, [stop]))

  const batch = await offer(
    url,
    Array.from({ length: items }, (_, n) => item(n, 1 + (n % 5), input)),
  )
  yield faultsOf(`answers each of ${items} items in one request exactly once`, batch)
  yield progressCheck('error' in batch ? undefined : batch)
  yield await generatorCheck(url)
}

async function generatorCheck(url: string): Promise<Check> {
  const name = 'makes items where it declares generators'
  const faults = await generatorFaults(url, signatureOf).catch((error: Error) => [error.message])
  return faults ? check(name, faults) : { name, verdict: 'skip', why: 'the agent declares no generator' }
}

function item(seq: number, attempt: number, input: unknown): ItemLine {
  return {
    seq,
    attempt,
    item_id: `conformance-é-${seq}`,
    partition_key: seq % 2 === 0 ? null : 'tenant-1',
    timeout_ms: ITEM_TIMEOUT_MS,
    yield_ms: ITEM_TIMEOUT_MS,
    budget_micro: null,
    recorded: [],
    input,
  }
}

/** Signs the request with the agent's key in ASSAY_AGENT_KEY, for agents that answer signed requests only. */
async function signatureOf(body: string): Promise<Record<string, string>> {
  const key = process.env.ASSAY_AGENT_KEY
  if (key === undefined) return {}
  const secret = new Uint8Array(Buffer.from(key.replace('whsec_', ''), 'base64'))
  const at_s = Math.floor(Date.now() / 1000)
  return standardHeaders([await signingKey(secret)], { id: crypto.randomUUID(), at_s, body })
}

async function offer(url: string, items: ItemLine[], inPieces = false): Promise<Answer | { error: string }> {
  const text = items.map(line => `${JSON.stringify(line)}\n`).join('')
  const started = performance.now()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': NDJSON,
        accept: NDJSON,
        'assay-protocol': PROTOCOL_VERSION,
        'assay-run': '00000000-0000-4000-8000-000000000000',
        ...(await signatureOf(text)),
      },
      body: inPieces ? pieces(text) : text,
      duplex: 'half',
      redirect: 'manual',
      signal: AbortSignal.timeout(WAIT_MS),
    } as RequestInit)
    let first_ms = 0
    let body = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      first_ms ||= performance.now() - started
      body += decoder.decode(chunk, { stream: true })
    }
    const total_ms = performance.now() - started
    const head = { status: response.status, contentType: response.headers.get('content-type') ?? '' }
    return { ...head, ...readLines(body, items), first_ms, total_ms }
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    return { error: `the request failed: ${error instanceof Error ? error.message : error}${cause}` }
  }
}

function pieces(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(at, at + PIECE_BYTES))
      at += PIECE_BYTES
    },
  })
}

/** Parses the lines and lists their faults. */
function readLines(body: string, items: ItemLine[]): { lines: AgentLine[]; faults: string[] } {
  const lines: AgentLine[] = []
  const faults: string[] = []
  if (body && !body.endsWith('\n')) faults.push('the last line does not end with a newline')
  for (const text of body.split('\n')) {
    if (text.trim() === '') continue
    if (Buffer.byteLength(text) > LIMITS.agent_line_bytes) faults.push('a line is longer than 2 MiB')
    try {
      lines.push(JSON.parse(text))
    } catch {
      faults.push(`a line is not JSON: ${text.slice(0, 80)}`)
    }
  }
  const attempts = new Map(items.map(line => [line.seq, line.attempt]))
  const finals = new Map<number, number>()
  for (const line of lines) {
    const fault = lineFault(line, attempts)
    if (fault) faults.push(`${fault}: ${JSON.stringify(line).slice(0, 120)}`)
    else if ('seq' in line && FINAL.includes(line.type)) finals.set(line.seq, (finals.get(line.seq) ?? 0) + 1)
  }
  for (const { seq } of items) {
    const count = finals.get(seq) ?? 0
    if (count !== 1) faults.push(`the item with seq ${seq} got ${count} final lines`)
  }
  return { lines, faults: [...faults, ...repeatedKeys(lines)] }
}

function lineFault(line: AgentLine, attempts: Map<number, number>): string | undefined {
  if (typeof line !== 'object' || line === null) return 'a line is not an object'
  if (line.type === 'heartbeat') return
  if (line.type === 'later') return 'the answer is to come later, and no address was handed out'
  if (line.type !== 'step' && !FINAL.includes(line.type)) return 'a line has no known type'
  if (!attempts.has(line.seq)) return 'a line names a seq that was not offered'
  if (attempts.get(line.seq) !== line.attempt) return 'a line does not repeat the attempt of its item'
  if (line.type === 'step') return stepFault(line.step)
  if (line.type === 'result' && !('output' in line)) return 'a result has no output'
  if (line.type === 'hold' && typeof line.reason !== 'string') return 'a hold has no reason'
  if (line.type !== 'error') return
  return isError(line.error) ? undefined : 'an error has no code and message'
}

function stepFault(step: StepReport): string | undefined {
  if (typeof step !== 'object' || step === null) return 'a step line has no step'
  if (typeof step.key !== 'string' || step.key === '' || [...step.key].length > 256)
    return 'a step has no usable key'
  if (!STEP_KINDS.includes(step.kind)) return `a step's kind is none of ${STEP_KINDS.join(', ')}`
  if (typeof step.name !== 'string') return 'a step has no name'
  if (typeof step.started_at !== 'string' || Number.isNaN(Date.parse(step.started_at)))
    return 'a step has no started_at'
  if (typeof step.duration_ms !== 'number' || step.duration_ms < 0) return 'a step has no duration_ms'
  if (step.error !== undefined && !isError(step.error)) return "a step's error has no code and message"
  return
}

function isError(error: unknown): boolean {
  const { code, message } = (error ?? {}) as Record<string, unknown>
  return typeof code === 'string' && typeof message === 'string'
}

function repeatedKeys(lines: AgentLine[]): string[] {
  const seen = new Set<string>()
  const faults: string[] = []
  for (const line of lines) {
    if (line?.type !== 'step') continue
    const name = `${line.seq} ${line.step?.key}`
    if (seen.has(name))
      faults.push(`the step key "${line.step.key}" is used twice for the item with seq ${line.seq}`)
    seen.add(name)
  }
  return faults
}

/** Sends an item again with the steps that succeeded, and returns which of them ran again. */
async function reoffer(url: string, before: AgentLine[], line: ItemLine): Promise<string[] | undefined> {
  const steps = before.flatMap(l => (l.type === 'step' && !l.step.error ? [l.step] : []))
  if (steps.length === 0) return
  const recorded = steps.map(step => ({ key: step.key, output: step.output ?? null }))
  const answer = await offer(url, [{ ...line, recorded, input: line.input }])
  if ('error' in answer) return [answer.error]
  const again = answer.lines.flatMap(l => (l.type === 'step' ? [l.step.key] : []))
  const repeated = recorded.filter(({ key }) => again.includes(key))
  return [...answer.faults, ...repeated.map(({ key }) => `the recorded step "${key}" ran again`)]
}

function recordedCheck(faults: string[] | undefined): Check {
  const name = 'does not run recorded steps again'
  return faults
    ? check(name, faults)
    : { name, verdict: 'skip', why: 'the agent reported no successful step' }
}

function progressCheck(answer: Answer | undefined): Check {
  const name = 'sends lines as things happen'
  if (!answer || answer.total_ms < SLOW_MS) {
    return { name, verdict: 'skip', why: `the response took less than ${SLOW_MS} ms` }
  }
  const held = answer.first_ms > answer.total_ms * 0.95
  return check(name, held ? [`nothing came for ${Math.round(answer.first_ms)} ms, then everything`] : [])
}

function faultsOf(name: string, answer: Answer | { error: string }): Check {
  if ('error' in answer) return check(name, [answer.error])
  return check(name, answer.status === 200 ? answer.faults : [`the status is ${answer.status}`])
}

function check(name: string, faults: string[]): Check {
  if (faults.length === 0) return { name, verdict: 'ok' }
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
  return { name, verdict: 'fail', why: `${faults[0]}${more}` }
}

const USAGE = `usage: npm run conformance -- URL [--input JSON] [--items N]
  --input  what each item gets as its input, for example '{"text":"hello"}' (default {})
  --items  items in the largest request (default ${LIMITS.request_items}); fewer when each costs money`

async function main(): Promise<number> {
  const options = {
    input: { type: 'string' },
    items: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const
  let given: { values: { input?: string; items?: string; help?: boolean }; positionals: string[] }
  try {
    given = parseArgs({ options, allowPositionals: true })
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`)
    return 1
  }
  const { values, positionals } = given
  if (values.help === true) {
    console.log(USAGE)
    return 0
  }
  const items = Number(values.items ?? LIMITS.request_items)
  if (!URL.canParse(positionals[0] ?? '') || !Number.isInteger(items) || items < 1) {
    console.error(USAGE)
    return 1
  }
  let failed = 0
  for await (const { name, verdict, why } of conformance(
    positionals[0]!,
    JSON.parse(values.input ?? '{}'),
    items,
  )) {
    console.log(`${verdict.padEnd(4)}  ${name}${why ? `: ${why}` : ''}`)
    if (verdict === 'fail') failed++
  }
  return failed > 0 ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main()
