// What bundles leave out of the code they are made of. Guarantee: nothing that a function runs; whoever asks for a part
// that is left out finds it missing when the bundle is made, not when it runs.

import { glob, readFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'esbuild'

const ROOT = join(import.meta.dirname, '..')

/**
 * Zod as it is in `zod`: 125 KB. Of a name space imported as such, what nobody uses is left out; of one that is passed
 * on as a value, nothing. And `@hono/zod-openapi` only adds what documents a schema, for `npm run generate` to read.
 */
const leanZod: Plugin = {
  name: 'lean-zod',
  setup(build) {
    build.onLoad({ filter: /[/\\](shared|functions|infra)[/\\].*\.ts$/ }, async ({ path }) => {
      if (path.includes('node_modules')) return undefined
      const source = await readFile(path, 'utf8')
      const contents = source.replace(
        /^import \{ z \} from '(zod|@hono\/zod-openapi)'$/m,
        "import * as z from 'zod'",
      )
      return { contents, loader: 'ts' }
    })
    build.onResolve({ filter: /^undocumented-schemas$/ }, ({ path }) => ({ path, namespace: 'lean' }))
    build.onLoad({ filter: /^undocumented-schemas$/, namespace: 'lean' }, () => ({
      contents: "import { ZodType } from 'zod'; ZodType.prototype.openapi = function () { return this }",
      resolveDir: ROOT,
    }))
  },
}

/** Imported by bundles before any schema. */
export const UNDOCUMENTED_SCHEMAS = 'undocumented-schemas'

/** Puts a module in another's place. */
const instead = (name: string, filter: RegExp, contents: string): Plugin => ({
  name,
  setup(build) {
    build.onLoad({ filter }, ({ path }) => ({ contents, resolveDir: dirname(path) }))
  },
})

/** What reads JSX as it is written; a bundle has none left. */
export const noJsx = instead('no-jsx', /infra\/node\/jsx\.ts$/, 'export const readJsx = () => {}')

/** The exporter, which only processes need that are told where to export to: a file of its own beside the bundles. */
const apartTelemetry: Plugin = {
  name: 'apart-telemetry',
  setup(build) {
    build.onResolve({ filter: /^\.\/otlp\.ts$/ }, () => ({ path: `./${TELEMETRY_CHUNK}`, external: true }))
  },
}

/** Where bundles look for it. */
export const TELEMETRY_CHUNK = 'chunks/otlp.mjs'

/** Leaves the names of a module and takes what is behind them: whoever calls one is told so. */
const hollow = (name: string, filter: RegExp): Plugin => ({
  name,
  setup(build) {
    build.onLoad({ filter }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      const names = [...source.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)].map(
        ([, name]) => name,
      )
      const missing = `() => { throw new Error('left out of this bundle: ${name}') }`
      return { contents: names.map(name => `export const ${name} = ${missing}`).join('\n') }
    })
  },
})

/** Takes lines out of a module, each of which must be there. */
const without = (name: string, filter: RegExp, lines: readonly string[]): Plugin => ({
  name,
  setup(build) {
    build.onLoad({ filter }, async ({ path }) => {
      let contents = await readFile(path, 'utf8')
      for (const line of lines) {
        if (!contents.includes(line)) throw new Error(`${path} has no line ${line}`)
        contents = contents.replace(line, '')
      }
      return { contents }
    })
  },
})

/**
 * Of the 301 commands of Redis those that our code or the client's own has a word for. The client makes two functions of
 * each when it is loaded, for each of two classes, and has a table of their keys: a tenth of what a start takes.
 */
const namedCommands: Plugin = {
  name: 'named-commands',
  setup(build) {
    build.onLoad({ filter: /@ioredis\/commands\/built\/commands\.json$/ }, async ({ path }) => {
      const all = Object.entries(JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>)
      const words = await wordsOf(['shared/**/*.ts', 'infra/**/*.ts', 'node_modules/ioredis/built/**/*.js'])
      return {
        contents: JSON.stringify(Object.fromEntries(all.filter(([name]) => words.has(name)))),
        loader: 'json',
      }
    })
  },
}

