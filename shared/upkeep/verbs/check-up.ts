// Reads what an operator's check-up needs in addition to the load: versions, clocks, disk use, and whether the master
// key is the one that data was sealed under.

import { openEnv } from '../../accounts/verbs/sealing.ts'
import type { Context } from '../../context.ts'
import { holdsKey } from '../../kernel/secrets.ts'
import { VERSION } from '../../kernel/version.ts'
import { type DatabaseState, readDatabaseState } from '../queries/check-up.ts'
import { checkMasterKey } from './installation.ts'

export interface Installation {
  versions: { version: string; postgres: string; redis: string }
  figures: Record<keyof typeof INSTALLATION_METRICS, number>
}

/** Each is a gauge, as Prometheus reads it. */
export const INSTALLATION_METRICS = {
  assay_database_clock_seconds: "PostgreSQL's clock, in seconds since 1970.",
  assay_database_bytes: 'The size of the database on disk.',
  assay_database_durable: '1 where what PostgreSQL has acknowledged outlives a crash.',
  assay_purges_waiting: 'Parts of runs that retention has given up and that are still there.',
  assay_master_key_opens: '1 where the master key opens what was sealed last, or nothing was.',
}

export async function readInstallation(ctx: Context): Promise<Installation> {
  const [state, redis] = await Promise.all([readDatabaseState(ctx.sql), redisVersion(ctx)])
  return {
    versions: { version: VERSION, postgres: state.postgres, redis },
    figures: {
      assay_database_clock_seconds: state.clock_s,
      assay_database_bytes: state.bytes,
      assay_database_durable: Number(state.durable),
      assay_purges_waiting: state.purges_waiting,
      assay_master_key_opens: Number(await opens(ctx, state.sealed)),
    },
  }
}

/** A process without the key for environments checks instead whether its keys are of the same master key. */
async function opens(ctx: Context, sealed: DatabaseState['sealed']): Promise<boolean> {
  if (sealed === null) return true
  const { master_key } = ctx.config
  if (!holdsKey(master_key, 'environment')) return (await checkMasterKey(ctx.sql, master_key)) === undefined
  return openEnv(ctx, sealed.project_id, sealed).then(
    () => true,
    () => false,
  )
}

/** Redis' version; empty if Redis does not answer or does not say. */
async function redisVersion({ redis }: Context): Promise<string> {
  const text = await redis.info('server').catch(() => '')
  return /(?:redis|valkey)_version:(\S+)/.exec(text)?.[1] ?? ''
}
