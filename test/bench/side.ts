// One of the two checkouts that `--against` compares: a stack of its own, which measures what it is asked for.
// Asked for a workload's name over IPC it answers with one round.

import { measured } from './rounds.ts'
import { startBench } from './stack.ts'
import { type Measure, WORKLOADS } from './workloads.ts'

const bench = await startBench()
const measures = new Map<string, Measure>()

process.on('message', async (name: string) => {
  try {
    const measure = measures.get(name) ?? (await WORKLOADS[name]!(bench))
    measures.set(name, measure)
    process.send!(await measured(bench, measure))
  } catch (error) {
    process.send!({ error: String(error) })
  }
})
process.on('disconnect', () => bench.close().finally(() => process.exit(0)))
process.send!({ ready: true })
