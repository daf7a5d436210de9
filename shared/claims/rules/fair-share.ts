// How many items of each run a consumer asks for where not all that wait have room. Guarantee: of accounts, then of the
// projects of one, then of the runs of one, whoever has fewest in flight gets the next place; and neither a run nor all runs
// of an account take all places that a consumer has left, so that what comes later never waits for items that take long.

/** A run with items that could begin. */
export interface WaitingRun {
  id: string
  project_id: string
  account_id: string | null
  /** Items that could begin, counted up to a few claims' worth. */
  waiting: number
  /** Items in flight, of the run and of its project. */
  running: number
  project_running: number
  /** Items that the caps of the run leave; null is any number. */
  room: number | null
  project_room: number
}

/** Who asks for places. */
interface Asker {
  /** Items in flight. */
  held: number
  /** Items that could begin, if there were places for all. */
  wants: number
}

/** Items in flight in the consumer that asks. */
export interface HeldHere {
  ofRun(run_id: string): number
  ofAccount(account_id: string | null): number
}

interface Node extends Asker {
  /** A leaf is a run. */
  run_id?: string
  parts: readonly Node[]
}

/**
 * Of the places that are left, and those that one holds, so much is the most of one run, and of all runs of an account: a run
 * leaves room to others of its account, and all of them to other accounts.
 */
const MOST = { run: 7 / 8, account: 15 / 16 }

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

/**
 * Gives places to whoever holds fewest, one after the other.
 *
 * @example fairShares(10, [{ held: 8, wants: 100 }, { held: 0, wants: 3 }, { held: 0, wants: 100 }]) // [1, 3, 6]
 */
export function fairShares(places: number, askers: readonly Asker[]): number[] {
  const upTo = (level: number) => askers.map(({ held, wants }) => Math.min(wants, Math.max(0, level - held)))
  let low = 0
  let high = Math.max(0, ...askers.map(({ held, wants }) => held + wants)) + 1
  while (high - low > 1) {
    const level = Math.floor((low + high) / 2)
    if (sum(upTo(level)) <= places) low = level
    else high = level
  }
  const shares = upTo(low)
  // Less than one is left for each that is below the next level: the first of them have it.
  const next = upTo(low + 1)
  let left = places - sum(shares)
  for (const [i, share] of shares.entries()) if (next[i]! > share && left-- > 0) shares[i] = share + 1
  return shares
}

/**
 * Items to ask for by run, none where a run is not named.
 *
 * @param free places that the consumer has left
 * @param here items that the consumer itself has in flight
 */
export function shareOut(
  free: number,
  runs: readonly WaitingRun[],
  here: HeldHere,
): ReadonlyMap<string, number> {
  const mostOf = (share: number, held: number) => Math.ceil(share * free - (1 - share) * held)
  const leaf = (run: WaitingRun): Node => {
    const most = mostOf(MOST.run, here.ofRun(run.id))
    const wants = Math.max(0, Math.min(run.waiting, run.room ?? most, most))
    return { run_id: run.id, held: run.running, wants, parts: [] }
  }
  const byAccount = Map.groupBy(runs, run => run.account_id)
  const accounts = [...byAccount].map(([account_id, own]) => {
    const byProject = Map.groupBy(own, run => run.project_id)
    return joined(
      [...byProject.values()].map(ofProject => {
        const { project_running, project_room } = ofProject[0]!
        return { ...joined(ofProject.map(leaf), project_room), held: project_running }
      }),
      mostOf(MOST.account, here.ofAccount(account_id)),
    )
  })
  const shares = new Map<string, number>()
  assign(joined(accounts, free), free, shares)
  return shares
}

function joined(parts: readonly Node[], most = Number.POSITIVE_INFINITY): Node {
  // What has begun meanwhile may count twice: then there seems to be less than nothing.
  const wants = Math.max(0, Math.min(most, sum(parts.map(part => part.wants))))
  return { held: sum(parts.map(part => part.held)), wants, parts }
}

function assign(node: Node, places: number, shares: Map<string, number>): void {
  if (places <= 0) return
  if (node.run_id !== undefined) shares.set(node.run_id, places)
  const given = fairShares(places, node.parts)
  for (const [i, part] of node.parts.entries()) assign(part, given[i]!, shares)
}
