// What bundles leave out of the code they are made of. Guarantee: nothing that a function runs; whoever asks for a part
// that is left out finds it missing when the bundle is made, not when it runs.

import { readFile } from 'node:fs/promises'
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

export const leaveOut: Plugin[] = [
  leanZod,
  apartTelemetry,
  // The messages of 50 languages: 260 KB.
  instead('only-english', /zod\/v4\/locales\/index\.js$/, "export { default as en } from './en.js'"),
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
