// Decides which addresses messages to the outside may go to. Guarantee: only addresses of the public internet and
// networks that the operator named; an address that embeds another one (mapped, translated, tunnelled) is not public.

import ipaddr from 'ipaddr.js'

type Address = ipaddr.IPv4 | ipaddr.IPv6

/** Whether a message may go to an address, given as text. */
export type Allows = (address: string) => boolean

// ipaddr.js calls every range that it does not know unicast, old forms of IPv4 addresses among them.
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** @throws Error naming an invalid network */
export function allowsOutside(networks: readonly string[]): Allows {
  const allowed = networks.map(parsed)
  return text => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text) // an IPv4-mapped address counts as the one it maps
    return isPublic(address) || allowed.some(([network, bits]) => contains(network, bits, address))
  }
}

/** Whether an address, given as text, is in one of the networks. @throws Error naming an invalid network */
export function isIn(networks: readonly string[]): (address: string) => boolean {
  const blocks = networks.map(parsed)
  return text => {
    if (!ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return blocks.some(([network, bits]) => contains(network, bits, address))
  }
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(GLOBAL_UNICAST)
}

function contains(network: Address, bits: number, address: Address): boolean {
  return network.kind() === address.kind() && address.match(network as never, bits)
}

function parsed(network: string): [Address, number] {
  if (!ipaddr.isValidCIDR(network)) throw new Error(`"${network}" is not a network: write it like 10.0.0.0/8`)
  return ipaddr.parseCIDR(network)
}

/** The network a caller is counted by: an IPv6 line has a whole /64, and may use another address for each request. */
export function callerNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const plain = ipaddr.process(address)
  if (plain.kind() === 'ipv4') return plain.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${plain}/64`)}/64`
}

/** The literal address in a URL; undefined for a name. */
export function literalAddress(url: URL): string | undefined {
  const bare = url.hostname.replace(/^\[|\]$/g, '')
  return ipaddr.isValid(bare) ? bare : undefined
}

export const refusedAddress = (address: string, host: string) =>
  new Error(
    `${host === address ? address : `${host} is at ${address}, which`} is not an address of the public internet, and the operator has not allowed its network.`,
  )