async function wordsOf(patterns: string[]): Promise<Set<string>> {
  const words = new Set<string>()
  for await (const path of glob(patterns, { cwd: ROOT })) {
    for (const [, word] of (await readFile(join(ROOT, path), 'utf8')).matchAll(/[.'"`]([a-z_]+)\b/gi))
      words.add(word!.toLowerCase())
  }
  return words
}

/** The client for clusters is loaded by the first process that makes one. */
const redisByParts: Plugin = {
  name: 'redis-by-parts',
  setup(build) {
    build.onResolve({ filter: /^ioredis$/ }, ({ path }) => ({ path, namespace: 'lean' }))
    build.onLoad({ filter: /^ioredis$/, namespace: 'lean' }, () => ({
      contents: [
        "exports.Redis = require('ioredis/built/Redis.js').default",
        "const cluster = { get: () => require('ioredis/built/cluster/index.js').default, enumerable: true }",
        "Object.defineProperty(exports, 'Cluster', cluster)",
      ].join('\n'),
      resolveDir: ROOT,
    }))
  },
}

/**
 * Modules of Node taken by `require`, not by `import`, which reads every value that a module exports, and so loads what
 * Node itself loads only when it is asked for: of `http`, all of `fetch`. And TLS, which few connections have, with the
 * first that does.
 */
export const builtInsWhenUsed: Plugin = {
  name: 'built-ins-when-used',
  setup(build) {
    build.onResolve({ filter: BUILT_IN }, ({ path, kind, namespace }) =>
      kind === 'import-statement' || (namespace !== 'built-in' && WHEN_USED.test(path))
        ? { path: path.replace(/^node:/, ''), namespace: 'built-in', sideEffects: false }
        : undefined,
    )
    build.onLoad({ filter: /./, namespace: 'built-in' }, async ({ path }) => {
      if (!WHEN_USED.test(path)) return { contents: `module.exports = require('node:${path}')` }
      const names = Object.keys(process.getBuiltinModule(path)!)
      const later = `get: () => require('node:${path}')[name], enumerable: true`
      return {
        contents: `for (const name of ${JSON.stringify(names)}) Object.defineProperty(exports, name, { ${later} })`,
      }
    })
  },
}
const BUILT_IN = new RegExp(`^(node:)?(${builtinModules.join('|')})$`)
const WHEN_USED = /^(node:)?(tls|https)$/

export const leaveOut: Plugin[] = [
  leanZod,
  apartTelemetry,
  redisByParts,
  namedCommands,
  without('no-cluster-of-redis', /ioredis\/built\/Redis\.js$/, [
    'const cluster_1 = require("./cluster");',
    'Redis.Cluster = cluster_1.default;',
  ]),
  // Certificates of a vendor, by a name that no URL can give: 8 KB.
  instead('no-tls-profiles', /ioredis\/built\/constants\/TLSProfiles\.js$/, 'exports.default = {}'),
  // The messages of 50 languages: 260 KB.
  instead('only-english', /zod\/v4\/locales\/index\.js$/, "export { default as en } from './en.js'"),
  // What makes JSON schemas, for `npm run generate`: 22 KB.
  hollow('no-json-schema', /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/),
  // The lines that DEBUG=ioredis:* would print: 9 KB.
  instead('no-debug-lines', /node_modules\/debug\/src\/index\.js$/, 'exports.default = () => () => {}'),
  noJsx,
  // The types of files that mails have attached; ours have none: 75 KB.
  instead(
    'no-attachments',
    /nodemailer\/dist\/esm\/mime-funcs\/mime-types\.js$/,
    [
      "export const detectMimeType = () => 'application/octet-stream'",
      "export const detectExtension = () => 'bin'",
    ].join('\n'),
  ),
]
