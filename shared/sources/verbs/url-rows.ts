// Reads the rows that a URL answers with. Guarantee: an answer that was cut off, or could have been unnoticed, throws a
// SourceError; header values are sent to that URL only.

import { openEnv, unseal } from '../../accounts/verbs/sealing.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { OutsideAnswer } from '../../kernel/outside.ts'
import { csvRows, jsonRows as ndjsonRows } from '../../submission/rules/file-items.ts'
import { filledIn } from '../rules/declared-source.ts'
import { jsonRows } from '../rules/json-rows.ts'
import { fieldsOf, SourceError, type UrlSource } from '../rules/source.ts'
import { urlFor } from '../rules/source-url.ts'
import { type OpenSource, type Reading, Rowless, type Silence, wordsOf } from './reading.ts'

const ACCEPT = { ndjson: 'application/x-ndjson', csv: 'text/csv', json: 'application/json' }
const ACCEPT_GUESSED = 'application/x-ndjson, application/json;q=0.9'

/** The headers in which an answer may say how many rows it has. */
const COUNT_HEADERS = ['item-count', 'x-total-count']

export async function openUrl(
  ctx: Context,
  reading: Reading<UrlSource>,
  silence: Silence,
  signal: AbortSignal,
): Promise<OpenSource> {
  const answer = await ask(ctx, reading, signal)
  const expected = countOf(answer)
  const rowless = new Rowless()
  const rows = rowsOf(rowless.heard(whole(answer, silence)), reading.source)
  return { rows: rowless.rows(rows), count: () => expected }
}

async function ask(ctx: Context, reading: Reading<UrlSource>, signal: AbortSignal): Promise<OutsideAnswer> {
  const { source, occasion } = reading
  const account_id = reading.deployment?.account_id ?? null
  const headers = {
    accept: source.format_guessed ? ACCEPT_GUESSED : ACCEPT[source.format],
    'user-agent': 'Assay',
    ...(await headersOf(ctx, reading)),
    'accept-encoding': 'identity', // compressed, a few bytes could become any number
  }
  const answer = await ctx
    .get({ url: urlFor(source.url, occasion), account_id, headers, signal })
    .catch((error: Error) => {
      throw signal.aborted ? signal.reason : new SourceError(error.message)
    })
  if (answer.status !== 200) throw await refusal(answer)
  // Read as CSV, each line of the page would become an item.
  if (/^text\/html\b/i.test(answer.header('content-type') ?? ''))
    throw new SourceError(
      `The source answered with a page (text/html), not with ${source.format}, as a sign-in page does.`,
    )
  const encoding = answer.header('content-encoding') ?? 'identity'
  if (encoding !== 'identity')
    throw new SourceError(`The source answered compressed (${encoding}); it was asked not to.`)
  if (!answer.framed && source.format !== 'json' && countOf(answer) === undefined)
    throw new SourceError(
      'The answer says neither its length (Content-Length, or chunked) nor its rows (Item-Count): a cut could not be noticed.',
    )
  return answer
}

/** In a declared header, `$NAME` is replaced by that variable of the deployment's environment. */
async function headersOf(ctx: Context, { source, source_headers_sealed, deployment }: Reading<UrlSource>) {
  if (source_headers_sealed === null) return {}
  const given: Record<string, string> = JSON.parse(await unseal(ctx, 'source', source_headers_sealed))
  if (!source.headers_from_env) return given
  const env = await openEnv(ctx, deployment?.env_sealed ?? null)
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      filledIn(value, variable => {
        const known = env[variable]
        if (known) return known
        throw new SourceError(
          `Header ${name} names ${variable}, which the agent's environment ${known === '' ? 'has without a value' : 'does not have'}.`,
        )
      }),
    ]),
  )
}

async function refusal({ status, body }: OutsideAnswer): Promise<SourceError> {
  if (status >= 300 && status < 400)
    return new SourceError(`The source answered ${status}; redirects are not followed.`)
  const said = await wordsOf(body)
  return new SourceError(`The source answered ${status}${said === '' ? '.' : `: ${said}`}`)
}

function countOf(answer: OutsideAnswer): number | undefined {
  const name = COUNT_HEADERS.find(name => answer.header(name) !== undefined)
  if (name === undefined) return undefined
  const text = answer.header(name)!
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new SourceError(`Header ${name} of the answer is no number: ${JSON.stringify(text.slice(0, 100))}.`)
}

/** @throws SourceError also if the body is not as long as the answer said */
async function* whole(answer: OutsideAnswer, silence: Silence): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of silence.heard(answer.body)) {
    bytes += chunk.length
    yield chunk
  }
  const length = answer.header('content-length')
  if (length !== undefined && Number(length) !== bytes)
    throw new SourceError(`The source says that it has ${length} bytes; it ended after ${bytes}.`)
}

function rowsOf(chunks: AsyncIterable<Uint8Array>, source: UrlSource): OpenSource['rows'] {
  if (source.format === 'csv') return csvRows(chunks, fieldsOf(source))
  if (source.format === 'ndjson') return source.format_guessed ? guessedRows(chunks) : ndjsonRows(chunks)
  return jsonRows(chunks, LIMITS.item_input_bytes)
}

const OPEN_BRACKET = 0x5b
const BLANKS = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf]) // the last three are a byte order mark

/**
 * Reads one JSON array if the body starts with `[`, else one value per line. If the lines are arrays themselves, the
 * second one is refused with an error that says to give the format ndjson.
 */
async function* guessedRows(chunks: AsyncIterable<Uint8Array>) {
  const reader = chunks[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let [first, bytes]: [number | undefined, number] = [undefined, 0]
  while (first === undefined && bytes < LIMITS.source_guess_bytes) {
    const { done, value } = await reader.next()
    if (done) break
    head.push(value)
    bytes += value.length
    first = value.find(byte => !BLANKS.has(byte))
  }
  async function* again() {
    try {
      yield* head
      for (let next = await reader.next(); !next.done; next = await reader.next()) yield next.value
    } finally {
      await reader.return?.()
    }
  }
  yield* first === OPEN_BRACKET ? jsonRows(again(), LIMITS.item_input_bytes) : ndjsonRows(again())
}
