// Writes the programs of the container image, each with all it needs in one file: the functions, the router, the server
// that runs all functions in one process, the migration, and the creation of the first account.
// Usage: node infra/image.ts FOLDER [--packaging group|endpoint]

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { writeBundles } from './bundle.ts'
import { FOR_NODE } from './for-node.ts'
import { PACKAGINGS, type Packaging } from './packaging.ts'

const PROGRAMS = {
  function: 'infra/node/select.ts',
  server: 'infra/node/main.ts',
  migrate: 'infra/migrate.ts',
  'first-account': 'infra/node/first-account.ts',
  warm: 'infra/node/warm.ts',
}

const { values, positionals } = parseArgs({
  options: { packaging: { type: 'string', default: 'group' } },
  allowPositionals: true,
})
const [folder] = positionals
if (folder === undefined || !PACKAGINGS.includes(values.packaging as Packaging)) {
  console.error(`Usage: node infra/image.ts FOLDER [--packaging ${PACKAGINGS.join('|')}]`)
  process.exit(2)
}
await writeBundles(values.packaging as Packaging, join(folder, 'functions'))
await build({
  ...FOR_NODE,
  entryPoints: Object.fromEntries(
    Object.entries(PROGRAMS).map(([name, path]) => [name, join(import.meta.dirname, '..', path)]),
  ),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
})
