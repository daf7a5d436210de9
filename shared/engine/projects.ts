// Makes projects.

import type { Context } from '../context.ts'
import type { ProjectRow } from '../schema/wire-account.ts'
import { findProject, insertProject } from '../store/projects.ts'

export interface NewProject {
  account_id: string
  name: string
  concurrency?: number | undefined
  credit_cents?: number | null | undefined
}

const MICRO_PER_CENT = 10_000

export async function createProject(ctx: Context, order: NewProject): Promise<ProjectRow> {
  const { account_id, name, concurrency, credit_cents } = order
  const id = ctx.newId()
  await insertProject(ctx.db, {
    id,
    account_id,
    name,
    settings: concurrency === undefined ? {} : { concurrency },
    credit_micro: credit_cents == null ? null : credit_cents * MICRO_PER_CENT,
  })
  return (await findProject(ctx.db, account_id, id))!
}
