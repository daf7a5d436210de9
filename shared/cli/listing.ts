// Reads and prints every list. Guarantee: the number of rows left out is printed, as far as it is quickly counted; with
// --follow each row is printed once, and each poll for new rows is bounded.

import { setTimeout as delay } from 'node:timers/promises'
import { defined } from '../kernel/defined.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { count, plural } from './format.ts'
import { untilInterrupted } from './interrupt.ts'
import type { Screen } from './output.ts'
import type { Page, PageQuery } from './pages.ts'
import type { Session } from './session.ts'

export interface Listing<Row extends object> {
  /** The name of a row in JSON lines and, unless `noun` is given, for people. */
  event: string
  noun?: string
  /** The text for an empty list. */
  empty: string
  /** Maximum rows of one page. */
  page: number
  /** Reads a page, newest first. With `inAnyOrder`, all pages are read. */
  read(page: PageQuery): Promise<Page<Row>>
  inAnyOrder?: true
  /** The number of rows, if the server has it; else further pages are counted, up to a bound. */
  total?(): Promise<number | Total | undefined>
  keyOf(row: Row): string
  /** When the row came, or null if it has not yet, or its time is unknown. */
  cameAt(row: Row): string | null
  /** A table, or with `inBlocks` several lines per row. */
  text(rows: Row[], screen: Screen): string
  inBlocks?: true
  /** Text below the rows of a list that is not followed. */
  below?(rows: Row[]): string
}

const DEFAULT_ROWS = 50
const LOOK_MS = 2000
/** Pages read per poll: rows of two seconds fit the first page, unless somebody fills the list on purpose. */
const PAGES_PER_LOOK = 10
/** Pages that are read only to count further rows. */
const PAGES_COUNTED = 5
/** Maximum pages of a list in any order: such lists hold settings, which people make by hand. */
const PAGES_IN_ALL = 50
const ROWS_REMEMBERED = 20_000
/** Rows already printed that keep the column widths of a followed table stable. */
const ROWS_FOR_WIDTHS = 50
const CLOCK_COLUMNS = 10

export async function printList<Row extends object>(
  session: Session,
  given: Given,
  listing: Listing<Row>,
): Promise<ExitCode> {
  const limit = given.whole('limit') ?? DEFAULT_ROWS
  const since = sinceOf(given.text('since'), session.now())
  if (given.flag('follow')) return untilInterrupted(signal => follow(session, listing, limit, since, signal))
  const { rows, ...left } = await newest(listing, limit, since)
  session.output.rows(listing.event, rows, screen =>
    rows.length === 0 ? screen.paint('dim', emptyWords(listing, given)) : textOf(listing, rows, screen),
  )
  if (left.more) {
    const total = await totalOf(listing, rows.length, left, since)
    session.output.note(moreWords(rows.length, total, listing.noun ?? listing.event, '--limit N shows more'))
  }
  return EXIT.ok
}

function textOf<Row extends object>(listing: Listing<Row>, rows: Row[], screen: Screen): string {
  const below = listing.below?.(rows)
  const text = listing.text(rows, screen)
  return below === undefined ? text : `${text}\n${screen.paint('dim', below)}`
}

export interface Total {
  count: number
  /** `count` is only a lower bound. */
  more: boolean
}

/** The line below an incomplete list. @example 'the first 50 of 1,234 runs; --limit N shows more' */
export function moreWords(shown: number, { count: of, more }: Total, noun: string, how: string): string {
  return `the first ${count(shown)} of ${more ? 'more than ' : ''}${plural(of, noun)}; ${how}`
}

async function totalOf<Row extends object>(
  listing: Listing<Row>,
  shown: number,
  left: Omit<Found<Row>, 'rows'>,
  since: number | undefined,
): Promise<Total> {
  const counted = since === undefined ? await listing.total?.() : undefined
  if (typeof counted === 'number') return { count: counted, more: false }
  if (counted !== undefined) return counted
  let of = shown + left.unshown
  let { cursor } = left
  for (let pages = 0; pages < PAGES_COUNTED && cursor !== undefined; pages++) {
    const page: Page<Row> = await listing.read({ limit: listing.page, cursor })
    const recent = recentOf(listing, page.rows, since)
    of += recent.length
    cursor = recent.length < page.rows.length ? undefined : page.next
  }
  return { count: of, more: cursor !== undefined }
}

const emptyWords = ({ empty }: { empty: string }, given: Given) =>
  given.text('since') === undefined ? empty : `nothing since ${given.text('since')}`

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Reads --since as milliseconds since 1970. @throws Failure `usage` */
export function sinceOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (amount !== undefined) return now - Number(amount) * UNITS_MS[unit!]!
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw usageFailure(`--since is "${text}"; it must be 90s, 30m, 2h, 3d or 1w, or a time`, {
      hint: 'a time looks like 2026-03-02, or 2026-03-02T09:30:00Z',
    })
  return at
}

/** The same as a time of the API. */
export function sinceTimeOf(text: string | undefined, now: number): string | undefined {
  const at = sinceOf(text, now)
  return at === undefined ? undefined : new Date(at).toISOString()
}

