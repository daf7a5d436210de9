// Opens Redis: one server or a cluster, with or without TLS. Guarantee: a command is answered or fails within
// REDIS_WAIT_MS, and a connection that is silent for so long is given up. No command is queued for later, since callers
// fall back on what they know without Redis.

import { connect, isIP } from 'node:net'
import type { Cluster, Command, RedisOptions } from 'ioredis'
import type { Redis } from '../../shared/context.ts'
import { ExitError } from '../local/exit-error.ts'
import { CERTIFICATE } from './postgres-options.ts'

/** The exports of `redis-client.ts`, which each host loads in its own way. */
export type RedisClient = typeof import('./redis-client.ts')

export interface RedisTarget {
  url: string
  /** The server's CA certificates, in PEM; Node's own by default. */
  ca?: string | undefined
  /** The name of the installation, if it has one: see shared/redis/keys.ts. */
  installation?: string | undefined
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

/** Returns a client that connects at its first command. @throws ExitError when the URL is unusable */
export function openRedis(target: RedisTarget, client: RedisClient): Redis {
  const { nodes, isCluster, url, tls } = partsOf(target)
  const common = {
    connectTimeout: REDIS_WAIT_MS,
    commandTimeout: REDIS_WAIT_MS,
    socketTimeout: REDIS_WAIT_MS, // gives up a connection on which no command is answered
    maxRetriesPerRequest: 1,
    ...(tls ? { tls } : {}),
  }
  const redis = isCluster
    ? openCluster(client, nodes, { ...common, ...credentialsOf(url) })
    : Object.assign(new client.Redis(url.href, { ...common, lazyConnect: true, retryStrategy }), {
        reason: () => (tls ? speaksPlainly(nodes[0]!) : Promise.resolve()),
      })
  redis.on('error', () => {}) // logged by watchRedis, and reported by the failing command
  return target.installation === undefined
    ? redis
    : Object.assign(redis, { installation: target.installation })
}

/**
 * The client itself limits a command's time only once a node has it. A command that finds no node would wait without
 * limit until there is one again, so this class limits it too.
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
        slotsRefreshInterval: 5000, // nothing reports a node that returns with its old slots
        // Names are not resolved to addresses here, since certificates are issued for names.
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
  /** Resolves with the reason why Redis cannot be reached, where the client does not say; undefined if unknown. */
  reason(): Promise<unknown>
}

/**
 * Finds a server without TLS behind a TLS client: it waits for the end of what it takes for a line, while the client
 * waits for an answer.
 */
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

export function partsOf({ url: text, ca }: RedisTarget) {
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
  if (ca !== undefined && !CERTIFICATE.test(ca)) {
    throw new ExitError(
      'setting_invalid',
      'REDIS_CA holds no certificate in PEM: it takes the text of the file, whose lines are kept; REDIS_CA_FILE names the file.',
    )
  }
  const nodes = urls.map(one => ({ host: one!.hostname, port: Number(one!.port || PORT) }))
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    // Providers' proxies find the server by this name (SNI); in a cluster each node has its own name.
    ...(isCluster || isIP(url.hostname) ? {} : { servername: url.hostname }),
  }
  return { url, nodes, isCluster, ...(byTls ? { tls } : {}) }
}

const credentialsOf = ({ username, password }: URL) => ({
  ...(username ? { username: decodeURIComponent(username) } : {}),
  ...(password ? { password: decodeURIComponent(password) } : {}),
})

const refusal = (what: string) => new ExitError('redis_url_unusable', `REDIS_URL ${what}.`)

/** Resolves with the reason behind an error event of the client. */
export async function reasonOf(redis: Redis, error: Error): Promise<unknown> {
  return (await explained(redis)) ?? error
}

/** Resolves with the reason without waiting for the client to give up. */
export const explained = async (redis: Redis): Promise<unknown> =>
  'reason' in redis ? (redis as Redis & Explaining).reason() : undefined
