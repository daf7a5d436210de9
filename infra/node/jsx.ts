// Lets Node run the dashboard's pages as they are written: it strips types by itself, but not JSX. Guarantee: bundles,
// which have no JSX left, never load this.

import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const PAGES = join(import.meta.dirname, '../../functions/dashboard')

let compiled: Map<string, string> | undefined

/** To be called before the first page is imported. */
export function readJsx(): void {
  if (compiled !== undefined) return
  compiled = compile()
  registerHooks({
    load(url, context, next) {
      const source = url.endsWith('.tsx') ? compiled!.get(fileURLToPath(url)) : undefined
      return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
    },
  })
}

/** All pages in one call: each starts a process of esbuild. */
function compile(): Map<string, string> {
  const { outputFiles } = buildSync({
    entryPoints: [join(PAGES, '**/*.tsx')],
    outdir: PAGES,
    outbase: PAGES,
    write: false,
    format: 'esm',
    target: 'node24',
    jsx: 'automatic',
    jsxImportSource: 'hono/jsx',
    sourcemap: 'inline',
  })
  return new Map(outputFiles.map(({ path, text }) => [path.replace(/\.js$/, '.tsx'), text]))
}
