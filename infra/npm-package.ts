// `npm run package [-- FOLDER]` builds the tarball that agents' projects depend on: SDK, client, testing kit and
// command line as JavaScript with types. Guarantee: it depends exactly on what it imports, in the versions of the
// lockfile.

import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { build, type Metafile } from 'esbuild'
import { withoutLuxon } from '../shared/cli/without-luxon.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '..')
/** The oldest Node that strips the types of an agent's file by itself. */
const OLDEST_NODE = { major: 22, minor: 18 }
/**
 * Packages bundled into the tarball: the driver has a patch that an installation elsewhere would lack, cron-parser would
 * bring luxon, and only agents that run in the sandbox need the networks of ipaddr.js.
 */
const BUNDLED = ['postgres', 'cron-parser', 'ipaddr.js']

const ENTRIES = {
  index: 'shared/sdk/index.ts',
  client: 'shared/sdk/client.ts',
  testing: 'shared/testing/index.ts',
  cli: 'shared/cli/main.ts',
  // Loaded by these names, as package.json maps them.
  sandbox: 'infra/runtime/sandbox.ts',
  'sandbox-tests': 'shared/cli/sandbox-tests.ts',
  // Nothing imports it by this name. It keeps the parser in a file apart, which agents without a schedule leave out.
  cron: 'shared/schedules/rules/cron.ts',
}
/** The runtime of bundles, 120 MB: a project that installs it loads and tests its agents there. */
const RUNTIME = 'workerd'
/** It has to know the date in infra/runtime/workerd-config.ts. */
const OLDEST_RUNTIME = '1.20260701.0'
/** The dependencies of a new project from `assay init`, and what it may add. */
const OF_PROJECTS = ['openai', 'zod', '@types/node', 'node', RUNTIME]

interface Manifest {
  name: string
  version: string
  description: string
  license: string
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** Writes `<out>/package` and packs it; returns the tarball's path. */
export async function npmPackage(out: string): Promise<string> {
  const folder = join(out, 'package')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const manifest: Manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const imported = await compile(folder)
  await declareTypes(folder)
  await writeFile(join(folder, 'assay.mjs'), COMMAND)
  await chmod(join(folder, 'assay.mjs'), 0o755)
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published(manifest, imported), null, 2)}\n`)
  await cp(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'))
  await cp(join(ROOT, 'shared/sdk/PACKAGE.md'), join(folder, 'README.md'))
  await cp(join(ROOT, 'shared/sdk/REFERENCE.md'), join(folder, 'REFERENCE.md'))
  await cp(join(ROOT, 'shared/sdk/PROTOCOL.md'), join(folder, 'PROTOCOL.md'))
  await cp(join(ROOT, 'shared/sdk/SANDBOX.md'), join(folder, 'SANDBOX.md'))
  await copyMigrations(folder)
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', out], { cwd: folder })
  return join(out, stdout.trim())
}

/** Returns the packages that the compiled modules import. */
async function compile(folder: string): Promise<Set<string>> {
  const options = {
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: `node${OLDEST_NODE.major}`,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
  } as const
  const external = Object.keys(
    (JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Manifest).dependencies,
  ).filter(name => !BUNDLED.includes(name))
  const { metafile } = await build({
    ...options,
    entryPoints: ENTRIES,
    outdir: join(folder, 'dist'),
    splitting: true,
    chunkNames: 'chunk-[hash]',
    plugins: [withoutLuxon()],
    external: [
      ...external,
      ...external.map(name => `${name}/*`),
      '#agent-server',
      '#sandbox',
      '#sandbox-tests',
    ],
  })
  // It is copied next to an agent, where it cannot import anything, so it is one file.
  await build({
    ...options,
    entryPoints: ['infra/node/agent-server.ts'],
    outfile: join(folder, 'dist/agent-server.js'),
  })
  return packagesIn(metafile)
}

function packagesIn({ outputs }: Metafile): Set<string> {
  const imports = Object.values(outputs).flatMap(output => output.imports)
  const foreign = imports.filter(({ external, path }) => external && !/^(node:|#)/.test(path))
  const names = foreign.map(({ path }) => path.split('/', path.startsWith('@') ? 2 : 1).join('/'))
  return new Set(names.filter(name => name !== 'assay'))
}

/** Packages that the types need, though no compiled module imports them. */
const IN_TYPES = ['@standard-schema/spec', 'openapi-fetch']

async function declareTypes(folder: string): Promise<void> {
  const config = join(folder, 'tsconfig.json')
  await writeFile(
    config,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: {
        rootDir: ROOT,
        outDir: join(folder, 'types'),
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        typeRoots: [join(ROOT, 'node_modules/@types')],
      },
      include: [],
      files: ['sdk/index.ts', 'sdk/client.ts', 'testing/index.ts'].map(file => join(ROOT, 'shared', file)),
    }),
  )
  const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc')
  await run(process.execPath, [tsc, '--project', config], { cwd: ROOT })
  await rm(config)
  // tsc does not write the types of imports, and refers to them where they are now.
  const of = (name: string) => join(folder, 'types/shared/sdk', name)
  await cp(join(ROOT, 'shared/sdk/imports.d.ts'), of('imports.d.ts'))
  const index = await readFile(of('index.d.ts'), 'utf8')
  await writeFile(of('index.d.ts'), index.replace(/path="[^"]*imports\.d\.ts"/, 'path="./imports.d.ts"'))
}

/** `assay restore` migrates an empty database, so it needs the SQL; only drizzle-kit needs the snapshots next to it. */
async function copyMigrations(folder: string): Promise<void> {
  await cp(join(ROOT, 'drizzle'), join(folder, 'drizzle'), {
    recursive: true,
    filter: path => !path.endsWith('_snapshot.json'),
  })
}

function published(manifest: Manifest, imported: ReadonlySet<string>) {
  const { name, version, description, license, dependencies, devDependencies } = manifest
  const known = { ...devDependencies, ...dependencies }
  const of = (names: Iterable<string>) =>
    Object.fromEntries([...new Set(names)].sort().map(one => [one, known[one]!]))
  const typed = (entry: string, source: string) => ({
    types: `./types/shared/${source}.d.ts`,
    default: `./dist/${entry}.js`,
  })
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    sideEffects: ['./dist/testing.js'],
    engines: { node: `>=${OLDEST_NODE.major}.${OLDEST_NODE.minor}` },
    bin: { assay: 'assay.mjs' },
    exports: {
      '.': typed('index', 'sdk/index'),
      './client': typed('client', 'sdk/client'),
      './testing': typed('testing', 'testing/index'),
      './package.json': './package.json',
    },
    imports: {
      '#agent-server': './dist/agent-server.js',
      '#sandbox': './dist/sandbox.js',
      '#sandbox-tests': './dist/sandbox-tests.js',
    },
    dependencies: of([...imported, ...IN_TYPES]),
    peerDependencies: { [RUNTIME]: `>=${OLDEST_RUNTIME}` },
    peerDependenciesMeta: { [RUNTIME]: { optional: true } },
    projectVersions: of(OF_PROJECTS),
  }
}

const COMMAND = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number)
if (major > ${OLDEST_NODE.major} || (major === ${OLDEST_NODE.major} && minor >= ${OLDEST_NODE.minor})) await import('./dist/cli.js')
else {
  console.error(\`assay needs Node ${OLDEST_NODE.major}.${OLDEST_NODE.minor} or newer; this is \${process.versions.node}\`)
  process.exitCode = 2
}
`

if (import.meta.main)
  console.log(relative(process.cwd(), await npmPackage(process.argv[2] ?? join(ROOT, 'dist/npm'))))
