// A typed client of the HTTP interface, with types made from the OpenAPI document. Guarantee: an error answer, and
// every answer that Assay did not write, is thrown as ApiFailure; the key is never sent along a redirect.

import createFetchClient, { type Client as FetchClient } from 'openapi-fetch'
import type { components, operations, paths } from './client.gen.ts'
import { type Asked, type ForeignAnswer, judge } from './foreign-answer.ts'

export type Schemas = components['schemas']
export type Item = Schemas['BatchItem']
type BatchQuery = Omit<Schemas['BatchOrder'], 'items'>

type ResultsQuery = NonNullable<operations['exportResults']['parameters']['query']>

/** The watchdog of OpenFaaS streams an answer only if the request accepts one of these types. */
const NDJSON = 'application/x-ndjson'
const EVENTS = 'text/event-stream'

export interface ClientOptions {
  baseUrl: string
  /** A project key, or the access token of a session. */
  apiKey: string
  fetch?: typeof fetch
}

/**
 * An error answer, with its status, code and hint. If Assay did not write the answer, `answered_by` is set and the code
 * is `redirected`, `proxy_body_limit`, `proxy_rate_limited`, `proxy_refused`, `proxy_unavailable` or `not_assay`.
 */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly request_id: string | undefined
  /** Seconds to wait before the next try, if the answer said so. */
  readonly retry_after_s: number | undefined
  /** Who wrote the answer if Assay did not, such as `nginx`. */
  readonly answered_by: string | undefined

  constructor(
    response: Response,
    error: { code: string; message: string; hint?: string | undefined } | ForeignAnswer,
  ) {
    super(error.message)
    this.name = 'ApiFailure'
    this.status = response.status
    this.code = error.code
    this.hint = error.hint
    this.request_id = response.headers.get('x-request-id') ?? undefined
    this.retry_after_s = secondsOf(response.headers.get('retry-after'))
    this.answered_by = 'answered_by' in error ? error.answered_by : undefined
  }
}

/** Reads Retry-After as seconds. It may also be a date, which is ignored: proxies hardly ever send one. */
const secondsOf = (text: string | null) =>
  text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined

export interface Client extends FetchClient<paths> {
  /** Submits any number of items as one run, and sends them line by line while `items` yields them. */
  submit(order: BatchQuery, items: AsyncIterable<Item> | Iterable<Item>): Promise<Schemas['SubmittedBatch']>
  /** Like `submit`, with lines that already are JSON texts; each must end with a newline. */
  submitLines(
    order: BatchQuery,
    lines: ReadableStream<Uint8Array>,
    signal?: AbortSignal,
  ): Promise<Schemas['SubmittedBatch']>
  /** Yields every item record of the project. Throws if the answer breaks off. */
  records(): AsyncGenerator<Schemas['ItemRecord']>
  /** Results of a run or an agent as the bytes of a file. Reading throws if the answer breaks off. */
  results(query: ResultsQuery, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /**
   * Yields the run each time it changes, over one connection, which ends with the run, after some minutes, or with the
   * server. Pass the id of the last event you got as `seen`, and a run that has not changed since is not sent again.
   */
  runEvents(
    runId: string,
    options?: { seen?: string | undefined; signal?: AbortSignal | undefined },
  ): AsyncGenerator<RunEvent>
}

export interface RunEvent {
  id: string
  ended: boolean
  run: Schemas['Run']
}

/**
 * A client of one Assay server. Its methods throw ApiFailure for an error answer, also `GET`, `POST` and the like.
 *
 * @example
 * const assay = createClient({ baseUrl: 'http://127.0.0.1:8090', apiKey: 'pk_…' })
 * const { data: runs } = await assay.GET('/v2/runs', { params: { query: { limit: 10 } } })
 */
export function createClient({ baseUrl, apiKey, fetch: given = fetch }: ClientOptions): Client {
  const base = baseUrl.replace(/\/+$/, '')
  const headers = { authorization: `Bearer ${apiKey}` }
  const redirect = 'manual'
  const client = createFetchClient<paths>({
    baseUrl: base,
    headers,
    redirect,
    fetch: request => given(request),
  })
  client.use({
    async onResponse({ request, response, options }) {
      await refuseUnlessGood(response, { base, url: request.url })
      if (options.parseAs === 'json' && response.body !== null) return readWhole(response)
    },
  })

  /** Sends a request that the typed client does not cover; returns Assay's good answer. @throws ApiFailure */
  async function asked(path: string, init: RequestInit): Promise<Response> {
    const url = `${base}${path}`
    const response = await given(url, { redirect, ...init, headers: { ...headers, ...init.headers } })
    await refuseUnlessGood(response, { base, url })
    return response
  }

  async function submitLines(order: BatchQuery, lines: ReadableStream<Uint8Array>, signal?: AbortSignal) {
    const response = await asked(`/v1/batches?${parameters(order)}`, {
      method: 'POST',
      headers: { 'content-type': NDJSON },
      body: lines,
      signal: signal ?? null,
      // fetch requires this for a streamed body; its types do not have it yet.
      duplex: 'half',
      // With any other, Node's fetch keeps all of the body in memory until its end, for a redirect (nodejs/undici#4058).
      redirect: 'error',
    } as RequestInit).catch(async error => {
      // That error does not say where to: a request without a body meets the same redirect, and says so.
      if (isRedirect(error)) await asked('/health', {})
      throw error
    })
    return (await readWhole(response)).json() as Promise<Schemas['SubmittedBatch']>
  }

  async function* records(): AsyncGenerator<Schemas['ItemRecord']> {
    const response = await asked('/v1/durable/runs', { headers: { accept: NDJSON } })
    for await (const line of linesOf(response)) yield JSON.parse(line)
  }

  async function results(query: ResultsQuery, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers = query.format === 'ndjson' ? { accept: NDJSON } : {}
    return bodyOf(await asked(`/v1/results?${parameters(query)}`, { headers, signal: signal ?? null }))
  }

  async function* runEvents(
    runId: string,
    { seen, signal }: { seen?: string | undefined; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<RunEvent> {
    const response = await asked(`/v2/runs/${encodeURIComponent(runId)}/events`, {
      headers: { accept: EVENTS, ...(seen !== undefined && { 'last-event-id': seen }) },
      signal: signal ?? null,
    })
    if (response.status === 204) return
    let [id, kind] = ['', '']
    for await (const line of linesOf(response)) {
      if (line.startsWith('id: ')) id = line.slice(4)
      else if (line.startsWith('event: ')) kind = line.slice(7)
      else if (line.startsWith('data: ')) yield { id, ended: kind === 'end', run: JSON.parse(line.slice(6)) }
    }
  }

  return Object.assign(client, {
    submit: (order: BatchQuery, items: AsyncIterable<Item> | Iterable<Item>) =>
      submitLines(order, linesFrom(items)),
    submitLines,
    records,
    results,
    runEvents,
  })
}

/** Whether fetch failed because the answer was a redirect; only the words of its cause say so. */
const isRedirect = (error: unknown): boolean =>
  error instanceof Error && (/redirect/i.test(error.message) || isRedirect(error.cause))

function parameters(values: object): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value))
  return query
}

