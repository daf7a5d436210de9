// The commands about an agent project's own files, as data.

import type { Command } from './arguments.ts'

export const PROJECT_COMMANDS: readonly Command[] = [
  {
    name: 'init',
    args: ['[FOLDER]'],
    summary: 'Make a new agent project: an agent, its tests and a few items.',
    options: [
      { name: 'python', about: 'in Python; in TypeScript by default' },
      {
        name: 'wheel',
        value: 'FILE',
        about: 'with --python outside a checkout: the wheel of the package assay',
      },
    ],
    run: async (...given) => (await import('./init.ts')).init(...given),
  },
  {
    name: 'test',
    args: ['[FILE]'],
    summary: 'Run the tests of agents in this folder, or one item of an agent in Python.',
    options: [
      { name: 'sandbox', about: 'run the agents bundled and in workerd, as batches do, and not in Node' },
      {
        name: 'input',
        value: 'JSON',
        about: 'run this item of FILE, an agent in Python, and print its verdict',
      },
      { name: 'url', value: 'URL', about: 'of an agent that is served there already, instead of FILE' },
      { name: 'item-id', value: 'ID', about: 'its item_id; item by default' },
      { name: 'resume', about: 'let the item pass every hold, like a person who resumes it' },
    ],
    run: async (...given) => (await import('./try-item.ts')).test(...given),
  },
]
