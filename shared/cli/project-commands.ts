// The commands about an agent project's own files, as data.

import type { Command } from './arguments.ts'

export const PROJECT_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    args: ['[FOLDER]'],
    summary: 'Make a new agent project: an agent, its tests and a few items.',
    run: async (...given) => (await import('./init.ts')).init(...given),
  },
  {
    name: 'test',
    args: ['[FILE]'],
    summary: 'Run the tests of agents in this folder, or those of FILE.',
    options: [
      { name: 'sandbox', about: 'run the agents bundled and in workerd, as batches do, and not in Node' },
    ],
    run: async (...given) => (await import('./init.ts')).test(...given),
  },
]
