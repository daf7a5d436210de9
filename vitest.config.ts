// Two projects: pure modules and the rules of the house need nothing; everything else under test/ shares one PostgreSQL
// and one Redis, which test/support/global-setup.ts starts.

import { defineConfig } from 'vitest/config'
import { agents } from './shared/testing/decorators.ts'

/** Storms, failovers, big uploads: `npm run test:slow` runs these and nothing else, `npm test` all but these. */
const SLOW = '**/*.slow.test.ts'
const which = (include: string[], exclude: string[] = []) =>
  process.env.SLOW === '1'
    ? { include: include.map(one => one.replace('*.test.ts', '*.slow.test.ts')), exclude }
    : { include, exclude: [...exclude, SLOW] }

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
          // Modules are loaded once a worker and not once a file: a third of the time of this project was that.
          isolate: false,
          ...which(['{shared,functions,infra,examples}/**/*.test.ts', 'test/structure/*.test.ts']),
        },
      },
      {
        extends: true,
        plugins: [agents()],
        test: {
          name: 'stores',
          ...which(['test/**/*.test.ts'], ['test/structure/**']),
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
})
