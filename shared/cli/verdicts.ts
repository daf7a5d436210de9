// The command that shows how good verdicts are: people's judgements, counted by the server.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { ApiFailure } from '../sdk/client.ts'
import { reasonMeaning } from '../triage/rules/outcome-meanings.ts'
import { type Doubt, doubtOf } from '../view/verdict.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import type { ExitCode } from './failure.ts'
import { count } from './format.ts'
import { printList } from './listing.ts'
import { bodyPageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Judged = Schemas['JudgedReason']

const COLUMNS: Column<Judged>[] = [
  { title: 'AGENT', value: row => row.agent_slug, least: 8 },
  { title: 'REASON', value: row => row.reason },
  { title: 'JUDGED', value: row => count(row.judged), align: 'right' },
  { title: 'CONFIRMED', value: row => count(row.confirmed), align: 'right' },
  { title: 'WRONG', value: row => count(row.wrong), align: 'right' },
  {
    title: 'PRECISION',
    value: row => row.precision.toFixed(2),
    align: 'right',
    style: row => (row.often_wrong ? 'yellow' : undefined),
  },
  { title: 'MEANS', value: row => reasonMeaning(row.reason), least: 28, optional: 1 },
]

/**
 * The remarks for reasons that people often found wrong, as far as the first page has them. Not queried if it is not
 * printed; a server that refuses the query must not prevent the list.
 */
export async function doubts({ api, output }: Session, given: Given): Promise<Doubt> {
  if (output.isJson || given.flag('follow')) return doubtOf([])
  const query = { limit: LIMITS.verdicts_page.max }
  try {
    return doubtOf((await answered(api.GET('/v1/verdicts', { params: { query } }))).rows)
  } catch (error) {
    if (error instanceof ApiFailure) return doubtOf([])
    throw error
  }
}

/** @example withDoubt('the model refused', 'called wrong in 8 of 25 judged') */
export const withDoubt = (words: string, doubt: string | undefined): string =>
  doubt === undefined ? words : `${words} (${doubt})`

export async function verdicts(session: Session, given: Given): Promise<ExitCode> {
  const agent = defined({ agent: given.text('agent') })
  return printList<Judged>(session, given, {
    event: 'verdict',
    empty:
      'nobody has judged a verdict yet: in triage, w calls one wrong; an ok item that was called wrong counts once it is decided about there',
    page: LIMITS.verdicts_page.max,
    read: page =>
      bodyPageOf(
        session.api.GET('/v1/verdicts', { params: { query: { ...page, ...agent } } }),
        found => found.rows,
      ),
    inAnyOrder: true,
    keyOf: row => `${row.agent_id} ${row.reason}`,
    cameAt: () => null,
    text: (rows, screen) => table(COLUMNS, rows, screen),
  })
}
