// The agent runtime of a process that executes items.

import { findBundle } from '../../shared/store/bundles.ts'
import { createInvoker, type Invoker } from '../runtime/invoker.ts'
import type { Connections } from './connections.ts'
import type { Settings } from './settings.ts'

export function createAgents({
  connections,
  settings,
}: {
  connections: Connections
  settings: Settings
}): Invoker {
  return createInvoker({
    loadBundle: hash => findBundle(connections.sql, hash),
    dataDir: settings.get('ASSAY_DATA_DIR') ?? '/tmp/assay',
    allowPrivateNetworks: settings.list('ASSAY_ALLOW_NETWORKS') ?? [],
  })
}
