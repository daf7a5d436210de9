// Redis servers as operators run them: one with TLS and users of its own, or a cluster of real nodes. The kernel ends
// each when the test's process dies.

import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { type Child, spawnBound } from '../../infra/local/child.ts'
import { eventually } from './eventually.ts'
import { freePort } from './ports.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

const run = promisify(execFile)
/** Has the characters that mean something in a URL. */
export const PASSWORD = 'p@ss:w/rd?#%'

export interface TlsFiles {
  cert: string
  key: string
  ca: string
}

export interface RedisNode {
  port: number
  /** A client of this node alone. */
  client: Redis
  isUp: boolean
  kill(): Promise<void>
  start(): Promise<void>
}

/** A server that speaks only TLS and has one user: `worker`, with PASSWORD. */
export async function startTlsRedis(tls: TlsFiles): Promise<RedisNode & { close(): Promise<void> }> {
  const folder = await tempFolder()
  const acl = ['user default off', `user worker on ~* &* +@all ">${PASSWORD}"`]
  const node = await startNode(folder.path, { tls, lines: acl })
  return { ...node, close: () => end([node], folder) }
}

export interface RedisCluster {
  /** As an operator writes it: it names the first two nodes, of which one is enough. */
  url: string
  nodes: RedisNode[]
  /** The master that serves a key. */
  masterOf(key: string): Promise<RedisNode>
  /** Resolves when all live nodes agree that every slot is served. */
  whole(): Promise<void>
  close(): Promise<void>
}

/** Three masters, each with that many replicas. */
export async function startRedisCluster({ replicas = 0, tls }: { replicas?: number; tls?: TlsFiles } = {}) {
  const folder = await tempFolder()
  const nodes: RedisNode[] = []
  const close = () => end(nodes, folder)
  try {
    const lines = [
      'cluster-enabled yes',
      'cluster-node-timeout 1000',
      `requirepass "${PASSWORD}"`,
      `masterauth "${PASSWORD}"`,
      ...(tls ? ['tls-cluster yes', 'tls-replication yes'] : []),
    ]
    for (let i = 0; i < 3 * (replicas + 1); i++)
      nodes.push(await startNode(folder.path, { lines, ...(tls ? { tls } : {}) }))
    const addresses = nodes.map(node => `127.0.0.1:${node.port}`)
    const login = ['-a', PASSWORD, '--no-auth-warning', ...(tls ? ['--tls', '--cacert', tls.ca] : [])]
    const create = [
      '--cluster',
      'create',
      ...addresses,
      '--cluster-replicas',
      String(replicas),
      '--cluster-yes',
    ]
    await run('redis-cli', [...login, ...create])
    const living = () => nodes.find(node => node.isUp)!
    const cluster: RedisCluster = {
      url: `${tls ? 'rediss' : 'redis'}://:${encodeURIComponent(PASSWORD)}@${addresses.slice(0, 2).join(',')}`,
      nodes,
      async masterOf(key) {
        const slot = Number(await living().client.cluster('KEYSLOT', key))
        const ranges = await living().client.cluster('SLOTS')
        const [, , master] = ranges.find(([from, to]) => from <= slot && slot <= to)!
        return nodes.find(node => node.port === master![1])!
      },
      whole: () =>
        eventually(async () => {
          for (const node of nodes.filter(one => one.isUp)) {
            const info = String(await node.client.cluster('INFO'))
            if (!info.includes('cluster_state:ok')) throw new Error(info)
          }
        }),
      close,
    }
    await cluster.whole()
    return cluster
  } catch (error) {
    await close()
    throw error
  }
}

async function startNode(
  parent: string,
  { lines, tls }: { lines: string[]; tls?: TlsFiles },
): Promise<RedisNode> {
  const [port, busPort] = [await freePort(), await freePort()]
  const folder = join(parent, String(port))
  await mkdir(folder)
  const speaks = tls
    ? `port 0
tls-port ${port}
tls-cert-file ${tls.cert}
tls-key-file ${tls.key}
tls-ca-cert-file ${tls.ca}
tls-auth-clients no`
    : `port ${port}`
  const cluster = lines.some(line => line.startsWith('cluster-enabled')) ? `cluster-port ${busPort}` : ''
  const file = join(folder, 'redis.conf')
  await writeFile(file, ['bind 127.0.0.1', 'save ""', `dir ${folder}`, speaks, cluster, ...lines].join('\n'))
  const client = new Redis({
    port,
    username: cluster ? 'default' : 'worker',
    password: PASSWORD,
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
    ...(tls ? { tls: { ca: await readFile(tls.ca), checkServerIdentity: () => undefined } } : {}),
  })
  client.on('error', () => {}) // while the test has killed it
  let child: Child
  const node: RedisNode = {
    port,
    client,
    isUp: true,
    async start() {
      child = await spawnBound('redis-server', [file], {
        cwd: folder,
        log: join(folder, 'log'),
        endSignal: 'SIGTERM',
      })
      await client.ping()
      node.isUp = true
    },
    kill() {
      node.isUp = false
      return child.kill()
    },
  }
  await node.start()
  return node
}

async function end(nodes: RedisNode[], folder: TempFolder): Promise<void> {
  for (const node of nodes) node.client.disconnect()
  await Promise.all(nodes.map(node => node.kill()))
  await folder.remove()
}
