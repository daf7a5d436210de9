// Makes the bundle of each unit: one file with all it needs, the smaller the faster it starts.
// Usage: node infra/bundle.ts [--packaging endpoint|group|all] [--out FOLDER]

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import type { Endpoint } from '../shared/http/endpoint.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import { leaveOut, UNDOCUMENTED_SCHEMAS } from './leave-out.ts'
import { PACKAGINGS, type Packaging, type Unit, unitsOf } from './packaging.ts'

const ROOT = join(import.meta.dirname, '..')
const FUNCTIONS = join(ROOT, 'functions')

/** The text of a Node program that serves the unit. */
export async function bundleForNode(unit: Unit): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: await entryOf(unit), resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    keepNames: true, // they are what a stack trace is read by
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['workerd', 'esbuild'],
    plugins: leaveOut,
    // Dependencies that are CommonJS ask for built-in modules by require.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
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
    ...(unit.platform ? [`platform: ${names}`] : []),
    ...(unit.docs
      ? ['serveReference: (app, contextFor) => serveReference(app, () => document, contextFor)']
      : []),
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
    ...(unit.platform?.name === 'consume' ? ["import { createAgents } from './infra/node/agents.ts'"] : []),
    ...(unit.platform?.name === 'tick' ? ["import { mailFrom } from './infra/node/mail.ts'"] : []),
    `await serveFunction({ ${fields.join(', ')} })`,
  ].join('\n')
}

/** Where each function of the list is declared: the list imports it by name, and a bundle must import no other. */
async function importsOfList() {
  const list = await readFile(join(FUNCTIONS, 'index.ts'), 'utf8')
  const found = new Map<Endpoint | PlatformFunction, { name: string; path: string }>()
  for (const [, name, file] of list.matchAll(/^import \{ (\w+) \} from '\.\/(.+)'$/gm)) {
    const path = join(FUNCTIONS, file!)
    const module = (await import(path)) as Record<string, Endpoint | PlatformFunction>
    found.set(module[name!]!, { name: name!, path })
  }
  return found
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
  await mkdir(values.out, { recursive: true })
  for (const unit of unitsOf(values.packaging as Packaging)) {
    const text = await bundleForNode(unit)
    await writeFile(join(values.out, `${unit.name}.mjs`), text)
    console.log(`${unit.name.padEnd(28)} ${(Buffer.byteLength(text) / 1024).toFixed(0).padStart(6)} KiB`)
  }
}
