// Starts the cluster that `npm run test:citus` stops nodes of, and gives it to what all suites with stores share.

import type { TestProject } from 'vitest/node'
import { type CitusNode, startCluster } from './citus-nodes.ts'
import setUpStores from './global-setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    workers: CitusNode[]
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster()
  process.env.CITUS_URL = cluster.url
  try {
    const stopStores = await setUpStores(project)
    project.provide('workers', cluster.workers)
    return async () => {
      await stopStores().finally(cluster.stop)
    }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}
