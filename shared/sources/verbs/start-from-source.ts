// Starts a run over the items of a source. Guarantee: the run is opened only after the source has ended well; if it
// ends otherwise, nothing is left of the run.

import { confirmCaller } from '../../accounts/queries/callers.ts'
import { problemText } from '../../alerts/rules/alerts.ts'
import type { Context, Sql } from '../../context.ts'
import type { StartedBy } from '../../items/vocabulary.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { plainText } from '../../kernel/plain-text.ts'
import type { NewItem } from '../../submission/rules/chunks.ts'
import { type RunOrder, type Submitted, submitRun } from '../../submission/verbs/submit.ts'
import { orderOfStart } from '../../submission/wire/start-settings.ts'
import { findCurrent, type SourcedStart } from '../queries/source-reads.ts'
import { isGenerator, type Source, SourceError, type SourceProblem } from '../rules/source.ts'
import type { Occasion } from '../rules/source-url.ts'
import { sourceItems } from './source-items.ts'

export interface Starting {
  occasion: Occasion
  signal: AbortSignal
  run_id?: string
  started_by: StartedBy
  /** So that fires of one key start one run. */
  idempotency?: RunOrder['idempotency']
  /** Runs in the transaction that opens the run. */
  together: (sql: Sql, run_id: string) => Promise<void>
}

/** @throws SourceError, ApiError like submitRun, or the signal's reason */
export async function startFromSource(
  ctx: Context,
  start: SourcedStart,
  { occasion, signal, started_by, run_id, idempotency = null, together }: Starting,
): Promise<Submitted> {
  const { project_id, agent_id, name } = start
  const order = {
    ...orderOfStart(start),
    project_id,
    agent_id,
    name,
    started_by,
    idempotency,
    together,
    from_source: true,
    ...(run_id !== undefined && { run_id }),
  }
  return submitRun(ctx, order, await itemsFor(ctx, start, occasion, signal))
}

async function itemsFor(
  ctx: Context,
  { id: start_id, project_id, agent_id, source, source_headers_sealed }: PreviewedStart,
  occasion: Occasion,
  signal: AbortSignal,
): Promise<AsyncIterable<NewItem[]>> {
  const agent = await findCurrent(ctx.sql, { project_id, agent_id })
  const deployment = agent?.deployment ?? null
  const reading = { project_id, start_id, source, source_headers_sealed, occasion, agent_id, deployment }
  return sourceItems(ctx, reading, signal)
}

/** Starts a run for a caller that waits for the answer. @throws ApiError */
export async function startNow(
  ctx: Context,
  start: SourcedStart,
  { body, ...how }: Pick<Starting, 'started_by' | 'together' | 'idempotency'> & { body?: string },
): Promise<Submitted> {
  const occasion = { ...occasionNow(ctx, start), ...(body !== undefined && { body }) }
  return whileAsked(ctx, start, signal => startFromSource(ctx, start, { occasion, signal, ...how }))
}

export type PreviewedStart = Pick<
  SourcedStart,
  'project_id' | 'agent_id' | 'timezone' | 'source' | 'source_headers_sealed'
> & { id: string | null }

export interface SourcePreview {
  count: number
  /** The first LIMITS.source_preview_items. */
  items: NewItem[]
}

/** Reads a source to its end, or until `caller` is gone, and starts nothing. @throws ApiError */
export async function previewSource(
  ctx: Context,
  start: PreviewedStart,
  caller: AbortSignal,
): Promise<SourcePreview> {
  return whileAsked(ctx, start, async late => {
    const signal = AbortSignal.any([late, caller])
    const preview: SourcePreview = { count: 0, items: [] }
    for await (const items of await itemsFor(ctx, start, occasionNow(ctx, start), signal)) {
      preview.count += items.length
      if (preview.count > LIMITS.items_per_run)
        throw new SourceError(`A run takes at most ${LIMITS.items_per_run} items; the source has more.`)
      const room = LIMITS.source_preview_items - preview.items.length
      if (room > 0) preview.items.push(...items.slice(0, room))
    }
    await confirmCaller(ctx.sql, ctx.caller) // a source may take minutes
    return preview
  })
}

const occasionNow = (ctx: Context, { timezone }: PreviewedStart): Occasion => ({
  scheduled_for: new Date(ctx.now()),
  timezone,
})

/** The projects whose sources are being read for callers that wait, once per read, by connection pool. */
const asked = new WeakMap<Context['sql'], string[]>()

/**
 * Reads a source for a caller that waits.
 *
 * @throws ApiError `rate_limited`, `source_failed`, `source_empty`, and what `read` throws
 */
async function whileAsked<T>(
  ctx: Context,
  { project_id, source }: Pick<PreviewedStart, 'project_id' | 'source'>,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const reading = asked.get(ctx.sql) ?? []
  asked.set(ctx.sql, reading)
  const ofProject = reading.filter(id => id === project_id).length
  if (reading.length >= LIMITS.source_requests_at_once || ofProject >= LIMITS.sources_at_once_per_project)
    throw new ApiError(
      'rate_limited',
      `${ofProject} sources of the project are being read for callers already.`,
      'Wait for one to end, or let a schedule read it.',
      LIMITS.open_runs_retry_s,
    )
  reading.push(project_id)
  try {
    return await inWords(source, read)
  } finally {
    reading.splice(reading.indexOf(project_id), 1)
  }
}

async function inWords<T>(source: Source, read: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const text = `The source took longer than ${LIMITS.source_request_ms / 1000} s.`
  const timer = setTimeout(() => late.abort(new SourceError(text)), LIMITS.source_request_ms)
  try {
    return await read(late.signal)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'no_items')
      throw new ApiError('source_empty', 'The source has no items: nothing was started.')
    if (!(error instanceof SourceError)) throw error
    const { line, text } = problemOf(error)
    throw new ApiError('source_failed', problemText({ line, text }), adviceOn(source))
  } finally {
    clearTimeout(timer)
  }
}

const adviceOn = (source: Source): string =>
  isGenerator(source)
    ? `Nothing was started. Correct the generator ${source.generator} and deploy the agent again.`
    : `Nothing was started. Correct the source's URL, its headers, or what ${new URL(source.url).host} answers.`

export const problemOf = ({ line, message }: { line?: number | null; message: string }): SourceProblem => ({
  line: line ?? null,
  text: plainText(message, LIMITS.source_detail_characters),
})
