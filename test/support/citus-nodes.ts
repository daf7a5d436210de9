// A Citus cluster on this machine for tests that stop its nodes: a coordinator and two workers, each its own PostgreSQL
// of the installation that pg_config names. Guarantee: a restarted node has everything that it had committed.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemUser } from '../../infra/local/system-user.ts'
import { makeCluster } from './citus.ts'
import { freePort } from './ports.ts'
import { type TempFolder, tempFolder } from './temp-folder.ts'

const run = promisify(execFile)
const owner = systemUser()
const env = { PATH: process.env.PATH ?? '/usr/bin:/bin' }

/** What any process needs to stop a node and to start it again. */
export interface CitusNode {
  port: number
  folder: string
  /** The folder with PostgreSQL's programs. */
  bin: string
}

export interface CitusCluster {
  /** URL of the coordinator, with a database that knows the workers. */
  url: string
  coordinator: CitusNode
  workers: CitusNode[]
  stop(): Promise<void>
}

const NOT_HERE =
  'npm run test:citus needs a PostgreSQL with Citus: install PostgreSQL 15 or newer with its pg_config (postgresql-15, postgresql-server-dev-15) and Citus 13 for it (postgresql-15-citus-13.2 of packages.citusdata.com); PG_CONFIG names a pg_config that is not first on the PATH'

async function programs(): Promise<string> {
  const config = process.env.PG_CONFIG ?? 'pg_config'
  const printed = await run(config, ['--bindir', '--pkglibdir']).catch(() => undefined)
  const [bin, lib] = printed?.stdout.trim().split('\n') ?? []
  if (!bin || !lib) throw new Error(NOT_HERE)
  await readFile(join(lib, 'citus.so')).catch(() => {
    throw new Error(`${NOT_HERE}. ${config} points to ${bin}, and there is no ${join(lib, 'citus.so')}`)
  })
  return bin
}

export async function startCluster(): Promise<CitusCluster> {
  const bin = await programs()
  const folder = await tempFolder()
  const nodes: CitusNode[] = []
  const stop = async () => {
    await Promise.all(nodes.map(killNode))
    await folder.remove()
  }
  try {
    for (const name of ['coordinator', 'worker1', 'worker2']) {
      nodes.push(await makeNode(bin, folder, name))
      await startNode(nodes.at(-1)!)
    }
    const urls = nodes.map(({ port }) => `postgres://postgres@127.0.0.1:${port}/postgres`)
    const [coordinator, ...workers] = nodes
    return { url: await makeCluster(urls, 'assay'), coordinator: coordinator!, workers, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function makeNode(bin: string, { path }: TempFolder, name: string): Promise<CitusNode> {
  const folder = join(path, name)
  await mkdir(folder, { mode: 0o700 })
  if (owner) await chown(folder, owner.uid, owner.gid)
  const args = ['-D', folder, '-U', 'postgres', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C']
  await run(join(bin, 'initdb'), args, { ...owner, cwd: folder, env })
  const port = await freePort()
  await appendFile(join(folder, 'postgresql.conf'), settings(port))
  return { port, folder, bin }
}

const settings = (port: number) => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = ''
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 200
max_prepared_transactions = 200
shared_buffers = 64MB
timezone = 'UTC'
log_timezone = 'UTC'
citus.enable_statistics_collection = off
`

export const startNode = (node: CitusNode): Promise<void> =>
  control(node, 'start', '-w', '-l', join(node.folder, 'log'))

/** Stops the node as if its processes were killed: it writes nothing more. */
export const killNode = (node: CitusNode): Promise<void> =>
  control(node, 'stop', '-m', 'immediate').catch(() => {}) // it may be down already

async function control({ bin, folder }: CitusNode, verb: string, ...options: string[]): Promise<void> {
  const child = spawn(join(bin, 'pg_ctl'), [verb, '-D', folder, ...options], {
    ...owner,
    cwd: folder,
    stdio: 'ignore', // the server would keep pg_ctl's output open
    env,
  })
  const [code] = await once(child, 'exit')
  if (code !== 0)
    throw new Error(`pg_ctl ${verb} of ${folder} ended with ${code}; its log is beside its data`)
}
