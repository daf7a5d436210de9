// Why items did not work, what is alike as one line, with what can be done about all of it.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { isOfHeld } from '../../../shared/view/cause.ts'
import type { Doubt } from '../../../shared/view/verdict.ts'
import { ofItem, ofProject } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { count, money, percent, When } from './text.tsx'

type Cause = Schemas['Cause']

export interface CausesProps {
  causes: readonly Cause[]
  project_id: string
  /** Of which the items are counted; absent for all runs. */
  run?: { id: string; total_items: number }
  /** Of a reason that is often wrong, how often. */
  doubt?: Doubt
  now: number
  mayAct: boolean
}

/** Said beside a reason that people often found wrong. */
export const Doubted = ({ words, project_id }: { words: string | undefined; project_id: string }) =>
  words === undefined ? (
    ''
  ) : (
    <div class="v-degraded">
      This reason was <a href={ofProject(project_id, 'verdicts')}>{words}</a>.
    </div>
  )

export const Causes = ({ causes, project_id, run, doubt, now, mayAct }: CausesProps) => {
  if (causes.length === 0) return ''
  const to = (page: string, cause: Cause) =>
    ofProject(
      project_id,
      `${page}?${new URLSearchParams({ ...(run && { run_id: run.id }), cause_id: cause.id })}`,
    )
  return (
    <List
      id="causes"
      rows={causes}
      columns={[
        {
          label: 'Why',
          cell: one => (
            <>
              <a href={ofProject(project_id, `causes/${one.id}`)}>{one.title}</a>
              <Doubted words={doubt?.(one)} project_id={project_id} />
            </>
          ),
        },
        {
          label: 'Items',
          numeric: true,
          cell: one => `${count(one.count)}${run ? ` (${percent(one.count, run.total_items)})` : ''}`,
        },
        { label: 'To decide', numeric: true, cell: one => count(one.waiting) },
        { label: 'Runs', numeric: true, cell: one => count(one.runs) },
        { label: 'Cost', numeric: true, cell: one => money(one.cost_usd) },
        { label: 'Last', numeric: true, cell: one => <When at={one.last_seen} now={now} /> },
        {
          label: 'Do',
          cell: one => (
            <span class="row-actions">
              {one.waiting > 0 && <a href={to('triage', one)}>Show</a>}
              {mayAct && one.waiting > 0 && !isOfHeld(one) && <a href={to('recover', one)}>Replay all…</a>}
              {one.record_id !== null && <a href={ofItem(one.record_id)}>Example</a>}
            </span>
          ),
        },
      ]}
      empty=""
    />
  )
}
