// Gives the deployments of an engine an environment, as a deploy does.

import { sealEnv } from '../../shared/accounts/verbs/sealing.ts'
import type { Context } from '../../shared/context.ts'

interface Row {
  project_id: string
  id: string
  bundle_hash: string | null
}

export async function giveEnv(ctx: Context, env: Record<string, string>): Promise<void> {
  for (const row of await ctx.sql<Row[]>`select project_id, id, bundle_hash from deployments`) {
    const sealed = await sealEnv(ctx, row.project_id, row, env)
    await ctx.sql`update deployments set env_sealed = ${sealed} where project_id = ${row.project_id} and id = ${row.id}`
  }
}
