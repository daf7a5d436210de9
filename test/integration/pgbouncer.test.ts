// Behind PgBouncer in transaction mode, where each transaction may run in another session.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { migrate } from '../../infra/migrate.ts'
import { consume } from '../../shared/engine/consume.ts'
import { mintKey } from '../../shared/engine/keys.ts'
import { sweep } from '../../shared/engine/sweep.ts'
import { createApp } from '../../shared/http/app.ts'
import { conservation, failure, result, step, testEngine } from '../support/engine.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

const BINARY = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find(
  path => spawnSync(path, ['--version']).status === 0,
)
const SESSIONS = 4 // fewer than any process of Assay opens connections

let pooler: ChildProcess
let folder: TempFolder
let port: number

// PgBouncer is no dependency: where it is not installed there is nothing to test against.
describe.skipIf(BINARY === undefined)('behind PgBouncer', () => {
  beforeAll(async () => {
    folder = await tempFolder()
    await chmod(folder.path, 0o755)
    port = await freePort()
    const { hostname, port: to, username, password } = new URL(inject('stores').databaseUrl)
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
default_pool_size = ${SESSIONS}
max_client_conn = 500
`,
    )
    // As root it refuses to run, and becomes somebody else.
    const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
    pooler = spawn(BINARY!, ['-q', ...user, config], { stdio: 'ignore' })
    await vi.waitFor(() => reachable(port), 10_000)
  })
  afterAll(async () => {
    pooler.kill('SIGTERM')
    await once(pooler, 'exit')
    await folder.remove()
  })

  const through = (databaseUrl: string) => {
    const url = new URL(databaseUrl)
    url.port = String(port)
    url.searchParams.set('pgbouncer', 'true')
    return url.href
  }

  it('piles are submitted, worked off by two consumers and counted right', async () => {
    const engine = await testEngine({ through })
    try {
      engine.play(items =>
        items.flatMap(item => [
          step(item, 'look'),
          item.seq % 7 === 0 ? failure(item, 'tool_call_error') : result(item),
        ]),
      )
      const runId = await engine.submit(5000)
      await Promise.all([consume(engine.ctx), consume({ ...engine.ctx })])
      await sweep(engine.ctx)
      expect(await engine.run(runId)).toMatchObject({ ok: 4286, failed: 714, running: 0 })
      expect(await conservation(engine, runId)).toEqual([])
    } finally {
      await engine.close()
    }
  })

  it('callers read under their own account, many at once', async () => {
    const engine = await testEngine({ through })
    try {
      const runId = await engine.submit(3)
      const { key } = await mintKey(engine.ctx, engine.project_id, 'reader')
      const app = createApp(endpoints, () => engine.ctx)
      const ask = (path: string) => app.request(path, { headers: { authorization: `Bearer ${key}` } })
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) => ask(n % 2 === 0 ? '/v2/runs' : `/v2/runs/${runId}/items`)),
      )
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
      const [runs] = await Promise.all(answers.slice(0, 1).map(answer => answer.json()))
      expect(runs).toHaveLength(1)
    } finally {
      await engine.close()
    }
  })

  it('migrations are refused, and told where to go', async () => {
    await expect(migrate(through(inject('stores').databaseUrl))).rejects.toThrow('name the database itself')
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function reachable(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect').finally(() => socket.destroy())
}
