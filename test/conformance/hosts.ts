// The two hosts that serve the endpoints: the Node app, and the same functions inside real workerd.

import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { endpoints } from '../../functions/index.ts'
import { openConnections } from '../../infra/node/connections.ts'
import { createContext } from '../../infra/node/context.ts'
import { createPost } from '../../infra/node/post.ts'
import { createApp } from '../../shared/http/app.ts'
import { openApiDocument } from '../../shared/http/openapi.ts'
import { serveReference } from '../../shared/http/reference.ts'

export interface HostOptions {
  databaseUrl: string
  redisUrl: string
  masterKey: string
}

export interface Host {
  url: string
  close(): Promise<void>
}

export type StartHost = (options: HostOptions) => Promise<Host>

export const startNodeHost: StartHost = async options => {
  const connections = openConnections(options)
  const config = { base_url: 'http://assay.test', master_key: options.masterKey }
  const post = createPost(['127.0.0.0/8'])
  const ctx = createContext({ connections, config, post, writeLog: () => {} })
  const app = createApp(endpoints, () => ctx)
  serveReference(
    app,
    () => openApiDocument(endpoints),
    () => ctx,
  )
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise(resolve => server.once('listening', resolve))
  const address = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      await new Promise(resolve => server.close(resolve))
      await ctx.idle()
      await connections.close()
    },
  }
}

export const startWorkerdHost: StartHost = async options => {
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.mjs', contents: await bundled() }],
    compatibilityDate: '2026-07-01',
    compatibilityFlags: ['nodejs_compat'],
    bindings: {
      DATABASE_URL: options.databaseUrl,
      REDIS_URL: options.redisUrl,
      MASTER_KEY: options.masterKey,
      BASE_URL: 'http://assay.test',
      ALLOW_CALLBACK_NETWORKS: '127.0.0.0/8',
    },
    serviceBindings: { OUTSIDE: { network: { allow: ['public', '127.0.0.0/8'] } } },
  })
  const url = (await miniflare.ready).origin
  return { url, close: () => miniflare.dispose() }
}

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, '../../infra/workerd/worker.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['worker', 'import'],
    external: ['node:*', ...builtinModules],
    // Dependencies that are CommonJS ask for built-in modules by require.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
  })
  return outputFiles[0]!.text
}
