// The project that `assay init` makes is installed, tested, deployed and run as its README says.

import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startModelServer } from '../../examples/model-server/server.ts'
import { assay, CHECKOUT, type Stack, startStack } from '../support/stack.ts'
import { tempFolder } from '../support/temp-folder.ts'

const parts = new AsyncDisposableStack()
let folder: string
let project: string
beforeAll(async () => {
  folder = parts.adopt(await tempFolder(), temporary => temporary.remove()).path
  project = join(folder, 'mail-sorter')
})
afterAll(() => parts.disposeAsync())

const anywhere = { env: {} }
const init = () => assay(anywhere, ['init', project]).done

/** Runs a command in the project's folder. */
async function typed(command: string, ...args: string[]) {
  const { NODE_OPTIONS: _, VITEST: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
  return promisify(execFile)(command, args, { cwd: project, env })
}

/** Takes all packages except Assay from here, so that the test needs no registry; the install is the same otherwise. */
async function packagesFromHere() {
  const path = join(project, 'package.json')
  const content = JSON.parse(await readFile(path, 'utf8'))
  const here = (name: string) => `file:${join(CHECKOUT, 'node_modules', name)}`
  for (const dependencies of [content.dependencies, content.devDependencies])
    for (const name of Object.keys(dependencies)) if (name !== 'assay') dependencies[name] = here(name)
  const { dependencies } = await packed()
  content.overrides = Object.fromEntries(Object.keys(dependencies).map(name => [name, here(name)]))
  await writeFile(path, JSON.stringify(content))
}

/** The package.json in the tarball of the project. */
async function packed() {
  const tarball = join(project, 'vendor', (await readdir(join(project, 'vendor')))[0]!)
  const { stdout } = await promisify(execFile)('tar', ['-xzOf', tarball, 'package/package.json'])
  return JSON.parse(stdout)
}

const CLIENT = `import { createClient } from 'assay/client'
const assay = createClient({ baseUrl: 'http://127.0.0.1:8090', apiKey: 'pk_' })
export const { data } = await assay.GET('/v2/runs', { params: { query: { limit: 10 } } })
export const status: string = data![0]!.status
`

describe('a new project', () => {
  it('has an agent, its tests and items, and is never overwritten', async () => {
    const made = await init()
    expect(made.events[0]).toMatchObject({ event: 'project', slug: 'mail-sorter', name: 'Mail sorter' })
    expect((await readdir(project)).sort()).toEqual([
      '.assay',
      '.gitignore',
      'README.md',
      'agent.test.ts',
      'agent.ts',
      'items.jsonl',
      'package.json',
      'tsconfig.json',
      'vendor',
    ])
    await writeFile(join(project, 'agent.ts'), 'mine')
    const again = await init()
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining('has package.json') })
    expect(await readFile(join(project, 'agent.ts'), 'utf8')).toBe('mine')
  })

  it('installs away from the checkout, and its tests pass', async () => {
    project = join(folder, 'second', '2nd sorter')
    await init()
    await packagesFromHere()
    // A package that comes from a folder would be built anew by its own scripts.
    await typed('npm', 'install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund')
    const { stdout } = await typed('npm', 'test')
    expect(stdout).toMatch(/pass 5\n/)
    expect(stdout).toMatch(/fail 0\n/)
    await writeFile(join(project, 'client.ts'), CLIENT)
    await typed(join(CHECKOUT, 'node_modules/.bin/tsc'), '-p', '.')
  })

  it('holds no path into the checkout, and only a few packages', async () => {
    const { dependencies, engines, exports } = await packed()
    expect(Object.keys(dependencies).length).toBeLessThan(15)
    expect(engines.node).toMatch(/^>=22/)
    expect(JSON.stringify(exports)).not.toMatch(/(?<!\.d)\.ts"/)
    const naming = await typed('grep', '-rlF', CHECKOUT, 'node_modules/assay').catch(error => error)
    expect(naming).toMatchObject({ code: 1, stdout: '' }) // grep found nothing
  })

  it('has a command that makes further projects, from the tarball it came in', async () => {
    const command = join(project, 'node_modules/.bin/assay')
    expect((await typed(command, '--version')).stdout).toMatch(/^assay \d/)
    await typed(command, 'init', join(folder, 'third'))
    expect(await readdir(join(folder, 'third/vendor'))).toEqual(await readdir(join(project, 'vendor')))
    await typed(command, 'package', 'agent.ts', '--out', join(folder, 'function'))
    expect(await readdir(join(folder, 'function'))).toContain('server.mjs')
  })

  it('reports a failing test by the exit code', async () => {
    const path = join(project, 'agent.test.ts')
    const text = await readFile(path, 'utf8')
    await writeFile(
      path,
      text.replace("kind: 'complaint', urgent: true })", "kind: 'praise', urgent: true })"),
    )
    await expect(typed(join(CHECKOUT, 'shared/cli/main.ts'), 'test')).rejects.toMatchObject({ code: 11 })
  })

  it('is deployed to a stack, and all its items are ok', async () => {
    const model = await startModelServer({ port: 0 })
    parts.defer(() => model.close())
    const stack: Stack = await startStack()
    parts.defer(() => stack.close())
    const run = (...args: string[]) => assay(stack, args).done
    const env = ['--env', `OPENAI_BASE_URL=${model.url}/v1`, '--env', 'OPENAI_API_KEY=none']
    const deployed = await run('deploy', join(project, 'agent.ts'), ...env)
    expect(deployed.events[0]).toMatchObject({ slug: '2nd-sorter' })
    const items = join(project, 'items.jsonl')
    const submitted = await run('submit', items, '--agent', '2nd-sorter', '--item-id', 'id', '--watch')
    expect(submitted.events.at(-1)).toMatchObject({ event: 'ended', run: { total_items: 6, completed: 6 } })
    expect(submitted.code).toBe(0)
  })

  it('has a command that finds the stack of the checkout that made it', async () => {
    const dataDir = join(folder, 'data')
    await mkdir(dataDir)
    const local = { base_url: 'http://127.0.0.1:1', api_key: 'pk_local' }
    await writeFile(join(dataDir, 'local.json'), JSON.stringify(local))
    const linked = join(folder, 'linked')
    await assay({ env: { ASSAY_DATA_DIR: dataDir } }, ['init', linked]).done
    const command = join(project, 'node_modules/.bin/assay')
    const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env
    await expect(promisify(execFile)(command, ['runs'], { cwd: linked, env })).rejects.toMatchObject({
      stderr: expect.stringContaining('no answer from http://127.0.0.1:1'),
    })
  })
})
