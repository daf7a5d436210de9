// Opens accounts and sets what they may do. Guarantee: nothing of a suspended account is started or dispatched until it
// is resumed, and nothing of it is lost; items in flight end normally.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { randomWord } from '../../kernel/secrets.ts'
import { changed } from '../../quotas/rules/quotas.ts'
import { setQuotas } from '../../quotas/verbs/quotas.ts'
import * as store from '../queries/accounts.ts'
import type { AccountStatus } from '../vocabulary.ts'
import type { Opened, OperatedAccountRow } from '../wire/accounts.ts'
import { addMember } from './members.ts'
import { createProject } from './projects.ts'

const PASSWORD_BYTES = 18

export interface NewAccount {
  name: string
  email: string
  open_runs_limit?: number | null | undefined
}

/** Makes an account with a project and an owner, whose password is shown only here. @throws ApiError `email_taken` */
export async function openAccount(
  ctx: Context,
  { name, email, open_runs_limit = null }: NewAccount,
): Promise<Opened> {
  const account_id = ctx.newId()
  const password = randomWord(ctx.random, PASSWORD_BYTES)
  await store.insertAccount(ctx.db, {
    id: account_id,
    name,
    plan: changed({}, { open_runs: open_runs_limit }),
  })
  const owner = await addMember(ctx, { account_id, email, role: 'owner', password })
  const project = await createProject(ctx, { account_id, name: 'default' })
  return { account: await accountOf(ctx, account_id), owner, password, project_id: project.id }
}

/** @throws ApiError `not_found` */
export async function setPlan(
  ctx: Context,
  id: string,
  open_runs_limit: number | null,
): Promise<OperatedAccountRow> {
  await setQuotas(ctx, id, { open_runs: open_runs_limit })
  return accountOf(ctx, id)
}

/** Processes that cached its keys and sessions refuse them within five seconds. @throws ApiError `not_found` */
export async function setStatus(
  ctx: Context,
  id: string,
  status: AccountStatus,
): Promise<OperatedAccountRow> {
  if (!(await store.updateAccount(ctx.db, id, { status }))) throw noAccount()
  if (status === 'active') ctx.notify()
  return accountOf(ctx, id)
}

async function accountOf(ctx: Context, id: string): Promise<OperatedAccountRow> {
  const [account] = await store.listAccounts(ctx.db, { id, limit: 1 })
  if (account === undefined) throw noAccount()
  return account
}

const noAccount = () => new ApiError('not_found', 'There is no such account in this installation.')
