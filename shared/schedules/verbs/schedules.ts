// Creates, changes and deletes schedules. Guarantee: an enabled schedule has a readable cron and zone and its next fire
// time, which follows from them and the database's clock alone.
//
// Every verb acts through `ctx.db`: a caller that passes a transaction there makes the change part of it.

import { keptStart, keptUrl } from '../../accounts/verbs/kept-url.ts'
import type { Context, Database } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import type { NamedLimits } from '../../pacing/rules/named-limits.ts'
import { withinQuota } from '../../quotas/verbs/quotas.ts'
import { keptSource } from '../../sources/verbs/kept-source.ts'
import { startSaid } from '../../submission/wire/start-settings.ts'
import { namedHost } from '../../upstreams/rules/upstream.ts'
import { findWithCron } from '../queries/same-cron.ts'
import * as store from '../queries/schedules.ts'
import { normalCron, parseCron, ScheduleError } from '../rules/cron.ts'
import { nextFires, overdueMoments } from '../rules/fire-times.ts'
import { checkTimezone } from '../rules/timezone.ts'
import { type SaidSettings, settingsOf } from '../wire/schedules.ts'

export interface ScheduleOrder extends SaidSettings {
  project_id: string
  agent_id: string
  cron: string
  timezone: string
  enabled: boolean
  /** Whether the agent's code declares it. */
  declared: boolean
}

/** The fields to change; undefined ones stay. */
export interface ScheduleChanges extends SaidSettings {
  cron?: string | undefined
  timezone?: string | undefined
  declared?: boolean
}

/** @throws ApiError `invalid_cron`, `invalid_timezone`, `schedule_cron_taken`, `invalid_request`, `quota_exceeded` */
export async function createSchedule(ctx: Context, order: ScheduleOrder): Promise<string> {
  const id = ctx.newId()
  const { project_id, agent_id, timezone, enabled, declared } = order
  const cron = normalCron(order.cron)
  const next_at = await nextOf(ctx.db, cron, timezone)
  const row = {
    ...(await columnsOf(ctx, { project_id, id }, settingsOf(order), declared)),
    id,
    project_id,
    agent_id,
    cron,
    timezone,
    declared,
    enabled,
    disabled_reason: enabled ? null : ('operator' as const),
    next_at: enabled ? next_at : null,
  }
  const made = await withinQuota(ctx, { project_id }, 'schedules', ctx => store.insertSchedule(ctx.db, row))
  if (!made) throw cronTaken(cron, await findWithCron(ctx.db, row))
  return id
}

/**
 * Changes a schedule. A new cron or zone applies from the very next fire time on.
 *
 * @throws ApiError `invalid_cron`, `invalid_timezone`, `schedule_cron_taken`, `not_found`, `invalid_request`
 */
export async function updateSchedule(
  ctx: Context,
  key: store.ScheduleKey,
  changes: ScheduleChanges,
): Promise<void> {
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const known = await locked(db, key)
    const cron = normalCron(changes.cron ?? known.cron)
    const timezone = changes.timezone ?? known.timezone
    const isMoved = cron !== known.cron || timezone !== known.timezone
    const next_at = isMoved ? await nextOf(db, cron, timezone) : known.next_at
    const other = cron === known.cron ? undefined : await findWithCron(db, { ...known, cron })
    if (other !== undefined) throw cronTaken(cron, other)
    if (isMoved) await passOver(db, known)
    const { cron: _, timezone: __, declared, ...settings } = changes
    const updated = await store.updateSchedule(db, key, {
      ...(await columnsOf(ctx, key, settings, declared, known)),
      ...(declared !== undefined && { declared }),
      ...(isMoved && { cron, timezone, next_at: known.enabled ? next_at : null }),
    })
    // Another schedule got the cron since it was looked for.
    if (!updated) throw cronTaken(cron)
  })
}

/** Fire times passed while disabled are lost. @throws ApiError `invalid_cron`, `invalid_timezone`, `not_found` */
export async function enableSchedule(ctx: Context, key: store.ScheduleKey): Promise<void> {
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const { cron, timezone, enabled } = await locked(db, key)
    if (!enabled) await store.enableSchedule(db, key, await nextOf(db, cron, timezone))
  })
}

