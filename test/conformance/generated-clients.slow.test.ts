// Clients that third-party generators make from the document in their default modes: they type-check, and a program on
// each works against a server. orval is left out: it brings 88 packages of 60 MB, and depends only on each operation
// having one form of request, which test/structure/document.test.ts checks. With 8.38.0 its client type-checks, and
// submitBatch sends `content-type: application/json`.

import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { build } from 'esbuild'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT } from '../support/stack.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'
import { startNodeHost } from './hosts.ts'
import { openWorld, type World } from './world.ts'

const run = promisify(execFile)
const MODULES = join(CHECKOUT, 'node_modules')

interface Generator {
  name: string
  generate(document: object, folder: string): Promise<void>
  program: string
}

const GENERATORS: Generator[] = [
  {
    name: 'openapi-typescript',
    async generate(document, folder) {
      const types = await openapiTS(document as Parameters<typeof openapiTS>[0])
      await writeFile(join(folder, 'paths.ts'), astToString(types))
    },
    program: `
import createClient from 'openapi-fetch'
import type { paths } from './paths'
const headers = { authorization: \`Bearer \${process.env.KEY}\` }
const client = createClient<paths>({ baseUrl: process.env.SERVER!, headers })
const { data: agent, error } = await client.POST('/v1/agents', { body: { name: 'By types' } })
if (agent === undefined) throw new Error(error.error.message)
const items = [{ input: { n: 1 }, item_id: 'one' }, { input: 'two' }]
const { data: batch } = await client.POST('/v1/batches', { body: { agent_id: agent.id, items } })
const path = { runId: batch!.run_id }
const { data: submitted } = await client.GET('/v2/runs/{runId}/items', { params: { path } })
const body = { agent_id: agent.id, cron: '0 9 * * 1-5', input: {} }
const { data: schedule } = await client.POST('/v1/schedules', { body })
console.log(JSON.stringify({ first: submitted![0]!.item_id, count: submitted!.length, zone: schedule!.timezone }))
`,
  },
  {
    name: '@hey-api/openapi-ts',
    async generate(document, folder) {
      const input = join(folder, 'openapi.json')
      await writeFile(input, JSON.stringify(document))
      const plugins = ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'] as const
      await createClient({
        input,
        output: join(folder, 'client'),
        plugins: [...plugins],
        logs: { level: 'silent' },
      })
    },
    program: `
import { createAgent, createSchedule, listRunItems, submitBatch } from './client'
import { client } from './client/client.gen'
client.setConfig({ baseUrl: process.env.SERVER!, auth: () => process.env.KEY! })
const throwOnError = true
const { data: agent } = await createAgent({ body: { name: 'By functions' }, throwOnError })
const items = [{ input: { n: 1 }, item_id: 'one' }, { input: 'two' }]
const { data: batch } = await submitBatch({ body: { agent_id: agent.id, items }, throwOnError })
const { data: submitted } = await listRunItems({ path: { runId: batch.run_id }, throwOnError })
const body = { agent_id: agent.id, cron: '0 9 * * 1-5', input: {} }
const { data: schedule } = await createSchedule({ body, throwOnError })
console.log(JSON.stringify({ first: submitted[0]!.item_id, count: submitted.length, zone: schedule.timezone }))
`,
  },
]

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2023', 'dom'],
    types: ['node'],
    module: 'esnext',
    moduleResolution: 'bundler',
  },
  include: ['*.ts'],
}

describe('a client made by', () => {
  const folders = new AsyncDisposableStack()
  let world: World
  let document: object
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    document = (await (await fetch(`${world.url}/openapi.json`)).json()) as object
  })
  afterAll(async () => {
    await world?.end()
    await folders.disposeAsync()
  })

  it.each(GENERATORS)('$name type-checks, and a program on it runs', async ({ generate, program }) => {
    const folder: TempFolder = folders.adopt(await tempFolder(), folder => folder.remove())
    await symlink(MODULES, join(folder.path, 'node_modules'))
    await generate(document, folder.path)
    await writeFile(join(folder.path, 'program.ts'), program)
    await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify(TSCONFIG))
    const tsc = join(MODULES, 'typescript-native/bin/tsc')
    const checked = await run(process.execPath, [tsc, '--project', folder.path]).catch(error => error)
    expect(checked.stdout).toBe('')
    const outfile = join(folder.path, 'program.mjs')
    await build({
      entryPoints: [join(folder.path, 'program.ts')],
      outfile,
      absWorkingDir: folder.path,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    })
    const env = { ...process.env, SERVER: world.url, KEY: world.first.api_key }
    const { stdout } = await run(process.execPath, [outfile], { env })
    expect(JSON.parse(stdout)).toEqual({ first: 'one', count: 2, zone: 'UTC' })
  })
})
