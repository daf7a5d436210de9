// How a program for Node is made into one file. Guarantee: of its packages only programs of their own stay outside,
// and nothing that is imported for its effect is left out.

import type { BuildOptions } from 'esbuild'

/** What is imported for its effect alone and left out, since package.json does not name it, ends the build: nobody reads warnings. */
export const KEEPS_EFFECTS = { 'ignored-bare-import': 'error' } as const

export const FOR_NODE = {
  bundle: true,
  minify: true,
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['workerd', 'esbuild'],
  logOverride: KEEPS_EFFECTS,
  // Dependencies that are CommonJS ask for built-in modules by require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
} satisfies BuildOptions
