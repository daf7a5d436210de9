// The commands of schedules.ts, for the table of commands.

import { RESULT_FORMATS } from '../results/vocabulary.ts'
import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'
import { SOURCE_OPTIONS } from './source-options.ts'
import { allowUnpriced, tagOption } from './start-options.ts'

const timezone: Option = { name: 'timezone', value: 'ZONE', about: 'an IANA name such as Europe/Berlin' }
const settings: readonly Option[] = [
  { name: 'name', value: 'NAME', about: 'what people call it, and its runs' },
  { name: 'input', value: 'JSON', about: 'the input of each run, which is over one item' },
  ...SOURCE_OPTIONS,
  { name: 'budget', value: 'AMOUNT', kind: 'amount', about: 'money each run may spend' },
  allowUnpriced,
  {
    name: 'pilot',
    value: 'N',
    kind: 'whole',
    least: 1,
    about: 'so many items of each run go first; the others follow if one of these was ok',
  },
  { name: 'timeout', value: 'SECONDS', kind: 'whole', least: 1, about: 'time an item may take' },
  { name: 'callback-url', value: 'URL', about: 'gets a signed summary when a run ends' },
  { name: 'results-url', value: 'URL', about: 'gets the results of each run as a file when it has ended' },
  {
    name: 'results-format',
    value: 'FORMAT',
    choices: RESULT_FORMATS,
    about: 'of that file; csv unless told',
  },
  { ...tagOption, about: 'a word by which its runs are found again; may be given several times' },
]

export const SCHEDULE_COMMANDS: readonly Command[] = [
  {
    name: 'schedules',
    args: [],
    summary: 'List schedules: when each fires next, and what became of its latest moment.',
    options: [{ name: 'agent', value: 'SLUG', about: 'only schedules of this agent' }, ...LIST_OPTIONS],
    run: async (...given) => (await import('./schedules.ts')).schedules(...given),
  },
  {
    name: 'schedules preview',
    args: ['CRON'],
    summary: 'Tell when an expression would fire, on the clock of its zone.',
    options: [{ ...timezone, about: `${timezone.about}; UTC unless told` }],
    run: async (...given) => (await import('./schedules.ts')).preview(...given),
  },
  {
    name: 'schedules create',
    args: ['AGENT', 'CRON'],
    summary: 'Start an agent again and again, whenever CRON says.',
    options: [
      { ...timezone, about: `${timezone.about}; UTC unless told` },
      ...settings,
      { name: 'disabled', about: 'do not fire until it is enabled' },
    ],
    run: async (...given) => (await import('./schedules.ts')).create(...given),
  },
  {
    name: 'schedules update',
    args: ['SCHEDULE'],
    summary: 'Change a schedule; a new cron or zone counts at once.',
    options: [{ name: 'cron', value: 'CRON', about: 'five fields' }, timezone, ...settings],
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
      { name: 'dry-run', about: 'only read its source: how many items, and the first five' },
      { name: 'watch', about: 'follow the run to its end; its verdict is the exit code' },
    ],
    run: async (...given) => (await import('./schedules.ts')).trigger(...given),
  },
  {
    name: 'schedules enable',
    args: ['SCHEDULE'],
    summary: 'Let a schedule fire again, from its next moment on.',
    options: [],
    run: async (...given) => (await import('./schedules.ts')).enable(...given),
  },
  {
    name: 'schedules disable',
    args: ['SCHEDULE'],
    summary: 'Keep a schedule from firing.',
    options: [],
    run: async (...given) => (await import('./schedules.ts')).disable(...given),
  },
  {
    name: 'schedules delete',
    args: ['SCHEDULE'],
    summary: 'Delete a schedule with its events; the runs it started stay.',
    options: [],
    run: async (...given) => (await import('./schedules.ts')).remove(...given),
  },
]
