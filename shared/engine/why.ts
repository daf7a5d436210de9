// Answers why an item is not running, by the same rules a claim follows.

import type { Context } from '../context.ts'
import { type WhyFacts, whyNot } from '../domain/why.ts'
import type { ItemKey } from '../recovery/verbs/replay.ts'
import { readRun } from '../store/claims.ts'
import { findWaiting } from '../store/why.ts'
import { admissionFacts } from './claim.ts'

export async function whyItem(ctx: Context, key: ItemKey) {
  const [item, run] = await Promise.all([findWaiting(ctx.sql, key), readRun(ctx.sql, key.run_id)])
  if (item === undefined) return undefined
  const { due_at, ...waiting } = item
  const facts: WhyFacts = {
    ...waiting,
    deployment_kind: run?.deployment?.kind ?? null,
    admission: run === undefined ? null : admissionFacts(run),
  }
  return { ...whyNot(facts), facts, due_at }
}
