// Makes the dashboard's style, script and icon into one module, so that a function carries them wherever it runs.

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'

const BROWSER = join(import.meta.dirname, '../functions/dashboard/browser')
// What every current browser runs; light-dark() decides, and is not to be rewritten.
const TARGET = ['chrome123', 'firefox120', 'safari17.5']

/** The text of functions/dashboard/frame/assets.gen.ts. */
export async function dashboardAssets(): Promise<string> {
  const style = await asset('style', 'css', 'style.css')
  const script = await asset('script', 'js', 'main.ts')
  const submit = await asset('submit', 'js', 'submit.ts')
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
