// Shares a consumer's free places among the runs that wait for them. Guarantee: the next place goes to the account with
// the fewest items in flight, in it to the project with the fewest, and in that to the run with the fewest. Neither one
// run nor all runs of an account take all free places, so later runs never wait for items that take long.

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
  /** How many more items the caps of the run allow; null is any number. */
  room: number | null
  project_room: number
}

/** An account, project or run that asks for places. */
interface Asker {
  /** Items in flight. */
  held: number
  /** Items that could begin, if there were places for all. */
  wants: number
}

/** Items in flight in this consumer. */
export interface HeldHere {
  ofRun(run_id: string): number
  ofAccount(account_id: string | null): number
}

interface Node extends Asker {
  /** Set on a leaf, which is a run. */
  run_id?: string
  parts: readonly Node[]
}

/**
 * The largest share that one run, or all runs of an account, may have of the free places and the places it holds. So a
 * run leaves room to others of its account, and an account to other accounts.
 */
const MOST = { run: 7 / 8, account: 15 / 16 }

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

/**
 * Gives places one by one to the asker with the fewest items; returns how many each gets.
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
  // Too few places are left for all askers below the next level: the first of them get one.
  const next = upTo(low + 1)
  let left = places - sum(shares)
  for (const [i, share] of shares.entries()) if (next[i]! > share && left-- > 0) shares[i] = share + 1
  return shares
}

/**
 * Returns how many items to claim by run id; a run without an entry gets none.
 *
 * @param free the consumer's free places
 * @param here the consumer's items in flight
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
  // Items that have started meanwhile may count twice, which would make this negative.
  const wants = Math.max(0, Math.min(most, sum(parts.map(part => part.wants))))
  return { held: sum(parts.map(part => part.held)), wants, parts }
}

function assign(node: Node, places: number, shares: Map<string, number>): void {
  if (places <= 0) return
  if (node.run_id !== undefined) shares.set(node.run_id, places)
  const given = fairShares(places, node.parts)
  for (const [i, part] of node.parts.entries()) assign(part, given[i]!, shares)
}
