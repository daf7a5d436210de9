// The commands of administer.ts, for the table of commands.

import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'

const project: Option = { name: 'project', value: 'ID', about: "the project; the key's own unless told" }

export const ADMINISTRATION_COMMANDS: readonly Command[] = [
  {
    name: 'projects',
    args: [],
    summary: 'List projects, with what they run and spend.',
    options: LIST_OPTIONS,
    run: async (...given) => (await import('./administer.ts')).projects(...given),
  },
  {
    name: 'keys',
    args: [],
    summary: 'List the keys of a project, make one, or revoke one.',
    options: [
      project,
      { name: 'create', value: 'NAME', about: 'make a key; it is shown once' },
      { name: 'revoke', value: 'ID', about: 'revoke a key' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./administer.ts')).keys(...given),
  },
  {
    name: 'members',
    args: [],
    summary: 'List who can sign in; takes the token of a session.',
    options: LIST_OPTIONS,
    run: async (...given) => (await import('./administer.ts')).members(...given),
  },
  {
    name: 'audit',
    args: [],
    summary: 'List who changed what and when, newest first.',
    options: [
      project,
      { name: 'action', value: 'NAME', about: 'only this operation, for example createApiKey' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./administer.ts')).audit(...given),
  },
]
