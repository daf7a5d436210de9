// Commands that show an account its quotas, and let the operator of the installation show and set them.

import { count } from '../prices/rules/amounts.ts'
import { optionOf, QUOTA_NAMES, type QuotaName } from '../quotas/rules/quotas.ts'
import { accountIdOf } from './accounts.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode } from './failure.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Quota = Schemas['Quota']

const isFull = ({ limit, used }: Quota) => limit !== null && used !== null && used >= limit

const QUOTAS: Column<Quota>[] = [
  { title: 'QUOTA', value: row => row.name },
  { title: 'USED', value: row => (row.used === null ? '-' : count(row.used)), align: 'right' },
  { title: 'LIMIT', value: row => (row.limit === null ? 'none' : count(row.limit)), align: 'right' },
  { title: '', value: row => (isFull(row) ? 'full' : ''), style: () => 'yellow' },
  { title: 'UNIT', value: row => row.unit, least: 10, optional: 2 },
  { title: 'SET BY', value: row => row.set_by, optional: 1 },
]

const printQuotas = ({ output }: Session, quotas: Quota[]): ExitCode => {
  output.emit('quotas', { quotas }, screen => table(QUOTAS, quotas, screen))
  return EXIT.ok
}

export const quotas = async (session: Session): Promise<ExitCode> =>
  printQuotas(session, await answered(session.api.GET('/v1/quotas')))

/** Sets the quotas given, and shows all of them. */
export async function accountQuota(session: Session, given: Given): Promise<ExitCode> {
  const path = { accountId: await accountIdOf(session, given.arg(0)) }
  const body: { [K in QuotaName]?: number | null } = {}
  for (const name of QUOTA_NAMES) {
    const value = given.wholeOrNone(optionOf(name))
    if (value !== undefined) body[name] = value
  }
  const isSet = Object.keys(body).length > 0
  const url = '/v1/admin/accounts/{accountId}/quotas'
  const asked = isSet
    ? session.api.PATCH(url, { params: { path }, body })
    : session.api.GET(url, { params: { path } })
  return printQuotas(session, await answered(asked))
}
