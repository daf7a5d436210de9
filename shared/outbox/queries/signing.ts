// Reads and changes which secret signs a project's messages. A project without a row signs with its first.

import { inArray, sql } from 'drizzle-orm'
import type { Database } from '../../context.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { signingSecrets } from '../tables/deliveries.ts'

export interface SigningVersion {
  version: number
  rolled_at: Date | null
  /** Until when the previous version signs as well; null if it no longer does. */
  overlap_until: Date | null
}

const FIRST: SigningVersion = { version: 1, rolled_at: null, overlap_until: null }

export async function findSigningVersions(
  db: Database,
  projectIds: readonly string[],
): Promise<Map<string, SigningVersion>> {
  const hours = LIMITS.signing_overlap_hours
  const rows = await db
    .select({
      project_id: signingSecrets.project_id,
      version: signingSecrets.version,
      rolled_at: signingSecrets.rolled_at,
      overlaps: sql<boolean>`${signingSecrets.rolled_at} > now() - make_interval(hours => ${hours})`,
    })
    .from(signingSecrets)
    .where(inArray(signingSecrets.project_id, [...projectIds]))
  const versions = new Map(projectIds.map(id => [id, FIRST]))
  for (const { project_id, overlaps, ...row } of rows) {
    const until = new Date(row.rolled_at.getTime() + hours * 3_600_000)
    versions.set(project_id, { ...row, overlap_until: overlaps ? until : null })
  }
  return versions
}

/** From now on the next version signs; the one before signs as well for LIMITS.signing_overlap_hours. */
export async function rollSigningVersion(db: Database, project_id: string): Promise<void> {
  await db
    .insert(signingSecrets)
    .values({ project_id, version: 2 })
    .onConflictDoUpdate({
      target: signingSecrets.project_id,
      set: { version: sql`${signingSecrets.version} + 1`, rolled_at: sql`excluded.rolled_at` },
    })
}
