// Compares what Assay says that the calls cost with the ledger of the double, call by call and in all.

import type { Bench } from '../stack.ts'
import type { BilledCall } from './double.ts'

/** Something that ended processes, or items, on purpose. */
export interface Strike {
  what: string
  /** Milliseconds since 1970: before the signal was sent, and after the process had ended. */
  from: number
  to: number
  /** When what was struck had ended: a machine that is busy takes a second to end a process. */
  gone: number
  /** Items that were in flight then. */
  in_flight: number
}

export interface Comparison {
  calls: number
  billed_micro: number
  /** Of answers that reached Assay, by the double's ledger; and what Assay counts for the project. */
  recorded: number
  recorded_micro: number
  cost_micro: number
  /** Billed by the double and not recorded: their answers were lost with a process. */
  cut: BilledCall[]
  cut_micro: number
  /** What is wrong, in words. */
  faults: string[]
}

interface Step {
  call: string | null
  cost_micro: number
  unpriced: boolean
  error_code: string | null
}

export async function compare(
  { sql, project }: Bench,
  double: string,
  strikes: readonly Strike[],
): Promise<Comparison> {
  const ledger = await ledgerOf(double)
  const steps = (await sql`
    select substring(output from 'call-([0-9]+);') as call, cost_micro::float8 as cost_micro, unpriced, error_code
    from steps where kind = 'llm_call' and not reused and project_id = ${project.id}`) as unknown as Step[]
  const faults: string[] = []
  const recorded = new Map<number, Step>()
  for (const step of steps) {
    if (step.call === null) {
      if (step.cost_micro !== 0 || step.unpriced) faults.push(`a step without an answer: ${shown(step)}`)
      continue
    }
    const id = Number(step.call)
    if (recorded.has(id)) faults.push(`call ${id} is recorded twice`)
    recorded.set(id, step)
    const { micro, of } = ledger[id]!
    if (step.cost_micro !== micro || step.unpriced)
      faults.push(`call ${id} of ${of} was billed ${micro} and recorded as ${shown(step)}`)
  }
  const cut = ledger.filter(({ id }) => !recorded.has(id))
  const [project_cost] = await sql`
    select coalesce(sum(cost_micro), 0)::float8 as of_runs, sum(unpriced_items)::int as unpriced from runs
    where project_id = ${project.id}`
  const recorded_micro = sum(ledger.filter(({ id }) => recorded.has(id)))
  const { of_runs, unpriced } = project_cost as unknown as { of_runs: number; unpriced: number }
  if (of_runs !== recorded_micro) faults.push(`the runs cost ${of_runs}, the answers ${recorded_micro}`)
  if (unpriced > 0) faults.push(`${unpriced} items are unpriced`)
  faults.push(...cutFaults(cut, strikes))
  return {
    calls: ledger.length,
    billed_micro: sum(ledger),
    recorded: recorded.size,
    recorded_micro,
    cost_micro: of_runs,
    cut,
    cut_micro: sum(cut),
    faults,
  }
}

/** What was answered has been recorded within so long, unless a process was ended. */
const ON_ITS_WAY_MS = 2000
/** An agent sees within so long that its item is awaited no more. */
const SEEN_MS = 500

/**
 * Each cut call is of an item that was in flight at a strike; a strike cuts no more calls than items were in flight, and none
 * that began after it, of an item whose call it had cut.
 */
function cutFaults(cut: readonly BilledCall[], strikes: readonly Strike[]): string[] {
  const faults: string[] = []
  const byStrike = Map.groupBy(cut, call =>
    strikes.find(({ from, to }) => from <= call.ended + ON_ITS_WAY_MS && to >= call.began),
  )
  for (const [strike, calls] of byStrike) {
    if (strike === undefined) {
      faults.push(...calls.map(call => `${shownAfter(call, strikes)}, and nothing was ended then`))
      continue
    }
    const { what, gone, in_flight } = strike
    if (calls.length > in_flight) faults.push(`${what} cut ${calls.length} calls of ${in_flight} items`)
    for (const [item, ofItem] of Map.groupBy(calls, ({ of }) => of.split(' ')[0]!)) {
      const late = ofItem.slice(1).filter(({ began }) => began > gone + SEEN_MS)
      if (late.length > 0)
        faults.push(
          `${ofItem.map(call => shownCut(call, strike)).join(', ')} of ${item} were cut by one ${what}`,
        )
    }
  }
  return faults
}

function shownAfter(call: BilledCall, strikes: readonly Strike[]): string {
  const before = strikes.findLast(({ from }) => from <= call.began)
  return before === undefined
    ? `call ${call.id} of ${call.of} was cut`
    : `${shownCut(call, before)} was cut after a ${before.what}`
}

/** With how long after the strike it began and ended, in seconds. */
function shownCut({ id, of, began, ended, is_whole }: BilledCall, { from }: Strike): string {
  const [began_s, ended_s] = [began, ended].map(at => ((at - from) / 1000).toFixed(1))
  return `call ${id} of ${of} (${began_s} to ${ended_s} s${is_whole ? '' : ', not whole'})`
}

const sum = (calls: readonly BilledCall[]) => calls.reduce((all, { micro }) => all + micro, 0)
const shown = ({ cost_micro, unpriced, error_code }: Step) =>
  `${cost_micro}${unpriced ? ', unpriced' : ''}${error_code === null ? '' : `, ${error_code}`}`

async function ledgerOf(double: string): Promise<BilledCall[]> {
  const text = await (await fetch(`${double}/ledger`)).text()
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as BilledCall)
}
