// The failures of a run, by reason, by cluster and by partition, each with the actions on all of its items. Guarantee:
// failures that the causes above cover are not repeated.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { ofItem, ofProject, ofRun } from '../shell/addresses.ts'
import { FirstOf, List } from './list.tsx'
import { count } from './text.tsx'
import { uncoveredReasons } from './uncovered-reasons.ts'

type Run = Schemas['Run']
type Failures = Schemas['RunFailures']
type Cause = Schemas['Cause']
type Reason = Failures['reasons'][number]

const search = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

interface Around {
  run: Run
  failures: Failures
  mayAct: boolean
}

const linkTo = (run: Run, fields: Record<string, string>) =>
  `${ofRun(run.id)}?${search({ ...fields, outcome: 'not_ok' })}#items`

/** The actions on all items that match a filter. */
const Actions = ({
  run,
  filter,
  waiting,
  held = false,
  mayAct,
}: {
  run: Run
  filter: Record<string, string>
  waiting: number
  held?: boolean
  mayAct: boolean
}) => {
  if (waiting === 0) return <span class="dim">decided</span>
  const [triage, recover] = ['triage', 'recover'].map(to =>
    ofProject(run.project_id, `${to}?${search({ run_id: run.id, ...filter })}`),
  )
  return (
    <span class="row-actions">
      {mayAct && !held && <a href={recover}>Replay…</a>}
      <a href={triage}>{held ? 'Resume or dismiss' : 'Triage'}</a>
    </span>
  )
}

export const RunFailures = ({ causes, ...around }: Around & { causes: readonly Cause[] }) => {
  const { run, failures, mayAct } = around
  const reasons = uncoveredReasons(failures, causes).filter(
    ({ kind, waiting }) => kind === 'dlq' || waiting > 0,
  )
  if (reasons.length + failures.clusters.length + failures.partitions.length === 0) return ''
  return (
    <>
      {(reasons.length > 0 || causes.length === 0) && <h2>What did not work</h2>}
      {!failures.is_complete && (
        <p class="dim">Counted over the first {count(failures.looked_at)} of them.</p>
      )}
      {reasons.length > 0 && <Reasons run={run} reasons={reasons} mayAct={mayAct} />}
      <MoreThan shown={failures.reasons.length} of={failures.reason_count} noun="reasons" run={run} />
      {failures.clusters.length > 0 && <Clusters run={run} failures={failures} mayAct={mayAct} />}
      <MoreThan shown={failures.clusters.length} of={failures.cluster_count} noun="prompts" run={run} />
      {failures.partitions.length > 0 && <Partitions run={run} failures={failures} mayAct={mayAct} />}
      <MoreThan
        shown={failures.partitions.length}
        of={failures.partition_count}
        noun="partitions"
        run={run}
      />
    </>
  )
}

interface MoreThanProps {
  shown: number
  of: number
  noun: string
  run: Run
}

/** Below a list that does not show all groups: of how many, and the items of all of them. */
const MoreThan = ({ shown, of, noun, run }: MoreThanProps) =>
  shown >= of ? (
    ''
  ) : (
    <FirstOf
      shown={shown}
      total={`${count(of)} ${noun}`}
      noun="items that did not work"
      href={linkTo(run, {})}
    />
  )

const Reasons = ({ run, reasons, mayAct }: Omit<Around, 'failures'> & { reasons: readonly Reason[] }) => (
  <List
    id="reasons"
    rows={reasons}
    columns={[
      {
        label: 'Why',
        cell: row => (
          <>
            <a href={linkTo(run, { reason: row.reason })}>
              {row.reason === 'hold' ? 'held' : reasonMeaning(row.reason)}
            </a>
            {row.error_code && row.error_code !== row.reason && (
              <>
                {' '}
                <code>{row.error_code}</code>
              </>
            )}
          </>
        ),
      },
      {
        label: 'Example',
        cell: row => <a href={ofItem(row.record_id)}>{row.message ?? 'show it'}</a>,
      },
      { label: 'Items', numeric: true, cell: row => count(row.count) },
      { label: 'To decide', numeric: true, cell: row => count(row.waiting) },
      {
        label: 'Actions',
        cell: row => {
          const held = row.kind === 'quarantine'
          const filter = { reason: row.reason, ...(held ? { kind: row.kind } : {}) }
          return <Actions run={run} filter={filter} waiting={row.waiting} held={held} mayAct={mayAct} />
        },
      },
    ]}
    empty=""
  />
)

const Clusters = ({ run, failures, mayAct }: Around) => (
  <>
    <h3>Similar failures</h3>
    <List
      id="clusters"
      rows={failures.clusters}
      columns={[
        { label: 'Prompt', cell: row => row.sample_prompt },
        { label: 'Error', cell: row => <code>{row.error_code}</code> },
        { label: 'Items', numeric: true, cell: row => count(row.count) },
        { label: 'To decide', numeric: true, cell: row => count(row.waiting) },
        {
          label: 'Actions',
          cell: row => {
            const filter = { cluster_key: row.cluster_key }
            return <Actions run={run} filter={filter} waiting={row.waiting} mayAct={mayAct} />
          },
        },
      ]}
      empty=""
    />
  </>
)

const Partitions = ({ run, failures, mayAct }: Around) => (
  <>
    <h3>By partition</h3>
    <List
      id="partitions"
      rows={failures.partitions}
      columns={[
        {
          label: 'Partition',
          cell: row => <a href={linkTo(run, { partition_key: row.partition_key })}>{row.partition_key}</a>,
        },
        { label: 'Failed', numeric: true, cell: row => count(row.failed) },
        { label: 'Degraded', numeric: true, cell: row => count(row.degraded) },
        { label: 'Ever held', numeric: true, cell: row => count(row.held) },
        { label: 'To decide', numeric: true, cell: row => count(row.waiting) },
        {
          label: 'Actions',
          cell: row => {
            // Only held items wait, and these are not replayed.
            const held = run.undecided_count === 0 || row.failed + row.degraded === 0
            const filter = { partition_key: row.partition_key, ...(held && { kind: 'quarantine' }) }
            return <Actions run={run} filter={filter} waiting={row.waiting} held={held} mayAct={mayAct} />
          },
        },
      ]}
      empty=""
    />
  </>
)
