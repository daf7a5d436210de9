// The commands of upstreams.ts and limits.ts, as data.

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
  {
    name: 'limits',
    summary: 'List limits of providers and agents: set by people, and reported.',
    options: [project, ...LIST_OPTIONS],
    run: async (...given) => (await import('./limits.ts')).limits(...given),
  },
  {
    name: 'limits set',
    args: ['HOST'],
    summary: 'Set limits of a provider or agent; takes assay login as an owner.',
    member: true,
    options: [
      { name: 'credential', value: 'NAME', about: 'only for the key in this variable of the environment' },
      { name: 'requests', value: 'RATE', about: 'calls, such as 500/min; units s, min, h, d' },
      { name: 'tokens', value: 'RATE', about: 'tokens of input and output, such as 200000/min' },
      { name: 'in-flight', value: 'N', kind: 'whole', least: 1, about: 'items in flight at once' },
      project,
    ],
    run: async (...given) => (await import('./limits.ts')).setLimits(...given),
  },
  {
    name: 'limits unset',
    args: ['HOST'],
    summary: 'Unset the limits that people set; what answers report still counts.',
    member: true,
    options: [
      { name: 'credential', value: 'NAME', about: 'only those for this variable of the environment' },
      project,
    ],
    run: async (...given) => (await import('./limits.ts')).unsetLimits(...given),
  },
]
