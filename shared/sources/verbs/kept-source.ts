// Converts a source, as it was given, to the columns that store it. Guarantee: header values are stored encrypted, and
// are sent to no other address than the one they were given for, whoever writes to the row.

import { keptUrl, wholeUrl } from '../../accounts/verbs/kept-url.ts'
import { type SealedIn, seal, unseal } from '../../accounts/verbs/sealing.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { AgentKey } from '../../kernel/ids.ts'
import { findCurrent } from '../queries/source-reads.ts'
import type { ItemsOrder } from '../rules/declared-source.ts'
import { isBody, isGenerator, noGenerator, type Source, type TriggerSource } from '../rules/source.ts'
import type { SourceOrder } from '../wire/sources.ts'

export interface KeptSource<S = Source> {
  source: S | null
  source_headers_sealed: string | null
}

/** Who gave a source. If code declares it, `$NAME` in a header is a variable of the deployment's environment. */
export type SaidBy = 'caller' | 'code'

/** The schedule or trigger of a source; its id is null for a source that is only tried. */
export interface StartOfSource {
  project_id: string
  start_id: string | null
}

/** Headers go to one address, of which the parameters may change: another path may show them to anybody. */
const addressOf = (url: string) => {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

const sealedIn = ({ project_id, start_id }: StartOfSource, address: string): SealedIn => ({
  project_id,
  row: [start_id, address],
})

/** The headers of a stored source. @throws Error if they were sealed for another one, or another address */
export const openHeaders = async (
  ctx: Context,
  of: StartOfSource,
  url: string,
  sealed: string,
): Promise<Record<string, string>> => {
  const whole = await wholeUrl(ctx, of.project_id, url)
  return JSON.parse(await unseal(ctx, 'source', sealedIn(of, addressOf(whole)), sealed))
}

/** `known` is the stored source. Its headers stay if a caller gives none and the URL keeps its host and its path. */
export async function keptSource(
  ctx: Context,
  of: StartOfSource,
  order: SourceOrder | null,
  known: KeptSource = { source: null, source_headers_sealed: null },
  by: SaidBy = 'caller',
): Promise<KeptSource> {
  if (order === null) return { source: null, source_headers_sealed: null }
  const { item_id = null, partition_key = null } = order
  if (!('url' in order))
    return {
      source: { generator: order.generator, item_id, partition_key },
      source_headers_sealed: null,
    }
  const { format, format_guessed = false, headers } = order
  const before = known.source !== null && !isGenerator(known.source) ? known.source : null
  const url = await keptUrl(ctx, of.project_id, order.url, before?.url)
  const address = addressOf(await wholeUrl(ctx, of.project_id, url))
  const kept = { url, format, ...(format_guessed && { format_guessed }), item_id, partition_key }
  if (
    by === 'caller' &&
    headers === undefined &&
    before !== null &&
    addressOf(await wholeUrl(ctx, of.project_id, before.url)) === address
  ) {
    const { header_names, headers_from_env } = before
    return {
      source: { ...kept, header_names, headers_from_env },
      source_headers_sealed: known.source_headers_sealed,
    }
  }
  const header_names = Object.keys(headers ?? {})
  const sealed =
    header_names.length === 0
      ? null
      : await seal(ctx, 'source', sealedIn(of, address), JSON.stringify(headers))
  return { source: { ...kept, header_names, headers_from_env: by === 'code' }, source_headers_sealed: sealed }
}

/** Like keptSource, for a trigger, which may take its items from the body of a fire. */
export async function keptTriggerSource(
  ctx: Context,
  of: StartOfSource,
  order: ItemsOrder | null,
  known: KeptSource<TriggerSource> = { source: null, source_headers_sealed: null },
  by: SaidBy = 'caller',
): Promise<KeptSource<TriggerSource>> {
  if (order !== null && 'body' in order) return { source: order, source_headers_sealed: null }
  const { source, source_headers_sealed } = known
  return keptSource(ctx, of, order, isBody(source) ? undefined : { source, source_headers_sealed }, by)
}

/**
 * Refuses a generator that the agent's current version does not have; any passes while nothing is deployed.
 *
 * @throws ApiError `invalid_request`
 */
export async function refuseUnknownGenerator(
  ctx: Context,
  of: AgentKey,
  source: ItemsOrder | null | undefined,
): Promise<void> {
  if (!source || !('generator' in source)) return
  const agent = await findCurrent(ctx.sql, of)
  if (!agent?.deployment) return
  const { generators = [] } = agent.deployment.declaration
  if (!generators.includes(source.generator))
    throw new ApiError('invalid_request', noGenerator(source.generator, generators))
}

/** The stored source, as code would declare it. Headers that a caller gave get empty values, which no code declares. */
export async function asDeclared(
  ctx: Context,
  of: StartOfSource,
  { source, source_headers_sealed }: KeptSource,
): Promise<SourceOrder | null> {
  if (source === null || isGenerator(source)) return source
  const { header_names, headers_from_env, ...order } = source
  order.url = await wholeUrl(ctx, of.project_id, source.url)
  if (source_headers_sealed === null) return order
  const headers: Record<string, string> = headers_from_env
    ? await openHeaders(ctx, of, source.url, source_headers_sealed)
    : Object.fromEntries(header_names.map(name => [name, '']))
  return { ...order, headers }
}

/** Like asDeclared, for a trigger. */
export async function itemsAsDeclared(
  ctx: Context,
  of: StartOfSource,
  { source, source_headers_sealed }: KeptSource<TriggerSource>,
): Promise<ItemsOrder | null> {
  return isBody(source) ? source : asDeclared(ctx, of, { source, source_headers_sealed })
}
