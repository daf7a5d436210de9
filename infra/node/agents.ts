// The agent runtime of a process that executes items.

import { join } from 'node:path'
import { findBundle } from '../../shared/agents/queries/bundles.ts'
import { platformBearer } from '../../shared/http/platform-function.ts'
import { createInvoker, type Invoker, type InvokerOptions } from '../runtime/invoker.ts'
import type { Connections } from './connections.ts'
import { keysFrom, processBoundsFrom, type Settings } from './settings.ts'

interface At {
  connections: Pick<Connections, 'sql'>
  settings: Settings
}

/** Creates the invoker of agents. Bundles run in the function at ASSAY_RUNTIME_URL; without it, in this process. */
export function createAgents({ connections, settings }: At): Invoker {
  const runtime = remoteRuntime(settings.get('ASSAY_RUNTIME_URL'), () => keysFrom(settings))
  return createInvoker({ ...localRuntime(settings, hash => findBundle(connections.sql, hash)), runtime })
}

/** The options for running agents on this machine: their folder, the networks they may reach, the bounds of a process. */
export function localRuntime(settings: Settings, loadBundle: InvokerOptions['loadBundle']): InvokerOptions {
  const dataDir = settings.get('ASSAY_DATA_DIR')
  return {
    loadBundle,
    dataDir: dataDir ?? '/tmp/assay',
    agentLog: dataDir === undefined ? undefined : join(dataDir, 'agents.log'),
    allowPrivateNetworks: settings.networks('ASSAY_ALLOW_NETWORKS') ?? [],
    ...processBoundsFrom(settings),
  }
}

/** @param url undefined to run bundles in this process @param masterKey called at the first request */
export const remoteRuntime = (url: string | undefined, masterKey: () => string): InvokerOptions['runtime'] =>
  url === undefined ? undefined : { url, bearer: () => platformBearer(masterKey()) }
