// Regroups submitted items into chunks for one insert each. Guarantee: a chunk is bounded in items and bytes, except
// for a single larger item, and the last chunk is marked.

import { LIMITS } from '../../kernel/limits.ts'

export interface NewItem {
  /** Its line in the submission, from 1. */
  line: number
  /** Null: the service gives it one. */
  item_id: string | null
  partition_key: string | null
  /** The JSON text exactly as it was submitted. */
  input: string
}

export interface Chunk {
  items: readonly NewItem[]
  last: boolean
}

export async function* chunksOf(batches: AsyncIterable<readonly NewItem[]>): AsyncGenerator<Chunk, void> {
  let items: NewItem[] = []
  let bytes = 0
  for await (const batch of batches) {
    for (const item of batch) {
      if (
        items.length >= LIMITS.insert_chunk_items ||
        bytes + item.input.length > LIMITS.insert_chunk_bytes
      ) {
        if (items.length > 0) yield { items, last: false }
        items = []
        bytes = 0
      }
      items.push(item)
      bytes += item.input.length
    }
  }
  if (items.length > 0) yield { items, last: true }
}

export const bytesOf = (items: readonly NewItem[]) => items.reduce((sum, item) => sum + item.input.length, 0)
