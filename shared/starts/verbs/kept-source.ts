// Takes a source as it was given into the columns that keep it. Guarantee: values of headers are kept sealed, and go to
// no other host than the one they were given for.

import type { Context } from '../../context.ts'
import { ApiError } from '../../domain/errors.ts'
import { seal } from '../../engine/sealing.ts'
import { findCurrent } from '../queries/source-reads.ts'
import { isBody, isGenerator, noGenerator, type Source, type TriggerSource } from '../rules/source.ts'
import type { SourceOrder, TriggerSourceOrder } from '../wire.ts'

export interface KeptSource<S = Source> {
  source: S | null
  source_headers_sealed: string | null
}

/** `known` is what stands; headers that are not given stay while the source stays on its host. */
export async function keptSource(
  ctx: Context,
  order: SourceOrder | null,
  known: KeptSource = { source: null, source_headers_sealed: null },
): Promise<KeptSource> {
  if (order === null) return { source: null, source_headers_sealed: null }
  const { item_id = null, partition_key = null } = order
  if (!('url' in order))
    return {
      source: { generator: order.generator, item_id, partition_key },
      source_headers_sealed: null,
    }
  const { url, format, headers } = order
  const kept = { url, format, item_id, partition_key }
  const before = known.source !== null && !isGenerator(known.source) ? known.source : null
  if (headers === undefined && before !== null && originOf(before.url) === originOf(url)) {
    const { header_names, headers_from_env } = before
    return {
      source: { ...kept, header_names, headers_from_env },
      source_headers_sealed: known.source_headers_sealed,
    }
  }
  const header_names = Object.keys(headers ?? {})
  const sealed = header_names.length === 0 ? null : await seal(ctx, 'source', JSON.stringify(headers))
  return { source: { ...kept, header_names, headers_from_env: false }, source_headers_sealed: sealed }
}

/** The same for a trigger, which may take its items from the body of a fire. */
export async function keptTriggerSource(
  ctx: Context,
  order: TriggerSourceOrder | null,
  known: KeptSource<TriggerSource> = { source: null, source_headers_sealed: null },
): Promise<KeptSource<TriggerSource>> {
  if (order !== null && 'body' in order) return { source: order, source_headers_sealed: null }
  const { source, source_headers_sealed } = known
  return keptSource(ctx, order, isBody(source) ? undefined : { source, source_headers_sealed })
}

/**
 * Where a generator is named that the agent's current version does not have; nothing is said while none is deployed.
 *
 * @throws ApiError `invalid_request`
 */
export async function refuseUnknownGenerator(
  ctx: Context,
  agent_id: string,
  source: TriggerSourceOrder | null | undefined,
): Promise<void> {
  if (!source || !('generator' in source)) return
  const agent = await findCurrent(ctx.sql, agent_id)
  if (!agent?.deployment) return
  const { generators = [] } = agent.deployment.declaration
  if (!generators.includes(source.generator))
    throw new ApiError('invalid_request', noGenerator(source.generator, generators))
}

const originOf = (url: string) => new URL(url).origin
