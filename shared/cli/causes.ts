// The command that lists why items did not work: one line per cause, counted by the server over all items.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { sayRecovered } from '../view/run.ts'
import type { Doubt } from '../view/verdict.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { type ExitCode, usageFailure } from './failure.ts'
import { count, minute, money } from './format.ts'
import { printList, sinceTimeOf } from './listing.ts'
import { bodyPageOf } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'
import { leastFor, pathFirst } from './verdict.ts'
import { doubts, withDoubt } from './verdicts.ts'

type Cause = Schemas['Cause']

const columnsOf = (doubt: Doubt, rows: readonly Cause[], isOfRun: boolean): Column<Cause>[] => [
  // Of all runs, a replay that ends by it counts once more.
  { title: isOfRun ? 'ITEMS' : 'TIMES', value: row => count(row.count), align: 'right' },
  { title: 'TO DECIDE', value: row => count(row.waiting), align: 'right' },
  {
    title: 'WHY',
    value: row => withDoubt(pathFirst(row.title), doubt(row)),
    least: leastFor(
      rows.map(row => pathFirst(row.title)),
      40,
    ),
  },
  { title: 'CAUSE', value: row => row.id },
  { title: 'COST', value: row => money(row.cost_usd), align: 'right', optional: 2 },
  { title: 'LAST', value: row => minute(row.last_seen), optional: 3 },
  { title: 'SUCH AS', value: row => row.record_id ?? '', optional: 1 },
]

/** The counts are of the run as it ended. */
async function noteRecovered({ api, output }: Session, runId: string): Promise<void> {
  const run = await answered(api.GET('/v2/runs/{runId}', { params: { path: { runId } } }))
  if (run.recovered_count + run.replay_count > 0)
    output.note(`${sayRecovered(run)}; these causes are of the run as it ended`)
}

export async function causes(session: Session, given: Given): Promise<ExitCode> {
  const [run_id, agent] = [given.text('run'), given.text('agent')]
  const from = sinceTimeOf(given.text('since'), session.now())
  if (run_id !== undefined && from !== undefined)
    throw usageFailure('--since and --run do not go together: the causes of a run are counted over all of it')
  const filter = defined({ run_id, agent, from })
  const doubt = await doubts(session, given)
  if (run_id !== undefined) await noteRecovered(session, run_id)
  return printList<Cause>(session, given, {
    event: 'cause',
    empty: 'everything worked',
    page: LIMITS.triage_page.max,
    read: page =>
      bodyPageOf(
        session.api.GET('/v1/causes', { params: { query: { ...filter, ...page } } }),
        found => found.rows,
      ),
    inAnyOrder: true,
    keyOf: row => row.id,
    cameAt: row => row.last_seen,
    text: (rows, screen) => table(columnsOf(doubt, rows, run_id !== undefined), rows, screen),
  })
}
