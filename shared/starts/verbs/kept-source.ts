// Takes a source as it was given into the columns that keep it. Guarantee: values of headers are kept sealed, and go to
// no other host than the one they were given for.

import type { Context } from '../../context.ts'
import { seal } from '../../engine/sealing.ts'
import type { Source } from '../rules/source.ts'
import type { SourceOrder } from '../wire.ts'

export interface KeptSource {
  source: Source | null
  source_headers_sealed: string | null
}

/** `known` is what stands; headers that are not given stay while the source stays on its host. */
export async function keptSource(
  ctx: Context,
  order: SourceOrder | null,
  known: KeptSource = { source: null, source_headers_sealed: null },
): Promise<KeptSource> {
  if (order === null) return { source: null, source_headers_sealed: null }
  const { url, format, item_id = null, partition_key = null, headers } = order
  const kept = { url, format, item_id, partition_key }
  if (headers === undefined && known.source !== null && originOf(known.source.url) === originOf(url)) {
    const { header_names, headers_from_env } = known.source
    return {
      source: { ...kept, header_names, headers_from_env },
      source_headers_sealed: known.source_headers_sealed,
    }
  }
  const header_names = Object.keys(headers ?? {})
  const sealed = header_names.length === 0 ? null : await seal(ctx, 'source', JSON.stringify(headers))
  return { source: { ...kept, header_names, headers_from_env: false }, source_headers_sealed: sealed }
}

const originOf = (url: string) => new URL(url).origin
