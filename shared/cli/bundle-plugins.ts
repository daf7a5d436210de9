// What a bundle makes of imports: Assay's own modules, Node's, files that are text, and the HTTP of AWS's clients.

import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { relative } from 'node:path'
import type { Plugin } from 'esbuild'
import { TEXT_FILE, textOfFile } from '../sdk/text-files.ts'
import { OWN_MODULES } from './own-files.ts'

const builtin = new Set(builtinModules)

export const resolveOwnAndBuiltin: Plugin = {
  name: 'assay',
  setup(build) {
    build.onResolve({ filter: /^assay(\/client)?$/ }, ({ path }) => ({ path: OWN_MODULES[path]! }))
    build.onResolve({ filter: /^(node|cloudflare):/ }, ({ path }) => ({ path, external: true }))
    build.onResolve({ filter: /^[a-z0-9_]+(\/[a-z0-9_]+)?$/ }, ({ path }) =>
      builtin.has(path) ? { path: `node:${path}`, external: true } : undefined,
    )
  },
}

// Go's expressions cannot look behind, so what is code is left out in the function.
const NO_CODE = /\.[^.\\/]*$/
const CODE = /\.([cm]?[jt]sx?|json)$/i

/** Files that are imported as text, by their ending or by `with { type: 'text' }`. */
export const textFiles: Plugin = {
  name: 'assay-text',
  setup(build) {
    build.onLoad({ filter: NO_CODE, namespace: 'file' }, async ({ path, with: attributes }) => {
      if (CODE.test(path) || (attributes.type !== 'text' && !TEXT_FILE.test(path))) return undefined
      const bytes = await readFile(path)
      try {
        return { contents: textOfFile(bytes), loader: 'text' }
      } catch (error) {
        const name = relative(build.initialOptions.absWorkingDir ?? '.', path)
        return { errors: [{ text: `${name} cannot be imported: ${(error as Error).message}` }] }
      }
    })
  },
}

/**
 * Leaves out the source maps of packages: a place in a package is then one in the file that is installed, by which its name is
 * known, and not in a source that nobody has.
 */
export const withoutForeignMaps: Plugin = {
  name: 'assay-maps',
  setup(build) {
    build.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/, namespace: 'file' }, async ({ path }) => {
      if (!existsSync(`${path}.map`)) return undefined
      const text = await readFile(path, 'utf8')
      return { contents: text.replace(MAPPED, ''), loader: 'js' }
    })
  },
}

const MAPPED = /^\/\/# sourceMappingURL=.*$/gm

const BY_FETCH = 'assay-aws-fetch'

/**
 * Clients of AWS send by fetch: their handlers for Node take sockets and HTTP/2, which the sandbox lacks. The handler for
 * browsers has the same interface and is installed with every client.
 */
export const awsByFetch: Plugin = {
  name: BY_FETCH,
  setup(build) {
    build.onResolve(
      { filter: /^@(smithy|aws-sdk)\/node-http-handler$/ },
      async ({ path, resolveDir, kind }) => {
        const fetching = await build.resolve('@smithy/fetch-http-handler', { resolveDir, kind })
        return fetching.errors.length > 0
          ? undefined
          : { path, namespace: BY_FETCH, pluginData: fetching.path }
      },
    )
    build.onLoad({ filter: /./, namespace: BY_FETCH }, ({ pluginData: path }) => ({
      contents: `import { FetchHttpHandler, streamCollector } from ${JSON.stringify(path)}
export { FetchHttpHandler as NodeHttpHandler, FetchHttpHandler as NodeHttp2Handler, streamCollector }
export const DEFAULT_REQUEST_TIMEOUT = 0`,
      resolveDir: build.initialOptions.absWorkingDir!,
    }))
  },
}
