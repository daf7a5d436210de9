// The two hosts that serve the endpoints: the Node app, and workerd with the generated configuration.

import { serveDashboard } from '../../functions/dashboard/index.ts'
import { endpoints } from '../../functions/index.ts'
import { compressing } from '../../infra/node/compression.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { type ContextOptions, createContext } from '../../infra/node/context.ts'
import { listen } from '../../infra/node/listen.ts'
import { createOutside } from '../../infra/node/reach.ts'
import { createApp } from '../../shared/http/app.ts'
import { openApiDocument } from '../../shared/openapi/openapi.ts'
import { serveReference } from '../../shared/openapi/reference.ts'
import { startWorkerd } from '../support/workerd.ts'

/** The same on every host of the suite. */
export const OPERATOR_KEY = 'the-operator-of-this-installation'

export interface HostOptions {
  databaseUrl: string
  redisUrl: string
  masterKey: string
}

export interface Host {
  url: string
  /** Whether a foreign proxy stands in front of it, which refuses by itself what it cannot read. */
  proxied?: boolean
  close(): Promise<void>
}

export type StartHost = (options: HostOptions) => Promise<Host>

/** @param given what the process has beyond the stores, such as a runtime of bundles */
export const nodeHostWith =
  (given: Partial<ContextOptions>): StartHost =>
  async options => {
    const connections = openConnections(options)
    const config = {
      base_url: 'http://assay.test',
      master_key: options.masterKey,
      operator_key: OPERATOR_KEY,
    }
    const outside = createOutside(['127.0.0.0/8'])
    const ctx = createContext({ connections, config, ...outside, writeLog: () => {}, ...given })
    const app = createApp(endpoints, () => ctx)
    serveReference(
      app,
      () => openApiDocument(endpoints),
      () => ctx,
    )
    serveDashboard(app, endpoints, () => ctx)
    const listener = await listen(
      { port: 0, host: '127.0.0.1' },
      compressing(request => app.fetch(request)),
    )
    return {
      url: listener.url,
      async close() {
        await listener.close()
        await ctx.idle()
        await connections.close()
      },
    }
  }

export const startNodeHost = nodeHostWith({})

export const startWorkerdHost: StartHost = ({ databaseUrl, redisUrl, masterKey }) =>
  startWorkerd({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ASSAY_MASTER_KEY: masterKey,
    ASSAY_OPERATOR_KEY: OPERATOR_KEY,
  })
