// A PgBouncer in transaction mode in front of a PostgreSQL, if it is installed: it is no dependency.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, listensAt } from './ports.ts'
import { tempFolder } from './temp-folder.ts'

const BINARY = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
  path => spawnSync(path, ['--version']).status === 0,
)
export const hasPgBouncer = BINARY !== undefined

export interface Pooler {
  pid: number
  /** The URL of a database of that PostgreSQL, through the pooler. */
  through(databaseUrl: string): string
  close(): Promise<void>
}

const DEFAULTS = { max_client_conn: 500, query_wait_timeout: 120, server_login_retry: 15 }

/** `sessions`: how many are pooled for each database; `settings`: lines of its file. */
export async function startPgBouncer(
  databaseUrl: string,
  sessions: number,
  settings: Record<string, number | string> = {},
): Promise<Pooler> {
  const folder = await tempFolder()
  await chmod(folder.path, 0o755)
  const port = await freePort()
  const { hostname, port: to, username, password } = new URL(databaseUrl)
  const config = join(folder.path, 'pgbouncer.ini')
  await writeFile(
    config,
    `[databases]
* = host=${hostname} port=${to} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${sessions}
${Object.entries({ ...DEFAULTS, ...settings })
  .map(([name, value]) => `${name} = ${value}`)
  .join('\n')}
`,
  )
  // It refuses to run as root, so it switches to another user.
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const pooler = spawn(BINARY!, ['-q', ...user, config], { stdio: 'ignore' })
  await listensAt(port, pooler)
  return {
    pid: pooler.pid!,
    through(databaseUrl) {
      const url = new URL(databaseUrl)
      url.port = String(port)
      url.searchParams.set('pgbouncer', 'true')
      return url.href
    },
    async close() {
      pooler.kill('SIGTERM')
      if (pooler.exitCode === null) await once(pooler, 'exit')
      await folder.remove()
    },
  }
}
