// Builds the names of keys and channels in Redis. Guarantee: each begins with the installation's name, so installations
// that share a Redis do not see each other; no name is built elsewhere (test/structure/redis-keys.test.ts).

import type { Redis } from '../context.ts'
import { prefixOf } from '../kernel/installation-name.ts'

/** What is kept in Redis, each by its own module. */
export type Kept = 'cache' | 'consumers' | 'rate' | 'seldom' | 'turns' | 'wake'

/**
 * The name of a key or channel; `redis` knows the installation.
 *
 * @example
 * keyOf(redis, 'cache', 'clusters') // assay:cache:clusters, or assay-staging:cache:clusters
 */
export const keyOf = ({ installation }: Redis, kept: Kept, ...name: string[]): string =>
  [prefixOf(installation), kept, ...name].join(':')
