// Opens Redis as an installation has it: one server or a cluster, in the open or by TLS. Guarantee: a command is answered
// or fails within REDIS_WAIT_MS, a connection that is silent for so long is given up, and none is kept for later, since callers fall back on what they know without Redis.

import { connect, isIP } from 'node:net'
import type { Cluster, Command, RedisOptions } from 'ioredis'
import type { Redis } from '../../shared/context.ts'
import { ExitError } from '../local/exit-error.ts'

/** What `redis-client.ts` has, which hosts load in ways of their own. */
export type RedisClient = typeof import('./redis-client.ts')

export interface RedisTarget {
  url: string
  /** Certificates of who signed the server's, in PEM; those that Node knows unless given. */
  ca?: string | undefined
}

type OfEach = Pick<
  RedisOptions,
  | 'connectTimeout'
  | 'commandTimeout'
  | 'socketTimeout'
  | 'maxRetriesPerRequest'
  | 'tls'
  | 'username'
  | 'password'
>

interface Node {
  host: string
  port: number
}

const REDIS_WAIT_MS = 2000
const retryStrategy = (tries: number) => Math.min(50 * 2 ** Math.min(tries, 6), REDIS_WAIT_MS)
const PORT = 6379
const CLUSTER = "'redis://user:password@host-1:6379,host-2:6379' names nodes of a cluster"

/** Connects when it is first asked. @throws ExitError when the URL says what cannot be */
export function openRedis(target: RedisTarget, client: RedisClient): Redis {
  const { nodes, isCluster, url, tls } = partsOf(target)
  const common = {
    connectTimeout: REDIS_WAIT_MS,
    commandTimeout: REDIS_WAIT_MS,
    socketTimeout: REDIS_WAIT_MS, // a connection on which nothing asked is answered is given up
    maxRetriesPerRequest: 1,
    ...(tls ? { tls } : {}),
  }
  const redis = isCluster
    ? openCluster(client, nodes, { ...common, ...credentialsOf(url) })
    : Object.assign(new client.Redis(url.href, { ...common, lazyConnect: true, retryStrategy }), {
        reason: () => (tls ? speaksPlainly(nodes[0]!) : Promise.resolve()),
      })
  redis.on('error', () => {}) // told to the log by who has one, and by the command that fails
  return redis
}

/**
 * Of itself the client bounds a command once a node has it. One that finds no node would wait until there is one again,
 * as long as that takes.
 */
function openCluster(client: RedisClient, nodes: Node[], ofEach: OfEach): Cluster & Explaining {
  class BoundedCluster extends client.Cluster {
    readonly #first: OfEach & Node

    constructor(nodes: Node[], ofEach: OfEach) {
      super(nodes, {
        lazyConnect: true,
        redisOptions: ofEach,
        clusterRetryStrategy: retryStrategy,
        slotsRefreshTimeout: REDIS_WAIT_MS,
        slotsRefreshInterval: 5000, // a node that comes back without its slots having moved is told of by nobody
        // A name stays a name: certificates are made out to names.
        dnsLookup: (address, callback) => callback(null, address),
      })
      this.#first = { ...ofEach, ...nodes[0]! }
    }

    async reason(): Promise<unknown> {
      const node = new client.Redis({ ...this.#first, lazyConnect: true, retryStrategy: null })
      let reason: unknown
      node.on('error', error => {
        reason = error
      })
      await node.connect().catch(() => {})
      node.disconnect()
      return reason
    }

    override sendCommand(command: Command, ...rest: [stream?: never, node?: unknown]): unknown {
      command.setTimeout(REDIS_WAIT_MS)
      if (this.status === 'reconnecting' || this.status === 'close') {
        command.reject(new Error('no node of the cluster can be reached'))
        return command.promise
      }
      return super.sendCommand(command, ...rest)
    }
  }
  return new BoundedCluster(nodes, ofEach)
}

interface Explaining {
  /** Why it cannot be reached where the client does not say; undefined where that is not known either. */
  reason(): Promise<unknown>
}

/** A server without TLS waits for the end of what it takes for a line, and so does the client for an answer. */
function speaksPlainly({ host, port }: Node): Promise<Error | undefined> {
  return new Promise(resolve => {
    const socket = connect({ host, port, timeout: REDIS_WAIT_MS })
    const end = (reason?: Error) => {
      socket.destroy()
      resolve(reason)
    }
    socket.once('connect', () => socket.write('PING\r\n'))
    socket.once('data', bytes =>
      end(/^[+-]/.test(bytes.toString()) ? new Error('Redis began no TLS') : undefined),
    )
    for (const over of ['error', 'timeout', 'close']) socket.once(over, () => end())
  })
}

function partsOf({ url: text, ca }: RedisTarget) {
  const [, scheme, user, hosts = '', rest] = /^(rediss?:\/\/)([^@/?#]*@)?([^/?#]+)(.*)$/.exec(text) ?? []
  const urls = hosts.split(',').map(host => URL.parse(`${scheme}${user ?? ''}${host}${rest}`))
  const [url] = urls
  if (!url || urls.includes(null)) {
    throw refusal(`is no URL of a Redis: redis:// or, by TLS, rediss:// begins one; ${CLUSTER}`)
  }
  const wanted = url.searchParams.get('cluster')
  if (wanted !== null && wanted !== 'true') throw refusal(`says cluster=${wanted}: it takes cluster=true`)
  url.searchParams.delete('cluster')
  const isCluster = wanted === 'true' || urls.length > 1
  if (isCluster && !/^\/?0?$/.test(url.pathname)) {
    throw refusal(`names database ${url.pathname.slice(1)}: a cluster has database 0 only, so leave it out`)
  }
  const byTls = url.protocol === 'rediss:'
  if (ca !== undefined && !byTls) {
    throw refusal('does not ask for TLS although REDIS_CA is set: begin it with rediss://, or unset REDIS_CA')
  }
  const nodes = urls.map(one => ({ host: one!.hostname, port: Number(one!.port || PORT) }))
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    // Proxies of providers find the server by it; in a cluster each node has a name of its own.
    ...(isCluster || isIP(url.hostname) ? {} : { servername: url.hostname }),
  }
  return { url, nodes, isCluster, ...(byTls ? { tls } : {}) }
}

const credentialsOf = ({ username, password }: URL) => ({
  ...(username ? { username: decodeURIComponent(username) } : {}),
  ...(password ? { password: decodeURIComponent(password) } : {}),
})

const refusal = (what: string) => new ExitError('redis_url_unusable', `REDIS_URL ${what}.`)

/** What an error event of the client is due to. */
export async function reasonOf(redis: Redis, error: Error): Promise<unknown> {
  return (await explained(redis)) ?? error
}

/** Before the client gives up. */
export const explained = async (redis: Redis): Promise<unknown> =>
  'reason' in redis ? (redis as Redis & Explaining).reason() : undefined
