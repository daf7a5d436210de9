// Says why an item is not running, by the same rules that a claim follows.

import type { Context } from '../../context.ts'
import type { ItemKey } from '../../kernel/ids.ts'
import { findPace } from '../../upstreams/queries/pacing.ts'
import { readRun } from '../queries/run-facts.ts'
import { findWaiting } from '../queries/why.ts'
import { type WhyFacts, whyNot } from '../rules/why.ts'
import { admissionFacts } from './claim.ts'

export async function whyItem(ctx: Context, key: ItemKey) {
  const [item, run] = await Promise.all([findWaiting(ctx.sql, key), readRun(ctx.sql, key)])
  if (item === undefined) return undefined
  const { due_at, ...waiting } = item
  const deployment_id = run?.deployment?.id
  const paced = deployment_id === undefined ? null : await findPace(ctx.sql, key.project_id, deployment_id)
  const facts: WhyFacts = {
    ...waiting,
    paced,
    deployment_kind: run?.deployment?.kind ?? null,
    admission: run === undefined ? null : admissionFacts(run),
  }
  return { ...whyNot(facts), facts, due_at }
}
