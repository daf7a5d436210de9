// The items of a run: the filter form, and a page of the matching items.

import * as z from 'zod'
import { ITEM_STATUSES, OUTCOMES } from '../../../shared/items/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { ofItem, ofRun } from '../shell/addresses.ts'
import type { OuterList } from './came-from.ts'
import { anyAmong, Choice } from './choice.tsx'
import { Field } from './form.tsx'
import { List, nextOf, Pager } from './list.tsx'
import type { Item } from './record.ts'
import { money, Status, statusWord, Verdict } from './text.tsx'

type Run = Schemas['Run']

/** A form's empty field means any. */
const any = z.literal('').transform(() => undefined)
const text = any.or(z.string()).optional()

/** The filters that an item's page keeps, so that it can link to the next item of the list the user came from. */
export const ITEM_FILTERS = {
  outcome: any.or(z.enum([...OUTCOMES, 'not_ok', 'any'])).optional(),
  status: any.or(z.enum(ITEM_STATUSES)).optional(),
  reason: text,
  partition_key: text,
}
export type ItemFilters = z.output<z.ZodObject<typeof ITEM_FILTERS>>

export const ItemsQuery = z.strictObject({
  ...ITEM_FILTERS,
  item_id: text,
  cursor: z.string().optional(),
})
export type ItemsQuery = z.output<typeof ItemsQuery>

const PAGE = 25 // includes inputs and outputs, up to 2 MiB each

/** The outcome filter: items that did not work, unless another filter is given or everything worked. */
export function outcomeAsked(run: Run, query: ItemsQuery): NonNullable<ItemsQuery['outcome']> {
  if (query.outcome !== undefined) return query.outcome
  const others = query.status ?? query.reason ?? query.partition_key ?? query.item_id
  return others === undefined && run.degraded_count + run.failed + run.paused > 0 ? 'not_ok' : 'any'
}

/** The item filters as API parameters, without the link's other parameters. */
const filtersOf = ({ outcome, status, reason, partition_key }: ItemFilters) =>
  defined({ outcome: outcome === 'any' ? undefined : outcome, status, reason, partition_key })

export async function findItems(api: Client, run: Run, query: ItemsQuery) {
  const filters = filtersOf({ ...query, outcome: outcomeAsked(run, query) })
  const given = { ...filters, ...defined({ item_id: query.item_id, cursor: query.cursor }), limit: PAGE }
  const { data: items = [], response } = await api.GET('/v2/runs/{runId}/items', {
    params: { path: { runId: run.id }, query: given },
  })
  return { items, next: nextOf(response) }
}

/** The query string with the filters, for the link of an item or a run. */
export const searchOf = ({ outcome, status, reason, partition_key }: ItemFilters): string => {
  const search = new URLSearchParams(defined({ outcome, status, reason, partition_key })).toString()
  return search && `?${search}`
}

/** Ids of the items before and after one in its run's list; null where the API finds none within what it scans. */
export async function findNeighbours(api: Client, item: Item, filters: ItemFilters) {
  const beside = async (order: 'asc' | 'desc') => {
    const query = { ...filtersOf(filters), after: item.id, order, limit: 1, payloads: 'none' as const }
    const path = { runId: item.run_id }
    return (await api.GET('/v2/runs/{runId}/items', { params: { path, query } })).data?.[0]?.id ?? null
  }
  const [previous, next] = await Promise.all([beside('desc'), beside('asc')])
  return { previous, next }
}

/**
 * The same in a list over several runs. Where the item has left the list after a decision, `next` is the list's first.
 */
export async function neighboursIn(api: Client, list: OuterList, item: Item) {
  const ids = await list.read(api)
  const at = ids.indexOf(item.id)
  return { previous: ids[at - 1] ?? null, next: ids[at + 1] ?? null }
}

interface NeighboursProps {
  of: Awaited<ReturnType<typeof findNeighbours>>
  /** Query string that the links keep. */
  search: string
}

export const Neighbours = ({ of: { previous, next }, search }: NeighboursProps) =>
  previous === null && next === null ? null : (
    <span class="neighbours">
      {previous !== null && (
        <a href={ofItem(previous) + search} rel="prev" data-key="[">
          ← Previous
        </a>
      )}
      {next !== null && (
        <a href={ofItem(next) + search} rel="next" data-key="]">
          Next →
        </a>
      )}
    </span>
  )

/** The link of an item, with its run's filters. */
const hrefIn = (run: Run, query: ItemsQuery, { id }: { id: string }): string =>
  ofItem(id) + searchOf({ ...query, outcome: outcomeAsked(run, query) })

/** The link back to the run's list that an item was opened from. */
export const listOf = (item: Item, filters: ItemFilters): string => {
  const search = searchOf(filters)
  return ofRun(item.run_id) + (search && `${search}#items`)
}

const VERDICTS = { any: 'any', not_ok: 'not ok', ok: 'ok', degraded: 'degraded', failed: 'failed' }

const Filter = ({ name, label, value }: { name: string; label: string; value: string | undefined }) => (
  <Field label={label}>
    <input name={name} value={value ?? ''} size={14} />
  </Field>
)

const reasonWords = (reason: string | null) => (reason === null ? '' : reasonMeaning(reason))

const STATUSES = anyAmong(ITEM_STATUSES, statusWord)

const Worked = ({ item }: { item: Schemas['RunItem'] }) => (
  <>
    <Verdict of={item.worst_outcome_status} />
    {item.corrected_outcome_status && <span class="dim"> people say {item.corrected_outcome_status}</span>}
    {item.mended_by && <a href={ofItem(item.mended_by)}> ok in a replay</a>}
  </>
)

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
    {/* The default filter changes as soon as an item does not work. */}
    <form class="filters" id="items-filters" method="get" action={`${ofRun(run.id)}#items`} data-live>
      <Choice name="outcome" label="Worked" options={VERDICTS} chosen={outcomeAsked(run, query)} />
      <Choice name="status" label="Ran" options={STATUSES} chosen={query.status} />
      <Filter name="reason" label="Reason" value={query.reason} />
      <Filter name="partition_key" label="Partition" value={query.partition_key} />
      <Filter name="item_id" label="Item" value={query.item_id} />
      <button>Show</button>
    </form>
    <List
      id="items"
      rows={found.items}
      columns={[
        {
          label: 'Item',
          cell: item => (
            <a href={hrefIn(run, query, item)}>
              <bdi>{item.item_id}</bdi>
            </a>
          ),
        },
        { label: 'Partition', cell: item => item.partition_key ?? '' },
        { label: 'Ran', cell: item => <Status of={item.status} /> },
        {
          label: 'Worked',
          cell: item => <Worked item={item} />,
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
