// Runs an HTTP server around a fetch handler and records the callers' addresses. Guarantee: the number of unanswered
// requests of one connection is bounded.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener, type HttpBindings, RequestError } from '@hono/node-server'
import type { Context } from '../../shared/context.ts'
import { errorAnswer } from '../../shared/http/error-answer.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { callerNetwork } from '../outside/networks.ts'
import { createCallerAddress } from './caller-address.ts'
import { lingerAfter } from './linger.ts'
import { type Address, type Listener, listening } from './listening.ts'
import { lacksHost, NO_HOST, NO_URL, refuse, requestId } from './malformed.ts'
import { LOOK_MS, watchUploads } from './uploads.ts'

// The caller's address of each request, kept here because it is known only from the socket while the request is
// handled.
const addresses = new WeakMap<Request, string>()

/** The number of unanswered requests of each connection. */
const unanswered = new WeakMap<Socket, number>()

/**
 * Whether a connection has room for another request. A client that pipelines hundreds of requests would have all of
 * them started at once, ahead of everybody else's.
 */
function hasRoom({ socket }: IncomingMessage, outgoing: ServerResponse): boolean {
  const count = (unanswered.get(socket) ?? 0) + 1
  unanswered.set(socket, count)
  outgoing.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1))
  return count <= LIMITS.requests_per_connection
}

export const addressOf = (request: Request): string | null => addresses.get(request) ?? null

/** Resolves when the server accepts requests. */
export async function listen(
  at: Address & {
    /** Networks (CIDR) of proxies whose X-Forwarded-For is believed. */
    proxies?: readonly string[] | undefined
    /** Gets one warning when an unlisted proxy forwards requests. */
    log?: Context['log']
  },
  handle: (request: Request) => Response | Promise<Response>,
): Promise<Listener> {
  const callerOf = createCallerAddress(at.proxies ?? [])
  let isWarned = (at.proxies ?? []).length > 0
  const fetch = (request: Request, { incoming, outgoing }: HttpBindings) => {
    if (!hasRoom(incoming, outgoing)) {
      incoming.socket.destroy()
      return new Response(null, { status: 429 })
    }
    lingerAfter(incoming, outgoing)
    const forwarded = incoming.headersDistinct['x-forwarded-for']?.join(',') ?? null
    const { remoteAddress = '' } = incoming.socket
    addresses.set(request, callerNetwork(callerOf(remoteAddress, forwarded)))
    if (forwarded !== null && !isWarned) {
      isWarned = true
      const fix = 'name its network in ASSAY_TRUSTED_PROXIES: all its callers share one limit on signing in'
      at.log?.('warn', 'proxy_not_trusted', { proxy: remoteAddress, mend: fix })
    }
    return handle(request)
  }
  const answer = getRequestListener(fetch as (request: Request) => Response, {
    hostname: at.host,
    errorHandler: error =>
      errorAnswer(
        error instanceof RequestError
          ? new ApiError('invalid_request', NO_URL)
          : new ApiError('internal', "Something went wrong on the server's side."),
        requestId(),
      ),
  })
  // `connectionsCheckingInterval` is for requests that have not sent their headers.
  const server = createServer(
    { connectionsCheckingInterval: LOOK_MS, requireHostHeader: false },
    (incoming, outgoing) =>
      lacksHost(incoming) ? refuse(outgoing, NO_HOST) : void answer(incoming, outgoing),
  )
  watchUploads(server)
  return listening(server.listen(at.port, at.host), at)
}
