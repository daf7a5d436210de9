// A run beside another: their totals, and what became of each item in both. Guarantee: the earlier one stands first, so what
// differs is told in the order in which it came to differ.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { runName } from '../../../shared/view/run.ts'
import { Bar, workedParts } from '../parts/bar.tsx'
import { List, linkWith } from '../parts/list.tsx'
import { paceOf } from '../parts/pace.ts'
import { count, counted, money, span, Verdict, When } from '../parts/text.tsx'
import { ofItem, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'
import { earlierRuns, naturalBefore, runOf } from './run-reads.ts'

type Run = Schemas['Run']
type Change = Schemas['RunComparison']['changes'][number]

/** Of larger batches the items are compared when somebody asks: it takes seconds. */
const AT_ONCE_ITEMS = 20_000
const CHOICES = 20

export const compareRunPage = page({
  path: '/dashboard/runs/{runId}/compare',
  query: z.strictObject({ with: z.string().optional(), items: z.string().optional() }),
  async show({ api, params, query, request, ctx }) {
    const run = await runOf(api, params.runId)
    const earlier = await earlierRuns(api, run)
    const other_id = query.with || run.replay_of || naturalBefore(run, earlier)?.id
    if (other_id === undefined) return nothingBefore(run)
    const other = await runOf(api, other_id)
    const sides = sidesOf(run, other)
    const larger = Math.max(run.total_items, other.total_items)
    const canBe = larger <= LIMITS.compared_items
    const isAsked = canBe && (query.items !== undefined || larger <= AT_ONCE_ITEMS)
    const compared = isAsked
      ? (
          await api.GET('/v2/runs/{runId}/compare', {
            params: { path: { runId: sides.after.id }, query: { with: sides.before.id } },
          })
        ).data
      : undefined
    const now = ctx.now()
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
          <OtherRun other={other} earlier={earlier} />
          <div class="bars">
            {(['before', 'after'] as const).map(side => (
              <Bar
                id={side}
                title={sides.names[side]}
                parts={workedParts(sides[side])}
                total={sides[side].total_items}
              />
            ))}
          </div>
          <Totals {...sides} now={now} />
          <h2>Item by item</h2>
          {compared ? (
            <Changes changes={compared.changes} names={sides.names} />
          ) : !canBe ? (
            <p>
              Runs of more than {counted(LIMITS.compared_items, 'item')} are compared by their totals only.
            </p>
          ) : (
            <p>
              <a class="button" href={linkWith(request, { with: other_id, items: '1' })}>
                Compare {counted(larger, 'item')}
              </a>{' '}
              <span class="dim">Reads both batches, which takes a while for large ones.</span>
            </p>
          )}
        </>
      ),
    }
  },
})

const OtherRun = ({ other, earlier }: { other: Run; earlier: readonly Run[] }) => (
  <form class="filters" method="get">
    <label>
      <span class="label">Compare with</span>
      <select name="with">
        {[other, ...earlier.filter(one => one.id !== other.id).slice(0, CHOICES)].map(one => (
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
  /** As a heading has them. */
  names: { before: string; after: string }
}

function sidesOf(run: Run, other: Run): Sides {
  return other.created_at > run.created_at
    ? { before: run, after: other, names: { before: 'This run', after: 'Later run' } }
    : { before: other, after: run, names: { before: 'Earlier run', after: 'This run' } }
}

const nothingBefore = (run: Run) => ({
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
          This is the first run of {run.agent_slug} that ended: there is nothing to compare it with yet. Run
          the same items again, with the same item_id each, and come back:
        </p>
        <pre>
          <code>npx assay submit items.jsonl --agent {run.agent_slug} --watch</code>
        </pre>
      </div>
    </>
  ),
})

const Totals = ({ before, after, names, now }: Sides & { now: number }) => {
  const took = (run: Run) => paceOf(run, now).ran_ms ?? 0
  const perItem = (value: number, { total_items }: Run) => (total_items === 0 ? 0 : value / total_items)
  const number = (name: string, of: (run: Run) => number, show: (value: number) => string = count) => ({
    name,
    before: show(of(before)),
    after: show(of(after)),
    change: signed(of(after) - of(before), show),
  })
  const rows = [
    number('Items', run => run.total_items),
    number('Ok', run => run.completed - run.degraded_count),
    number('Degraded', run => run.degraded_count),
    number('Failed', run => run.failed),
    number('Cost', run => run.cost_usd, money),
    number('Cost per item', run => perItem(run.cost_usd, run), money),
    number('Ran for', took, span),
    number('Time per item', run => perItem(took(run), run), span),
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

const VERDICTS = ['ok', 'degraded', 'failed', 'none', 'absent'] as const
const WORDS: Record<(typeof VERDICTS)[number], string> = {
  ok: 'ok',
  degraded: 'degraded',
  failed: 'failed',
  none: 'no verdict',
  absent: 'not in it',
}
const Word = ({ of }: { of: Change['before'] }) =>
  of === 'none' || of === 'absent' ? <span class="dim">{WORDS[of]}</span> : <Verdict of={of} />

const rank = (of: Change['before']) => VERDICTS.indexOf(of)

interface ChangesProps {
  changes: readonly Change[]
  names: Sides['names']
}

const Changes = ({ changes, names }: ChangesProps) => {
  // What got worse comes first.
  const differing = changes
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => rank(b.after) - rank(b.before) - (rank(a.after) - rank(a.before)))
  return (
    <>
      <Matrix changes={changes} names={names} />
      {differing.length === 0 && <p>No item has another verdict in one than in the other.</p>}
      {differing.map(change => (
        <ChangedItems change={change} names={names} />
      ))}
    </>
  )
}

const Matrix = ({ changes, names }: ChangesProps) => {
  const seen = (side: 'before' | 'after') =>
    VERDICTS.filter(one => changes.some(change => change[side] === one))
  const cell = (before: string, after: string) => {
    const found = changes.find(one => one.before === before && one.after === after)
    if (found === undefined) return <span class="dim">0</span>
    return before === after ? count(found.count) : <a href={`#${before}-${after}`}>{count(found.count)}</a>
  }
  return (
    <section class="scroll" aria-label="Verdicts in both runs">
      <table class="matrix">
        <thead>
          <tr>
            <th scope="col">
              {names.before} ↓ · {names.after.toLowerCase()} →
            </th>
            {seen('after').map(after => (
              <th scope="col" class="numeric">
                <Word of={after} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {seen('before').map(before => (
            <tr>
              <th scope="row">
                <Word of={before} />
              </th>
              {seen('after').map(after => (
                <td class="numeric">{cell(before, after)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const ChangedItems = ({ change, names }: { change: Change; names: Sides['names'] }) => (
  <section id={`${change.before}-${change.after}`}>
    <h3>
      <Word of={change.before} /> → <Word of={change.after} />: {counted(change.count, 'item')},{' '}
      {money(change.before_cost_usd)} → {money(change.after_cost_usd)}
    </h3>
    <ul class="changed">
      {change.items.map(item => (
        <li>
          <bdi>{item.item_id}</bdi>{' '}
          {item.before_record_id && <a href={ofItem(item.before_record_id)}>{names.before.toLowerCase()}</a>}{' '}
          {item.after_record_id && <a href={ofItem(item.after_record_id)}>{names.after.toLowerCase()}</a>}
        </li>
      ))}
    </ul>
    {change.count > change.items.length && (
      <p class="dim">and {count(change.count - change.items.length)} more</p>
    )}
  </section>
)