interface Found<Row> {
  rows: Row[]
  more: boolean
  /** How many further rows were read. */
  unshown: number
  /** Where the next page begins; undefined if all were read, or reading must stop. */
  cursor: string | undefined
}

async function newest<Row extends object>(
  listing: Listing<Row>,
  limit: number,
  since: number | undefined,
): Promise<Found<Row>> {
  if (listing.inAnyOrder) {
    const all = await everything(listing)
    const rows = recentOf(listing, all.rows, since)
    const unshown = Math.max(0, rows.length - limit)
    return {
      rows: rows.slice(0, limit),
      more: all.cursor !== undefined || unshown > 0,
      unshown,
      cursor: all.cursor,
    }
  }
  const rows: Row[] = []
  let cursor: string | undefined
  do {
    const page = await listing.read({
      limit: Math.min(limit - rows.length, listing.page),
      ...defined({ cursor }),
    })
    const recent = recentOf(listing, page.rows, since)
    rows.push(...recent)
    cursor = recent.length < page.rows.length ? undefined : page.next
  } while (cursor !== undefined && rows.length < limit)
  return { rows, more: cursor !== undefined, unshown: 0, cursor }
}

const recentOf = <Row extends object>(
  listing: Listing<Row>,
  rows: Row[],
  since: number | undefined,
): Row[] => (since === undefined ? rows : rows.filter(row => timeOf(listing, row) >= since))

async function everything<Row extends object>({ read, page: size }: Listing<Row>) {
  const rows: Row[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_IN_ALL; pages++) {
    const page = await read({ limit: size, ...defined({ cursor }) })
    rows.push(...page.rows)
    cursor = page.next
    if (cursor === undefined) break
  }
  return { rows, cursor }
}

const timeOf = <Row extends object>({ cameAt }: Listing<Row>, row: Row) => Date.parse(cameAt(row) ?? '') || 0

async function follow<Row extends object>(
  session: Session,
  listing: Listing<Row>,
  limit: number,
  since: number | undefined,
  signal: AbortSignal,
): Promise<ExitCode> {
  const first = await newest(listing, Math.max(limit, listing.page), since)
  const known = new Set(first.rows.map(listing.keyOf))
  // A row older than all that were read is not new: it moved up because another row left the list.
  const oldest = first.more ? timeOf(listing, first.rows.at(-1)!) : 0
  const print = rowPrinter(session, listing)
  print(first.rows.slice(0, limit).reverse())
  while (await pause(signal)) {
    const fresh = (await unseen(listing, known)).filter(row => timeOf(listing, row) >= oldest)
    print(fresh.reverse())
  }
  return EXIT.interrupted
}

/** Waits until the next poll; false if the signal was aborted. */
export async function pause(signal: AbortSignal): Promise<boolean> {
  await delay(LOOK_MS, undefined, { signal }).catch(() => {})
  return !signal.aborted
}

/** Rows that are not in `known`; adds them to it. */
async function unseen<Row extends object>(listing: Listing<Row>, known: Set<string>): Promise<Row[]> {
  const fresh: Row[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_PER_LOOK; pages++) {
    const page: Page<Row> = await listing.read({ limit: listing.page, ...defined({ cursor }) })
    const strangers = page.rows.filter(row => !known.has(listing.keyOf(row)))
    fresh.push(...strangers)
    cursor = page.next
    if (cursor === undefined || (strangers.length < page.rows.length && !listing.inAnyOrder)) break
  }
  for (const row of fresh) known.add(listing.keyOf(row))
  for (const key of known) {
    if (known.size <= ROWS_REMEMBERED) break
    known.delete(key)
  }
  return fresh
}

/** Prints rows below those already printed; on a terminal each with the time of day when it came. */
export function rowPrinter<Row extends object>(
  { output }: Session,
  listing: Listing<Row>,
): (rows: Row[]) => void {
  let shown: Row[] = []
  let head = ''
  return rows => {
    if (rows.length === 0) return
    shown = [...shown, ...rows].slice(-Math.max(rows.length, ROWS_FOR_WIDTHS))
    output.rows(listing.event, rows, screen => {
      if (listing.inBlocks) return listing.text(rows, screen)
      const lines = listing.text(shown, { ...screen, columns: screen.columns - CLOCK_COLUMNS }).split('\n')
      // If the screen is too narrow for one line per row, there is no room for the time either.
      if (lines.length !== shown.length + 1) return listing.text(rows, screen)
      const printed = lines
        .slice(-rows.length)
        .map((line, at) => `${screen.paint('dim', clockOf(listing.cameAt(rows[at]!)))}${line}`)
      const newHead = ' '.repeat(CLOCK_COLUMNS) + lines[0]!
      const heading = newHead === head ? [] : [newHead]
      head = newHead
      return [...heading, ...printed].join('\n')
    })
  }
}

const clockOf = (at: string | null) =>
  (at === null ? '' : new Date(at).toLocaleTimeString('en-GB')).padEnd(CLOCK_COLUMNS)
