// The commands of upstreams.ts, as data.

import type { Command } from './arguments.ts'
import { LIST_OPTIONS, projectOption as project } from './list-options.ts'

export const UPSTREAM_COMMANDS: readonly Command[] = [
  {
    name: 'upstreams',
    summary: 'List providers and agents that serve nobody, and why.',
    options: [project, ...LIST_OPTIONS],
    run: async (...given) => (await import('./upstreams.ts')).upstreams(...given),
  },
  {
    name: 'upstreams retry',
    args: ['HOST'],
    summary: 'Try a host now; what waits follows if it serves.',
    options: [project],
    run: async (...given) => (await import('./upstreams.ts')).retry(...given),
  },
]
