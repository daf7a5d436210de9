// Measures how long one item takes to reach its agent when everything sleeps: the router, the function that takes the item,
// and the consumer, each started as a container of the image is, under the double of Knative.

import { startSleeping } from '../support/sleeping.ts'

/** Milliseconds from the request, which starts the first process. */
export interface FromZero {
  answered: number
  at_agent: number
}

/** Measures requests through the router and, in turn with them, straight to the function that takes the item. */
export async function fromZero(
  stores: { databaseUrl: string; redisUrl: string },
  rounds: number,
): Promise<Record<'router' | 'runs', FromZero[]>> {
  const sleeping = await startSleeping(stores)
  const { agent } = sleeping
  const times: Record<'router' | 'runs', FromZero[]> = { router: [], runs: [] }
  try {
    for (let round = 0; round < 2 * rounds; round++) {
      const by = round % 2 === 0 ? 'router' : 'runs'
      const arrived = agent.until(agent.items.length + 1)
      const began = performance.now()
      const runId = await sleeping.submit(1, by)
      const answered = performance.now() - began
      await arrived
      times[by].push({ answered, at_agent: agent.items.at(-1)!.at - began })
      await sleeping.finished(runId)
      await sleeping.toZero()
    }
  } finally {
    await sleeping.close()
  }
  return times
}
