// Sends a test message to a channel, as any message is sent.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { queueChannelTest } from '../queries/channels.ts'
import { deliverSoon } from './deliver.ts'

/** @throws ApiError `not_found` */
export async function testChannel(ctx: Context, project_id: string, channel_id: string) {
  const queued = await queueChannelTest(ctx.sql, project_id, channel_id)
  if (queued === undefined) throw new ApiError('not_found', 'There is no such alert channel in this account.')
  deliverSoon(ctx)
  return { delivery_id: queued.id, created_at: queued.created_at.toISOString() }
}
