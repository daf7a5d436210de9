// The commands about alerts, as data.

import { CHANNEL_DIGESTS } from '../alerts/vocabulary.ts'
import { CHANNEL_FORMATS } from '../outbox/vocabulary.ts'
import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS, projectOption as project } from './list-options.ts'

const agent: Option = { name: 'agent', value: 'SLUG', about: 'only for this agent' }

export const ALERT_COMMANDS: readonly Command[] = [
  {
    name: 'alerts',
    summary: 'List what went wrong without anybody asking, newest first.',
    options: [
      { name: 'rule', value: 'RULE', about: 'only alerts of this rule, such as schedule_missed' },
      { name: 'agent', value: 'SLUG', about: 'only alerts about this agent' },
      { name: 'open', about: 'only those that are not resolved' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./alerts.ts')).alerts(...given),
  },
  {
    name: 'alerts rules',
    summary: 'List the rules and what they compare with.',
    options: [project],
    run: async (...given) => (await import('./alerts.ts')).rules(...given),
  },
  {
    name: 'alerts mute',
    args: ['RULE'],
    summary: 'Raise no more alerts by a rule.',
    options: [agent, project],
    run: async (...given) => (await import('./alerts.ts')).mute(...given),
  },
  {
    name: 'alerts unmute',
    args: ['RULE'],
    summary: 'Raise alerts by a rule, with another bound if one is given.',
    options: [
      agent,
      project,
      { name: 'bound', value: 'NAME=N', kind: 'list', about: 'what the rule compares with, as share=0.5' },
    ],
    run: async (...given) => (await import('./alerts.ts')).unmute(...given),
  },
  {
    name: 'alerts channels',
    summary: 'List where alerts go; add a webhook or a mail address, or remove one.',
    options: [
      { name: 'add', value: 'URL', about: 'an https URL, or mailto: with an address' },
      {
        name: 'format',
        value: 'FORMAT',
        choices: CHANNEL_FORMATS,
        about: 'with --add: what it reads; by default guessed from the URL',
      },
      {
        name: 'digest',
        value: 'WHICH',
        choices: CHANNEL_DIGESTS,
        about: 'with --add: runs it gets a digest of; scheduled ones by default',
      },
      { name: 'remove', value: 'ID', about: 'a channel to remove' },
      project,
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./alerts.ts')).channels(...given),
  },
  {
    name: 'alerts test',
    args: ['CHANNEL'],
    summary: 'Send a test message to a channel, and say whether it was taken.',
    options: [project],
    run: async (...given) => (await import('./alerts.ts')).test(...given),
  },
  {
    name: 'alerts deadlines',
    summary: 'List by when, each day, schedules and agents must have finished; set or remove one.',
    options: [
      { name: 'set', value: 'HH:MM', about: 'alert when nothing has finished by then' },
      { name: 'schedule', value: 'SCHEDULE', about: 'with --set: the schedule whose run must have ended' },
      { name: 'agent', value: 'SLUG', about: 'with --set: the agent of which some run must have ended' },
      {
        name: 'timezone',
        value: 'ZONE',
        about: "with --set: such as Europe/Berlin; the schedule's own by default",
      },
      { name: 'remove', value: 'ID', about: 'a deadline to remove' },
      project,
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./deadlines.ts')).deadlines(...given),
  },
]
