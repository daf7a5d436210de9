// Writes what the container image runs, each program with all it needs in one file: the functions and the router, the
// server that is all of them in one process, the migration, and what makes the first account.
// Usage: node infra/image.ts FOLDER

import { join } from 'node:path'
import { build } from 'esbuild'
import { FOR_NODE, writeBundles } from './bundle.ts'

const PROGRAMS = {
  function: 'infra/node/select.ts',
  server: 'infra/node/main.ts',
  migrate: 'infra/migrate.ts',
  'first-account': 'infra/node/first-account.ts',
  warm: 'infra/node/warm.ts',
}

const folder = process.argv[2]
if (folder === undefined) {
  console.error('Usage: node infra/image.ts FOLDER')
  process.exit(2)
}
await writeBundles('group', join(folder, 'functions'))
await build({
  ...FOR_NODE,
  entryPoints: Object.fromEntries(
    Object.entries(PROGRAMS).map(([name, path]) => [name, join(import.meta.dirname, '..', path)]),
  ),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
})
