// Renders the live view of runs as lines of a screen. Guarantee: it is as high as the screen, the selected run is
// always visible, and it says the same without colours.

import { runStanding } from '../view/run.ts'
import type { Run, RunItem } from './api.ts'
import { clean, clock, count, money, pad, plural, shorten, spend } from './format.ts'
import { spread } from './full-screen.ts'
import type { Screen } from './output.ts'
import { type Pace, paceWords, progressBars } from './progress.ts'
import { detailLines } from './top-details.ts'
import { hasEnded } from './verdict.ts'

/** The load of the installation, in addition to the runs themselves. */
export interface Load {
  running: number
  concurrency: number
  /** The longest wait for a worker, in seconds; null if nothing waits. */
  oldest_wait_s: number | null
  /** From the metrics; null without their bearer. */
  consumers: number | null
  leases_expired: number | null
}

export interface TopState {
  runs: readonly Run[]
  paces: ReadonlyMap<string, Pace>
  load: Load
  selected: string | undefined
  asks: 'nothing' | 'details' | 'cancel'
  /** Items of the selected run that did not work, while its details are shown. */
  bad: readonly RunItem[]
  note: string
}

const LINES_PER_RUN = 2
const NO_PACE: Pace = { per_second: null, left_ms: null }

export function topLines(state: TopState, rows: number, now: number, screen: Screen): string[] {
  const head = headLines(state, now, screen)
  const foot = footLines(state, screen)
  const room = Math.max(LINES_PER_RUN, rows - head.length - foot.length)
  const selected = state.runs.find(run => run.id === state.selected)
  const body =
    state.asks === 'details' && selected !== undefined
      ? detailLines(selected, state.bad, screen)
      : runLines(state, room, screen)
  const filled = [...body, ...Array<string>(room).fill('')].slice(0, room)
  return [...head, ...filled, ...foot].slice(0, rows)
}

export function headLines({ runs, load }: TopState, now: number, screen: Screen): string[] {
  const open = runs.filter(run => !hasEnded(run)).length
  const wait = load.oldest_wait_s
  const parts = [
    `${plural(open, 'run')} in flight`,
    `${count(load.running)} of ${plural(load.concurrency, 'item')} at work`,
    load.consumers !== null && load.consumers > 0 && plural(load.consumers, 'consumer'),
    load.leases_expired !== null &&
      load.leases_expired > 0 &&
      `${plural(load.leases_expired, 'lease')} expired`,
    wait !== null && wait >= 1 && `oldest wait ${clock(wait * 1000)}`,
    runs[0] !== undefined && `list prices of ${runs[0].prices_as_of}`,
  ].filter(part => part !== false)
  const time = new Date(now).toLocaleTimeString('en-GB')
  while (parts.length > 1 && parts.join(', ').length + time.length + 2 > screen.columns) parts.pop()
  return [spread(screen.paint('bold', parts.join(', ')), screen.paint('dim', time), screen.columns), '']
}

function footLines({ asks, note, selected, runs }: TopState, { paint, columns }: Screen): string[] {
  const run = runs.find(({ id }) => id === selected)
  if (asks === 'cancel' && run !== undefined) {
    const question = `cancel ${nameOf(run)}? Items at work finish, ${count(run.queued)} queued ones do not run.`
    return [shorten(question, columns), paint('bold', 'y  cancel it    any other key  go on')]
  }
  const keys =
    asks === 'details'
      ? ['esc back', 'c cancel', 'q quit']
      : ['↑↓ select', 'enter details', 'c cancel', 'q quit']
  return [shorten(clean(note), columns), paint('dim', shorten(keys.join('   '), columns))]
}

const nameOf = (run: Run) => clean(run.name ?? run.agent_slug)

export function runLines(state: TopState, room: number, screen: Screen): string[] {
  const { runs, selected } = state
  if (runs.length === 0) return [screen.paint('dim', 'nothing is in flight; what is submitted shows up here')]
  const fit = Math.max(1, Math.floor(room / LINES_PER_RUN))
  const at = Math.max(
    0,
    runs.findIndex(run => run.id === selected),
  )
  const first = Math.min(Math.max(0, at - fit + 1), Math.max(0, runs.length - fit))
  return runs.slice(first, first + fit).flatMap(run => linesOf(run, state, screen))
}

function linesOf(run: Run, { paces, selected }: TopState, screen: Screen): string[] {
  const { paint, columns } = screen
  const isSelected = run.id === selected
  const mark = isSelected ? paint('cyan', '▸ ') : '  '
  const name = paint('bold', pad(shorten(nameOf(run), 24), 24))
  const status = runStanding(run)
  const [rate, left] = paceWords(paces.get(run.id) ?? NO_PACE)
  const cap = run.budget_cents === null ? '' : ` of ${money(run.budget_cents / 100)}`
  const facts = [
    status,
    run.running > 0 && `${count(run.running)} at work`,
    ...(run.queued + run.running > 0 ? [rate, left] : []),
    `${spend(run.cost_usd, run.unpriced_item_count > 0)}${cap}`,
  ].filter(fact => fact)
  while (facts.length > 1 && facts.join(', ').length + 28 > columns) facts.pop()
  const inset = { ...screen, columns: columns - 2 }
  return [
    spread(`${mark}${name}  ${facts.join(', ')}`, paint('dim', run.id), columns),
    `${isSelected ? paint('cyan', '│ ') : '  '}${progressBars(run, inset)}`,
  ]
}
