// Two projects: pure modules and the rules of the house need nothing; everything else under test/ shares one PostgreSQL
// and one Redis, which test/support/global-setup.ts starts.

import { defineConfig } from 'vitest/config'
import { agents } from './shared/testing/decorators.ts'

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
        plugins: [agents()],
        test: {
          name: 'unit',
          include: ['{shared,functions,infra,examples}/**/*.test.ts', 'test/structure/*.test.ts'],
        },
      },
      {
        extends: true,
        plugins: [agents()],
        test: {
          name: 'stores',
          include: ['test/**/*.test.ts'],
          exclude: ['test/structure/**'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
})
