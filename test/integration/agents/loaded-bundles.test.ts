// A deploy loads its bundle where its items will run, on real processes of workerd.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { createInvoker } from '../../../infra/runtime/invoker.ts'
import { createRuntimeClient } from '../../../infra/runtime/runtime-client.ts'
import { serveRuntime } from '../../../infra/runtime/runtime-server.ts'
import type { LoadBundle } from '../../../shared/agents/rules/bundle-load.ts'
import { nodeHostWith } from '../../conformance/hosts.ts'
import { makeAgent } from '../../conformance/make.ts'
import { openWorld, type World } from '../../conformance/world.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const parts = new AsyncDisposableStack()
const log: string[] = []
let world: World
/** What the host loads bundles with. */
let load: LoadBundle
let here: LoadBundle

beforeAll(async () => {
  const folder = parts.adopt(await tempFolder(), folder => folder.remove())
  const loadBundle = () => Promise.reject(new Error('no item runs'))
  const invoker = parts.adopt(createInvoker({ loadBundle, dataDir: folder.path }), one => one.close())
  here = invoker.load
  load = here
  const host = nodeHostWith({ loadBundle: bundle => load(bundle), writeLog: line => log.push(line) })
  world = parts.adopt(await openWorld(host), world => world.end())
})
afterAll(() => parts.disposeAsync())

const HANDLER = 'export default { fetch: () => new Response() }'

async function deployed(code: string, more: object = {}) {
  const { id } = await makeAgent(world)
  const path = `/v1/agents/${id}/deployments`
  const body = { kind: 'bundle', code, declaration: { name: 'loaded' }, ...more }
  const { status, json } = await world.call('POST', path, { body })
  return { status, json, versions: (await world.call('GET', path)).json.length }
}

it.each([
  ['a random id', 'crypto.randomUUID()', /crypto\.randomUUID does not work at module level/, /in run\(\)/],
  ['a call', "await fetch('https://example.com')", /fetch does not work at module level/, /in run\(\)/],
  [
    'a missing file',
    "(await import('node:fs')).readFileSync('/prompt.md')",
    /no such file/,
    /import the file/,
  ],
  ['a process', "(await import('node:child_process')).execSync('ls')", /not implemented/, /behind a URL/],
])(
  'what cannot load is refused with its place and the way out: %s [deployments.loads]',
  async (_, call, message, hint) => {
    for (const more of [{}, { dry_run: true }]) {
      const { status, json, versions } = await deployed(
        `const one = 1\nconst two = ${call}\n${HANDLER}`,
        more,
      )
      expect([status, json.error.code, versions]).toEqual([400, 'load_failed', 0])
      expect(json.error.message).toMatch(/agent\.mjs:2:\d+: /)
      expect(json.error.message).toMatch(message)
      expect(json.error.hint).toMatch(hint)
    }
  },
)

it('code that fills its heap while it loads hurts nobody, and is refused for that', async () => {
  const bomb = deployed(`const all = []\nfor (;;) all.push(new Array(1e5).fill(Math.random()))\n${HANDLER}`)
  expect((await deployed(HANDLER)).status).toBe(201)
  expect((await bomb).json.error).toMatchObject({
    code: 'load_failed',
    message: expect.stringContaining('MiB of heap'),
  })
})

it('a bundle is loaded with the environment of the deployment', async () => {
  const code = `if (process.env.TOKEN !== 'given') throw new Error('no token')\n${HANDLER}`
  expect((await deployed(code)).json.error.message).toContain('agent.mjs:1:42: no token')
  expect((await deployed(code, { env: { TOKEN: 'given' } })).json).toMatchObject({ version: 1, warnings: [] })
})

it("nobody's code is loaded for an agent of others", async () => {
  let loads = 0
  load = async () => ({ loaded: loads++ < 0 }) as never
  const { id } = await makeAgent(world, world.stranger.key)
  const body = { kind: 'bundle', code: HANDLER, declaration: { name: 'loaded' } }
  expect((await world.call('POST', `/v1/agents/${id}/deployments`, { body })).status).toBe(404)
  expect(loads).toBe(0)
  load = here
})

it('the runtime function loads it as well', async () => {
  const server = parts.adopt(
    await serveRuntime({
      port: 0,
      host: '127.0.0.1',
      bearer: 'right',
      load: here,
      invoke: () => Promise.reject(new Error('no item runs')),
    }),
    server => server.close(),
  )
  const at = (bearer: string) => {
    const loadBundle = () => Promise.reject(new Error('no item runs'))
    const client = createRuntimeClient({ url: server.url, bearer: async () => bearer, loadBundle })
    parts.defer(() => client.close())
    return client.load
  }
  load = at('right')
  expect((await deployed(`crypto.randomUUID()\n${HANDLER}`)).json.error.message).toContain('agent.mjs:1:')
  expect((await deployed(HANDLER)).json.warnings).toEqual([])
  load = at('wrong')
  log.length = 0
  expect((await deployed(HANDLER)).json.warnings).toMatchObject([{ code: 'bundle_not_loaded' }])
  load = here
})

it('where no runtime answers, a deploy goes through with a warning [log.bundle_not_loaded]', async () => {
  load = () => Promise.reject(new Error('the runtime is away'))
  log.length = 0
  const { status, json } = await deployed(HANDLER)
  expect([status, json.warnings[0].code]).toEqual([201, 'bundle_not_loaded'])
  expect(log.map(line => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ event: 'bundle_not_loaded', error: expect.stringContaining('is away') }),
  )
  load = here
})
