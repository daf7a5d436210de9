// An HTTP server around a fetch handler, which knows where its requests came from.

import type { Server } from 'node:http'
import { type HttpBindings, serve } from '@hono/node-server'
import type { Context } from '../../shared/context.ts'
import { LIMITS } from '../../shared/domain/limits.ts'
import { callerNetwork } from '../outside/networks.ts'
import { createCallerAddress } from './caller-address.ts'
import { type Address, type Listener, listening } from './listening.ts'

/** How often uploads are looked at: one is ended by us, before a platform ends its function. */
const LOOK_MS = 2000

// Where requests came from; a request is only known by its socket while it is being handled.
const addresses = new WeakMap<Request, string>()

export const addressOf = (request: Request): string | null => addresses.get(request) ?? null

/** Resolves when requests are taken. */
export async function listen(
  at: Address & {
    /** Networks (CIDR) of proxies that are believed where a request came from. */
    proxies?: readonly string[] | undefined
    /** Is told once that somebody passes requests on whom nobody named. */
    log?: Context['log']
  },
  handle: (request: Request) => Response | Promise<Response>,
): Promise<Listener> {
  const callerOf = createCallerAddress(at.proxies ?? [])
  let isTold = (at.proxies ?? []).length > 0
  const fetch = (request: Request, { incoming }: HttpBindings) => {
    const forwarded = incoming.headersDistinct['x-forwarded-for']?.join(',') ?? null
    const { remoteAddress = '' } = incoming.socket
    addresses.set(request, callerNetwork(callerOf(remoteAddress, forwarded)))
    if (forwarded !== null && !isTold) {
      isTold = true
      const mend = 'name its network in ASSAY_TRUSTED_PROXIES: all its callers share one limit on signing in'
      at.log?.('warn', 'proxy_not_trusted', { proxy: remoteAddress, mend })
    }
    return handle(request)
  }
  const server = serve({
    fetch: fetch as (request: Request) => Response,
    port: at.port,
    hostname: at.host,
    serverOptions: { requestTimeout: LIMITS.upload_ms, connectionsCheckingInterval: LOOK_MS },
  })
  return listening(server as Server, at)
}
