// Submits the rows of a file as a run. Guarantee: all rows sent are accepted, or none.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { ReadableStream } from 'node:stream/web'
import { unpack } from '../../infra/packing/packing.ts'
import { BadLines, itemLines, type Taking } from '../submission/rules/file-items.ts'
import type { Fields } from '../submission/rules/rows.ts'
import { EXIT, Failure } from './failure.ts'
import { bytes } from './format.ts'
import type { Session } from './session.ts'

const READ_BYTES = 256 * 1024
const SENDING_SHOWN_MS = 200

// Node's ReadableStream is the web's; only the types differ.
type Body = globalThis.ReadableStream<Uint8Array>

export interface Submission {
  agent_id: string
  name?: string
  budget_cents?: number
  allow_unpriced?: boolean
  concurrency?: number
  patience_seconds?: number
  pilot_items?: number
  callback_url?: string
  idempotency_key?: string
  tags?: string[]
}

export interface Source extends Taking {
  path: string
  fields: Fields
  /** Input to read instead of the file at `path`; it can be read only once. */
  input?: AsyncIterable<Uint8Array>
}

/** The pieces of the request's body, with the progress of reading. @throws Failure `invalid_line` */
export async function* readItems(
  { output, now }: Pick<Session, 'output' | 'now'>,
  { path, fields, input, ...taking }: Source,
  doing: 'reading' | 'sending',
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const size = input === undefined ? (await stat(path)).size : undefined
  let read = 0
  let shownAt = now()
  async function* counted() {
    for await (const chunk of input ?? createReadStream(path, { highWaterMark: READ_BYTES })) {
      yield chunk as Uint8Array
      read += chunk.length
      if (now() - shownAt < SENDING_SHOWN_MS) continue
      shownAt = now()
      output.redraw(
        doing,
        { bytes: read, ...(size !== undefined && { of_bytes: size }) },
        () => `${doing} ${bytes(read)}${size === undefined ? '' : ` of ${bytes(size)}`}`,
      )
    }
  }
  try {
    yield* itemLines(path, counted(), fields, { ...taking, unpack })
  } catch (error) {
    throw asSubmitFailure(error)
  }
}

/** Streams the rows as one run. */
export async function submitSource(
  session: Pick<Session, 'api' | 'output' | 'now'>,
  source: Source,
  order: Submission,
): Promise<{ run_id: string; total_items: number }> {
  let problem: unknown
  async function* pieces() {
    try {
      yield* readItems(session, source, 'sending')
    } catch (error) {
      problem = error
      throw error
    }
  }
  try {
    const { run_id, total_items } = await session.api.submitLines(
      order,
      ReadableStream.from(pieces()) as Body,
    )
    return { run_id, total_items }
  } catch (error) {
    throw asSubmitFailure(problem ?? error, order)
  }
}

function asSubmitFailure(error: unknown, order?: Submission): unknown {
  if (error instanceof BadLines) {
    return new Failure(EXIT.usage, 'invalid_line', error.message, {
      hint: 'nothing was accepted; correct these lines',
    })
  }
  if ((error as NodeJS.ErrnoException).syscall === 'read') {
    return new Failure(EXIT.usage, 'unreadable_file', (error as Error).message, {
      hint: 'nothing was accepted',
    })
  }
  if (
    error instanceof Failure &&
    error.code === 'unreachable' &&
    order &&
    order.idempotency_key === undefined
  ) {
    return new Failure(error.exit, error.code, error.message, {
      hint: `${error.hint} If the connection broke off late, the run may have been accepted: assay runs shows it; --idempotency-key makes it safe to repeat.`,
      next: error.next ?? 'assay runs',
    })
  }
  return error
}
