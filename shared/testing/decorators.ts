// Lets a test import an agent's file as it is: standard decorators, which neither Node nor Vite can run yet, are
// lowered on import, and prompts and other files of text are their text, as in a deploy.

import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { TEXT_FILE, textOfFile } from '../sdk/text-files.ts'

const DECORATED = /^\s*@[A-Za-z_$][\w$.]*\s*(\(|$)/m

/** The file without decorators and types; undefined if it has no decorators. */
function lowered(code: string, file: string, sourcemap: 'inline' | 'external') {
  if (!/\.[cm]?tsx?$/.test(file) || file.includes('/node_modules/') || !DECORATED.test(code)) return undefined
  const supported = { 'import-attributes': true } // Node and Vite know `with { type: 'json' }`
  return transformSync(code, { loader: 'ts', target: 'es2022', supported, sourcefile: file, sourcemap })
}

/**
 * The plugin with which Vitest (or Vite) imports agents.
 *
 * @example
 * // vitest.config.ts
 * import { agents } from 'assay/testing'
 * import { defineConfig } from 'vitest/config'
 * export default defineConfig({ plugins: [agents()] })
 */
export function agents() {
  return {
    name: 'assay-agents',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      const found = lowered(code, id.replace(/\?.*$/, ''), 'external')
      return found && { code: found.code, map: found.map }
    },
    load(id: string) {
      return TEXT_FILE.test(id) ? textModule(id) : undefined
    },
  }
}

let registered = false

/** Lowers the decorators of files that Node itself imports after this call. */
export function registerDecorators(): void {
  if (registered || nodeModule.registerHooks === undefined) return
  registered = true
  nodeModule.registerHooks({ resolve: resolveOwn, load })
}

const load: nodeModule.LoadHookSync = (url, context, next) => {
  const asText = url.startsWith('file:') && (context.importAttributes?.type === 'text' || TEXT_FILE.test(url))
  if (asText) return moduleOf(textModule(fileURLToPath(url)), context)
  if (isPlainJson(url, context))
    return moduleOf(`export default ${readFileSync(new URL(url), 'utf8')}`, context)
  if (!/^file:.*\.m?ts$/.test(url)) return next(url, context)
  const file = fileURLToPath(url)
  const found = lowered(readFileSync(file, 'utf8'), file, 'inline')
  if (found === undefined) return next(url, context)
  decorated.add(url)
  return moduleOf(found.code, context)
}

/** Node checks what an import says of its type against the module that it gets, so nothing is left of it. */
function moduleOf(source: string, context: nodeModule.LoadHookContext): nodeModule.LoadFnOutput {
  context.importAttributes = {}
  return { format: 'module', source, shortCircuit: true }
}

const textModule = (file: string) => `export default ${JSON.stringify(textOfFile(readFileSync(file)))}`

/** A JSON file that is imported as in a deploy, which needs no `with { type: 'json' }`. */
const isPlainJson = (url: string, { importAttributes, conditions }: nodeModule.LoadHookContext) =>
  /^file:(?!.*\/node_modules\/).*\.json$/.test(url) &&
  importAttributes?.type === undefined &&
  !conditions?.includes('require')

/** The files that Node imported and that have decorators. */
const decorated = new Set<string>()

/** The file that exports a class by default; undefined if there is none. */
export async function fileOf(target: unknown): Promise<string | undefined> {
  for (const url of decorated) {
    const found: { default?: unknown } = await import(url).catch(() => ({})) // one that failed is of another test
    if (found.default === target) return fileURLToPath(url)
  }
  return undefined
}

/** Packages that a deploy, and so a test, resolves itself if the agent's project has not installed them. */
const OWN = /^(assay|zod|openai|@anthropic-ai\/sdk)(\/|$)/

const resolveOwn: nodeModule.ResolveHookSync = (specifier, context, next) => {
  try {
    return next(specifier, context)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND' || !OWN.test(specifier)) throw error
    return next(specifier, { ...context, parentURL: import.meta.url })
  }
}
