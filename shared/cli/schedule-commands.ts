// The commands of schedules.ts, as data.

import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'
import { SCHEDULE_SETTINGS } from './schedule-settings.ts'

const timezone: Option = { name: 'timezone', value: 'ZONE', about: 'an IANA name such as Europe/Berlin' }
export const SCHEDULE_COMMANDS: readonly Command[] = [
  {
    name: 'schedules',
    summary: 'List schedules: when each fires next, and what became of its latest moment.',
    options: [{ name: 'agent', value: 'SLUG', about: 'only schedules of this agent' }, ...LIST_OPTIONS],
    run: async (...given) => (await import('./schedules.ts')).schedules(...given),
  },
  {
    name: 'schedules show',
    args: ['SCHEDULE'],
    summary: 'Show a schedule, by its id or name: when it fires, what it reads, what it starts runs with.',
    run: async (...given) => (await import('./schedules.ts')).show(...given),
  },
  {
    name: 'schedules preview',
    args: ['CRON'],
    summary: 'Print when an expression would fire, on the clock of its zone.',
    options: [{ ...timezone, about: `${timezone.about}; UTC by default` }],
    run: async (...given) => (await import('./schedules.ts')).preview(...given),
  },
  {
    name: 'schedules create',
    args: ['AGENT', 'CRON'],
    summary: 'Start an agent again and again, whenever CRON says.',
    memberFor: 'limit',
    options: [
      { ...timezone, about: `${timezone.about}; UTC by default` },
      ...SCHEDULE_SETTINGS,
      { name: 'disabled', about: 'do not fire until it is enabled' },
    ],
    run: async (...given) => (await import('./schedules.ts')).create(...given),
  },
  {
    name: 'schedules update',
    args: ['SCHEDULE'],
    summary: 'Change a schedule; a new cron or zone counts at once.',
    memberFor: 'limit',
    options: [{ name: 'cron', value: 'CRON', about: 'five fields' }, timezone, ...SCHEDULE_SETTINGS],
    run: async (...given) => (await import('./schedules.ts')).update(...given),
  },
  {
    name: 'schedules events',
    args: ['SCHEDULE'],
    summary: 'List what became of each moment of a schedule, newest first.',
    options: LIST_OPTIONS,
    run: async (...given) => (await import('./schedules.ts')).events(...given),
  },
  {
    name: 'schedules trigger',
    args: ['SCHEDULE'],
    summary: 'Start what a schedule starts, now; also while it is disabled.',
    options: [
      {
        name: 'dry-run',
        about: 'only read its source: how many items, the first five, and how long they take',
      },
      { name: 'watch', about: 'follow the run to its end; its verdict is the exit code' },
    ],
    run: async (...given) => (await import('./schedules.ts')).trigger(...given),
  },
  {
    name: 'schedules enable',
    args: ['SCHEDULE'],
    summary: 'Let a schedule fire again, from its next moment on.',
    run: async (...given) => (await import('./schedules.ts')).enable(...given),
  },
  {
    name: 'schedules disable',
    args: ['SCHEDULE'],
    summary: 'Keep a schedule from firing.',
    run: async (...given) => (await import('./schedules.ts')).disable(...given),
  },
  {
    name: 'schedules delete',
    args: ['SCHEDULE'],
    summary: 'Delete a schedule with its events; the runs it started stay.',
    run: async (...given) => (await import('./schedules.ts')).remove(...given),
  },
]
