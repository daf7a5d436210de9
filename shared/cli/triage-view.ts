// Renders triage on the whole screen: the waiting items, grouped by what they have in common. Guarantee: pure; every
// line fits the screen, and the action of a key is shown below the list before it is done.

import type { Doubt } from '../view/verdict.ts'
import type { Schemas } from './api.ts'
import { ago, clean, count, money, pad, plural, shorten, widthOf } from './format.ts'
import type { Screen } from './output.ts'
import { outcomeStyle, tokenFirst } from './verdict.ts'
import { withDoubt } from './verdicts.ts'

export type Row = Schemas['TriageRow']

export interface Group {
  key: string
  /** In words, what the items have in common. */
  words: string
  rows: Row[]
  /** Number of all waiting items, not only of the rows that were read. */
  count: number
  /** The group as a filter of a recovery; absent if its items can only be handled one by one. */
  filter?: { cause_id: string } | { reason: string }
}

/** A line that the cursor can be on. */
export type Entry = { key: string; group: Group; row?: Row }

export interface TriageState {
  groups: Group[]
  open: ReadonlySet<string>
  cursor: string
  chosen: ReadonlySet<string>
  /** The act that waits for confirmation, in words. */
  asks: string | undefined
  note: string
  more: boolean
}

/** The error code or the reason, with the message of agent or grader, else the question to a person. */
export const whyInTriage = ({ error_code, reason, message, question }: Row) =>
  tokenFirst(error_code ?? reason, message || question)

/**
 * Groups rows by cause; rows without a cause by agent, lane and words. The largest group comes first. `more` means that
 * there are items that are not among these rows.
 */
export function groupsOf(
  rows: readonly Row[],
  more: boolean,
  ofCause: ReadonlyMap<string, number> = new Map(),
  doubt: Doubt = () => undefined,
): Group[] {
  const groups = [
    ...Map.groupBy(rows, row => row.cause_id ?? `${row.agent_id} ${row.kind} ${whyInTriage(row)}`),
  ].map(([key, of]): Group => {
    const { kind } = of[0]!
    const words = withDoubt(whyInTriage(of[0]!), doubt(of[0]!))
    const filter = filterFor(of, rows, more)
    const said = kind === 'quarantine' ? `held: ${words}` : words
    const count = Math.max(of.length, ofCause.get(key) ?? 0)
    return { key, words: said, rows: of, count, ...(filter && { filter }) }
  })
  return groups.sort((a, b) => b.count - a.count)
}

/** A recovery's filter that selects exactly these rows, if there is one. */
function filterFor(of: Row[], rows: readonly Row[], more: boolean): Group['filter'] {
  const { cause_id, reason, kind } = of[0]!
  if (cause_id !== null) return { cause_id }
  if (kind === 'quarantine') return undefined
  const similar = rows.filter(row => row.kind === 'dlq' && row.reason === reason)
  return !more && similar.length === of.length && of.every(row => row.reason === reason)
    ? { reason }
    : undefined
}

export const entriesOf = ({ groups, open }: Pick<TriageState, 'groups' | 'open'>): Entry[] =>
  groups.flatMap(group => [
    { key: group.key, group },
    ...(open.has(group.key) ? group.rows.map(row => ({ key: row.record_id, group, row })) : []),
  ])

const helpAt = (entry: Entry | undefined) =>
  `j/k enter x  r ${entry?.group.rows[0]?.kind === 'quarantine' ? 'resume' : 'replay'}  a ack  d dismiss  w wrong  c confirm  u undo  q quit`
const AROUND = 4 // the title, a blank line, and two lines below

export function triageLines(state: TriageState, rows: number, now: number, screen: Screen): string[] {
  const { paint, columns } = screen
  const entries = entriesOf(state)
  const items = state.groups.reduce((sum, group) => sum + group.count, 0)
  const at = Math.max(
    0,
    entries.findIndex(entry => entry.key === state.cursor),
  )
  const room = Math.max(1, rows - AROUND)
  const first = Math.min(Math.max(0, at - Math.floor(room / 2)), Math.max(0, entries.length - room))
  const chosen = state.chosen.size > 0 ? `, ${count(state.chosen.size)} selected` : ''
  const title = `${plural(items, 'item')}${state.more ? ' and more' : ''} wait${items === 1 ? 's' : ''} for a decision${chosen}`
  const [below, keys] = state.asks === undefined ? [state.note, ''] : [state.asks, '  [y/n]']
  return [
    paint('bold', shorten(title, columns)),
    '',
    ...entries
      .slice(first, first + room)
      .map(entry => entryLine(entry, entry.key === state.cursor, state, now, screen)),
    ...(items === 0 ? [paint('dim', 'nothing waits for a decision')] : []),
    ...Array.from({ length: Math.max(0, room - Math.max(1, entries.length)) }, () => ''),
    paint(state.asks === undefined ? 'dim' : 'yellow', shorten(clean(below), columns - keys.length) + keys),
    paint('dim', shorten(helpAt(entries[at]), columns)),
  ]
}

function entryLine({ group, row }: Entry, isHere: boolean, state: TriageState, now: number, screen: Screen) {
  const { paint, columns } = screen
  const isChosen = row
    ? state.chosen.has(row.record_id)
    : group.rows.every(r => state.chosen.has(r.record_id))
  const mark = `${isHere ? '▸' : ' '}${isChosen ? '●' : ' '} `
  const left = row === undefined ? groupWords(group, state) : `   ${row.item_id}`
  const right =
    row === undefined
      ? ''
      : [row.agent_slug, row.partition_key, money(row.cost_usd), ago(row.created_at, now)]
          .filter(Boolean)
          .join('  ')
  const room = columns - widthOf(mark)
  const kept = widthOf(right) + 12 < room ? right : ''
  const words = pad(shorten(clean(left), room - (kept === '' ? 0 : widthOf(kept) + 1)), room - widthOf(kept))
  const style = row === undefined ? outcomeStyle(group.rows[0]!.outcome_status) : undefined
  return `${mark}${isHere ? paint('bold', words) : style === undefined ? words : paint(style, words)}${paint('dim', clean(kept))}`.trimEnd()
}

const groupWords = (group: Group, { open }: TriageState) =>
  `${open.has(group.key) ? '▾' : '▸'} ${count(group.count)} × ${group.words}`
