// A typed client of the HTTP interface. Its types are made from the OpenAPI document; errors become ApiFailure.

import createFetchClient, { type Client as FetchClient } from 'openapi-fetch'
import type { components, operations, paths } from './client.gen.ts'

export type Schemas = components['schemas']
export type Item = Schemas['BatchItem']
type BatchQuery = NonNullable<operations['submitBatch']['parameters']['query']>

type ResultsQuery = NonNullable<operations['exportResults']['parameters']['query']>

export interface ClientOptions {
  baseUrl: string
  /** A project key, or the access token of a session. */
  apiKey: string
  fetch?: typeof fetch
}

/** An answer that is an error, with what the server said about it. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly request_id: string | undefined

  constructor(response: Response, error: { code?: string; message?: string; hint?: string } | undefined) {
    super(error?.message ?? `The server answered ${response.status}.`)
    this.name = 'ApiFailure'
    this.status = response.status
    this.code = error?.code ?? 'unreadable_answer'
    this.hint = error?.hint
    this.request_id = response.headers.get('x-request-id') ?? undefined
  }
}

export interface Client extends FetchClient<paths> {
  /** Submits any number of items as one run, sent line by line as they come. */
  submit(order: BatchQuery, items: AsyncIterable<Item> | Iterable<Item>): Promise<Schemas['SubmittedBatch']>
  /** The same with lines that already are JSON texts; each ends with a newline. */
  submitLines(order: BatchQuery, lines: ReadableStream<Uint8Array>): Promise<Schemas['SubmittedBatch']>
  /** Every item record of the project, one by one. Throws when the answer breaks off. */
  records(): AsyncGenerator<Schemas['ItemRecord']>
  /** Results of a run or an agent as the bytes of a file. Reading throws when the answer breaks off. */
  results(query: ResultsQuery, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>>
  /**
   * A run whenever it has changed, over one connection: it ends with the run, after some minutes, or with the server.
   * `seen` is the id of the last event there was; what is the same as then is not told again.
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
 * @example
 * const assay = createClient({ baseUrl: 'http://127.0.0.1:8090', apiKey: 'pk_…' })
 * const { data: runs } = await assay.GET('/v2/runs', { params: { query: { limit: 10 } } })
 */
export function createClient({ baseUrl, apiKey, fetch: given = fetch }: ClientOptions): Client {
  const base = baseUrl.replace(/\/+$/, '')
  const headers = { authorization: `Bearer ${apiKey}` }
  const client = createFetchClient<paths>({ baseUrl: base, headers, fetch: request => given(request) })
  client.use({
    async onResponse({ response }) {
      if (!response.ok) throw await failureOf(response)
    },
  })

  async function submitLines(order: BatchQuery, lines: ReadableStream<Uint8Array>) {
    const response = await given(`${base}/v1/batches?${parameters(order)}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body: lines,
      // Fetch asks for this where the body is a stream; its types do not know it yet.
      duplex: 'half',
    } as RequestInit)
    if (!response.ok) throw await failureOf(response)
    return (await response.json()) as Schemas['SubmittedBatch']
  }

  async function* records(): AsyncGenerator<Schemas['ItemRecord']> {
    const response = await given(`${base}/v1/durable/runs`, {
      headers: { ...headers, accept: 'application/x-ndjson' },
    })
    if (!response.ok || response.body === null) throw await failureOf(response)
    for await (const line of linesOf(response.body)) yield JSON.parse(line)
  }

  async function results(query: ResultsQuery, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await given(`${base}/v1/results?${parameters(query)}`, {
      headers,
      signal: signal ?? null,
    })
    if (!response.ok || response.body === null) throw await failureOf(response)
    return response.body
  }

  async function* runEvents(
    runId: string,
    { seen, signal }: { seen?: string | undefined; signal?: AbortSignal | undefined } = {},
  ): AsyncGenerator<RunEvent> {
    const response = await given(`${base}/v2/runs/${encodeURIComponent(runId)}/events`, {
      headers: { ...headers, ...(seen !== undefined && { 'last-event-id': seen }) },
      signal: signal ?? null,
    })
    if (response.status === 204) return
    if (!response.ok || response.body === null) throw await failureOf(response)
    let [id, kind] = ['', '']
    for await (const line of linesOf(response.body)) {
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

function parameters(values: object): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, String(value))
  return query
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const body = (await response.json().catch(() => undefined)) as
    | { error?: { code: string; message: string } }
    | undefined
  return new ApiFailure(response, body?.error)
}

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

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  let open = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (open + part.value).split('\n')
      open = lines.pop()!
      yield* lines
    }
    if (open !== '') yield open
  } finally {
    await reader.cancel()
  }
}
