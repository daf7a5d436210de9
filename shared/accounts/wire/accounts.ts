// The shapes of accounts as the installation's operator sees them: counts only, no contents.

import { id, timestamp } from '../../kernel/answer-fields.ts'
import * as z from '../../kernel/documented-zod.ts'
import { label } from '../../kernel/fields.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { centsOf } from '../../prices/rules/pricing.ts'
import type { AccountPlan } from '../tables/accounts.ts'
import { ACCOUNT_STATUSES, type AccountStatus } from '../vocabulary.ts'
import { email, Member, type MemberRow, memberOf } from './members.ts'

export interface OperatedAccountRow {
  id: string
  name: string
  status: AccountStatus
  plan: AccountPlan
  owners: string[]
  members: number
  projects: number
  open_runs: number
  spent_micro: number
  created_at: Date
}

const openRunsLimit = z
  .int()
  .min(0)
  .max(2 ** 31 - 1)
  .nullable()
  .describe('The plan: runs of the account that have not ended, at most; null is no bound.')

export const NewAccount = z
  .strictObject({
    name: label(LIMITS.name_characters, 'For people; need not be unique.'),
    email: email.describe('Of its first owner; unique in the installation.'),
    open_runs_limit: openRunsLimit.optional(),
  })
  .openapi('NewAccount', { description: 'An account to be made, with its first owner.' })

export const AccountPlanChange = z
  .strictObject({ open_runs_limit: openRunsLimit })
  .openapi('AccountPlanChange', { description: 'What an account may do from now on.' })

const fields = {
  id: id('The account.'),
  name: z.string(),
  status: z.enum(ACCOUNT_STATUSES).describe('Of a suspended account nothing is started or dispatched.'),
  open_runs_limit: openRunsLimit,
  owners: z
    .array(z.string())
    .describe(`E-mails of its owners, at most ${LIMITS.owners_shown}, the first ones first.`),
  members: z.int(),
  projects: z.int(),
  open_runs: z.int().describe('Runs that have not ended.'),
  spent_cents: z.int().describe('By all of its projects.'),
  created_at: timestamp,
}

export const OperatedAccount = z
  .object(fields)
  .openapi('OperatedAccount', { description: 'An account, as whoever operates the installation sees it.' })

export const OpenedAccount = z
  .object({
    ...fields,
    owner: Member.describe('Who signs in to it.'),
    password: z.string().describe("The owner's, to be changed; it is shown this once."),
    project_id: id('Its first project.'),
  })
  .openapi('OpenedAccount', { description: 'An account that was just made.' })

export function operatedAccountOf(row: OperatedAccountRow): z.input<typeof OperatedAccount> {
  const { plan, spent_micro, created_at, ...rest } = row
  return {
    ...rest,
    open_runs_limit: plan.open_runs ?? null,
    spent_cents: centsOf(spent_micro),
    created_at: created_at.toISOString(),
  }
}

export interface Opened {
  account: OperatedAccountRow
  owner: MemberRow
  password: string
  project_id: string
}

export const openedAccountOf = ({ account, owner, password, project_id }: Opened) => ({
  ...operatedAccountOf(account),
  owner: memberOf(owner),
  password,
  project_id,
})
