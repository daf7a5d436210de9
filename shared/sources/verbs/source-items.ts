// Reads the items of one start from its source. Guarantee: items end only if the source has ended well; a source that
// is broken, cut off, short of its own count, silent or endless throws a SourceError; at most one chunk of it is in
// memory.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { NewItem } from '../../submission/rules/chunks.ts'
import { BadLines, linesOfRows } from '../../submission/rules/file-items.ts'
import { itemsOfLines } from '../../submission/verbs/item-lines.ts'
import {
  fieldsOf,
  type GeneratorSource,
  isGenerator,
  type Source,
  SourceError,
  type UrlSource,
} from '../rules/source.ts'
import { openGenerator } from './generator-rows.ts'
import { type OpenSource, type Reading, Silence } from './reading.ts'
import { openUrl } from './url-rows.ts'

/** @throws SourceError, or the signal's reason when it is aborted */
export async function* sourceItems(
  ctx: Context,
  reading: Reading,
  signal: AbortSignal,
): AsyncGenerator<NewItem[]> {
  const silence = new Silence()
  try {
    silence.listen()
    const { rows, count } = await open(ctx, reading, silence, AbortSignal.any([signal, silence.signal]))
    let read = 0
    for await (const items of itemsOfRows(rows, reading.source)) {
      read += items.length
      yield items
    }
    const expected = count()
    if (expected !== undefined && expected !== read)
      throw new SourceError(`The source says that it has ${expected} rows; it ended after ${read}.`)
  } catch (error) {
    throw atHost(reading.source, signal.aborted ? signal.reason : error)
  } finally {
    silence.end()
  }
}

/** Names the host alone: the rest of a URL may hold a secret. A problem of a line is reported with the line. */
function atHost(source: Source, error: unknown): unknown {
  if (!(error instanceof SourceError) || error.line !== null || isGenerator(source)) return error
  const [subject, named] = ['The source ', `The source ${new URL(source.url).host}`]
  const { message } = error
  return new SourceError(
    message.startsWith(subject) ? `${named} ${message.slice(subject.length)}` : `${named}: ${message}`,
  )
}

function open(ctx: Context, reading: Reading, silence: Silence, signal: AbortSignal): Promise<OpenSource> {
  return isGenerator(reading.source)
    ? openGenerator(ctx, reading as Reading<GeneratorSource>, silence, signal)
    : openUrl(ctx, reading as Reading<UrlSource>, silence, signal)
}

async function* itemsOfRows(rows: OpenSource['rows'], source: Source): AsyncGenerator<NewItem[]> {
  try {
    yield* itemsOfLines(linesOfRows('The source', rows, fieldsOf(source)))
  } catch (error) {
    if (error instanceof BadLines) throw new SourceError(error.named.join(' '), error.line)
    if (error instanceof ApiError && error.code === 'invalid_line')
      throw new SourceError(error.message, Number(/\bline (\d+)/i.exec(error.message)?.[1] ?? 0) || null)
    throw error
  }
}
