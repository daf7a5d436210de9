// Makes the bundle of each unit: one file with all it needs, the smaller the faster it starts.
// Usage: node infra/bundle.ts [--packaging endpoint|group|all] [--out FOLDER]
// And the router's, which knows where each path of that packaging leads, that of the agent runtime, and the exporter of
// traces, which the bundles load where they are told to.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import type { Endpoint } from '../shared/http/endpoint.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import { builtInsWhenUsed, leaveOut, TELEMETRY_CHUNK, UNDOCUMENTED_SCHEMAS } from './leave-out.ts'
import { PACKAGINGS, type Packaging, routesOf, type Unit, unitsOf } from './packaging.ts'
import { needsOf } from './unit-settings.ts'

const ROOT = join(import.meta.dirname, '..')
const FUNCTIONS = join(ROOT, 'functions')
const RUNTIME = join(ROOT, 'infra/node/runtime.ts')
const OTLP = join(ROOT, 'infra/node/otlp.ts')

/** How a program for Node is made into one file. */
export const FOR_NODE = {
  bundle: true,
  minify: true,
  keepNames: true, // they are what a stack trace is read by
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['workerd', 'esbuild'],
  // Dependencies that are CommonJS ask for built-in modules by require.
  banner: {
    js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
} satisfies BuildOptions

/** The text of a Node program that serves the unit. */
export const bundleForNode = async (unit: Unit): Promise<string> => bundled(await entryOf(unit))

/** The text of the Node program that leads to the units. */
const bundleRouter = (units: readonly Unit[]): Promise<string> =>
  bundled(`import { serveRouter } from './infra/node/router.ts'
await serveRouter(${JSON.stringify(routesOf(units))})`)

const bundled = (contents: string): Promise<string> =>
  bundledFrom({ stdin: { contents, resolveDir: ROOT, loader: 'ts' } })

async function bundledFrom(start: Pick<BuildOptions, 'stdin' | 'entryPoints'>): Promise<string> {
  const { outputFiles } = await build({
    ...FOR_NODE,
    ...start,
    write: false,
    plugins: [...leaveOut, builtInsWhenUsed],
  })
  return outputFiles[0]!.text
}

async function entryOf(unit: Unit): Promise<string> {
  const from = await importsOfList()
  const wanted: (Endpoint | PlatformFunction)[] = [
    ...unit.endpoints,
    ...(unit.platform ? [unit.platform] : []),
  ]
  const names = wanted.map(one => from.get(one)!.name)
  const fields = [
    `name: ${JSON.stringify(unit.name)}`,
    `endpoints: [${unit.platform ? '' : names}]`,
    `connections: ${needsOf(unit).connections}`,
    ...(unit.platform ? [`platform: ${names}`] : []),
    ...(unit.docs
      ? ['serveReference: (app, contextFor) => serveReference(app, () => document, contextFor)']
      : []),
    ...(unit.dashboard ? [SERVE_DASHBOARD] : []),
    ...(unit.platform?.name === 'consume' ? ['createAgents'] : []),
    ...(unit.platform?.name === 'tick' ? ['createMail: mailFrom'] : []),
  ]
  return [
    `import '${UNDOCUMENTED_SCHEMAS}'`,
    ...wanted.map(one => `import { ${from.get(one)!.name} } from ${JSON.stringify(from.get(one)!.path)}`),
    "import { serveFunction } from './infra/node/function.ts'",
    ...(unit.docs
      ? [
          "import { serveReference } from './shared/http/reference.ts'",
          "import document from './infra/generated/openapi.json'",
        ]
      : []),
    ...(unit.dashboard ? DASHBOARD_IMPORTS : []),
    ...(unit.platform?.name === 'consume' ? ["import { createAgents } from './infra/node/agents.ts'"] : []),
    ...(unit.platform?.name === 'tick' ? ["import { mailFrom } from './infra/node/mail.ts'"] : []),
    `await serveFunction({ ${fields.join(', ')} })`,
  ].join('\n')
}

/** The pages call every endpoint, as `all`. */
export const DASHBOARD_IMPORTS = [
  "import { endpoints as all } from './functions/index.ts'",
  "import { serveDashboard } from './functions/dashboard/index.ts'",
]

export const SERVE_DASHBOARD = 'serveDashboard: (app, contextFor) => serveDashboard(app, all, contextFor)'

/** Where each function of the list is declared: the list imports it by name, and a bundle must import no other. */
export async function importsOfList() {
  const list = await readFile(join(FUNCTIONS, 'index.ts'), 'utf8')
  const found = new Map<Endpoint | PlatformFunction, { name: string; path: string }>()
  for (const [, name, file] of list.matchAll(/^import \{ (\w+) \} from '\.\/(.+)'$/gm)) {
    const path = join(FUNCTIONS, file!)
    const module = (await import(path)) as Record<string, Endpoint | PlatformFunction>
    found.set(module[name!]!, { name: name!, path })
  }
  return found
}

/** Writes the bundles of a packaging to a folder, each as NAME.mjs; returns their sizes in bytes, by name. */
export async function writeBundles(packaging: Packaging, folder: string): Promise<Map<string, number>> {
  await mkdir(folder, { recursive: true })
  const units = unitsOf(packaging)
  const sizes = new Map<string, number>()
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, `${name}.mjs`), text)
    sizes.set(name, Buffer.byteLength(text))
  }
  for (const unit of units) await write(unit.name, await bundleForNode(unit))
  await write('router', await bundleRouter(units))
  await write('runtime', await bundledFrom({ entryPoints: [RUNTIME] }))
  await writeTelemetry(folder)
  return sizes
}

/** Writes the exporter of traces to where the bundles in that folder look for it. */
export async function writeTelemetry(folder: string): Promise<void> {
  const file = join(folder, TELEMETRY_CHUNK)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, await bundledFrom({ entryPoints: [OTLP] }))
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      packaging: { type: 'string', default: 'group' },
      out: { type: 'string', default: join(ROOT, 'dist') },
    },
  })
  if (!PACKAGINGS.includes(values.packaging as Packaging)) {
    console.error(`--packaging is one of ${PACKAGINGS.join(', ')}`)
    process.exit(2)
  }
  for (const [name, bytes] of await writeBundles(values.packaging as Packaging, values.out))
    console.log(`${name.padEnd(28)} ${(bytes / 1024).toFixed(0).padStart(6)} KiB`)
}
