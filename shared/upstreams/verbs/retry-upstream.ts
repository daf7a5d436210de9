// Has an upstream tried at once, for whoever knows that it serves again.

import { writeFor } from '../../accounts/queries/callers.ts'
import type { Context } from '../../context.ts'
import { retryNow } from '../queries/shown-upstreams.ts'
import type { UpstreamRow } from '../wire/upstreams.ts'

/** Returns the upstream as the request left it: by now a try may have opened it. */
export async function retryUpstream(ctx: Context, upstream: UpstreamRow): Promise<UpstreamRow> {
  if (upstream.state === 'open') return upstream
  const next_at = new Date(ctx.now())
  await writeFor(ctx, sql => retryNow(sql, upstream.project_id, upstream.id))
  ctx.notify()
  return { ...upstream, next_at }
}
