// graphile-worker, with the settings of its page on performance: https://worker.graphile.org/docs/performance

import { ANSWER, type At, load, type Peer } from './peer.ts'
import { sqlOf } from './sql.ts'

const PRESET = {
  worker: {
    concurrentJobs: 24,
    maxPoolSize: 25,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
}

interface Package {
  run(options: object): Promise<unknown>
  makeWorkerUtils(options: object): Promise<{
    addJobs(jobs: { identifier: string; payload: object }[]): Promise<unknown>
    addJob(identifier: string, payload: object): Promise<unknown>
    migrate(): Promise<void>
    release(): Promise<void>
  }>
  Logger: new (factory: () => () => void) => object
}

const common = (at: At, { Logger }: Package) => ({
  connectionString: at.databaseUrl,
  logger: new Logger(() => () => {}),
})

export const graphileWorker: Peer = {
  async open(at) {
    const worker = load<Package>(at, 'graphile-worker')
    const utils = await worker.makeWorkerUtils(common(at, worker))
    await utils.migrate()
    const sql = sqlOf(at)
    // If its table is analyzed while empty, between two rounds, a fetch gets a plan that takes a second.
    await sql.unsafe('alter table graphile_worker._private_jobs set (autovacuum_enabled = off)')
    return {
      async submit(inputs) {
        if (inputs.length === 1) await utils.addJob('bench', inputs[0]!)
        else await utils.addJobs(inputs.map(payload => ({ identifier: 'bench', payload })))
      },
      // A finished job is deleted, so no result is kept.
      isDone: async () => (await sql`select from graphile_worker._private_jobs limit 1`).length === 0,
      async tidy() {
        await sql.unsafe('vacuum graphile_worker._private_jobs') // otherwise isDone would read past dead rows
      },
      async close() {
        await Promise.all([utils.release(), sql.end()])
      },
    }
  },
  async work(at, onStart) {
    const worker = load<Package>(at, 'graphile-worker')
    const taskList = {
      bench: async () => {
        onStart()
        return ANSWER
      },
    }
    await worker.run({ ...common(at, worker), preset: PRESET, taskList, noHandleSignals: true })
  },
}
