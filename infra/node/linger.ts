// Ends connections on which more arrives than is read. Guarantee: whoever still sends when the answer is written sees the answer,
// and is cut off a moment later.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { LIMITS } from '../../shared/kernel/limits.ts'

/**
 * Call it as the request comes. Node destroys a connection that ends with its answer as soon as that is written; where bytes wait
 * that nobody read, the kernel then sends a reset in place of what the sender has not read yet. Here the answer is written and our
 * side ended, what comes is thrown away for LIMITS.linger_ms, and then the connection is destroyed.
 */
export function lingerAfter({ socket }: IncomingMessage, outgoing: ServerResponse): void {
  // Before Node's own listener, which destroys.
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
