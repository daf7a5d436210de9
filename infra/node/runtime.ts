// Starts the process of the runtime function from ASSAY_KEYS or ASSAY_MASTER_KEY, and optionally PORT, HOST,
// ASSAY_DATA_DIR, ASSAY_ALLOW_NETWORKS, ASSAY_AGENT_ITEMS and ASSAY_AGENT_MEMORY_MIB, as for a consumer. Consumers find
// it by ASSAY_RUNTIME_URL. Guarantee: it has no access to a store; consumers send the code of bundles along.

import { platformBearer } from '../../shared/http/platform-function.ts'
import { CarriedBundles } from '../runtime/carried-bundles.ts'
import { createInvoker } from '../runtime/invoker.ts'
import { serveRuntime } from '../runtime/runtime-server.ts'
import { localRuntime } from './agents.ts'
import { reportReady } from './log.ts'
import { keysFrom, listeningAt, processSettings } from './settings.ts'
import { endOnCrash, endOnSignal, endStart } from './stop.ts'

const PORT = 8080

async function start(): Promise<void> {
  const settings = processSettings()
  const at = listeningAt(settings, PORT)
  const bearer = await platformBearer(keysFrom(settings))
  const closing = new AsyncDisposableStack()
  const bundles = new CarriedBundles()
  const agents = createInvoker(localRuntime(settings, hash => bundles.load(hash)))
  closing.defer(() => agents.close())
  const server = await serveRuntime({ ...at, bearer, bundles, invoke: agents.invoke, load: agents.load })
  closing.defer(() => server.close())
  reportReady({ unit: 'runtime', url: server.url })
  endOnSignal({ close: () => closing.disposeAsync() })
}

endOnCrash()
await start().catch(error => endStart(error))
