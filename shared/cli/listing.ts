// How every list is read and told. Guarantee: what is left out is told with its number, as far as that is soon counted;
// under --follow each row is told once, and each look at what is new is bounded.

import { setTimeout as delay } from 'node:timers/promises'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { count, plural } from './format.ts'
import { untilInterrupted } from './interrupt.ts'
import { outage } from './outage.ts'
import type { Screen } from './output.ts'
import type { Session } from './session.ts'

export interface Page<Row> {
  rows: Row[]
  next: string | undefined
}

export interface Listing<Row extends object> {
  /** What a row is called, in JSON lines and, with a plural of its own where needed, to people. */
  event: string
  noun?: string
  /** What is said where there is nothing. */
  empty: string
  /** Rows of one page at most. */
  page: number
  /** Newest first, unless `inAnyOrder`; then all of it is read. */
  read(limit: number, cursor: string | undefined): Promise<Page<Row>>
  inAnyOrder?: true
  /** How many there are, where the server has counted them; else the pages behind are, up to a bound. */
  total?(): Promise<number | undefined>
  keyOf(row: Row): string
  /** When it came; null where it has not yet, or nobody knows. */
  cameAt(row: Row): string | null
  /** A table, or with `inBlocks` lines of each row. */
  text(rows: Row[], screen: Screen): string
  inBlocks?: true
  /** What is said below the rows, of a list that is not followed. */
  below?(rows: Row[]): string
}

const DEFAULT_ROWS = 50
const LOOK_MS = 2000
/** Pages of one look: what came in two seconds is on the first, unless somebody fills the list on purpose. */
const PAGES_PER_LOOK = 10
/** Pages that are read only to say how many rows there are more. */
const PAGES_COUNTED = 5
/** Pages of a list in any order: settings, which people make by hand. */
const PAGES_IN_ALL = 50
const ROWS_REMEMBERED = 20_000
/** Rows already told that keep the columns of a followed table where they are. */
const ROWS_FOR_WIDTHS = 50
const CLOCK_COLUMNS = 10

export async function tellList<Row extends object>(
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
  /** There are so many at least. */
  more: boolean
}

/** What stands under rows that are not all. @example 'the first 50 of 1,234 runs; --limit N shows more' */
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
  if (counted !== undefined) return { count: counted, more: false }
  let of = shown + left.unshown
  let { cursor } = left
  for (let pages = 0; pages < PAGES_COUNTED && cursor !== undefined; pages++) {
    const page: Page<Row> = await listing.read(listing.page, cursor)
    const recent = recentOf(listing, page.rows, since)
    of += recent.length
    cursor = recent.length < page.rows.length ? undefined : page.next
  }
  return { count: of, more: cursor !== undefined }
}

const emptyWords = ({ empty }: { empty: string }, given: Given) =>
  given.text('since') === undefined ? empty : `nothing since ${given.text('since')}`

const UNITS_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** @throws Failure `usage` */
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

interface Found<Row> {
  rows: Row[]
  more: boolean
  /** Rows that were read beyond those. */
  unshown: number
  /** Where the next page begins; undefined when all were read, or nobody may read on. */
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
    const page = await listing.read(Math.min(limit - rows.length, listing.page), cursor)
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
    const page = await read(size, cursor)
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
  const away = outage(session)
  const first = await newest(listing, Math.max(limit, listing.page), since)
  const known = new Set(first.rows.map(listing.keyOf))
  // What is older than all that was read did not come now: it moved up because something else left.
  const oldest = first.more ? timeOf(listing, first.rows.at(-1)!) : 0
  const tell = teller(session, listing)
  tell(first.rows.slice(0, limit).reverse())
  while (await pause(signal)) {
    try {
      const fresh = (await unseen(listing, known)).filter(row => timeOf(listing, row) >= oldest)
      away.over()
      tell(fresh.reverse())
    } catch (error) {
      away.failed(error)
    }
  }
  return EXIT.interrupted
}

/** False once the signal has come. */
export async function pause(signal: AbortSignal): Promise<boolean> {
  await delay(LOOK_MS, undefined, { signal }).catch(() => {})
  return !signal.aborted
}

/** Rows that were not known, which they are from now on. */
async function unseen<Row extends object>(listing: Listing<Row>, known: Set<string>): Promise<Row[]> {
  const fresh: Row[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES_PER_LOOK; pages++) {
    const page: Page<Row> = await listing.read(listing.page, cursor)
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

/** Tells rows below those already told; on a terminal each with the time on the clock when it came. */
export function teller<Row extends object>(
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
      // Too narrow for a line a row: then there is no room for a clock either.
      if (lines.length !== shown.length + 1) return listing.text(rows, screen)
      const told = lines
        .slice(-rows.length)
        .map((line, at) => `${screen.paint('dim', clockOf(listing.cameAt(rows[at]!)))}${line}`)
      const newHead = ' '.repeat(CLOCK_COLUMNS) + lines[0]!
      const heading = newHead === head ? [] : [newHead]
      head = newHead
      return [...heading, ...told].join('\n')
    })
  }
}

const clockOf = (at: string | null) =>
  (at === null ? '' : new Date(at).toLocaleTimeString('en-GB')).padEnd(CLOCK_COLUMNS)
