// Generates the list of model prices from the data of `@pydantic/genai-prices`, one model a line, so that the diff of
// an update shows which price has changed. Run by itself (`npm run prices:update`) it installs the newest version
// first; `npm run verify` fails if the file differs from the installed version.

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findProvider } from '@pydantic/genai-prices'
import { type ListedProvider, slim } from '../shared/prices/rules/price-data.ts'

const ROOT = join(import.meta.dirname, '..')
const PACKAGE = '@pydantic/genai-prices'
export const PRICE_LIST_FILE = 'shared/prices/rules/price-list.gen.ts'

/**
 * Providers whose models can be found by name. Resellers and editors that use the makers' model names at other prices
 * are left out.
 */
const PROVIDERS =
  'anthropic arcee avian aws azure baseten cerebras cloudflare cohere deepseek doubleword fireworks google groq minimax mistral moonshotai novita openai openrouter ovhcloud perplexity together voyageai x-ai zai zhipuai'

/** Returns the text of the list. `as_of` is the day its data was published; by default that of the existing file. */
export async function priceListFile(as_of?: string): Promise<string> {
  const day =
    as_of ?? /PRICES_AS_OF = '([\d-]+)'/.exec(await readFile(join(ROOT, PRICE_LIST_FILE), 'utf8'))![1]
  const providers = PROVIDERS.split(' ').map(providerId => {
    const found = findProvider({ providerId })
    if (found?.id !== providerId) throw new Error(`${PACKAGE} has no provider ${providerId} any more`)
    return slim(found as ListedProvider)
  })
  const text = providers.map(linesOf).join(',\n')
  return [
    `// Made by npm run generate from ${PACKAGE}, which holds its prices under the MIT licence.`,
    '',
    `export const PRICES_AS_OF = '${day}'`,
    `export const PRICES_SOURCE = '${PACKAGE} ${await installedVersion()}'`,
    '',
    '/** A text, and by a function, so that a start does not read it: bundles have it as a file beside them. */',
    'export const pricesText = () => `[',
    text.replaceAll(/[`$\\]/g, '\\$&'),
    ']`',
    '',
  ].join('\n')
}

function linesOf({ models, ...provider }: ListedProvider): string {
  const head = JSON.stringify(provider).slice(0, -1)
  return `${head},"models":[\n${models.map(model => JSON.stringify(model)).join(',\n')}\n]}`
}

async function installedVersion(): Promise<string> {
  const manifest = await readFile(join(ROOT, 'node_modules', PACKAGE, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

if (import.meta.main) {
  const npm = async (...args: string[]) => (await promisify(execFile)('npm', args, { cwd: ROOT })).stdout
  // A new process reads the new data, since this one has loaded the old.
  if (process.argv[2] !== '--written') {
    await npm('install', '--save-dev', '--save-exact', `${PACKAGE}@latest`)
    await promisify(execFile)(process.execPath, [import.meta.filename, '--written'], { cwd: ROOT })
    process.exit()
  }
  const published = JSON.parse(await npm('view', PACKAGE, 'time', '--json')) as Record<string, string>
  const day = published[await installedVersion()]!.slice(0, 10)
  await writeFile(join(ROOT, PRICE_LIST_FILE), await priceListFile(day))
}
