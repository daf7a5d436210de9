// `npm run test:cluster` without a cluster: it tries nothing, and says what is missing.

import { spawnSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { blocksOf, namesOf, programsOf } from './page.ts'

const blocks = blocksOf('openfaas')
const NOTHING_TRIED = 2
let folder: TempFolder
let [bare, equipped] = ['', '']
beforeAll(async () => {
  folder = await tempFolder()
  ;[bare, equipped] = [join(folder.path, 'bare'), join(folder.path, 'equipped')]
  for (const path of [bare, equipped]) {
    await mkdir(path)
    await symlink('/bin/bash', join(path, 'bash'))
  }
  // Programs that reach nothing.
  for (const name of programsOf(blocks))
    await writeFile(join(equipped, name), '#!/bin/bash\nexit 1\n', { mode: 0o755 })
})
afterAll(() => folder.remove())

function run(env: Record<string, string>, platform = 'openfaas') {
  const main = join(import.meta.dirname, 'main.ts')
  const { status, stderr } = spawnSync(process.execPath, [main, platform], { env, encoding: 'utf8' })
  return { status, stderr }
}
const refusal = (reason: string) => ({
  status: NOTHING_TRIED,
  stderr: expect.stringContaining(`nothing was tested: ${reason}`),
})
const EXAMPLES = ['IMAGE', 'BASE_URL', 'EMAIL', 'DATABASE_MIGRATE_URL', 'DATABASE_URL', 'REDIS_URL']

it('test:cluster says which programs of the page are missing', () => {
  expect(programsOf(blocks)).toEqual(expect.arrayContaining(['docker', 'kubectl', 'helm', 'faas-cli']))
  expect(run({ PATH: bare })).toEqual(refusal(`not on the PATH: ${programsOf(blocks).join(', ')}`))
})

it('test:cluster says that no cluster was named', () => {
  expect(run({ PATH: equipped })).toEqual(refusal('KUBECONFIG is not set'))
  expect(run({ PATH: equipped }, 'elsewhere')).toEqual(refusal('say of which platform'))
})

it('test:cluster says which names are still those of the page’s example', () => {
  const examples = namesOf(blocks).flatMap(({ name, isExample }) => (isExample ? [name] : []))
  expect(examples).toEqual(EXAMPLES)
  const env = { PATH: equipped, KUBECONFIG: 'mine', IMAGE: 'localhost:5000/assay:1' }
  expect(run(env)).toEqual(refusal(`not set: ${EXAMPLES.slice(1).join(', ')};`))
})

it('test:cluster says that the cluster does not answer', () => {
  const names = Object.fromEntries(EXAMPLES.map(name => [name, 'mine']))
  expect(run({ PATH: equipped, KUBECONFIG: 'mine', ...names })).toEqual(refusal('no cluster answers'))
})
