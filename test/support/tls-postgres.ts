// A PostgreSQL that speaks only TLS, with a certificate of the test's own, as managed ones do.

import { appendFile, chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import postgres from 'postgres'
import { startPostgres } from '../../infra/local/postgres.ts'
import { tempFolder } from './temp-folder.ts'

export interface TlsPostgres {
  /** Without any `sslmode`. */
  url: string
  close(): Promise<void>
}

export async function startTlsPostgres(files: { cert: string; key: string }): Promise<TlsPostgres> {
  const folder = await tempFolder()
  const server = await startPostgres({ dataDir: folder.path, connections: 200 })
  const sql = postgres(server.url, { max: 1 })
  const [shown] = await sql<{ data_directory: string }[]>`show data_directory`
  const { data_directory } = shown!
  const owner = await stat(data_directory)
  for (const [from, name] of [
    [files.cert, 'server.crt'],
    [files.key, 'server.key'],
  ] as const) {
    const to = join(data_directory, name)
    await copyFile(from, to)
    await chown(to, owner.uid, owner.gid)
  }
  const rules = join(data_directory, 'pg_hba.conf')
  const open = await readFile(rules, 'utf8')
  await writeFile(rules, open.replaceAll(/^host\b/gm, 'hostssl'))
  await appendFile(join(data_directory, 'postgresql.conf'), 'ssl = on\n')
  await sql`select pg_reload_conf()`
  await sql.end()
  return {
    url: server.url,
    async close() {
      await server.stop()
      await folder.remove()
    },
  }
}
