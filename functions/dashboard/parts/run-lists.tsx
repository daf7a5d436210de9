// Lists of runs: recurring runs as one line with the previous run's figures, and runs in progress.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { runName } from '../../../shared/view/run.ts'
import { sayStarter } from '../../../shared/view/start.ts'
import { ofAgent, ofRun } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { MiniBars } from './mini-bars.tsx'
import { endedOf, paceOf } from './pace.ts'
import { notOk, type RunGroup } from './run-groups.ts'
import { ShareOk } from './share-ok.tsx'
import { Starter } from './starter.tsx'
import { count, money, RunState, span, When } from './text.tsx'

type Run = Schemas['Run']

/** A figure next to the previous run's. */
const Compared = ({ now, before }: { now: string; before: string | undefined }) => (
  <>
    {now}
    {before !== undefined && <div class="dim">before {before}</div>}
  </>
)

const Ways = ({ run_id }: { run_id: string }) => (
  <span class="row-actions">
    <a href={ofRun(run_id, 'results')}>Results</a>
    <a href={ofRun(run_id, 'compare')}>Compare</a>
  </span>
)

/** Who or what started it, where its name does not say so already. */
const By = ({ of: run }: { of: Run }) => {
  const words = run.started_by && sayStarter(run.started_by)
  if (words === null || words === runName(run)) return ''
  return (
    <>
      {' · by '}
      <bdi>{words}</bdi>
    </>
  )
}

export const RunGroups = ({ groups, now }: { groups: readonly RunGroup[]; now: number }) => (
  <List
    id="latest"
    rows={groups}
    columns={[
      {
        label: 'Run',
        cell: ({ newest, earlier }) => (
          <>
            <a href={ofRun(newest.id)}>{runName(newest)}</a>{' '}
            <span class="dim">
              {newest.agent_slug}
              {earlier > 0 && ` · ${earlier} earlier`}
              <By of={newest} />
            </span>
          </>
        ),
      },
      { label: 'Ran / Worked', cell: ({ newest }) => <MiniBars run={newest} /> },
      { label: 'Status', cell: ({ newest }) => <RunState of={newest} /> },
      { label: 'Worked', cell: ({ newest }) => <ShareOk of={newest} /> },
      {
        label: 'Not ok',
        numeric: true,
        cell: ({ newest, before }) => (
          <Compared
            now={`${count(notOk(newest))} of ${count(newest.total_items)}`}
            before={before && count(notOk(before))}
          />
        ),
      },
      {
        label: 'Cost',
        numeric: true,
        cell: ({ newest, before }) => (
          <Compared now={money(newest.cost_usd)} before={before && money(before.cost_usd)} />
        ),
      },
      {
        label: 'Created',
        numeric: true,
        cell: ({ newest }) => <When at={newest.created_at} now={now} />,
      },
      { label: '', cell: ({ newest }) => <Ways run_id={newest.id} /> },
    ]}
    empty=""
  />
)

export const RunLines = ({ runs, now, mayAct }: { runs: readonly Run[]; now: number; mayAct: boolean }) => (
  <List
    id="runs"
    rows={runs}
    columns={[
      { label: 'Run', cell: run => <a href={ofRun(run.id)}>{runName(run)}</a> },
      {
        label: 'Agent',
        cell: run => (
          <>
            <a href={ofAgent(run.agent_id)}>{run.agent_slug}</a>{' '}
            {mayAct && <a href={ofAgent(run.agent_id, 'stop')}>Stop all…</a>}
          </>
        ),
      },
      { label: 'Ran / Worked', cell: run => <MiniBars run={run} /> },
      { label: 'Status', cell: run => <RunState of={run} /> },
      { label: 'Worked', cell: run => <ShareOk of={run} /> },
      {
        label: 'Ended',
        numeric: true,
        cell: run => `${count(endedOf(run))} of ${count(run.total_items)}`,
      },
      {
        label: 'Left',
        numeric: true,
        cell: run => {
          const { left_ms } = paceOf(run, now)
          return left_ms === null ? '' : span(left_ms)
        },
      },
      { label: 'Cost', numeric: true, cell: run => money(run.cost_usd) },
      { label: 'By', cell: run => <Starter of={run} /> },
      { label: 'Created', numeric: true, cell: run => <When at={run.created_at} now={now} /> },
    ]}
    empty=""
  />
)
