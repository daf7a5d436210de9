// Runs a stack for one of the two checkouts that `--against` compares. For each name of a workload that it gets over IPC, it
// measures one round and answers with it.

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
