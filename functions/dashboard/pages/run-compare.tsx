// Compares two runs: their totals, and the result of each item in both. Guarantee: the earlier run stands first, so
// that differences read in time order.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { runName } from '../../../shared/view/run.ts'
import { perRanItem, ranItems } from '../../../shared/view/worked-share.ts'
import { Bar, workedParts } from '../parts/bar.tsx'
import { VersionsCompared } from '../parts/code-versions.tsx'
import { Later } from '../parts/later.tsx'
import { List, linkWith } from '../parts/list.tsx'
import { paceOf } from '../parts/pace.ts'
import { Changes, ONLY_WORSE } from '../parts/run-changes.tsx'
import { comparableRuns, laterRuns, naturalOf, runOf } from '../parts/run-reads.ts'
import { Code, count, counted, money, span, When } from '../parts/text.tsx'
import { ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

type Run = Schemas['Run']

/** Items of larger runs are compared on request only and in a later fetch, because that takes seconds. */
const AT_ONCE_ITEMS = 20_000
const CHOICES = 30
/** How many of the next later runs are offered. */
const LATER_CHOICES = 10

export const compareRunPage = page({
  path: '/dashboard/runs/{runId}/compare',
  query: z.strictObject({
    with: z.string().optional(),
    items: z.enum(['1', 'all']).optional(),
    only: ONLY_WORSE,
  }),
  async show({ api, params, query, request, now }) {
    const run = await runOf(api, params.runId)
    const [earlier, later] = await Promise.all([comparableRuns(api, run), laterRuns(api, run)])
    const chosen = query.with || run.replay_of
    const natural = async () =>
      (await naturalOf(api, run, earlier, { to: run.created_at })) ??
      (await naturalOf(api, run, later.toReversed(), { from: run.created_at }))
    const other_id = chosen || (await natural())?.id
    if (other_id === undefined) return nothingBeside(run)
    const other = await runOf(api, other_id)
    const sides = sidesOf(run, other)
    const larger = Math.max(run.total_items, other.total_items)
    const isNow = larger <= (query.items === 'all' ? LIMITS.compared_items : AT_ONCE_ITEMS)
    const compared = isNow
      ? (
          await api.GET('/v2/runs/{runId}/compare', {
            params: { path: { runId: sides.after.id }, query: { with: sides.before.id } },
          })
        ).data
      : undefined
    return {
      title: `${runName(run)}, compared`,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay diff ${sides.before.id} ${sides.after.id}`,
      body: (
        <>
          <h1>
            <a href={ofRun(run.id)}>{runName(run)}</a>, compared
          </h1>
          <p>
            With {other === sides.before ? 'the earlier' : 'the later'}{' '}
            <a href={ofRun(other.id)}>{runName(other)}</a>
            {other.deployment_version !== null && ` v${other.deployment_version}`} of{' '}
            {counted(other.total_items, 'item')}, <When at={other.created_at} now={now} />.
          </p>
          <OtherRun other={other} others={[...later.slice(-LATER_CHOICES), ...earlier]} only={query.only} />
          <div class="bars">
            {(['before', 'after'] as const).map(side => (
              <Bar
                id={side}
                title={sides.names[side]}
                parts={workedParts(sides[side])}
                total={sides[side].total_items}
                share_of={ranItems(sides[side])}
              />
            ))}
          </div>
          <Totals {...sides} now={now} />
          <VersionsCompared
            sides={[
              [sides.names.before, sides.before],
              [sides.names.after, sides.after],
            ]}
          />
          <h2>Item by item</h2>
          <ItemByItem {...{ compared, larger, request, query }} names={sides.names} other_id={other_id} />
        </>
      ),
    }
  },
})

interface ItemByItemProps {
  /** Undefined where this page did not compare the items. */
  compared: Schemas['RunComparison'] | undefined
  names: Sides['names']
  /** The number of items in the larger run. */
  larger: number
  other_id: string
  query: { items?: string | undefined; only?: 'worse' | undefined }
  request: Request
}

const ItemByItem = ({ compared, names, larger, other_id, query, request }: ItemByItemProps) =>
  compared ? (
    <section id="compared">
      <Corrected compared={compared} names={names} />
      <Changes changes={compared.changes} names={names} only={query.only} request={request} />
    </section>
  ) : larger > LIMITS.compared_items ? (
    <p>Runs of more than {counted(LIMITS.compared_items, 'item')} are compared by their totals only.</p>
  ) : query.items !== undefined ? (
    <Later
      id="compared"
      href={linkWith(request, { with: other_id, items: 'all' })}
      label={`Compare ${counted(larger, 'item')}`}
    >
      Reads both batches: some seconds.
    </Later>
  ) : (
    <p>
      <a class="button" href={linkWith(request, { with: other_id, items: '1' })}>
        Compare {counted(larger, 'item')}
      </a>{' '}
      <span class="dim">Reads both batches, which takes a while for large ones.</span>
    </p>
  )

/** Says that the verdicts of the items are not all those that the bars above count. */
const Corrected = ({ compared, names }: { compared: Schemas['RunComparison']; names: Sides['names'] }) => {
  const sides = [
    [compared.before_corrected_items, names.before],
    [compared.after_corrected_items, names.after],
  ] as const
  const said = sides.flatMap(([items, name]) => (items > 0 ? `${count(items)} in ${name.toLowerCase()}` : []))
  return said.length === 0 ? null : (
    <p class="dim">
      Verdicts that people corrected count as corrected: {said.join(', ')}. The bars count what was recorded.
    </p>
  )
}

interface OtherRunProps {
  other: Run
  /** Other runs it may be compared with, the latest first. */
  others: readonly Run[]
  only: 'worse' | undefined
}

const OtherRun = ({ other, others, only }: OtherRunProps) => (
  <form class="filters" method="get">
    {only && <input type="hidden" name="only" value={only} />}
    <label>
      <span class="label">Compare with</span>
      <select name="with">
        {[other, ...others.filter(one => one.id !== other.id).slice(0, CHOICES)].map(one => (
          <option value={one.id} selected={one.id === other.id}>
            {runName(one)} · {one.created_at.slice(0, 16).replace('T', ' ')} UTC ·{' '}
            {counted(one.total_items, 'item')}
          </option>
        ))}
      </select>
    </label>
    <button>Compare</button>
  </form>
)

interface Sides {
  before: Run
  after: Run
  /** Names for the headings. */
  names: { before: string; after: string }
}

function sidesOf(run: Run, other: Run): Sides {
  return other.created_at > run.created_at
    ? { before: run, after: other, names: { before: 'This run', after: 'Later run' } }
    : { before: other, after: run, names: { before: 'Earlier run', after: 'This run' } }
}

const nothingBeside = (run: Run) => ({
  title: `${runName(run)}, compared`,
  project_id: run.project_id,
  menu: 'runs',
  body: (
    <>
      <h1>
        <a href={ofRun(run.id)}>{runName(run)}</a>, compared
      </h1>
      <div class="empty">
        <p>
          No other run of {run.agent_slug} has come to its end: there is nothing to compare it with yet. Run
          the same items again, with the same item_id each, and come back:
        </p>
        <Code>assay submit items.jsonl --agent {run.agent_slug} --item-id id --watch</Code>
      </div>
    </>
  ),
})

const Totals = ({ before, after, names, now }: Sides & { now: number }) => {
  const took = (run: Run) => paceOf(run, now).ran_ms ?? 0
  const perItem = (value: number, run: Run) => perRanItem(value, run) ?? 0
  const number = (name: string, of: (run: Run) => number, show: (value: number) => string = count) => ({
    name,
    before: show(of(before)),
    after: show(of(after)),
    change: signed(of(after) - of(before), show),
  })
  // A run that waits for a person has no duration yet.
  const isTimed = before.finished_at !== null && after.finished_at !== null
  const rows = [
    number('Items', run => run.total_items),
    number('Ran', ranItems),
    number('Ok', run => run.completed - run.degraded_count),
    number('Degraded', run => run.degraded_count),
    number('Failed', run => run.failed - run.budget_exceeded_count),
    ...(before.budget_exceeded_count + after.budget_exceeded_count > 0
      ? [number('Over budget', run => run.budget_exceeded_count)]
      : []),
    ...(before.paused + after.paused > 0 ? [number('Held', run => run.paused)] : []),
    number('Cost', run => run.cost_usd, money),
    number('Cost per item that ran', run => perItem(run.cost_usd, run), money),
    ...(isTimed
      ? [
          number('Ran for', took, span),
          number('Time per item that ran', run => perItem(took(run), run), span),
        ]
      : []),
  ]
  return (
    <List
      id="totals"
      rows={rows}
      columns={[
        { label: 'Total', cell: row => row.name },
        { label: names.before, numeric: true, cell: row => row.before },
        { label: names.after, numeric: true, cell: row => row.after },
        { label: 'Change', numeric: true, cell: row => row.change },
      ]}
      empty=""
    />
  )
}

const signed = (value: number, show: (value: number) => string) =>
  Math.abs(value) < 1e-9 ? '—' : `${value > 0 ? '+' : '−'}${show(Math.abs(value))}`
