// Triage on the whole screen. Guarantee: a key that decides something says what it will do, and does it only once that
// is confirmed; only taking back the last decision needs no confirmation.

import { LIMITS } from '../kernel/limits.ts'
import type { Doubt } from '../view/verdict.ts'
import { answered, asFailure } from './api.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { plural } from './format.ts'
import { type FullScreen, type Key, openFullScreen } from './full-screen.ts'
import { itemText } from './item-view.ts'
import { pause } from './listing.ts'
import type { Screen } from './output.ts'
import type { Session } from './session.ts'
import { type Act, decideAct, replayAct, type Target, takeBack } from './triage-acts.ts'
import { type Entry, entriesOf, groupsOf, type Row, type TriageState, triageLines } from './triage-view.ts'

export interface Waiting {
  rows: Row[]
  more: boolean
  /** For a reason that is often wrong: how often. */
  doubt: Doubt
  /** How many items wait with each cause, if the server counts them for these filters. */
  ofCause: ReadonlyMap<string, number>
}

/** `read` returns the waiting items; `filters` selects the same items for a recovery. */
export async function triageScreen(
  session: Session,
  read: () => Promise<Waiting>,
  filters: object,
): Promise<ExitCode> {
  const waiting = await read()
  session.retrying.stop() // it shows errors itself
  const screen = openFullScreen()
  const over = Promise.withResolvers<ExitCode>()
  const ending = new AbortController()
  const view = new View(session, screen, read, filters)
  try {
    view.take(waiting)
    view.openAllThatFit()
    screen.onKey(key => {
      if (key === 'interrupt' || (key === 'q' && !view.isInItem)) over.resolve(EXIT.ok)
      else void view.press(key).catch(over.reject)
    })
    screen.onResize(() => view.draw())
    view.draw()
    void keepLooking(view, ending.signal).catch(over.reject)
    return await over.promise
  } finally {
    ending.abort()
    screen.leave()
  }
}

async function keepLooking(view: View, signal: AbortSignal): Promise<void> {
  while (await pause(signal)) await view.look()
}

const DECISIONS = { a: 'acknowledge', d: 'dismiss', w: 'wrong', c: 'confirm' } as const

