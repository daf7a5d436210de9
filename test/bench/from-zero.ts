// How long one item takes to its agent when everything is asleep: the function that takes it and the consumer start one
// after the other, each as a container of the image does, under the double of Knative.

import { startSleeping } from '../support/sleeping.ts'

/** Milliseconds from the request, which starts the first of them. */
export interface FromZero {
  answered: number
  at_agent: number
}

export async function fromZero(
  stores: { databaseUrl: string; redisUrl: string },
  rounds: number,
): Promise<FromZero[]> {
  const sleeping = await startSleeping(stores)
  const { agent } = sleeping
  const times: FromZero[] = []
  try {
    while (times.length < rounds) {
      const arrived = agent.until(agent.items.length + 1)
      const began = performance.now()
      const runId = await sleeping.submit(1)
      const answered = performance.now() - began
      await arrived
      times.push({ answered, at_agent: agent.items.at(-1)!.at - began })
      await sleeping.finished(runId)
      await sleeping.toZero()
    }
  } finally {
    await sleeping.close()
  }
  return times
}
