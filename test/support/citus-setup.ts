// Starts the cluster whose nodes `npm run test:citus` stops, and passes it to the setup of all suites with stores.

import type { TestProject } from 'vitest/node'
import { type CitusNode, startCluster } from './citus-nodes.ts'
import setUpStores from './global-setup.ts'

declare module 'vitest' {
  interface ProvidedContext {
    coordinator: CitusNode
    workers: CitusNode[]
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startCluster()
  process.env.CITUS_URL = cluster.url
  try {
    const stopStores = await setUpStores(project)
    project.provide('coordinator', cluster.coordinator)
    project.provide('workers', cluster.workers)
    return async () => {
      await stopStores().finally(cluster.stop)
    }
  } catch (error) {
    await cluster.stop()
    throw error
  }
}
