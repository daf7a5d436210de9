// BullMQ, with the concurrency that its guide recommends for jobs that wait: https://docs.bullmq.io/guide/parallelism-and-concurrency

import { ANSWER, type At, load, type Peer } from './peer.ts'

const QUEUE = 'bench'
const CONCURRENCY = 200

interface Package {
  Queue: new (
    name: string,
    options: object,
  ) => {
    add(name: string, data: object): Promise<unknown>
    addBulk(jobs: { name: string; data: object }[]): Promise<unknown>
    getJobCounts(...types: string[]): Promise<Record<string, number>>
    clean(graceMs: number, limit: number, type: string): Promise<unknown>
    close(): Promise<void>
  }
  Worker: new (name: string, handler: () => Promise<object>, options: object) => object
}

function connectionOf({ redisUrl }: At): object {
  const { hostname, port, password } = new URL(redisUrl)
  return { host: hostname, port: Number(port), password, db: 1, maxRetriesPerRequest: null }
}

export const bullmq: Peer = {
  async open(at) {
    const { Queue } = load<Package>(at, 'bullmq')
    const queue = new Queue(QUEUE, { connection: connectionOf(at) })
    return {
      async submit(inputs) {
        if (inputs.length === 1) await queue.add('item', inputs[0]!)
        else await queue.addBulk(inputs.map(data => ({ name: 'item', data })))
      },
      async isDone() {
        const counts = await queue.getJobCounts('waiting', 'active', 'prioritized', 'delayed')
        return Object.values(counts).every(count => count === 0)
      },
      async tidy() {
        await queue.clean(0, 0, 'completed')
      },
      close: () => queue.close(),
    }
  },
  async work(at, onStart) {
    const { Worker } = load<Package>(at, 'bullmq')
    const handler = async () => {
      onStart()
      return ANSWER
    }
    new Worker(QUEUE, handler, { connection: connectionOf(at), concurrency: CONCURRENCY })
  },
}
