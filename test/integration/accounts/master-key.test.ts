// A function that starts with a master key other than the one its data was sealed under serves nobody, although it
// listens before it has queried PostgreSQL. test/integration/hosts/workerd.slow.test.ts tests the same for workers.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mintKey } from '../../../shared/accounts/verbs/keys.ts'
import { checkMasterKey } from '../../../shared/upkeep/verbs/installation.ts'
import { startProcess } from '../../support/doubles/process.ts'
import { type TestEngine, testEngine } from '../../support/engine.ts'
import { eventually } from '../../support/eventually.ts'
import { freePort } from '../../support/ports.ts'
import { CHECKOUT } from '../../support/stack.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const [RIGHT, WRONG] = ['11'.repeat(32), '22'.repeat(32)]

const parts = new AsyncDisposableStack()
let engine: TestEngine
let key: string
let entry: string
beforeAll(async () => {
  engine = parts.adopt(await testEngine(), one => one.close())
  key = (await mintKey(engine.ctx, engine.project_id, 'main')).key
  expect(await checkMasterKey(engine.sql, RIGHT)).toBeUndefined()
  const folder = parts.adopt(await tempFolder(), one => one.remove())
  entry = join(folder.path, 'function.ts')
  await writeFile(
    entry,
    `import { serveFunction } from '${CHECKOUT}/infra/node/function.ts'
    import { listProjects } from '${CHECKOUT}/functions/projects/list.ts'
    await serveFunction({ name: 'projects', endpoints: [listProjects], connections: 4 })`,
  )
})
afterAll(() => parts.disposeAsync())

const projects = (url: string) =>
  fetch(`${url}/v1/projects`, { headers: { authorization: `Bearer ${key}` } }).then(answer => answer.status)

const settings = (masterKey: string) => {
  const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = engine.urls
  return { DATABASE_URL, REDIS_URL, ASSAY_MASTER_KEY: masterKey }
}

it('a function with another master key ends and says so, and one with the right key serves requests', async () => {
  const start = async (masterKey: string) => {
    const port = String(await freePort())
    const process = startProcess(['node', entry], { ...settings(masterKey), PORT: port, HOST: '127.0.0.1' })
    return { url: `http://127.0.0.1:${port}`, ...process }
  }
  const wrong = await start(WRONG)
  expect(await wrong.ended).toBe(78)
  expect(wrong.log()).toContain('master_key_differs: the master key is another')

  const right = await start(RIGHT)
  await eventually(async () => expect(await projects(right.url)).toBe(200))
  right.child.kill('SIGTERM')
  await right.ended
})