/** @throws ApiFailure for an error answer, and for an answer that Assay did not write */
async function refuseUnlessGood(response: Response, where: Asked): Promise<void> {
  const judged = await judge(response, where)
  if (judged.by === 'other') throw new ApiFailure(response, judged.said)
  if (judged.error !== undefined) throw new ApiFailure(response, judged.error)
}

/**
 * Reads and parses the body once, so that an answer that broke off on its way is reported as such. Sets the length:
 * without one, openapi-fetch parses the text itself. @throws ApiFailure
 */
async function readWhole(response: Response): Promise<Response> {
  try {
    const bytes = await response.arrayBuffer()
    const value = bytes.byteLength === 0 ? undefined : JSON.parse(new TextDecoder().decode(bytes))
    const whole = new Response(null, response)
    whole.headers.set('content-length', String(bytes.byteLength))
    // Not assigned: in Assay's own process, `json` is read-only on the Response class of its Node server.
    return Object.defineProperty(whole, 'json', { value: async () => value })
  } catch (error) {
    throw error instanceof TypeError || error instanceof SyntaxError ? brokenOff(response) : error
  }
}

const brokenOff = (response: Response) =>
  new ApiFailure(response, {
    code: 'broken_answer',
    message: 'the answer broke off before its end, or was changed on its way',
    hint: 'ask again; where it happens often, a proxy before Assay may limit answers in time or size',
  })

const bodyOf = ({ body }: Response): ReadableStream<Uint8Array> => body ?? new Blob([]).stream()

const PIECE_CHARACTERS = 64 * 1024

function linesFrom(items: AsyncIterable<Item> | Iterable<Item>): ReadableStream<Uint8Array> {
  const source = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let piece = ''
      while (piece.length < PIECE_CHARACTERS) {
        const next = await source.next()
        if (next.done) {
          if (piece !== '') controller.enqueue(encoder.encode(piece))
          controller.close()
          return
        }
        piece += `${JSON.stringify(next.value)}\n`
      }
      controller.enqueue(encoder.encode(piece))
    },
    async cancel() {
      await source.return?.()
    },
  })
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  const reader = bodyOf(response)
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader()
  let open = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (open + part.value).split('\n')
      open = lines.pop()!
      yield* lines
    }
    if (open !== '') throw brokenOff(response) // Assay ends every line with a newline
  } finally {
    await reader.cancel()
  }
}
