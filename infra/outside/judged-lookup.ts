// Looks names up for connections to addresses that callers named. Guarantee: what is dialled was judged after it was resolved, so
// that a name which changes its mind in between gains nothing.

import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { type Allows, literalAddress, refusedAddress } from './networks.ts'

/** Leaves those addresses of a name that are allowed. Node asks for names only: see `refuseLiteral`. */
export function judgedLookup(allows: Allows): LookupFunction {
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

/** @throws Error where the URL spells out an address that is not allowed */
export function refuseLiteral(url: URL, allows: Allows): void {
  const literal = literalAddress(url)
  if (literal !== undefined && !allows(literal)) throw refusedAddress(literal, literal)
}
