// Commands with which the operator of an installation manages its accounts.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { type ExitCode, usageFailure } from './failure.ts'
import { clean, money } from './format.ts'
import { printList } from './listing.ts'
import { BY_ID, everyRow, type PageQuery, pageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Account = Schemas['OperatedAccount']

const ACCOUNTS: Column<Account>[] = [
  { title: 'NAME', value: row => row.name, least: 10 },
  { title: 'ID', value: row => row.id },
  {
    title: 'STATUS',
    value: row => row.status,
    style: row => (row.status === 'suspended' ? 'yellow' : undefined),
  },
  { title: 'OWNER', value: row => row.owners[0] ?? '-', least: 12, optional: 1 },
  { title: 'MEMBERS', value: row => String(row.members), align: 'right', optional: 3 },
  { title: 'PROJECTS', value: row => String(row.projects), align: 'right', optional: 2 },
  { title: 'OPEN RUNS', value: row => openRuns(row), align: 'right' },
  { title: 'SPENT', value: row => money(row.spent_cents / 100), align: 'right' },
]

const openRuns = ({ open_runs, open_runs_limit }: Account) =>
  open_runs_limit === null ? String(open_runs) : `${open_runs}/${open_runs_limit}`

const readPage =
  ({ api }: Session) =>
  (page: PageQuery) =>
    pageOf(api.GET('/v1/admin/accounts', { params: { query: page } }))

export const accounts = (session: Session, given: Given): Promise<ExitCode> =>
  printList<Account>(session, given, {
    event: 'account',
    empty: 'no accounts',
    page: LIMITS.accounts_page.max,
    read: readPage(session),
    inAnyOrder: true,
    ...BY_ID,
    text: (rows, screen) => table(ACCOUNTS, rows, screen),
  })

export async function createAccount(session: Session, given: Given): Promise<void> {
  const { api, output } = session
  const [name, email] = [given.text('name'), given.text('email')]
  if (name === undefined || email === undefined)
    throw usageFailure(`--${name === undefined ? 'name' : 'email'} is missing`, {
      next: 'assay admin accounts create --name NAME --email EMAIL',
    })
  const body = { name, email, ...defined({ open_runs_limit: given.wholeOrNone('open-runs') }) }
  const opened = await answered(api.POST('/v1/admin/accounts', { body }))
  output.emit('account_created', opened, ({ program }) =>
    [
      `${clean(opened.name)} (${opened.id}) for ${opened.owner.email}`,
      `password  ${opened.password}`,
      `This is the only time it is shown. To sign in: ${program} login --email ${opened.owner.email}`,
    ].join('\n'),
  )
}

export const suspendAccount = (session: Session, given: Given) =>
  changeStanding(
    session,
    given,
    'suspend',
    'is suspended: within five seconds its keys open nothing and nothing of it starts; what is in flight ends',
  )

export const resumeAccount = (session: Session, given: Given) =>
  changeStanding(
    session,
    given,
    'resume',
    'is resumed: its keys open again within five seconds, and its waiting items are dispatched',
  )

async function changeStanding(session: Session, given: Given, act: 'suspend' | 'resume', words: string) {
  const path = { accountId: await accountIdOf(session, given.arg(0)) }
  const account = await answered(
    session.api.POST(`/v1/admin/accounts/{accountId}/${act}`, { params: { path } }),
  )
  const event = act === 'suspend' ? 'account_suspended' : 'account_resumed'
  session.output.emit(event, account, () => `${clean(account.name)} ${words}`)
}

export async function accountPlan(session: Session, given: Given): Promise<void> {
  const open_runs_limit = given.wholeOrNone('open-runs')
  if (open_runs_limit === undefined)
    throw usageFailure('--open-runs is missing', { next: 'assay admin accounts plan --help' })
  const path = { accountId: await accountIdOf(session, given.arg(0)) }
  const account = await answered(
    session.api.PATCH('/v1/admin/accounts/{accountId}', { params: { path }, body: { open_runs_limit } }),
  )
  session.output.emit('account', account, () =>
    account.open_runs_limit === null
      ? `${clean(account.name)} may have any number of open runs`
      : `${clean(account.name)} may have ${account.open_runs_limit} open runs; it has ${account.open_runs}`,
  )
}

const PAGES_LOOKED_AT = 50

/** Finds an account by its id, its name or an owner's e-mail. @throws Failure `usage` if none or several match */
export async function accountIdOf(session: Session, word: string): Promise<string> {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(word)) return word
  const found: Account[] = []
  for await (const row of everyRow(readPage(session), LIMITS.accounts_page.max, PAGES_LOOKED_AT))
    if (row.name === word || row.owners.includes(word.toLowerCase())) found.push(row)
  if (found.length === 1) return found[0]!.id
  throw usageFailure(
    found.length === 0 ? `there is no account "${word}"` : `${found.length} accounts are called "${word}"`,
    {
      hint: found.length === 0 ? undefined : `their ids: ${found.map(row => row.id).join(', ')}`,
      next: 'assay admin accounts list',
    },
  )
}
