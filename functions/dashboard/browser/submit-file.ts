// Reads the chosen file and sends its rows. Guarantee: the file is read in pieces and its lines are kept as a Blob, so
// that its size hardly matters; nothing is sent before every row has been checked.

import { itemLines } from '../../../shared/submission/rules/file-items.ts'
import { mappingOf, type OrderFields } from '../parts/submit-order.ts'
import { unpack } from './unpack.ts'

/** Lines move into a Blob at this size; the browser need not keep Blobs in memory. */
const FOLD_BYTES = 4 * 1024 * 1024

export type OnProgress = (words: string, share: number) => void

/** Returns the item lines of the rows that `takes` accepts, and the number of all rows. @throws BadLines */
export async function linesOf(
  file: File,
  fields: OrderFields,
  onProgress: OnProgress,
  takes: (row: number) => boolean = () => false,
): Promise<{ body: Blob; rows: number }> {
  let rows = 0
  const counts = (row: number) => {
    rows++
    return takes(row)
  }
  let parts: BlobPart[] = []
  let open_bytes = 0
  for await (const piece of itemLines(file.name, chunksOf(file, onProgress), mappingOf(fields), {
    takes: counts,
    unpack,
  })) {
    parts.push(piece)
    open_bytes += piece.length
    if (open_bytes < FOLD_BYTES) continue
    parts = [new Blob(parts)]
    open_bytes = 0
  }
  return { body: new Blob(parts), rows }
}

/** Not every browser can iterate over a stream. */
export async function* chunksOf(file: File, onProgress: OnProgress = () => {}): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader()
  let read_bytes = 0
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      read_bytes += part.value.length
      onProgress('Reading the file', read_bytes / file.size)
      yield part.value
    }
  } finally {
    void reader.cancel().catch(() => {})
  }
}

export interface Submitted {
  run_id: string
  total_items: number
}

/** The server refused the batch; the message says why. */
export class Refused extends Error {}

/** Sends the lines by XMLHttpRequest, because fetch does not report upload progress. @throws Refused */
export function send(url: string, body: Blob, onProgress: OnProgress): Promise<Submitted> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    request.setRequestHeader('content-type', 'application/x-ndjson')
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress('Sending the items', loaded / total)
    request.upload.onload = () => onProgress('The server stores the items', 1)
    request.onerror = () =>
      reject(new Refused('The connection broke off. Press again: what has arrived is not started twice.'))
    request.onload = () => {
      const { status, response } = request
      if (status === 202) return resolve(response as Submitted)
      // A signed-out user is redirected to an HTML page, which does not parse as JSON.
      if (response === null)
        return reject(new Refused('You are signed out. Sign in in another tab, then press again.'))
      const { message, hint } = response.error ?? {}
      reject(new Refused([message ?? `The server answered ${status}.`, hint].filter(Boolean).join(' ')))
    }
    request.send(body)
  })
}
