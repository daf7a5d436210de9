// Finds the caller's address behind ingresses, the router and a platform's proxies. Guarantee: no caller can fake an
// address, since only entries written by trusted proxies are believed.

import { isIn } from '../outside/networks.ts'

/**
 * `proxies` are the networks (CIDR) of proxies trusted to append their caller's address to X-Forwarded-For. The caller
 * is the last address that belongs to none of them.
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
