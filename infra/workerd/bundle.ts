// Builds the bundles for workerd: one for each unit and the router, for the configuration that infra/generate.ts writes
// next to them; or one bundle of everything, for wrangler.toml.
// Usage: node infra/workerd/bundle.ts [--packaging group|endpoint|all] [--out FOLDER]

import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BuildOptions, Plugin } from 'esbuild'
import { endpoints, platformFunctions } from '../../functions/index.ts'
import { withoutLuxon } from '../../shared/cli/without-luxon.ts'
import {
  bundleInto,
  DASHBOARD_IMPORTS,
  DOCS_IMPORTS,
  importsOfList,
  SERVE_DASHBOARD,
  SERVE_DOCS,
} from '../bundle.ts'
import { routesOf, type Unit, unitsOf } from '../packaging.ts'
import { CONSUMER, ROUTER, TICK } from '../targets/image.ts'
import { asksStores } from '../unit-settings.ts'

const ROOT = join(import.meta.dirname, '../..')
const WHOLE = 'assay'

/** Writes bundles to a folder; returns their sizes in bytes, by name. */
export async function writeWorkerd(
  folder: string,
  packaging: 'group' | 'endpoint' = 'group',
): Promise<Map<string, number>> {
  const units = unitsOf(packaging)
  const entries = new Map<string, string>()
  for (const unit of units) entries.set(unit.name, await entryOf(unit))
  return new Map([
    ...(await bundleInto(folder, entries, { ...FOR_WORKERD, banner: { js: BY_REQUIRE } })),
    ...(await bundleInto(folder, new Map([[ROUTER, routerEntry(units)]]), FOR_WORKERD)),
  ])
}

/** Writes one worker with all functions, which serves callers, the cron and the queue. */
export async function writeWhole(folder: string): Promise<Map<string, number>> {
  const tick = platformFunctions.find(one => one.name === TICK)!
  const whole: Unit = { name: WHOLE, endpoints, platform: tick, docs: true, dashboard: true }
  const outside = "export { Outside } from './infra/workerd/outside.ts'"
  const entry = new Map([[WHOLE, `${await entryOf(whole)}\n${outside}`]])
  return bundleInto(folder, entry, { ...FOR_WORKERD, banner: { js: BY_REQUIRE } })
}

const routerEntry = (units: readonly Unit[]) => `import { routerOf } from './infra/workerd/router.ts'
export default routerOf(${JSON.stringify(routesOf(units))})`

async function entryOf(unit: Unit): Promise<string> {
  const from = await importsOfList()
  const scheduled = unit.platform?.name === TICK ? [unit.platform] : []
  const wanted = [...unit.endpoints, ...scheduled].map(one => from.get(one)!)
  const fields = [
    `endpoints: [${unit.endpoints.map(one => from.get(one)!.name)}]`,
    `asksStores: ${asksStores(unit)}`,
    ...scheduled.map(one => `scheduled: ${from.get(one)!.name}`),
    ...(unit.dashboard ? [SERVE_DASHBOARD] : []),
    ...(unit.name === CONSUMER || unit.name === WHOLE ? ['wakes: true'] : []),
    ...(unit.docs ? SERVE_DOCS : []),
  ]
  return [
    ...(unit.dashboard ? DASHBOARD_IMPORTS : []),
    ...wanted.map(({ name, path }) => `import { ${name} } from ${JSON.stringify(path)}`),
    "import { workerOf } from './infra/workerd/unit.ts'",
    ...(unit.docs ? DOCS_IMPORTS : []),
    `const { Host, handlers } = workerOf({ ${fields.join(', ')} })`,
    'export { Host }',
    'export default handlers',
  ].join('\n')
}

/** Modules that clients import and that workerd has by later compatibility dates only, as far as the clients use them. */
const NOT_YET: Record<string, string> = {
  perf_hooks: 'export const { performance } = globalThis', // the driver of PostgreSQL
  tty: 'export const isatty = () => false', // `debug`, of the client of Redis
}
const notYet: Plugin = {
  name: 'not-yet',
  setup(build) {
    const filter = new RegExp(`^(node:)?(${Object.keys(NOT_YET).join('|')})$`)
    build.onResolve({ filter }, ({ path }) => ({ path: path.replace('node:', ''), namespace: 'not-yet' }))
    build.onLoad({ filter: /./, namespace: 'not-yet' }, ({ path }) => ({ contents: NOT_YET[path]! }))
  },
}

const FOR_WORKERD: BuildOptions = {
  platform: 'neutral',
  target: 'es2024',
  mainFields: ['module', 'main'],
  // Not "workerd": the build of postgres.js for that condition has a failing COPY.
  conditions: ['worker', 'import'],
  external: ['cloudflare:*', 'node:*', ...builtinModules],
  plugins: [withoutLuxon(), notYet],
}
// CommonJS dependencies load built-in modules by require.
const BY_REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire('/');"

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      packaging: { type: 'string', default: 'group' },
      out: { type: 'string', default: join(ROOT, 'dist/workerd') },
    },
  })
  const makers: Record<string, (folder: string) => Promise<Map<string, number>>> = {
    group: folder => writeWorkerd(folder, 'group'),
    endpoint: folder => writeWorkerd(folder, 'endpoint'),
    all: writeWhole,
  }
  const make = makers[values.packaging]
  if (make === undefined) {
    console.error(`--packaging is one of ${Object.keys(makers).join(', ')}`)
    process.exit(2)
  }
  for (const [name, bytes] of await make(values.out))
    console.log(`${name.padEnd(28)} ${(bytes / 1024).toFixed(0).padStart(6)} KiB`)
}
