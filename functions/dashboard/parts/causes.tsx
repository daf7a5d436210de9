// Why items did not work: one line for each cause, with the actions on all of its items.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { isOfHeld } from '../../../shared/view/cause.ts'
import type { Doubt } from '../../../shared/view/verdict.ts'
import { ofItem, ofProject, ofRun } from '../shell/addresses.ts'
import { figure, List } from './list.tsx'
import { count, money, percent, When } from './text.tsx'

type Cause = Schemas['Cause']

export interface CausesProps {
  causes: readonly Cause[]
  /** Whether there are no others: only then do links sort the list. */
  isWhole: boolean
  project_id: string
  /** The run whose items are counted; undefined for all runs. */
  run?: { id: string; total_items: number }
  /** For reasons that are often wrong: how often. */
  doubt?: Doubt
  now: number
  mayAct: boolean
}

/** A warning next to a reason that people often found wrong. */
export const Doubted = ({ words, project_id }: { words: string | undefined; project_id: string }) =>
  words === undefined ? (
    ''
  ) : (
    <div class="v-degraded">
      This reason was <a href={ofProject(project_id, 'verdicts')}>{words}</a>.
    </div>
  )

export const Causes = ({ causes, isWhole, project_id, run, doubt, now, mayAct }: CausesProps) => {
  if (causes.length === 0) return ''
  return (
    <List<Cause>
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
          label: run ? 'Items' : 'Times',
          numeric: true,
          ...(isWhole && { value: (one: Cause) => one.count }),
          cell: one =>
            run ? (
              <a
                href={`${ofRun(run.id)}?${new URLSearchParams({ reason: one.reason, outcome: 'not_ok' })}#items`}
              >
                {count(one.count)} ({percent(one.count, run.total_items)})
              </a>
            ) : (
              count(one.count)
            ),
        },
        figure('To decide', one => one.waiting, count, isWhole),
        figure('Runs', one => one.runs, count, isWhole),
        figure('Cost', one => one.cost_usd, money, isWhole),
        {
          label: 'Last',
          numeric: true,
          ...(isWhole && { value: (one: Cause) => Date.parse(one.last_seen) }),
          cell: one => <When at={one.last_seen} now={now} />,
        },
        {
          label: 'Actions',
          cell: one => <Ways cause={one} project_id={project_id} {...(run && { run })} mayAct={mayAct} />,
        },
      ]}
      empty=""
    />
  )
}

const Ways = ({
  cause,
  project_id,
  run,
  mayAct,
}: Pick<CausesProps, 'project_id' | 'run' | 'mayAct'> & { cause: Cause }) => {
  const to = (page: string) =>
    ofProject(
      project_id,
      `${page}?${new URLSearchParams({ ...(run && { run_id: run.id }), cause_id: cause.id })}`,
    )
  return (
    <span class="row-actions">
      {cause.waiting > 0 && <a href={to('triage')}>Show</a>}
      {mayAct && cause.waiting > 0 && !isOfHeld(cause) && <a href={to('recover')}>Replay all…</a>}
      {cause.record_id !== null && <a href={ofItem(cause.record_id)}>Example</a>}
    </span>
  )
}
