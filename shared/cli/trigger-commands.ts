// The commands of triggers.ts, as data.

import { SIGNATURE_SCHEMES } from '../triggers/vocabulary.ts'
import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'
import { SOURCE_OPTIONS } from './source-options.ts'
import { START_SETTINGS } from './start-options.ts'

const agent: Option = {
  name: 'agent',
  value: 'SLUG',
  about: 'the agent; needed where two have a trigger of this name',
}
const signingSecret: Option = {
  name: 'signing-secret',
  value: 'ENV',
  about: 'the environment variable, here, that holds the secret the sender made',
}

const items: Option = {
  name: 'items',
  none: true,
  about: 'the body of a fire is many items: a JSON array, or a JSON value a line',
}

export const TRIGGER_COMMANDS: readonly Command[] = [
  {
    name: 'triggers',
    summary: 'List triggers, the URLs that start an agent, and when each last did.',
    options: [{ name: 'agent', value: 'SLUG', about: 'only triggers of this agent' }, ...LIST_OPTIONS],
    run: async (...given) => (await import('./triggers.ts')).triggers(...given),
  },
  {
    name: 'triggers create',
    args: ['NAME'],
    summary: 'Make a URL that starts an agent; its secret is shown once.',
    options: [
      { name: 'agent', value: 'SLUG', about: 'the agent' },
      {
        name: 'scheme',
        value: 'NAME',
        choices: SIGNATURE_SCHEMES,
        about: 'how its sender proves itself; bearer by default',
      },
      {
        name: 'secret-env',
        value: 'NAME',
        about: "the sender's environment variable that will hold the secret",
      },
      signingSecret,
      items,
      ...SOURCE_OPTIONS,
      ...START_SETTINGS,
    ],
    run: async (...given) => (await import('./triggers.ts')).create(...given),
  },
  {
    name: 'triggers show',
    args: ['NAME'],
    summary: 'Show a trigger: its URL, where its items come from, and what its runs are started with.',
    options: [agent],
    run: async (...given) => (await import('./triggers.ts')).show(...given),
  },
  {
    name: 'triggers update',
    args: ['NAME'],
    summary: 'Change what the fires of a trigger start; its URL and secret stay.',
    options: [agent, items, ...SOURCE_OPTIONS, ...START_SETTINGS],
    run: async (...given) => (await import('./triggers.ts')).update(...given),
  },
  {
    name: 'triggers rename',
    args: ['NAME', 'NEW-NAME'],
    summary: 'Give a trigger another name, URL and secret; the old ones end at once.',
    options: [agent, signingSecret],
    run: async (...given) => (await import('./triggers.ts')).rename(...given),
  },
  {
    name: 'triggers secret',
    args: ['NAME'],
    summary: 'Give a trigger the secret that its sender made, or the next one.',
    options: [agent, signingSecret],
    run: async (...given) => (await import('./triggers.ts')).giveSecret(...given),
  },
  {
    name: 'triggers delete',
    args: ['NAME'],
    summary: 'Delete a trigger; its URL ends at once, the runs it started stay.',
    options: [agent],
    run: async (...given) => (await import('./triggers.ts')).remove(...given),
  },
]
