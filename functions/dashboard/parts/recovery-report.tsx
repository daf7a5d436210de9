// The report of a recovery: the first items that it tried, and what can be done about those that it left.

import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { ofItem, ofProject, ofRun } from '../shell/addresses.ts'
import { List } from './list.tsx'
import { brief, count, money, Verdict } from './text.tsx'

type Recovery = Schemas['Recovery']
type Item = Schemas['RunItem']

const SHOWN = 5

/** The first items of its first run. */
export async function triedItems(api: Client, { stages }: Recovery): Promise<Item[]> {
  const runId = stages.flatMap(stage => stage.run_ids)[0]
  if (runId === undefined) return []
  const asked = { params: { path: { runId }, query: { limit: SHOWN } } }
  return (await api.GET('/v2/runs/{runId}/items', asked)).data ?? []
}

export const Tried = ({ items }: { items: readonly Item[] }) => (
  <div id="tried" data-live>
    {items.length > 0 && (
      <>
        <h2>The first that were tried</h2>
        <List
          id="first-items"
          rows={items}
          columns={[
            { label: 'Item', cell: item => <a href={ofItem(item.id)}>{item.item_id}</a> },
            { label: 'Worked', cell: item => <Verdict of={item.worst_outcome_status ?? null} /> },
            { label: 'Output, or why not', cell: item => <Became item={item} /> },
            { label: 'Cost', numeric: true, cell: item => money(item.cost_usd) },
          ]}
          empty=""
        />
      </>
    )}
  </div>
)

const Became = ({ item }: { item: Item }) => {
  const output = brief(item.output)
  const why = item.error_message ?? (item.outcome_reason && reasonMeaning(item.outcome_reason))
  return (
    <>
      {why && <div>{why}</div>}
      {output === '' ? !why && <span class="dim">none</span> : <code>{output}</code>}
    </>
  )
}

/** The next steps after a replay that ended early and left items. */
export const NextSteps = ({ recovery, mayAct }: { recovery: Recovery; mayAct: boolean }) => {
  const { action, status, left, filter, project_id, stages } = recovery
  if (action !== 'replay' || left === 0 || (status !== 'stopped' && status !== 'aborted')) return ''
  const act = (action: 'replay' | 'dismiss') =>
    // Excludes held items: the recovery never replayed them, and dismissing would end them.
    ofProject(
      project_id,
      `recover?${new URLSearchParams({ ...filter, ...(filter.status === undefined && { kind: 'dlq' }), action })}`,
    )
  const failing = stages.filter(stage => stage.still_fail > 0).flatMap(stage => stage.run_ids)
  return (
    <>
      <h2>What next</h2>
      <ul>
        {failing.map(run_id => (
          <li>
            <a href={`${ofRun(run_id)}?outcome=not_ok`}>Look at what still fails</a>, fix it, and replay the
            rest.
          </li>
        ))}
        {mayAct && (
          <>
            <li>
              <a href={act('replay')}>Replay the other {count(left)} anyway…</a>
            </li>
            {filter.status === undefined && (
              <li>
                <a href={act('dismiss')}>Dismiss the other {count(left)}…</a>
              </li>
            )}
          </>
        )}
      </ul>
    </>
  )
}
