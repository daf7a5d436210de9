// The results of each item in two runs. Guarantee: items that got worse come first, and the order is stable.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { reasonMeaning } from '../../../shared/triage/rules/outcome-meanings.ts'
import { ofItem } from '../shell/addresses.ts'
import { linkWith } from './list.tsx'
import { count, counted, money, Verdict } from './text.tsx'

type Change = Schemas['RunComparison']['changes'][number]
type Item = Change['items'][number]

export const ONLY_WORSE = z.literal('worse').optional()

const VERDICTS = ['ok', 'degraded', 'held', 'failed', 'none', 'absent'] as const
const WORDS: Partial<Record<Change['before'], string>> = { none: 'no verdict', absent: 'not in it' }
const Word = ({ of }: { of: Change['before'] }) =>
  WORDS[of] === undefined ? <Verdict of={of} /> : <span class="dim">{WORDS[of]}</span>

/** How bad each verdict is; an item without one counts as neither better nor worse. */
const BAD: Partial<Record<Change['before'], number>> = { ok: 0, degraded: 1, held: 1, failed: 2 }

/** Positive where the verdict got worse, negative where it got better; the size says by how much. */
const worseBy = ({ before, after }: Change) => {
  const [was, is] = [BAD[before], BAD[after]]
  return was === undefined || is === undefined ? 0 : is - was
}

/** Sorts changes for the worse first, then changes for the better, then the rest; else in the API's order. */
const place = (change: Change) => {
  const by = worseBy(change)
  return by === 0 ? 3 : by > 0 ? -by : 3 + by
}

interface ChangesProps {
  changes: readonly Change[]
  /** Names for the headings. */
  names: { before: string; after: string }
}

export const Changes = ({
  changes,
  names,
  only,
  request,
}: ChangesProps & { only: 'worse' | undefined; request: Request }) => {
  if (!changes.some(({ before, after }) => before !== 'absent' && after !== 'absent'))
    return <p>The two runs share no item: items are the same where they have the same item_id.</p>
  const differing = changes
    .filter(({ before, after }) => before !== after)
    .sort((a, b) => place(a) - place(b))
  const worse = differing.filter(change => worseBy(change) > 0)
  const shown = only === undefined ? differing : worse
  return (
    <>
      <Matrix changes={changes} names={names} shown={shown} />
      {only !== undefined ? (
        <p>
          Only what got worse.{' '}
          <a href={linkWith(request, { only: undefined, items: '1' })}>Show all that differs</a>
        </p>
      ) : (
        worse.length > 0 &&
        worse.length < differing.length && (
          <p>
            <a href={linkWith(request, { only: 'worse', items: '1' })}>Show only what got worse</a>
          </p>
        )
      )}
      {shown.length === 0 && (
        <p>{only ? 'No item got worse.' : 'No item has another verdict in one than in the other.'}</p>
      )}
      {shown.map(change => (
        <ChangedItems change={change} names={names} limit={Math.ceil(LIMITS.changes_shown / shown.length)} />
      ))}
    </>
  )
}

const Matrix = ({ changes, names, shown }: ChangesProps & { shown: readonly Change[] }) => {
  const seen = (side: 'before' | 'after') =>
    VERDICTS.filter(one => changes.some(change => change[side] === one))
  const cell = (before: string, after: string) => {
    const found = changes.find(one => one.before === before && one.after === after)
    if (found === undefined) return <span class="dim">0</span>
    return shown.includes(found) ? (
      <a href={`#${before}-${after}`}>{count(found.count)}</a>
    ) : (
      count(found.count)
    )
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

/** The reason on the side with the worse verdict. */
const reasonOf = ({ before, after }: Change, item: Item) =>
  (BAD[after] ?? -1) >= (BAD[before] ?? -1) ? item.after_reason : item.before_reason

interface ChangedItemsProps {
  change: Change
  names: ChangesProps['names']
  /** Most items to list. */
  limit: number
}

const ChangedItems = ({ change, names, limit }: ChangedItemsProps) => (
  <section id={`${change.before}-${change.after}`}>
    <h3>
      <Word of={change.before} /> → <Word of={change.after} />: {counted(change.count, 'item')},{' '}
      {money(change.before_cost_usd)} → {money(change.after_cost_usd)}
    </h3>
    <ul class="changed">
      {change.items.slice(0, limit).map(item => (
        <li>
          <bdi>{item.item_id}</bdi>{' '}
          {item.before_record_id && <a href={ofItem(item.before_record_id)}>{names.before.toLowerCase()}</a>}{' '}
          {item.after_record_id && <a href={ofItem(item.after_record_id)}>{names.after.toLowerCase()}</a>}{' '}
          <Reason of={reasonOf(change, item)} />
        </li>
      ))}
    </ul>
    {change.count > Math.min(limit, change.items.length) && (
      <p class="dim">and {count(change.count - Math.min(limit, change.items.length))} more</p>
    )}
  </section>
)

const Reason = ({ of }: { of: string | null }) =>
  of === null ? '' : <span class="dim">{reasonMeaning(of)}</span>
