// Streams rows as JSON in constant memory. Guarantee: a fault on the way breaks the answer off, so that what is
// not complete cannot be taken for complete.

import { oneLine } from '../domain/ndjson.ts'
import { toJson } from '../schema/raw-json.ts'

/** One value a line, or one array; the next chunk is read when the caller has taken the one before. */
export function streamed<T>(
  chunks: AsyncGenerator<T[]>,
  shape: (row: T) => unknown,
  form: 'lines' | 'array',
): Response {
  const encoder = new TextEncoder()
  const pieces = form === 'lines' ? lines(chunks, shape) : array(chunks, shape)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })
  const type = form === 'lines' ? 'application/x-ndjson' : 'application/json'
  return new Response(body, { headers: { 'content-type': type } })
}

async function* lines<T>(chunks: AsyncGenerator<T[]>, shape: (row: T) => unknown): AsyncGenerator<string> {
  for await (const rows of chunks) yield rows.map(row => `${oneLine(toJson(shape(row)))}\n`).join('')
}

async function* array<T>(chunks: AsyncGenerator<T[]>, shape: (row: T) => unknown): AsyncGenerator<string> {
  let before = '['
  for await (const rows of chunks) {
    yield before + rows.map(row => toJson(shape(row))).join(',')
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
