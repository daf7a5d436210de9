// Lets Node run the dashboard's pages from source: Node strips types by itself but does not compile JSX. Guarantee: a
// bundle, which has no JSX left, loads no compiler.

import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PAGES = join(import.meta.dirname, '../../functions/dashboard')

let compiled: Map<string, string> | undefined

/** Call it before the first page is imported. */
export async function readJsx(): Promise<void> {
  if (compiled !== undefined || !import.meta.filename.endsWith('.ts')) return
  compiled = await compile()
  registerHooks({
    load(url, context, next) {
      const source = url.endsWith('.tsx') ? compiled!.get(fileURLToPath(url)) : undefined
      return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
    },
  })
}

/** Compiles all pages in one call, since each call starts a process of esbuild. */
async function compile(): Promise<Map<string, string>> {
  const { buildSync } = await import('esbuild')
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
