// The commands of deliveries.ts, as data.

import type { Command } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'

export const DELIVERY_COMMANDS: readonly Command[] = [
  {
    name: 'deliveries',
    summary: 'List callbacks and alerts that were sent, newest first.',
    options: [
      { name: 'run', value: 'RUN', about: 'only callbacks of this run' },
      { name: 'failed', about: 'only those that were given up' },
      { name: 'pending', about: 'only those that are still tried' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./deliveries.ts')).deliveries(...given),
  },
  {
    name: 'deliveries show',
    args: ['DELIVERY'],
    summary: 'Show what was sent, and what the receiver answered to each try.',
    run: async (...given) => (await import('./deliveries.ts')).show(...given),
  },
  {
    name: 'deliveries resend',
    args: ['DELIVERY'],
    summary: 'Send again what is over, under the same id.',
    run: async (...given) => (await import('./deliveries.ts')).resend(...given),
  },
  {
    name: 'deliveries secret',
    summary: 'Show the secret that signs what is sent; takes assay login of an owner.',
    member: true,
    options: [
      { name: 'project', value: 'ID', about: 'the project; by default the only one' },
      { name: 'roll', about: 'replace it first; for a day the one before signs as well' },
    ],
    run: async (...given) => (await import('./deliveries.ts')).secret(...given),
  },
]
