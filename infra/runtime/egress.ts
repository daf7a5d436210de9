// Decides which hosts an agent may call: turns its declaration into rules, and has the worker that applies them.
// Guarantee: a host name only leads to a public address; a private address is reached only when the declaration spells
// it out and the operator allows its network, and then only on the declared port.

import { isIP, isIPv6 } from 'node:net'
import { allowsOutside, isIn } from '../outside/networks.ts'

export interface EgressRules {
  /** The declaration as written, for the agent's error message. */
  network: string[]
  /** Set by `*`: any public host. */
  any: boolean
  /** `host:port` reached through the network with public addresses only. */
  public: string[]
  /** `host:port` reached through the network with just these private addresses. */
  private: string[]
  /** `host:port` declared, but not allowed by the operator. */
  refused: string[]
  /** The addresses behind `private`, as CIDR blocks. */
  private_blocks: string[]
}

const LOOPBACK = ['127.0.0.1', '::1']

const isPublic = allowsOutside([])

/** Turns `declaration.network` and the operator's private networks into rules; an unreadable entry allows nothing. */
export function egressRules(
  network: readonly string[] = [],
  allowPrivateNetworks: readonly string[] = [],
): EgressRules {
  const isAllowed = isIn(allowPrivateNetworks.map(asNetwork))
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
    if (addresses.every(isPublic)) {
      rules.public.push(...host.origins)
      continue
    }
    const reachable = addresses.filter(isAllowed)
    rules[reachable.length > 0 ? 'private' : 'refused'].push(...host.origins)
    for (const address of reachable) blocks.add(asNetwork(address))
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
  return isIP(bare) === 0 ? [] : [bare]
}

/** A single address counts as a network of one. */
const asNetwork = (text: string) => (isIP(text) === 0 ? text : `${text}/${isIPv6(text) ? 128 : 32}`)

/**
 * The worker next to the agent: the agent's only way out, and the one that answers the watcher's ping.
 *
 * It holds the network bindings; the agent does not. A redirect goes back to the agent's own fetch, which then calls
 * this worker again. It has no connect handler, so raw TCP is refused. A refusal makes the agent's fetch reject: the
 * agent could take a response, even one with an error status, for the host's own and return it.
 *
 * An error says whether the request may have reached the host, which `wasSent` of shared/upstreams reads. workerd does
 * not: its error is the same for a refused connection and for one that ended after the request. So the body is watched:
 * workerd takes up to three pieces of it before it is connected, so the first chunk passes as four. If the fourth was
 * not taken, the request never was whole. The pieces are pulled from it: written to a stream of workerd's own they cost 70 KiB
 * more for each call in flight. A request without a body whose connection was lost is classified by connecting once more, if
 * sending it twice is harmless. All else may have been sent.
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
    const network = local ? env.PRIVATE : env.PUBLIC
    const watched = watch(request)
    try {
      return await network.fetch(watched.request)
    } catch (error) {
      const isSent = watched.request === request ? await mayBeSent(network, request, origin, error) : watched.isTaken
      if (isSent) throw new Error('the connection to ' + origin + ' ended before an answer')
      throw new Error('no connection to ' + origin + (local ? '' : ': it is unreachable, or not a public address'))
    }
  },
}
function watch(request) {
  if (!request.body) return { request }
  const length = request.headers.get('content-length')
  const watched = { request, isTaken: false }
  const pieces = piecesOf(request.body.getReader(), watched)
  const body = new ReadableStream({
    ...(length !== null && { expectedLength: Number(length) }),
    async pull(controller) {
      const { value, done } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: reason => pieces.return(reason),
  }, { highWaterMark: 0 })
  watched.request = new Request(request, { body })
  return watched
}
async function* piecesOf(reader, watched) {
  try {
    let { value, done } = await reader.read()
    if (!done) {
      const first = Math.min(3, value.length - 1)
      for (let at = 0; at < first; at++) yield value.subarray(at, at + 1)
      yield value.subarray(first)
    }
    watched.isTaken = true
    for (;;) {
      ({ value, done } = await reader.read())
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
async function mayBeSent(network, request, origin, error) {
  if (error.message !== 'Network connection lost.') return false
  if (request.method !== 'GET' && request.method !== 'HEAD') return true
  try {
    const socket = network.connect(origin)
    await Promise.race([socket.opened, new Promise(resolve => setTimeout(resolve, 1000))])
    socket.close().catch(() => {})
    return true
  } catch {
    return false
  }
}
`