class View {
  readonly #session: Session
  readonly #screen: FullScreen
  readonly #read: () => Promise<Waiting>
  readonly #filters: object
  #state: TriageState = {
    groups: [],
    open: new Set(),
    cursor: '',
    chosen: new Set(),
    asks: undefined,
    note: '',
    more: false,
  }
  #act: Act | undefined
  #undo: Row[] = []
  #item: { id: string; lines: string[] } | undefined
  #busy = false
  /** How often a key began something that reads or changes items. */
  #starts = 0

  constructor(session: Session, screen: FullScreen, read: () => Promise<Waiting>, filters: object) {
    this.#session = session
    this.#screen = screen
    this.#read = read
    this.#filters = filters
  }

  get isInItem(): boolean {
    return this.#item !== undefined
  }

  take({ rows, more, doubt, ofCause }: Waiting): void {
    const before = entriesOf(this.#state).findIndex(entry => entry.key === this.#state.cursor)
    const ids = new Set(rows.map(row => row.record_id))
    const chosen = new Set([...this.#state.chosen].filter(id => ids.has(id)))
    this.#state = { ...this.#state, groups: groupsOf(rows, more, ofCause, doubt), more, chosen }
    const entries = entriesOf(this.#state)
    // The line under the cursor may be gone: then the cursor stays at its place on the screen.
    if (!entries.some(entry => entry.key === this.#state.cursor))
      this.#state.cursor = entries[Math.min(Math.max(0, before), entries.length - 1)]?.key ?? ''
  }

  openAllThatFit(): void {
    const items = this.#state.groups.reduce((sum, group) => sum + group.rows.length + 1, 0)
    if (items < this.#screen.rows - 4) this.#state.open = new Set(this.#state.groups.map(group => group.key))
  }

  /** Reads the list again. What a key began meanwhile reads a newer one, and is drawn when keys count again. */
  async look(): Promise<void> {
    const isInUse = () => this.#busy || this.#act !== undefined
    if (isInUse()) return
    const began = this.#starts
    const found = await this.#read().catch((error: unknown) => this.#wordsOf(error))
    if (isInUse() || this.#starts !== began) return
    if (typeof found === 'string') this.#state.note = found
    else this.take(found)
    this.draw()
  }

  draw(): void {
    const { columns, rows } = this.#screen
    const screen: Screen = { ...this.#session.output.screen(), columns }
    if (this.#item !== undefined) {
      const { id, lines } = this.#item
      const hidden = lines.length - (rows - 2)
      const more = hidden > 0 ? `   ${plural(hidden, 'line')} more by ${screen.program} item ${id}` : ''
      this.#screen.draw([...lines.slice(0, rows - 2), '', screen.paint('dim', `esc or q back${more}`)])
    } else this.#screen.draw(triageLines(this.#state, rows, this.#session.now(), screen))
  }

  /**
   * Handles a key. Keys that move come several at once and are handled at once. While something is read or done, keys
   * are ignored, because the screen does not show what they would act on.
   */
  async press(key: Key): Promise<void> {
    if (this.#busy) return
    try {
      const work = this.#pressed(key)
      if (work === undefined) return
      this.#busy = true
      this.#starts++
      await work
    } catch (error) {
      this.#state.note = this.#wordsOf(error)
    } finally {
      this.#busy = false
      this.draw()
    }
  }

  #pressed(key: Key): Promise<void> | undefined {
    if (this.#item !== undefined) {
      if (key === 'back' || key === 'q' || key === 'enter') this.#item = undefined
      return undefined
    }
    if (this.#act !== undefined) return this.#confirmed(key)
    const entries = entriesOf(this.#state)
    const at = entries.findIndex(entry => entry.key === this.#state.cursor)
    const here = entries[at]
    const { api } = this.#session
    if (key === 'up' || key === 'down')
      this.#state.cursor = entries[at + (key === 'up' ? -1 : 1)]?.key ?? this.#state.cursor
    else if (key === 'u') return this.#takeBack()
    else if (here === undefined) return undefined
    else if (key === 'enter') return this.#open(here)
    else if (key === 'x') this.#choose(here)
    else if (key === 'r') return this.#propose(replayAct(api, this.#target(here), this.#filters))
    else if (Object.hasOwn(DECISIONS, key))
      return this.#propose(
        decideAct(api, this.#target(here), DECISIONS[key as keyof typeof DECISIONS], this.#filters),
      )
    return undefined
  }

  #target({ group, row }: Entry): Target {
    const { chosen, groups } = this.#state
    if (chosen.size > 0)
      return { rows: groups.flatMap(({ rows }) => rows.filter(one => chosen.has(one.record_id))) }
    return row === undefined ? { rows: group.rows, group } : { rows: [row] }
  }

  async #propose(proposed: Promise<Act | string> | Act | string): Promise<void> {
    const act = await proposed
    this.#act = typeof act === 'string' ? undefined : act
    this.#state.asks = this.#act?.words
    this.#state.note = typeof act === 'string' ? act : ''
  }

  async #confirmed(key: Key): Promise<void> {
    const act = this.#act!
    this.#act = undefined
    this.#state.asks = undefined
    if (key !== 'y') {
      this.#state.note = 'nothing was done'
      return
    }
    this.#state.note = 'at it …'
    this.draw()
    const { note, undo } = await act.perform()
    if (undo.length > 0) this.#undo = undo
    this.#state.chosen = new Set()
    this.#state.note = note
    this.take(await this.#read())
  }

  async #takeBack(): Promise<void> {
    if (this.#undo.length === 0) {
      this.#state.note = 'nothing to take back: what was replayed goes on'
      return
    }
    this.#state.note = await takeBack(this.#session.api, this.#undo)
    this.#undo = []
    this.take(await this.#read())
  }

  async #open({ group, row }: Entry): Promise<void> {
    const { api, output } = this.#session
    if (row === undefined) {
      const open = new Set(this.#state.open)
      if (!open.delete(group.key)) open.add(group.key)
      this.#state.open = open
      return
    }
    const params = { path: { itemId: row.record_id } }
    const query = { record_id: row.record_id, limit: LIMITS.steps_page.max }
    const [record, { steps }] = await Promise.all([
      answered(api.GET('/v1/durable/runs/{itemId}', { params })),
      answered(api.GET('/v1/steps', { params: { query } })),
    ])
    const screen: Screen = { ...output.screen(), columns: this.#screen.columns }
    this.#item = { id: row.record_id, lines: itemText(record, steps, screen).split('\n') }
  }

  #choose({ group, row }: Entry): void {
    const chosen = new Set(this.#state.chosen)
    const ids = row === undefined ? group.rows.map(one => one.record_id) : [row.record_id]
    const isChosen = ids.every(id => chosen.has(id))
    for (const id of ids) isChosen ? chosen.delete(id) : chosen.add(id)
    this.#state.chosen = chosen
  }

  #wordsOf(error: unknown): string {
    const failure = asFailure(error)
    if (failure === undefined) throw error
    return failure.message
  }
}
