// The items of a run: what is asked for, and a page of what was found.

import * as z from 'zod'
import { ITEM_STATUSES, OUTCOMES } from '../../../shared/items/vocabulary.ts'
import { reasonMeaning } from '../../../shared/recovery/rules/outcome-meanings.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { ofItem, ofRun } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { Choice } from './choice.tsx'
import { List, nextOf, Pager } from './list.tsx'
import { money, Status, statusWord, Verdict } from './text.tsx'

type Run = Schemas['Run']

/** A form's empty field means any. */
const any = z.literal('').transform(() => undefined)
const text = any.or(z.string()).optional()

export const ItemsQuery = z.strictObject({
  outcome: any.or(z.enum([...OUTCOMES, 'not_ok', 'any'])).optional(),
  status: any.or(z.enum(ITEM_STATUSES)).optional(),
  reason: text,
  partition_key: text,
  item_id: text,
  cursor: z.string().optional(),
})
export type ItemsQuery = z.output<typeof ItemsQuery>

const PAGE = 25 // inputs and outputs come with them, up to 2 MiB each

/** What did not work, unless something else is asked for or everything worked. */
export function outcomeAsked(run: Run, query: ItemsQuery): NonNullable<ItemsQuery['outcome']> {
  if (query.outcome !== undefined) return query.outcome
  const others = query.status ?? query.reason ?? query.partition_key ?? query.item_id
  return others === undefined && run.degraded_count + run.failed + run.paused > 0 ? 'not_ok' : 'any'
}

export async function findItems(api: Client, run: Run, query: ItemsQuery) {
  const outcome = outcomeAsked(run, query)
  const given = { ...defined({ ...query, outcome: outcome === 'any' ? undefined : outcome }), limit: PAGE }
  const { data: items = [], response } = await api.GET('/v2/runs/{runId}/items', {
    params: { path: { runId: run.id }, query: given },
  })
  return { items, next: nextOf(response) }
}

const VERDICTS = { any: 'any', not_ok: 'not ok', ok: 'ok', degraded: 'degraded', failed: 'failed' }

const Field = ({ name, label, value }: { name: string; label: string; value: string | undefined }) => (
  <label>
    <span class="label">{label}</span>
    <input name={name} value={value ?? ''} size={14} />
  </label>
)

const reasonWords = (reason: string | null) => (reason === null ? '' : reasonMeaning(reason))

const statuses = Object.fromEntries([['', 'any'], ...ITEM_STATUSES.map(one => [one, statusWord(one)])])

export const RunItems = ({
  run,
  query,
  found,
  request,
}: {
  run: Run
  query: ItemsQuery
  found: Awaited<ReturnType<typeof findItems>>
  request: Request
}) => (
  <>
    <h2>Items</h2>
    <form class="filters" method="get" action={`${ofRun(run.id)}#items`}>
      <Choice name="outcome" label="Worked" options={VERDICTS} chosen={outcomeAsked(run, query)} />
      <Choice name="status" label="Ran" options={statuses} chosen={query.status} />
      <Field name="reason" label="Reason" value={query.reason} />
      <Field name="partition_key" label="Partition" value={query.partition_key} />
      <Field name="item_id" label="Item" value={query.item_id} />
      <button>Show</button>
    </form>
    <List
      id="items"
      rows={found.items}
      href={item => ofItem(item.id)}
      columns={[
        {
          label: 'Item',
          cell: item => (
            <a href={ofItem(item.id)}>
              <bdi>{item.item_id}</bdi>
            </a>
          ),
        },
        { label: 'Partition', cell: item => item.partition_key ?? '' },
        { label: 'Ran', cell: item => <Status of={item.status} /> },
        {
          label: 'Worked',
          cell: item => (
            <>
              <Verdict of={item.worst_outcome_status ?? null} />
              {item.mended_by && <a href={ofItem(item.mended_by)}> ok in a replay</a>}
            </>
          ),
        },
        {
          label: 'Why',
          cell: item => (
            <bdi>{item.degraded_reason ?? item.error_message ?? reasonWords(item.outcome_reason)}</bdi>
          ),
        },
        { label: 'Cost', numeric: true, cell: item => money(item.cost_usd) },
      ]}
      empty={
        <p>
          {found.next === null
            ? 'No item passes these filters.'
            : 'None so far: the run is looked through part by part, and there is more behind.'}{' '}
          <a href={`${ofRun(run.id)}?outcome=any#items`}>Show all items</a>
        </p>
      }
    />
    <Pager request={request} next={found.next} />
  </>
)
