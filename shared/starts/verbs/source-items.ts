// Reads the items of one start from its source. Guarantee: they end only where the source has ended well; a source that
// is broken, cut, short of its own count, silent or without end is a SourceError, and never more than a chunk of it is
// in memory.

import type { Context } from '../../context.ts'
import { ApiError } from '../../domain/errors.ts'
import {
  BadLines,
  csvRows,
  type Fields,
  linesOfRows,
  jsonRows as ndjsonRows,
  type Row,
} from '../../domain/file-items.ts'
import { LIMITS } from '../../domain/limits.ts'
import { plainText } from '../../domain/plain-text.ts'
import { openEnv } from '../../engine/deploy.ts'
import { itemsOfLines } from '../../engine/item-lines.ts'
import type { OutsideAnswer } from '../../engine/outside-port.ts'
import { unseal } from '../../engine/sealing.ts'
import type { NewItem } from '../../store/submission.ts'
import type { CurrentDeployment } from '../queries/source-reads.ts'
import { jsonRows } from '../rules/json-rows.ts'
import { type Source, SourceError } from '../rules/source.ts'
import { type Occasion, urlFor } from '../rules/source-url.ts'

export interface Reading {
  source: Source
  source_headers_sealed: string | null
  occasion: Occasion
  deployment: CurrentDeployment['deployment']
}

const ACCEPT = { ndjson: 'application/x-ndjson', csv: 'text/csv', json: 'application/json' }

/** How many rows there are, as far as an answer says. */
const COUNT_HEADERS = ['item-count', 'x-total-count']

/** @throws SourceError, or the signal's reason when it is aborted */
export async function* sourceItems(
  ctx: Context,
  reading: Reading,
  signal: AbortSignal,
): AsyncGenerator<NewItem[]> {
  const silence = new Silence()
  try {
    silence.listen()
    const answer = await ask(ctx, reading, AbortSignal.any([signal, silence.signal]))
    const expected = countOf(answer)
    let count = 0
    for await (const items of itemsOfRows(bounded(answer, silence), reading.source)) {
      count += items.length
      yield items
    }
    if (expected !== undefined && expected !== count)
      throw new SourceError(`The source says that it has ${expected} rows; it ended after ${count}.`)
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    silence.end()
  }
}

/** Gives a source up that says nothing for too long, and one that was left in the middle. */
class Silence {
  readonly #abort = new AbortController()
  readonly signal = this.#abort.signal
  #timer: ReturnType<typeof setTimeout> | undefined

  /** The source has so long to say something. */
  listen(): void {
    this.pause()
    const text = `The source sent nothing for ${LIMITS.source_silence_ms / 1000} s.`
    this.#timer = setTimeout(() => this.#abort.abort(new SourceError(text)), LIMITS.source_silence_ms)
  }

  /** It is not the source that takes its time. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  end(): void {
    this.pause()
    this.#abort.abort(new SourceError('The reading is over.'))
  }
}

async function ask(ctx: Context, reading: Reading, signal: AbortSignal): Promise<OutsideAnswer> {
  const { source, occasion } = reading
  const headers = {
    accept: ACCEPT[source.format],
    'user-agent': 'Assay',
    ...(await headersOf(ctx, reading)),
    'accept-encoding': 'identity', // a few bytes could become any number
  }
  const answer = await ctx
    .get({ url: urlFor(source.url, occasion), headers, signal })
    .catch((error: Error) => {
      throw signal.aborted ? signal.reason : new SourceError(error.message)
    })
  if (answer.status !== 200) throw await refusal(answer)
  const encoding = answer.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity')
    throw new SourceError(`The source answered compressed (${encoding}); it was asked not to.`)
  if (!answer.framed && source.format !== 'json' && countOf(answer) === undefined)
    throw new SourceError(
      'The answer says neither its length (Content-Length, or chunked) nor its rows (Item-Count): nobody could tell whether it was cut.',
    )
  return answer
}

/** Of a declared header `${NAME}` is what the deployment's environment has under that name. */
async function headersOf(ctx: Context, { source, source_headers_sealed, deployment }: Reading) {
  if (source_headers_sealed === null) return {}
  const given: Record<string, string> = JSON.parse(await unseal(ctx, 'source', source_headers_sealed))
  if (!source.headers_from_env) return given
  const env = await openEnv(ctx, deployment?.env_sealed ?? null)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, variable: string) => {
        const known = env[variable]
        if (known !== undefined) return known
        throw new SourceError(
          `Header ${name} names ${variable}, which the agent's environment does not have.`,
        )
      }),
    ]),
  )
}

async function refusal({ status, body }: OutsideAnswer): Promise<SourceError> {
  if (status >= 300 && status < 400)
    return new SourceError(`The source answered ${status}; redirects are not followed.`)
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk.subarray(0, LIMITS.source_error_bytes), { stream: true })
      if (text.length >= LIMITS.source_error_bytes) break
    }
  } catch {} // its status has said what matters
  const said = plainText(text.trim(), LIMITS.source_detail_characters)
  return new SourceError(`The source answered ${status}${said === '' ? '.' : `: ${said}`}`)
}

function countOf(answer: OutsideAnswer): number | undefined {
  const name = COUNT_HEADERS.find(name => answer.header(name) !== undefined)
  if (name === undefined) return undefined
  const text = answer.header(name)!
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new SourceError(`Header ${name} of the answer is no number: ${JSON.stringify(text.slice(0, 100))}.`)
}

/** @throws SourceError when there is too much, when too little comes, and when the connection is cut */
async function* bounded(answer: OutsideAnswer, silence: Silence): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    silence.listen()
    for await (const chunk of answer.body) {
      silence.pause()
      bytes += chunk.length
      if (bytes > LIMITS.source_bytes)
        throw new SourceError(`The source is longer than ${LIMITS.source_bytes} bytes.`)
      yield chunk
      silence.listen()
    }
  } catch (error) {
    throw error instanceof SourceError ? error : new SourceError((error as Error).message)
  }
  const length = answer.header('content-length')
  if (length !== undefined && Number(length) !== bytes)
    throw new SourceError(`The source says that it has ${length} bytes; it ended after ${bytes}.`)
}

async function* itemsOfRows(chunks: AsyncIterable<Uint8Array>, source: Source): AsyncGenerator<NewItem[]> {
  const fields: Fields = {
    item_id: source.item_id ?? undefined,
    partition_key: source.partition_key ?? undefined,
  }
  try {
    yield* itemsOfLines(linesOfRows('The source', rowsOf(chunks, source, fields), fields))
  } catch (error) {
    if (error instanceof BadLines) throw new SourceError(error.named.join(' '), error.line)
    if (error instanceof ApiError && error.code === 'invalid_line')
      throw new SourceError(error.message, Number(/\bline (\d+)/i.exec(error.message)?.[1] ?? 0) || null)
    throw error
  }
}

function rowsOf(
  chunks: AsyncIterable<Uint8Array>,
  { format }: Source,
  fields: Fields,
): AsyncIterable<readonly Row[]> {
  if (format === 'csv') return csvRows(chunks, fields)
  if (format === 'ndjson') return ndjsonRows(chunks)
  return jsonRows(chunks, LIMITS.item_input_bytes)
}
