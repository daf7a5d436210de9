// Two projects: pure modules are tested beside themselves and need nothing; everything under test/ shares one
// PostgreSQL and one Redis, which test/support/global-setup.ts starts.

import { transform } from 'esbuild'
import { defineConfig, type Plugin } from 'vitest/config'

/** Agents are written with standard decorators, which neither Node nor Vite's own transform can run. */
const lowerDecorators: Plugin = {
  name: 'lower-decorators',
  enforce: 'pre',
  async transform(code, id) {
    if (!/\.ts$/.test(id) || !/^\s*@[A-Za-z]\w*(\(|\s*$)/m.test(code)) return
    const { code: lowered, map } = await transform(code, {
      loader: 'ts',
      target: 'es2022',
      sourcefile: id,
      sourcemap: 'external',
    })
    return { code: lowered, map }
  },
}

export default defineConfig({
  test: {
    // Processes, not threads: what a test starts is ended by the kernel when its worker dies.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
    projects: [
      {
        extends: true,
        plugins: [lowerDecorators],
        test: {
          name: 'unit',
          include: ['{shared,functions,infra,examples}/**/*.test.ts'],
        },
      },
      {
        extends: true,
        plugins: [lowerDecorators],
        test: {
          name: 'stores',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
})
