// An item among those it replays and those that replay it, and what another of them gave instead.

import { LIMITS } from '../../../shared/kernel/limits.ts'
import { lineDiff } from '../../../shared/kernel/line-diff.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofItem } from '../shell/addresses.ts'
import { Id, Status, Verdict } from './text.tsx'

type Relative = Schemas['Relative']

export const LineageTable = ({ of, itemId }: { of: readonly Relative[]; itemId: string }) => (
  <section class="scroll" aria-label="Lineage">
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
            <td>
              {one.record_id === itemId ? (
                <b>This item</b>
              ) : (
                <a href={ofItem(one.record_id)}>{nameOf(one)}</a>
              )}{' '}
              <Id of={one.record_id} />
            </td>
            <td>
              <Status of={one.status} />
            </td>
            <td>
              <Verdict of={one.outcome_status} />
            </td>
            <td>
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

const nameOf = ({ generation, replayed_from }: Relative) =>
  replayed_from === null
    ? 'Original'
    : generation < 0
      ? 'Replay before it'
      : generation > 0
        ? 'Replay of it'
        : 'Another replay'

/** Texts as they are shown; the first is of the item that came first. */
export const Difference = ({ before, after }: { before: string; after: string }) => {
  if (before === after) return <p>Both outputs are the same.</p>
  const tooLong = Math.max(before.length, after.length) > LIMITS.page_text_characters
  const lines = tooLong ? undefined : lineDiff(before, after)
  if (lines === undefined) return <p>The outputs differ, and are too long to be compared here.</p>
  return (
    <pre class="wrap diff">
      {lines.map(({ change, text }) => {
        if (change === 'added') return <ins>{`+ ${text}\n`}</ins>
        return change === 'removed' ? <del>{`- ${text}\n`}</del> : <span>{`  ${text}\n`}</span>
      })}
    </pre>
  )
}
