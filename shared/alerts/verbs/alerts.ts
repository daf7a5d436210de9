// Raises alerts, and sets rules and channels. Guarantee: an alert raised in a transaction commits or rolls back with
// it.

import { keptUrl } from '../../accounts/verbs/kept-url.ts'
import type { Context, Sql } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { guessFormat, isMailUrl } from '../../outbox/rules/formats.ts'
import type { ChannelFormat } from '../../outbox/vocabulary.ts'
import * as store from '../queries/alerts.ts'
import type { Alert } from '../rules/alerts.ts'
import type { AlertRule, ChannelDigest } from '../vocabulary.ts'
import type { AlertChannelRow } from '../wire/alerts.ts'

/**
 * Raises alerts in the caller's transaction, except those whose rule is muted or already open about the same subject.
 * Returns how many were raised; the caller notifies the deliveries after the commit.
 *
 * @example
 * await raiseAlerts(ctx, tx, moments.map(scheduleMissed).filter(alert => alert !== null))
 */
export async function raiseAlerts(ctx: Context, sql: Sql, alerts: readonly Alert[]): Promise<number> {
  if (alerts.length === 0) return 0
  const raised = await store.raiseAlerts(
    sql,
    alerts.map(alert => ({ ...alert, id: ctx.newId() })),
  )
  return raised.length
}

/** Mutes or enables a rule, for one agent or for every agent that has no setting of its own. */
export async function setAlertRule(
  ctx: Context,
  project_id: string,
  change: {
    rule: AlertRule
    agent_id?: string | undefined
    enabled: boolean
    bounds?: Record<string, number> | undefined
  },
): Promise<void> {
  const { rule, agent_id = null, enabled, bounds } = change
  await store.putAlertSetting(ctx.db, {
    id: ctx.newId(),
    project_id,
    agent_id,
    rule,
    enabled,
    ...(bounds && { bounds }),
  })
}

export interface ChannelOrder {
  url: string
  /** Guessed from the URL if absent. */
  format?: ChannelFormat | undefined
  digest?: ChannelDigest | undefined
}

/** Adds an alert channel, or updates the one with this URL. @throws ApiError `too_many_channels`, `invalid_request` */
export async function addAlertChannel(
  ctx: Context,
  project_id: string,
  { url: given, format = guessFormat(given), digest = 'scheduled' }: ChannelOrder,
): Promise<AlertChannelRow> {
  if ((format === 'mail') !== isMailUrl(given)) {
    throw new ApiError('invalid_request', 'Field "format" is mail for mailto: and nothing else.')
  }
  const known = await store.listAlertChannels(ctx.db, project_id)
  const url = await keptUrl(ctx, project_id, given)
  if (known.length >= LIMITS.alert_channels_per_project && !known.some(channel => channel.url === url)) {
    throw new ApiError(
      'too_many_channels',
      `The project has ${known.length} alert channels, as many as it may have.`,
      'Delete one that is not needed any more.',
    )
  }
  return store.putAlertChannel(ctx.db, { id: ctx.newId(), project_id, url, format, digest })
}

/** @throws ApiError `not_found` */
export async function removeAlertChannel(
  ctx: Context,
  project_id: string,
  id: string,
): Promise<AlertChannelRow> {
  const gone = await store.deleteAlertChannel(ctx.db, project_id, id)
  if (gone === undefined) throw new ApiError('not_found', 'There is no such alert channel in this account.')
  return gone
}
