// Bundles the stack of `npm start` into one file, dist/start.mjs. Loaded from sources, the process would keep the
// compiler and all comments in memory: 60 MB. Guarantee: a start meanwhile finds a complete file.

import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { FOR_NODE } from '../for-node.ts'
import { endOf } from './exit-error.ts'

// At the same depth in the checkout as infra/migrate.ts, which finds the migrations relative to itself.
const OUT = join(import.meta.dirname, '../../dist/start.mjs')
const written = `${OUT}.${randomUUID()}`
/**
 * Replaces non-ASCII characters by escapes, which mean the same in strings, patterns and comments, but not in a
 * template whose tag reads it raw. V8 keeps a source as long as it runs, and a single non-ASCII character makes Node
 * pass it with two bytes per character, 5 MB more.
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
    minify: false, // so that stack traces can be read in the file itself
    keepNames: false,
    legalComments: 'none',
    entryPoints: [join(import.meta.dirname, 'start.ts')],
    outfile: OUT,
    write: false,
    // Some imported modules are also programs; this keeps them from running.
    define: { 'import.meta.main': 'false' },
    logLevel: 'warning',
  })
  const text = inAscii(outputFiles[0]!.text)
  // The same file needs no room on a full disk.
  if ((await readFile(OUT, 'utf8').catch(() => '')) !== text) {
    await mkdir(dirname(OUT), { recursive: true })
    await writeFile(written, text)
    await rename(written, OUT)
  }
} catch (error) {
  const { line, code } = endOf(error)
  console.error(line)
  process.exitCode = code
} finally {
  await rm(written, { force: true })
}
