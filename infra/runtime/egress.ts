// Which hosts an agent may call: the declaration's words turned into rules, and the worker that applies them.
// Guarantee: a host name can only ever lead to a public address; a private address is reached only when the
// declaration spells it out, the operator allows its network, and then only on the declared port.

import { BlockList, isIPv4, isIPv6 } from 'node:net'

export interface EgressRules {
  /** The declaration as written, for the agent's error message. */
  network: string[]
  /** `*`: any public host. */
  any: boolean
  /** `host:port` reached through the network that knows public addresses only. */
  public: string[]
  /** `host:port` reached through the network that knows just these private addresses. */
  private: string[]
  /** `host:port` declared, but not allowed by the operator. */
  refused: string[]
  /** The addresses behind `private`, as CIDR blocks. */
  private_blocks: string[]
}

const LOOPBACK = ['127.0.0.1', '::1']

const privateAddresses = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
])

/** Turns `declaration.network` and the operator's private networks into rules; an unreadable entry allows nothing. */
export function egressRules(
  network: readonly string[] = [],
  allowPrivateNetworks: readonly string[] = [],
): EgressRules {
  const allowed = blockList(allowPrivateNetworks)
  const rules: EgressRules = {
    network: [...network],
    any: network.includes('*'),
    public: [],
    private: [],
    refused: [],
    private_blocks: [],
  }
  const blocks = new Set<string>()
  for (const entry of network) {
    const host = declaredHost(entry)
    if (!host) continue
    const addresses = literalAddresses(host.name)
    if (addresses.length === 0 || !addresses.some(isPrivate)) {
      rules.public.push(...host.origins)
      continue
    }
    const reachable = addresses.filter(address => contains(allowed, address))
    rules[reachable.length > 0 ? 'private' : 'refused'].push(...host.origins)
    for (const address of reachable) blocks.add(`${address}/${isIPv6(address) ? 128 : 32}`)
  }
  rules.private_blocks = [...blocks]
  return rules
}

function declaredHost(entry: string): { name: string; origins: string[] } | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/?#@*[\]]+)(?::(\d{1,5}))?$/i.exec(entry)
  if (!match) return
  try {
    const name = new URL(`http://${match[1]}`).hostname
    const ports = match[2] ? [Number(match[2])] : [80, 443]
    return { name, origins: ports.map(port => `${name}:${port}`) }
  } catch {
    return
  }
}

function literalAddresses(name: string): string[] {
  if (name === 'localhost') return LOOPBACK
  const bare = name.replace(/^\[|\]$/g, '')
  return isIPv4(bare) || isIPv6(bare) ? [bare] : []
}

function isPrivate(address: string): boolean {
  return contains(privateAddresses, address)
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const block of blocks) {
    const [address = '', prefix] = block.split('/')
    const v6 = isIPv6(address)
    if (!v6 && !isIPv4(address)) throw new Error(`"${block}" is not a network: write it like 10.0.0.0/8`)
    list.addSubnet(address, prefix === undefined ? (v6 ? 128 : 32) : Number(prefix), v6 ? 'ipv6' : 'ipv4')
  }
  return list
}

/**
 * The worker beside the agent: the agent's only way out, and the answer to the watcher's ping.
 *
 * It holds the network bindings; the agent does not. A redirect comes back to the agent's own fetch, which then asks
 * here again. It has no connect handler, so raw TCP is refused. What is refused makes the agent's fetch reject: an
 * answer, even one with an error status, an agent could take for the host's own and return.
 */
export const EGRESS_WORKER = `
export default { fetch: () => new Response('pong') }
export const Egress = {
  async fetch(request, env) {
    const { RULES: rules } = env
    const url = new URL(request.url)
    const origin = url.hostname + ':' + (url.port || (url.protocol === 'https:' ? 443 : 80))
    const asDeclared = url.port === '' ? url.hostname : origin
    const local = rules.private.includes(origin)
    if (rules.refused.includes(origin)) {
      throw new Error('egress denied: ' + origin + ' is declared, but it is a private address and this installation does not allow its network')
    }
    if (!local && !rules.any && !rules.public.includes(origin)) {
      throw new Error('egress denied: ' + origin + ' is not in the declared network ' + JSON.stringify(rules.network) + '; add "' + asDeclared + '" to "network" of @agent and deploy again')
    }
    try {
      return await (local ? env.PRIVATE : env.PUBLIC).fetch(request)
    } catch (error) {
      throw new Error('no connection to ' + origin + (local ? '' : ': it is unreachable, or not a public address'))
    }
  },
}
`
