// What infra/workerd/dev-vars.ts binds to the worker of `wrangler dev`.

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const SCRIPT = join(import.meta.dirname, '../../infra/workerd/dev-vars.ts')
const parts = new AsyncDisposableStack()
afterAll(() => parts.disposeAsync())
let cwd: string
beforeAll(async () => {
  cwd = parts.adopt(await tempFolder(), one => one.remove()).path
  await writeFile(join(cwd, 'wrangler.toml'), '')
})

const STACK = {
  DATABASE_URL: 'postgres://stack.test/assay',
  REDIS_URL: 'redis://stack.test',
  ASSAY_MASTER_KEY: '11'.repeat(32),
  ASSAY_OPERATOR_KEY: 'op',
}

async function written(more: Record<string, string>): Promise<string> {
  await promisify(execFile)(process.execPath, [SCRIPT], {
    cwd,
    env: { PATH: process.env.PATH, ...STACK, ...more },
  })
  return readFile(join(cwd, '.dev.vars'), 'utf8')
}

it('the worker has the name of the installation that `npm start` has, and runs the tick for whoever asks', async () => {
  expect(await written({ ASSAY_INSTALLATION: 'staging' })).toMatch(/^ASSAY_INSTALLATION='staging'$/m)
  const unnamed = await written({})
  expect(unnamed).toMatch(/^ASSAY_INSTALLATION=''$/m)
  expect(unnamed).toMatch(/^ASSAY_TEST_SCHEDULED='true'$/m)
})

it('a name that cannot be one is refused', async () => {
  await expect(written({ ASSAY_INSTALLATION: 'No Name' })).rejects.toMatchObject({
    stderr: expect.stringContaining('ASSAY_INSTALLATION is No Name'),
  })
})
