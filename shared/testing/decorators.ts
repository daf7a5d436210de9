// Lets a test import an agent's file as it is: standard decorators, which neither Node nor Vite can run yet, are
// lowered on import, as a deploy does.

import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'

const DECORATED = /^\s*@[A-Za-z_$][\w$.]*\s*(\(|$)/m

/** The file without decorators and types; undefined if it has no decorators. */
function lowered(code: string, file: string, sourcemap: 'inline' | 'external') {
  if (!/\.[cm]?tsx?$/.test(file) || file.includes('/node_modules/') || !DECORATED.test(code)) return undefined
  return transformSync(code, { loader: 'ts', target: 'es2022', sourcefile: file, sourcemap })
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
  if (!/^file:.*\.m?ts$/.test(url)) return next(url, context)
  const file = fileURLToPath(url)
  const found = lowered(readFileSync(file, 'utf8'), file, 'inline')
  return found ? { format: 'module', source: found.code, shortCircuit: true } : next(url, context)
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
