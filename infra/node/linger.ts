// Ends connections on which more arrives than is read. Guarantee: a caller that is still sending when the response is
// written receives the response, and is disconnected a moment later.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { LIMITS } from '../../shared/kernel/limits.ts'

/**
 * Call it when the request arrives. Node destroys a connection that closes after its response as soon as that is
 * written; if unread bytes are waiting, the kernel then sends a reset and the sender loses the rest of the response.
 * Here our side is closed after the response, further bytes are discarded for LIMITS.linger_ms, and then the connection
 * is destroyed.
 */
export function lingerAfter({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  // Runs before Node's own listener, which destroys the connection.
  outgoing.prependOnceListener('finish', () => {
    const { req } = outgoing
    if (req.complete || socket.destroyed) return
    socket.destroySoon = () => {
      socket.end()
      req.resume()
      const timer = setTimeout(() => socket.destroy(), LIMITS.linger_ms)
      socket.once('close', () => clearTimeout(timer))
    }
  })
}
