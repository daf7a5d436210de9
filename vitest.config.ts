// Two projects: pure modules and the rules of the house need nothing; everything else under test/ shares one PostgreSQL
// and one Redis, which test/support/global-setup.ts starts.

import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { agents } from './shared/testing/decorators.ts'

/** Failovers, other hosts, big uploads: `npm run test:slow` runs these and nothing else, `npm test` all but these. */
const SLOW = '**/*.slow.test.ts'
/**
 * Attacks and storms, which measure, and the rules of the interface once more with a process for each endpoint: together as long as
 * all others, so `npm run test:long` runs them alone. Of packaging, `functions.slow` holds the same rules with a process for each group.
 */
const LONG = ['test/hostile/**', 'test/storm/**', 'test/conformance/endpoints.slow.test.ts']
/** Larger there than among the slow ones. */
const LARGER = 'test/faults/dead-claims.slow.test.ts'
function which(include: string[], more: string[] = []) {
  const exclude = ['**/node_modules/**', ...more]
  if (process.env.SLOW !== '1') return { include, exclude: [...exclude, SLOW] }
  if (process.env.LONG === '1')
    return { include: [...LONG.map(one => one.replace(/\*\*$/, '**/*.slow.test.ts')), LARGER], exclude }
  const slow = include.map(one => one.replace('*.test.ts', '*.slow.test.ts'))
  return { include: slow, exclude: [...exclude, ...LONG] }
}

/** Longer than others by much: begun last, one of them would run on alone. Without a cache Vitest goes by the size of files. */
const LONGEST = [
  'conformance/node.test.ts',
  'conformance/endpoints.slow.test.ts',
  'conformance/functions.slow.test.ts',
  'conformance/fuzz.slow.test.ts',
  'conformance/workerd.slow.test.ts',
  'e2e/cli.test.ts',
  'sdk/python/python.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      LONGEST.findIndex(name => moduleId.endsWith(name)) + 1 || LONGEST.length + 1
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

/** Stops nodes of a cluster that it starts, for which Citus has to be installed: `npm run test:citus`, and no other. */
const CITUS = process.env.CITUS === '1'
const citus = {
  extends: true as const,
  plugins: [agents()],
  test: {
    name: 'citus',
    include: ['test/citus/*.test.ts'],
    globalSetup: ['test/support/citus-setup.ts'],
    // They stop the nodes of one another.
    fileParallelism: false,
    testTimeout: 600_000,
  },
}

export default defineConfig({
  test: {
    // Processes, not threads: what a test starts is ended by the kernel when its worker dies.
    pool: 'forks',
    // Two more than the processors of a small machine: tests wait for stores and processes a third of their time or more.
    // The slow ones start servers and platforms of their own, which wait less.
    maxWorkers: process.env.SLOW === '1' ? 3 : 4,
    sequence: { sequencer: LongestFirst },
    // They bound a test that hangs. The slowest takes 70 s on two quiet cores; a machine may be busy with other work.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    teardownTimeout: 30_000,
    runner: join(import.meta.dirname, 'test/support/in-time.ts'),
    env: {
      BASE_URL: '', // Vite's own word for something else; servers that tests start would take it for theirs
      // Hundreds of processes of the same programs: with it a command takes 0.1 s less processor time, a server 0.4 of 1.4 s.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled'),
    },
    projects: CITUS
      ? [citus]
      : [
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
              // Modules are loaded once a worker, as above: importing was 22 % of the time of the integration tests. Slow tests
              // measure the memory of their process, which no other file may fill.
              isolate: process.env.SLOW === '1',
              ...which(['test/**/*.test.ts'], ['test/structure/**', 'test/citus/**']),
              globalSetup: ['test/support/global-setup.ts'],
              setupFiles: ['test/support/each-file.ts'],
            },
          },
        ],
  },
})
