// The command that lists the items of a run, or follows them as they end.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { answered, type Run, type RunItem } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode } from './failure.ts'
import { untilInterrupted } from './interrupt.ts'
import { type Listing, pause, printList, rowPrinter, sinceOf } from './listing.ts'
import { type PageQuery, pageOf } from './pages.ts'
import { itemsTable } from './run-view.ts'
import type { Session } from './session.ts'

/** Pages read per poll. Items are listed in the order of the batch, so one that ended lately may be on any page. */
const PAGES = 20

type Outcome = 'ok' | 'degraded' | 'failed' | 'not_ok'

export async function items(session: Session, given: Given): Promise<ExitCode> {
  const runId = given.arg(0)
  const outcome = given.text('outcome') as Outcome | undefined
  const listing: Listing<RunItem> = {
    event: 'item',
    empty: outcome === undefined ? 'no items' : `no items with outcome ${outcome}`,
    page: LIMITS.items_page.max,
    read: page => itemsPage(session, runId, page, outcome),
    keyOf: item => item.id,
    cameAt: item => item.completed_at,
    text: (rows, screen) => itemsTable(rows, screen),
    total: async () => countOf(await runOf(session, runId), outcome),
  }
  if (!given.flag('follow'))
    return printList(
      session,
      given,
      given.text('since') === undefined ? listing : { ...listing, inAnyOrder: true },
    )
  const since = sinceOf(given.text('since'), session.now()) ?? 0
  const isWanted = (item: RunItem) => Date.parse(item.completed_at!) >= since && hasOutcome(item, outcome)
  return untilInterrupted(signal => follow(session, runId, listing, isWanted, signal))
}

/** The run's own count; undefined if items are paused: those that wait for money are not listed as not ok. */
function countOf(run: Run, outcome: Outcome | undefined): number | undefined {
  switch (outcome) {
    case undefined:
      return run.total_items
    case 'ok':
      return run.completed - run.degraded_count
    case 'degraded':
      return run.degraded_count
    case 'failed':
      return run.failed
    case 'not_ok':
      return run.paused === 0 ? run.degraded_count + run.failed : undefined
  }
}

const runOf = ({ api }: Session, runId: string) =>
  answered(api.GET('/v2/runs/{runId}', { params: { path: { runId } } }))

export function itemsPage(
  { api }: Pick<Session, 'api'>,
  runId: string,
  page: PageQuery,
  outcome?: Outcome | undefined,
) {
  const query = { ...page, ...defined({ outcome }) }
  return pageOf(api.GET('/v2/runs/{runId}/items', { params: { path: { runId }, query } }))
}

function hasOutcome(item: RunItem, outcome: Outcome | undefined): boolean {
  if (outcome === undefined) return true
  const verdict = item.worst_outcome_status
  return outcome === 'not_ok' ? verdict !== null && verdict !== 'ok' : verdict === outcome
}

/** Prints items as they end, until all have ended. */
async function follow(
  session: Session,
  runId: string,
  listing: Listing<RunItem>,
  isWanted: (item: RunItem) => boolean,
  signal: AbortSignal,
): Promise<ExitCode> {
  const print = rowPrinter(session, listing)
  const look = endedItems(session, runId)
  do {
    const run = await runOf(session, runId)
    const { items, behind } = await look()
    print(items.filter(isWanted).sort((a, b) => Date.parse(a.completed_at!) - Date.parse(b.completed_at!)))
    // The run was read first, so items that it counts as ended are in the list.
    if (run.finished_at !== null && !behind) return EXIT.ok
  } while (await pause(signal))
  return EXIT.interrupted
}

/** Returns a function that reads the items ended since its last call, from the first page with an open item on. */
function endedItems(session: Session, runId: string) {
  const returned = new Set<string>()
  let from: string | undefined
  return async () => {
    const items: RunItem[] = []
    let cursor = from
    let isPrefix = true
    for (let pages = 0; pages < PAGES; pages++) {
      const page = await itemsPage(session, runId, { limit: LIMITS.items_page.max, ...defined({ cursor }) })
      const ended = page.rows.filter(item => item.completed_at !== null)
      items.push(...ended.filter(item => !returned.has(item.id)))
      isPrefix &&= ended.length === page.rows.length
      cursor = page.next
      // A page whose items have all ended is not read again, so its items need not be remembered either.
      if (isPrefix && cursor !== undefined) {
        from = cursor
        for (const item of ended) returned.delete(item.id)
      } else for (const item of ended) returned.add(item.id)
      if (cursor === undefined) return { items, behind: false }
    }
    return { items, behind: true }
  }
}
