// Which address a request comes from, when others pass it on: ingresses, the router, a platform's proxies.
// Guarantee: nobody can claim an address, since only what trusted proxies wrote is believed.

import { isIn } from '../outside/networks.ts'

/**
 * `proxies` are the networks (CIDR) of those that are trusted to append the address they were called from to
 * X-Forwarded-For. The caller is the last one in it that is none of theirs.
 *
 * @example
 * createCallerAddress(['10.0.0.0/8'])('10.1.2.3', '6.6.6.6, 203.0.113.7, 10.9.9.9') // '203.0.113.7'
 */
export function createCallerAddress(
  proxies: readonly string[],
): (socketAddress: string, forwardedFor: string | null) => string {
  const isProxy = isIn(proxies)
  return (socketAddress, forwardedFor) => {
    const hops = forwardedFor?.split(',').map(hop => hop.trim()) ?? []
    return [...hops, socketAddress].findLast(hop => !isProxy(hop)) ?? socketAddress
  }
}
