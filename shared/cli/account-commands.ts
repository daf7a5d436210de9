// The commands of accounts.ts and quotas.ts, as data.

import { optionOf, QUOTA_NAMES, QUOTAS } from '../quotas/rules/quotas.ts'
import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'

const openRuns: Option = {
  name: 'open-runs',
  value: 'N',
  kind: 'whole',
  none: true,
  about: 'runs it may have that have not ended; none is no bound',
}

/** One option per quota. */
const quotaOptions = QUOTA_NAMES.map(
  (name): Option => ({
    name: optionOf(name),
    value: 'N',
    kind: 'whole',
    none: true,
    about: `${QUOTAS[name].unit} it may have; none goes back to ${QUOTAS[name].default ?? 'no bound'}`,
  }),
)

export const ACCOUNT_COMMANDS: readonly Command[] = [
  {
    name: 'quotas',
    summary: 'Show what the account may have in all, and how full that is.',
    run: async session => (await import('./quotas.ts')).quotas(session),
  },
  {
    name: 'admin accounts',
    summary: "List the accounts of the installation; takes the operator's credential.",
    operator: true,
    options: LIST_OPTIONS,
    run: async (...given) => (await import('./accounts.ts')).accounts(...given),
  },
  {
    name: 'admin accounts list',
    summary: 'The same.',
    operator: true,
    options: LIST_OPTIONS,
    run: async (...given) => (await import('./accounts.ts')).accounts(...given),
  },
  {
    name: 'admin accounts create',
    summary: 'Open an account with its first owner, whose password is shown once.',
    operator: true,
    options: [
      { name: 'name', value: 'NAME', about: 'what people call it' },
      { name: 'email', value: 'EMAIL', about: 'who signs in to it' },
      openRuns,
    ],
    run: async (...given) => (await import('./accounts.ts')).createAccount(...given),
  },
  {
    name: 'admin accounts suspend',
    args: ['ACCOUNT'],
    summary: 'Suspend an account, by its id, name or e-mail: nothing of it starts or is dispatched.',
    operator: true,
    run: async (...given) => (await import('./accounts.ts')).suspendAccount(...given),
  },
  {
    name: 'admin accounts resume',
    args: ['ACCOUNT'],
    summary: 'Resume a suspended account: its keys open again, and its waiting items are dispatched.',
    operator: true,
    run: async (...given) => (await import('./accounts.ts')).resumeAccount(...given),
  },
  {
    name: 'admin accounts plan',
    args: ['ACCOUNT'],
    summary: 'Set how many open runs an account may have.',
    operator: true,
    options: [openRuns],
    run: async (...given) => (await import('./accounts.ts')).accountPlan(...given),
  },
  {
    name: 'admin accounts quota',
    args: ['ACCOUNT'],
    summary: 'Show the quotas of an account, and set those that are given.',
    operator: true,
    options: quotaOptions,
    run: async (...given) => (await import('./quotas.ts')).accountQuota(...given),
  },
]
