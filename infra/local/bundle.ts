// Makes the stack that `npm start` runs into one file, dist/start.mjs. Loaded from its sources it would keep what compiled
// them, and all their comments: 60 MB. Guarantee: whoever starts meanwhile finds a whole file.

import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { FOR_NODE } from '../for-node.ts'

// As deep in the checkout as infra/migrate.ts, which finds the migrations from where it stands.
const OUT = join(import.meta.dirname, '../../dist/start.mjs')
const written = `${OUT}.${randomUUID()}`
/**
 * As escapes, which mean the same in texts, patterns and comments, and not in a template whose tag reads it raw: V8 keeps a source for as long as it runs, and Node
 * hands it one with a single other character as two bytes for each, 5 MB more.
 */
function inAscii(source: string): string {
  return source.replaceAll(/\\.|[^\0-\x7f]/gs, part => {
    const unit = part.charCodeAt(part.length - 1)
    return unit > 0x7f ? `\\u${unit.toString(16).padStart(4, '0')}` : part
  })
}

try {
  const { outputFiles } = await build({
    ...FOR_NODE,
    minify: false, // a stack trace is read in the file itself
    keepNames: false,
    legalComments: 'none',
    entryPoints: [join(import.meta.dirname, 'start.ts')],
    outfile: OUT,
    write: false,
    // Programs by themselves are among what it imports.
    define: { 'import.meta.main': 'false' },
    logLevel: 'warning',
  })
  await mkdir(dirname(OUT), { recursive: true })
  await writeFile(written, inAscii(outputFiles[0]!.text))
  await rename(written, OUT)
} finally {
  await rm(written, { force: true })
}
