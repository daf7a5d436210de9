// POSTs to addresses that callers named. Guarantee: the connection goes to an address that was judged after it was
// resolved, so a name that changes its mind in between gains nothing; no redirect is followed; and no receiver makes
// this process read more than a bound or wait longer than the signal allows.

import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import { LIMITS } from '../../shared/domain/limits.ts'
import type { Post } from '../../shared/engine/outside-port.ts'
import { type Allows, allowsOutside, literalAddress, refusedAddress } from '../outside/networks.ts'

/** `allowNetworks` may be reached although they are private, as CIDR blocks. */
export function createPost(allowNetworks: readonly string[]): Post {
  const allows = allowsOutside(allowNetworks)
  const judged = judgedLookup(allows)
  return async ({ url: text, headers, body, signal }) => {
    const url = new URL(text)
    const literal = literalAddress(url) // Node resolves names only
    if (literal !== undefined && !allows(literal)) throw refusedAddress(literal, literal)
    signal.throwIfAborted()
    const { request } = url.protocol === 'https:' ? https : http
    return new Promise((resolve, reject) => {
      // A connection of its own: one that was kept may be closed by the receiver just as it is taken up again.
      const outgoing = request(url, { method: 'POST', headers, agent: false, lookup: judged, signal })
      outgoing.on('error', error => reject(inWords(error, signal)))
      // Without a listener the connection would be closed with neither an error nor an answer, and the try never end.
      outgoing.once('upgrade', (incoming, socket) => {
        socket.destroy()
        resolve({ status: incoming.statusCode! })
      })
      outgoing.once('response', incoming => {
        const answer = { status: incoming.statusCode! }
        let bytes = 0
        incoming.on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > LIMITS.delivery_answer_bytes) incoming.destroy()
        })
        // However the answer ends, its head has said what matters.
        incoming.on('error', () => {})
        incoming.once('close', () => resolve(answer))
      })
      outgoing.end(body)
    })
  }
}

/** Looks a name up and leaves those of its addresses that are allowed. */
function judgedLookup(allows: Allows): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      const allowed = addresses.filter(({ address }) => allows(address))
      const [first] = allowed
      if (first === undefined) return done(refusedAddress(addresses[0]?.address ?? 'nowhere', host), [])
      if (options.all) done(null, allowed)
      else done(null, first.address, first.family)
    })
  }
}

const CAUSES: Record<string, string> = {
  ENOTFOUND: 'The name of the host does not resolve.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  ECONNREFUSED: 'Nothing listens there.',
  ECONNRESET: 'The receiver closed the connection without an answer.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ETIMEDOUT: 'The host did not take the connection in time.',
}

function inWords(error: NodeJS.ErrnoException, signal: AbortSignal): Error {
  if (!signal.aborted) return new Error(CAUSES[error.code ?? ''] ?? error.message, { cause: error })
  return signal.reason?.name === 'TimeoutError'
    ? new Error(`There was no answer within ${LIMITS.delivery_ms / 1000} s.`)
    : signal.reason
}
