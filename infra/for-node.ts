// How a program for Node is made into one file. Guarantee: of its packages only programs of their own stay outside.

import type { BuildOptions } from 'esbuild'

export const FOR_NODE = {
  bundle: true,
  minify: true,
  keepNames: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['workerd', 'esbuild'],
  // Dependencies that are CommonJS ask for built-in modules by require.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
} satisfies BuildOptions
