// Chooses the process of a deployment that a request goes to. Guarantee: processes are filled one after the other, so that
// spare ones become idle and end; none is filled beyond its bound as long as another process can be started.

import { LIMITS } from '../../shared/kernel/limits.ts'

/** What the choice needs to know of a process. */
export interface Filled {
  /** Items that have not ended. */
  items: number
}

/**
 * Of the processes that have room for so many items, the fullest. If none has, undefined where another can be started; else
 * the emptiest, up to LIMITS.agent_process_crowded times the bound: items that wait for a place would take longer than items
 * in a crowded process.
 *
 * @param bound most items in a process; a process without items takes any request
 */
export function chooseProcess<One extends Filled>(
  processes: Iterable<One>,
  items: number,
  bound: number,
  canStart: boolean,
): One | undefined {
  let fullest: { one: One; has: number } | undefined
  let emptiest: { one: One; has: number } | undefined
  for (const one of processes) {
    const has = one.items
    const fits = has === 0 || has + items <= bound
    if (fits && (fullest === undefined || has > fullest.has)) fullest = { one, has }
    const fitsCrowded = has + items <= LIMITS.agent_process_crowded * bound
    if (fitsCrowded && (emptiest === undefined || has < emptiest.has)) emptiest = { one, has }
  }
  return fullest?.one ?? (canStart ? undefined : emptiest?.one)
}
