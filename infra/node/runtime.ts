// The process of the runtime function: DATABASE_URL (for the code of bundles), ASSAY_KEYS or ASSAY_MASTER_KEY, and
// optionally PORT, HOST, ASSAY_DATA_DIR and ASSAY_ALLOW_NETWORKS, as for a consumer, which finds it by ASSAY_RUNTIME_URL.

import { platformBearer } from '../../shared/http/platform-function.ts'
import { createInvoker } from '../runtime/invoker.ts'
import { serveRuntime } from '../runtime/runtime-server.ts'
import { localRuntime } from './agents.ts'
import { openDatabase } from './connections.ts'
import { endWhereRefused, refuseUnfit } from './installation.ts'
import { tell, tellReady } from './log.ts'
import { databaseFrom, keysFrom, listeningAt, readSettings } from './settings.ts'
import { endOnCrash, endOnSignal, endStart } from './stop.ts'
import { refusalOf } from './store-trouble.ts'

const PORT = 8080

async function start(): Promise<void> {
  const settings = readSettings(process.env)
  const at = listeningAt(settings, PORT)
  const bearer = await platformBearer(keysFrom(settings))
  const closing = new AsyncDisposableStack()
  const connections = openDatabase(databaseFrom(settings)) // it reads a bundle when a process starts, and nothing else
  closing.defer(() => connections.close())
  endWhereRefused(tell, () => refuseUnfit(connections.sql))
  const agents = createInvoker(localRuntime({ connections, settings }))
  closing.defer(() => agents.close())
  const server = await serveRuntime({ ...at, bearer, invoke: agents.invoke })
  closing.defer(() => server.close())
  tellReady({ unit: 'runtime', url: server.url })
  endOnSignal({ close: () => closing.disposeAsync() })
}

endOnCrash()
await start().catch(error => endStart(refusalOf(error) ?? error))