/** Disables it with the reason `operator`. A disabled schedule keeps its reason. @throws ApiError `not_found` */
export async function disableSchedule(ctx: Context, key: store.ScheduleKey): Promise<void> {
  await ctx.db.transaction(async tx => {
    const db = tx as unknown as Database
    const known = await locked(db, key)
    if (!known.enabled) return
    await passOver(db, known)
    await store.disableSchedule(db, key, 'operator')
  })
}

/** Deletes a schedule with all its occurrences; its runs stay. */
export function deleteSchedule(ctx: Context, key: store.ScheduleKey): Promise<void> {
  return store.deleteSchedule(ctx.db, key)
}

type LockedSchedule = Awaited<ReturnType<typeof locked>>

async function locked(db: Database, key: store.ScheduleKey) {
  const row = await store.lockSchedule(db, key)
  if (row === undefined) throw new ApiError('not_found', 'There is no such schedule in this account.')
  return row
}

/** Records fire times as missed that came before a change and that no tick has acted on yet. */
async function passOver(db: Database, known: LockedSchedule): Promise<void> {
  const { id, project_id, cron, timezone } = known
  const now = new Date(await store.readClock(db))
  let from = known.next_at
  if (from === null || from > now || !isReadable(known)) return
  const parsed = parseCron(cron)
  while (from <= now) {
    const passed = overdueMoments(parsed, timezone, from, now, LIMITS.moments_per_chunk)
    await store.insertMissed(db, { schedule_id: id, project_id }, passed.moments)
    from = passed.next_at
  }
}

/** The first fire time after the database's current time. */
async function nextOf(db: Database, cron: string, timezone: string): Promise<Date> {
  const parsed = readable(cron, timezone)
  return new Date(nextFires(parsed, timezone, await store.readClock(db), 1)[0]!)
}

/** Whether the stored cron and zone are valid: the row may have been edited. */
function isReadable({ cron, timezone }: LockedSchedule): boolean {
  try {
    readable(cron, timezone)
    return true
  } catch {
    return false
  }
}

/** @throws ApiError `invalid_cron`, `invalid_timezone` */
export function readable(cron: string, timezone: string) {
  try {
    checkTimezone(timezone)
    return parseCron(cron)
  } catch (error) {
    if (error instanceof ScheduleError) throw new ApiError(error.code, error.message, error.hint)
    throw error
  }
}

/** The columns to write for the given settings. */
async function columnsOf(
  ctx: Context,
  { project_id, id }: store.ScheduleKey,
  said: SaidSettings,
  declared: boolean | undefined,
  known?: LockedSchedule,
): Promise<store.ScheduleColumns> {
  const { source, name, input, results, limits } = said
  if (input !== undefined && new TextEncoder().encode(input).length > LIMITS.item_input_bytes)
    throw new ApiError('invalid_request', `Field "input" is longer than ${LIMITS.item_input_bytes} bytes.`)
  if (source && input !== undefined && input !== 'null')
    throw new ApiError('invalid_request', 'Fields "input" and "source" exclude each other.')
  return {
    name,
    input,
    ...(results !== undefined && { results: await keptResults(ctx, project_id, results, known?.results) }),
    ...(limits !== undefined && { limits: limits?.length ? limits.map(shownLimits) : null }),
    ...(await keptStart(ctx, project_id, startSaid(said), known?.callback_url)),
    ...(source !== undefined &&
      (await keptSource(ctx, { project_id, start_id: id }, source, known, declared ? 'code' : 'caller'))),
  }
}

async function keptResults(
  ctx: Context,
  project_id: string,
  results: SaidSettings['results'],
  known: SaidSettings['results'],
) {
  return results && { ...results, url: await keptUrl(ctx, project_id, results.url, known?.url) }
}

function cronTaken(cron: string, other?: { id: string; name: string | null }): ApiError {
  const named = other && [other.name === null ? '' : JSON.stringify(other.name), other.id].filter(Boolean)
  return new ApiError(
    'schedule_cron_taken',
    `The agent already has a schedule with the cron ${JSON.stringify(cron)}${named === undefined ? '' : `: ${named.join(', ')}`}.`,
    `An agent has each cron once, in whatever time zone. Change that schedule (assay schedules update ${other?.id ?? 'SCHEDULE'}), or let this one fire at another minute.`,
  )
}

/** An agent's URL may bear a secret; its name does not. */
const shownLimits = (limits: NamedLimits): NamedLimits => ({ ...limits, host: namedHost(limits.host) })
