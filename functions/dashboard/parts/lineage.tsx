// An item's lineage (the items it replays and those that replay it), and how their outputs differ.

import { diffLines, diffWordsWithSpace } from 'diff'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofItem } from '../shell/addresses.ts'
import { Id, Status, Verdict } from './text.tsx'

type Relative = Schemas['Relative']

export const LineageTable = ({ of, itemId }: { of: readonly Relative[]; itemId: string }) => (
  <section class="scroll" aria-label="Lineage" id="lineage" data-live>
    <table>
      <thead>
        <tr>
          <th scope="col">Item</th>
          <th scope="col">Ran</th>
          <th scope="col">Worked</th>
          <th scope="col">Output</th>
        </tr>
      </thead>
      <tbody>
        {of.map(one => (
          <tr>
            <td data-label="Item">
              {one.record_id === itemId ? (
                <b>This item</b>
              ) : (
                <a href={ofItem(one.record_id)}>{nameOf(one)}</a>
              )}{' '}
              <Id of={one.record_id} />
            </td>
            <td data-label="Ran">
              <Status of={one.status} />
            </td>
            <td data-label="Worked">
              <Verdict of={one.outcome_status} />
            </td>
            <td data-label="Output">
              {one.record_id !== itemId && (
                <a href={`${ofItem(itemId)}?with=${one.record_id}#difference`}>compare with this one</a>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)

/** The latest among an item's replays and their replays; one that worked is preferred. */
export function replayOf(itemId: string, lineage: readonly Relative[]): Relative | undefined {
  const ids = new Set<string | null>([itemId])
  const replays = lineage.filter(one => ids.has(one.replayed_from) && ids.add(one.record_id))
  return replays.findLast(one => one.outcome_status === 'ok') ?? replays.at(-1)
}

/** The result of an item's replay. */
export const Became = ({ of }: { of: Relative }) => (
  <p id="became" data-live>
    Replayed: <a href={ofItem(of.record_id)}>its replay</a> <span class="dim">ran</span>{' '}
    <Status of={of.status} /> · <span class="dim">worked</span> <Verdict of={of.outcome_status} />
  </p>
)

const nameOf = ({ generation, replayed_from }: Relative) =>
  replayed_from === null
    ? 'Original'
    : generation < 0
      ? 'Replay before it'
      : generation > 0
        ? 'Replay of it'
        : 'Another replay'

const BOUNDS = { maxEditLength: LIMITS.compared_edits, timeout: LIMITS.compared_ms }

/** The difference of two outputs as shown, `before` from the earlier item: by words, or by lines where much differs. */
export const Difference = ({ before, after }: { before: string; after: string }) => {
  if (before === after) return <p>Both outputs are the same.</p>
  const tooLong = Math.max(before.length, after.length) > LIMITS.compared_characters
  const parts = tooLong
    ? undefined
    : (diffWordsWithSpace(before, after, BOUNDS) ?? diffLines(before, after, BOUNDS))
  if (parts === undefined) return <p>The outputs differ, and are too long to be compared here.</p>
  return (
    <>
      <p class="dim">
        <del>Struck</del> is what only the earlier one has, <ins>underlined</ins> what only the later one has.
      </p>
      <pre class="wrap diff">
        {parts.map(({ added, removed, value }) =>
          added ? <ins>{value}</ins> : removed ? <del>{value}</del> : value,
        )}
      </pre>
    </>
  )
}
