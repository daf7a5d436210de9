// An installation begins only on a PostgreSQL that keeps what it has confirmed, and reports one that no longer does.

import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPostgres } from '../../../infra/local/postgres.ts'
import type { Store } from '../../../infra/local/store.ts'
import { migrate } from '../../../infra/migrate.ts'
import { openDatabase } from '../../../infra/node/connections.ts'
import { readDatabaseState } from '../../../shared/upkeep/queries/check-up.ts'
import { startProcess } from '../../support/doubles/process.ts'
import { CHECKOUT } from '../../support/stack.ts'
import { type TempFolder, tempFolder } from '../../support/temp-folder.ts'

let folder: TempFolder
let server: Store
beforeAll(async () => {
  folder = await tempFolder()
  server = await startPostgres({ dataDir: folder.path, durable: false })
})
afterAll(async () => {
  await server.stop()
  await folder.remove()
})

async function isDurable(): Promise<boolean> {
  const database = openDatabase({ databaseUrl: server.url })
  return (await readDatabaseState(database.sql).finally(database.close)).durable
}

it('a PostgreSQL without fsync is refused with what to switch on', async () => {
  await expect(migrate(server.url)).rejects.toMatchObject({
    code: 'unsafe_postgres',
    message: expect.stringContaining('fsync and full_page_writes off'),
  })
})

it('a PostgreSQL that keeps its commits is migrated, which is logged [log.migrated]', async () => {
  await server.stop()
  server = await startPostgres({ dataDir: folder.path })
  const process = startProcess(['node', join(CHECKOUT, 'infra/migrate.ts')], { DATABASE_URL: server.url })
  expect(await process.ended).toBe(0)
  expect(JSON.parse(process.log())).toMatchObject({ level: 'info', event: 'migrated' })
  expect(await isDurable()).toBe(true)
})

it('a PostgreSQL whose fsync was switched off later is reported by the figures of the installation', async () => {
  await server.stop()
  server = await startPostgres({ dataDir: folder.path, durable: false })
  expect(await isDurable()).toBe(false)
})
