// The esbuild options that make a Node program one file. Guarantee: only packages that are programs of their own stay
// outside, and no import for a side effect is dropped.

import type { BuildOptions } from 'esbuild'
import { withoutLuxon } from '../shared/cli/without-luxon.ts'

/**
 * Fails the build where esbuild drops an import for its side effect alone, because package.json does not list it:
 * nobody reads warnings.
 */
export const KEEPS_EFFECTS = { 'ignored-bare-import': 'error' } as const

export const FOR_NODE = {
  bundle: true,
  minify: true,
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['workerd', 'esbuild'],
  plugins: [withoutLuxon()],
  logOverride: KEEPS_EFFECTS,
  // CommonJS dependencies load built-in modules by require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
} satisfies BuildOptions
