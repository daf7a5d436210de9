// Puts the dashboard's styles, scripts and icon into one module, so that a function has them wherever it runs.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

const BROWSER = join(import.meta.dirname, '../functions/dashboard/browser')
// The oldest browsers that support light-dark(), which esbuild must not rewrite.
const TARGET = ['chrome123', 'firefox120', 'safari17.5']

/**
 * The limit for all scripts together before compression, since one import can add a whole schema library unnoticed. 8 KB
 * of them unpack zstd, which browsers do not.
 */
const SCRIPTS_BYTES = 76 * 1024

/** Returns the text of functions/dashboard/shell/assets.gen.ts. */
export async function dashboardAssets(): Promise<string> {
  const style = await asset('style', 'css', 'style.css')
  const script = await asset('script', 'js', 'main.ts')
  const submit = await asset('submit', 'js', 'submit.ts')
  const scripts_bytes = script.text.length + submit.text.length
  if (scripts_bytes > SCRIPTS_BYTES)
    throw new Error(
      `The dashboard's scripts weigh ${scripts_bytes} bytes, more than ${SCRIPTS_BYTES}: see what they import.`,
    )
  const icon = named('icon', 'svg', (await readFile(join(BROWSER, 'icon.svg'), 'utf8')).trim())
  return `// Made by npm run generate from functions/dashboard/browser.\n\nexport const ASSETS = ${JSON.stringify({ style, script, submit, icon }, null, 2)} as const\n`
}

async function asset(stem: string, kind: 'css' | 'js', entry: string) {
  const { outputFiles } = await build({
    entryPoints: [join(BROWSER, entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: TARGET,
  })
  return named(stem, kind, outputFiles[0]!.text)
}

function named(stem: string, kind: string, text: string) {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { kind, name: `${stem}-${hash}.${kind}`, text }
}
