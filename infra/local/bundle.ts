// Makes the stack that `npm start` runs into one file, dist/start.mjs. Loaded from its sources it would keep what compiled
// them, and all their comments: 60 MB. Guarantee: whoever starts meanwhile finds a whole file.

import { randomUUID } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { FOR_NODE } from '../for-node.ts'

// As deep in the checkout as infra/migrate.ts, which finds the migrations from where it stands.
const OUT = join(import.meta.dirname, '../../dist/start.mjs')
const written = `${OUT}.${randomUUID()}`
try {
  await build({
    ...FOR_NODE,
    minify: false, // a stack trace is read in the file itself
    keepNames: false,
    legalComments: 'none',
    entryPoints: [join(import.meta.dirname, 'start.ts')],
    outfile: written,
    // Programs by themselves are among what it imports.
    define: { 'import.meta.main': 'false' },
    logLevel: 'warning',
  })
  await rename(written, OUT)
} finally {
  await rm(written, { force: true })
}
