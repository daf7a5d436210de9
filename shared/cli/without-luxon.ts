// Bundles cron-parser without luxon, its library for dates: of 98 KB, 27 are left. Guarantee: fields are parsed as
// they are with it, and a bundle that parses no cron has nothing of either.

import { build, type OnResolveArgs, type Plugin } from 'esbuild'

const PARSER = 'cron-parser'

/** `which` says which imports of cron-parser get it so. An agent that imports it itself may want its dates. */
export const withoutLuxon = (which: (from: OnResolveArgs) => boolean = () => true): Plugin => ({
  name: 'without-luxon',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^cron-parser$/ }, from =>
      which(from)
        ? { path: PARSER, namespace: PARSER, pluginData: from.resolveDir, sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /./, namespace: PARSER }, async ({ pluginData }) => ({
      contents: await fieldsAlone(pluginData),
    }))
  },
})

// A build of its own, so that another import of cron-parser in the same bundle gets the whole package.
async function fieldsAlone(resolveDir: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { CronExpressionParser } from '${PARSER}/dist/CronExpressionParser.js'`,
      resolveDir,
    },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    plugins: [noDates],
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}

/** Whoever parses an expression asks for the present and whether it is valid, even if no time is wanted. */
const noDates: Plugin = {
  name: 'no-dates',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]luxon[\\/]/ }, () => ({
      contents: 'exports.DateTime = { local: () => ({ isValid: true }) }',
    }))
  },
}
