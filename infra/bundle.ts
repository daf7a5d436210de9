// Builds the bundle of each unit: one file with all that a start needs, since a smaller file starts faster. Code that
// few processes need goes into files of its own next to the bundles, which are loaded on use.
// Usage: node infra/bundle.ts [--packaging endpoint|group|all] [--out FOLDER]
// It also builds the router, with the routes of that packaging, and the agent runtime.

import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import type { Endpoint } from '../shared/http/operation.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import { pricesText } from '../shared/prices/rules/price-list.gen.ts'
import { weightsText } from '../shared/refusals/rules/refusal-weights.gen.ts'
import { FOR_NODE, KEEPS_EFFECTS } from './for-node.ts'
import { PACKAGINGS, type Packaging, routesOf, type Unit, unitsOf } from './packaging.ts'
import { needsOf } from './unit-settings.ts'

const ROOT = join(import.meta.dirname, '..')
const FUNCTIONS = join(ROOT, 'functions')
/** Modules in files of their own, which only the processes that use them load: import name, file and contents. */
const APART: Record<string, { file: string; contents: string }> = {
  './redis-client.ts': { file: 'redis-client', contents: "export * from './infra/node/redis-client.ts'" },
  './otlp.ts': { file: 'otlp', contents: "export * from './infra/node/otlp.ts'" },
  './schema-engine.ts': {
    file: 'schema-engine',
    contents: "export * from './shared/schemas/rules/schema-engine.ts'",
  },
  nodemailer: { file: 'nodemailer', contents: "export { createTransport } from 'nodemailer'" },
}
/** Data that few requests need, read from a file on first use; by export name. */
const TEXTS: Record<string, () => string> = { pricesText, weightsText }
const CHUNKS = 'chunks'

/** Replaces the OpenAPI extension of zod, since no bundle documents anything. */
const UNDOCUMENTED = { '@hono/zod-openapi': join(ROOT, 'shared/kernel/undocumented-zod.ts') }

const apart: Plugin = {
  name: 'apart',
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, kind }) =>
      kind === 'dynamic-import' && APART[path]
        ? { path: `./${CHUNKS}/${APART[path].file}.mjs`, external: true }
        : undefined,
    )
    build.onLoad({ filter: /\.gen\.ts$/ }, async ({ path }) => {
      const exported = Object.entries((await import(path)) as Record<string, unknown>)
      if (!exported.some(([name]) => name in TEXTS)) return undefined
      const lines = exported.map(([name, value]) =>
        name in TEXTS
          ? `export const ${name} = () => readFileSync(new URL('./${CHUNKS}/${name}.txt', import.meta.url), 'utf8')`
          : `export const ${name} = ${JSON.stringify(value)}`,
      )
      return { contents: ["import { readFileSync } from 'node:fs'", ...lines].join('\n') }
    })
  },
}

/** Bundles programs into NAME.mjs of a folder, in one build that reads shared modules once; returns sizes in bytes. */
export async function bundleInto(
  folder: string,
  texts: ReadonlyMap<string, string>,
  options: BuildOptions,
): Promise<Map<string, number>> {
  const names = [...texts.keys()]
  await build({
    bundle: true,
    minify: true,
    keepNames: true, // stack traces need them
    format: 'esm',
    outExtension: { '.js': '.mjs' },
    alias: UNDOCUMENTED,
    logOverride: KEEPS_EFFECTS,
    ...options,
    entryPoints: Object.fromEntries(names.map(name => [name, `${WRITTEN}:${name}`])),
    outdir: folder,
    plugins: [entries(texts), ...(options.plugins ?? [])],
  })
  const sizes = names.map(async name => [name, (await stat(join(folder, `${name}.mjs`))).size] as const)
  return new Map(await Promise.all(sizes))
}

const WRITTEN = 'written'
/** Serves the text of each program as its entry point. */
const entries = (texts: ReadonlyMap<string, string>): Plugin => ({
  name: WRITTEN,
  setup(build) {
    build.onResolve({ filter: new RegExp(`^${WRITTEN}:`) }, ({ path }) => ({
      path: path.slice(WRITTEN.length + 1),
      namespace: WRITTEN,
    }))
    build.onLoad({ filter: /./, namespace: WRITTEN }, ({ path }) => ({
      contents: texts.get(path)!,
      loader: 'ts',
      resolveDir: ROOT,
    }))
  },
})

function entryOf(unit: Unit, from: Awaited<ReturnType<typeof importsOfList>>): string {
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
    ...(unit.docs ? SERVE_DOCS : []),
    ...(unit.dashboard ? [SERVE_DASHBOARD] : []),
    ...(unit.platform?.name === 'consume' ? ['createAgents'] : []),
    ...(unit.platform?.name === 'tick' ? ['createMail: mailFrom'] : []),
  ]
  return [
    ...wanted.map(one => `import { ${from.get(one)!.name} } from ${JSON.stringify(from.get(one)!.path)}`),
    "import { serveFunction } from './infra/node/function.ts'",
    ...(unit.docs ? DOCS_IMPORTS : []),
    ...(unit.dashboard ? DASHBOARD_IMPORTS : []),
    ...(unit.platform?.name === 'consume' ? ["import { createAgents } from './infra/node/agents.ts'"] : []),
    ...(unit.platform?.name === 'tick' ? ["import { mailFrom } from './infra/node/mail.ts'"] : []),
    `await serveFunction({ ${fields.join(', ')} })`,
  ].join('\n')
}

export const DOCS_IMPORTS = [
  "import { operationsOf, serveReference } from './shared/openapi/reference.ts'",
  "import document from './infra/generated/openapi.json'",
]

export const SERVE_DOCS = [
  'operations: operationsOf(document)',
  'serveReference: (app, contextFor) => serveReference(app, () => document, contextFor)',
]

/** Imports of the dashboard; its pages call every endpoint, named `all`. */
export const DASHBOARD_IMPORTS = [
  "import { endpoints as all } from './functions/index.ts'",
  "import { serveDashboard } from './functions/dashboard/index.ts'",
]

export const SERVE_DASHBOARD = 'serveDashboard: (app, contextFor) => serveDashboard(app, all, contextFor)'

/** Where each listed function is declared: a bundle must import only its own functions, not the whole list. */
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
export const writeBundles = (packaging: Packaging, folder: string): Promise<Map<string, number>> =>
  writeUnits(unitsOf(packaging), folder)

/** Writes the bundles of some units, of the router in front of them, and of the agent runtime. */
export async function writeUnits(units: readonly Unit[], folder: string): Promise<Map<string, number>> {
  const from = await importsOfList()
  const texts = new Map(units.map(unit => [unit.name, entryOf(unit, from)]))
  texts.set(
    'router',
    `import { serveRouter } from './infra/node/router.ts'\nawait serveRouter(${JSON.stringify(routesOf(units))})`,
  )
  texts.set('runtime', "import './infra/node/runtime.ts'")
  return writeTexts(texts, folder)
}

async function writeTexts(texts: Map<string, string>, folder: string): Promise<Map<string, number>> {
  const sizes = await bundleInto(folder, texts, { ...FOR_NODE, plugins: [apart, ...FOR_NODE.plugins] })
  const later = Object.values(APART).map(({ file, contents }) => [file, contents] as const)
  const beside = join(folder, CHUNKS)
  await bundleInto(beside, new Map(later), FOR_NODE)
  await mkdir(beside, { recursive: true })
  for (const [name, text] of Object.entries(TEXTS)) await writeFile(join(beside, `${name}.txt`), text())
  return sizes
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
