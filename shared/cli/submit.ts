// Starts runs: over the rows of a file, streamed, or over one item.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ReadableStream } from 'node:stream/web'
import { answered, findAgent } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { bytes, plural } from './format.ts'
import { BadLines, type Fields, itemLines } from './item-lines.ts'
import { recordText } from './item-view.ts'
import type { Session } from './session.ts'
import { watchRun } from './watch.ts'

const READ_BYTES = 256 * 1024
const SENDING_SHOWN_MS = 200

// Node's stream is the web's; only their types are two.
type Body = globalThis.ReadableStream<Uint8Array>

export interface Submission {
  agent_id: string
  name?: string
  budget_cents?: number
  concurrency?: number
  callback_url?: string
  idempotency_key?: string
}

export async function submit(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const file = given.arg(0)
  const slug = given.text('agent')
  if (slug === undefined)
    throw usageFailure('--agent is missing', { next: `assay submit ${file} --agent SLUG` })
  const path = resolve(session.folder, file)
  const known = await stat(path).catch(() => undefined)
  if (!known?.isFile()) throw usageFailure(`there is no file ${path}`)
  const agent = await findAgent(api, slug)
  const [name, budget_cents, concurrency, callback_url, idempotency_key] = [
    given.text('name'),
    given.whole('budget'),
    given.whole('concurrency'),
    given.text('callback-url'),
    given.text('idempotency-key'),
  ]
  const order: Submission = {
    agent_id: agent.id,
    ...(name !== undefined && { name }),
    ...(budget_cents !== undefined && { budget_cents }),
    ...(concurrency !== undefined && { concurrency }),
    ...(callback_url !== undefined && { callback_url }),
    ...(idempotency_key !== undefined && { idempotency_key }),
  }
  const fields = { item_id: given.text('item-id'), partition_key: given.text('partition-key') }
  const submitted = await submitFile(session, path, order, fields)
  output.emit('submitted', { ...submitted, agent: slug }, ({ paint, program }) =>
    [
      `${paint('bold', submitted.run_id)}: ${plural(submitted.total_items, 'item')} submitted to ${slug}`,
      ...(given.flag('watch') ? [] : [`${paint('dim', 'try ')}  ${program} watch ${submitted.run_id}`]),
    ].join('\n'),
  )
  return given.flag('watch') ? watchRun(session, submitted.run_id) : EXIT.ok
}

/** Streams a file of rows as one run. */
export async function submitFile(
  { api, output, now }: Pick<Session, 'api' | 'output' | 'now'>,
  path: string,
  order: Submission,
  fields: Fields,
): Promise<{ run_id: string; total_items: number }> {
  const { size } = await stat(path)
  let problem: unknown
  let sent = 0
  let shownAt = now()
  async function* pieces() {
    try {
      for await (const piece of itemLines(path, counted(), fields)) yield piece
    } catch (error) {
      problem = error
      throw error
    }
  }
  async function* counted() {
    for await (const chunk of createReadStream(path, { highWaterMark: READ_BYTES })) {
      yield chunk as Uint8Array
      sent += chunk.length
      if (now() - shownAt < SENDING_SHOWN_MS) continue
      shownAt = now()
      output.redraw(
        'sending',
        { bytes: sent, of_bytes: size },
        () => `sending ${bytes(sent)} of ${bytes(size)}`,
      )
    }
  }
  try {
    const { run_id, total_items } = await api.submitLines(order, ReadableStream.from(pieces()) as Body)
    return { run_id, total_items }
  } catch (error) {
    throw asSubmitFailure(problem ?? error, order)
  }
}

function asSubmitFailure(error: unknown, order: Submission): unknown {
  if (error instanceof BadLines) {
    return new Failure(EXIT.usage, 'invalid_line', error.message, {
      hint: 'nothing was accepted; mend these lines',
    })
  }
  if ((error as NodeJS.ErrnoException).syscall === 'read') {
    return new Failure(EXIT.usage, 'unreadable_file', (error as Error).message, {
      hint: 'nothing was accepted',
    })
  }
  if (error instanceof Failure && error.code === 'unreachable' && order.idempotency_key === undefined) {
    return new Failure(error.exit, error.code, error.message, {
      hint: `${error.hint} If the connection broke off late, the run may have been accepted: assay runs tells; --idempotency-key makes it safe to repeat.`,
      next: error.next ?? 'assay runs',
    })
  }
  return error
}

export async function run(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const slug = given.arg(0)
  const input = given.text('input')
  if (input === undefined)
    throw usageFailure('--input is missing', { next: `assay run ${slug} --input '{}'` })
  const body = orderText(input, {
    item_id: given.text('item-id'),
    partition_key: given.text('partition-key'),
    callback_url: given.text('callback-url'),
  })
  const agent = await findAgent(api, slug)
  const { run_id, record_id } = await answered(
    api.POST('/v1/agents/{agentId}/runs', {
      params: { path: { agentId: agent.id } },
      body: { input: {} },
      bodySerializer: () => body,
    }),
  )
  output.emit('started', { run_id, record_id, agent: slug }, ({ paint, program }) =>
    [
      `${paint('bold', run_id)}: one item started on ${slug}`,
      ...(given.flag('watch') ? [] : [`${paint('dim', 'try ')}  ${program} item ${record_id}`]),
    ].join('\n'),
  )
  if (!given.flag('watch')) return EXIT.ok
  const exit = await watchRun(session, run_id)
  const item = await answered(
    api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId: record_id } } }),
  )
  output.emit('item', item, screen => `\n${recordText(item, screen)}`)
  return exit
}

/** The input goes out as it was typed: numbers keep their digits. */
function orderText(input: string, keys: Record<string, string | undefined>): string {
  try {
    JSON.parse(input)
  } catch (error) {
    throw usageFailure(`--input is not JSON: ${(error as Error).message}`, {
      hint: `quote it for the shell, such as --input '{"text": "hello"}'; a bare text is '"hello"'`,
    })
  }
  return `{"input":${input},${JSON.stringify(keys).slice(1)}`.replace(/,}$/, '}')
}
