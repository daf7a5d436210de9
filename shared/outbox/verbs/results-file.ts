// Reads the results of a run as a file to send. Guarantee: every try sends the same bytes, because the items of an
// ended run no longer change; one chunk is in memory at a time; a file whose length differs from the signed one is
// broken off.
//
// The file is read twice, because its signature and its length are sent before it.

import type { Context } from '../../context.ts'
import type { RunKey } from '../../kernel/ids.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { signatureInParts } from '../../kernel/message-signature.ts'
import { SENT_BY_US } from '../../kernel/outside.ts'
import { resultsInChunks, slicesOf } from '../../results/queries/results.ts'
import { RESULT_TYPES, resultsText } from '../../results/wire/results-text.ts'
import { findResultsFile } from '../queries/results-files.ts'
import type { FileRequest } from './post-file.ts'

export interface FileOrder {
  /** The id of the delivery. */
  id: string
  at_s: number
  secrets: readonly Uint8Array<ArrayBuffer>[]
}

/** @throws Error if the results are gone or longer than LIMITS.results_file_bytes; the signal's reason */
export async function resultsFile(
  { sql }: Pick<Context, 'sql'>,
  { id, at_s, secrets }: FileOrder,
  signal: AbortSignal,
): Promise<Pick<FileRequest, 'headers' | 'body'>> {
  const found = await findResultsFile(sql, id)
  if (found === undefined || found.is_purged)
    throw new Error('The inputs and outputs of the run are kept no longer.')
  const { run_id, format } = found
  const read = () => slicesOfText(resultsOf(sql, found, format), signal)
  const signature = signatureInParts(secrets, { id, at_s })
  let bytes = 0
  for await (const slice of read()) {
    bytes += slice.length
    if (bytes > LIMITS.results_file_bytes)
      throw new Error(
        `The results have more than ${LIMITS.results_file_bytes} bytes: read them by assay results.`,
      )
    signature.update(slice)
  }
  const headers = {
    'content-type': RESULT_TYPES[format],
    'content-disposition': `attachment; filename="results-${run_id}.${format}"`,
    ...SENT_BY_US,
    ...signature.headers(),
  }
  return { headers, body: { bytes, read: () => asLongAs(read(), bytes) } }
}

async function* resultsOf(
  sql: Context['sql'],
  { project_id, run_id }: RunKey,
  format: keyof typeof RESULT_TYPES,
) {
  const scope = { project_id, run_id, replays: false } as const
  const slices = await slicesOf(sql, scope)
  const chunks = resultsInChunks(make => make(sql), scope, slices, { only: 'all', withInput: false })
  yield* resultsText(chunks, { format })
}

/** In slices short enough to be signed without blocking the event loop for others. */
async function* slicesOfText(texts: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const text of texts) {
    const bytes = encoder.encode(text)
    for (let at = 0; at < bytes.length; at += LIMITS.results_file_slice_bytes) {
      signal.throwIfAborted()
      yield bytes.subarray(at, at + LIMITS.results_file_slice_bytes)
      await new Promise(resolve => setTimeout(resolve))
    }
  }
}

/** Fails on another length: a receiver that read the length first must not take this for the file that was signed. */
async function* asLongAs(slices: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const slice of slices) {
    bytes += slice.length
    if (bytes > length) break
    yield slice
  }
  if (bytes !== length) throw new Error('The results changed while they were sent.')
}
