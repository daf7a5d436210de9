// Reads the rows that a URL answers with. Guarantee: an answer that was cut off, or could have been unnoticed, throws a
// SourceError; header values are sent to that URL only.

import { wholeUrl } from '../../accounts/verbs/kept-url.ts'
import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { Context } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { type OutsideAnswer, SENT_BY_US } from '../../kernel/outside.ts'
import { fileRows } from '../../submission/rules/file-rows.ts'
import { filledIn } from '../rules/declared-source.ts'
import { fieldsOf, SourceError, type UrlSource } from '../rules/source.ts'
import { urlFor } from '../rules/source-url.ts'
import { openHeaders } from './kept-source.ts'
import { type OpenSource, type Reading, Rowless, type Silence, wordsOf } from './reading.ts'

const ACCEPT = { ndjson: 'application/x-ndjson', csv: 'text/csv', json: 'application/json' }
const ACCEPT_GUESSED = 'application/x-ndjson, application/json;q=0.9'

/** The bytes of packed answers show how they are packed, whatever the header says. */
const ENCODINGS = ['identity', 'gzip', 'x-gzip', 'zstd']

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
  const rows = rowsOf(ctx, whole(answer, silence), reading.source, rowless)
  return { rows: rowless.rows(rows), count: () => expected }
}

async function ask(ctx: Context, reading: Reading<UrlSource>, signal: AbortSignal): Promise<OutsideAnswer> {
  const { source, occasion } = reading
  const account_id = reading.deployment?.account_id ?? null
  const headers = {
    accept: source.format_guessed ? ACCEPT_GUESSED : ACCEPT[source.format],
    ...SENT_BY_US,
    ...(await headersOf(ctx, reading)),
    'accept-encoding': 'identity', // what some hosts send compressed all the same is unpacked within the limits
  }
  const url = await wholeUrl(ctx, reading.project_id, source.url)
  const answer = await ctx
    .get({ url: urlFor(url, occasion), account_id, headers, signal })
    .catch((error: Error) => {
      throw signal.aborted ? signal.reason : new SourceError(error.message)
    })
  if (answer.status !== 200) throw await refusal(answer)
  // Read as CSV, each line of the page would become an item.
  if (/^text\/html\b/i.test(answer.header('content-type') ?? ''))
    throw new SourceError(
      `The source answered with a page (text/html), not with ${source.format}, as a sign-in page does.`,
    )
  const encoding = answer.header('content-encoding')?.toLowerCase() ?? 'identity'
  if (!ENCODINGS.includes(encoding))
    throw new SourceError(`The source answered compressed (${encoding}); ${ENCODINGS.join(', ')} are read.`)
  if (!answer.framed && source.format !== 'json' && countOf(answer) === undefined)
    throw new SourceError(
      'The answer says neither its length (Content-Length, or chunked) nor its rows (Item-Count): a cut could not be noticed.',
    )
  return answer
}

/** In a declared header, `$NAME` is replaced by that variable of the deployment's environment. */
async function headersOf(ctx: Context, reading: Reading<UrlSource>) {
  const { project_id, start_id, source, source_headers_sealed, deployment } = reading
  if (source_headers_sealed === null) return {}
  const given = await openHeaders(ctx, { project_id, start_id }, source.url, source_headers_sealed)
  if (!source.headers_from_env) return given
  const env = deployment === null ? {} : await openEnv(ctx, project_id, deployment)
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

/** Where the format is a guess, the body may also be one JSON array. */
function rowsOf(
  ctx: Context,
  chunks: AsyncIterable<Uint8Array>,
  source: UrlSource,
  rowless: Rowless,
): OpenSource['rows'] {
  const { format, format_guessed } = source
  return fileRows('source.jsonl', rowless.heard(chunks), fieldsOf(source), {
    ...(!format_guessed && { format }),
    unpack: (packed, packing) => rowless.heard(notTooLong(ctx.unpack(packed, packing))),
  })
}

/** @throws SourceError over LIMITS.source_bytes, since a few packed bytes can become any number */
async function* notTooLong(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > LIMITS.source_bytes)
      throw new SourceError(`The source is longer than ${LIMITS.source_bytes} bytes when it is unpacked.`)
    yield chunk
  }
}
