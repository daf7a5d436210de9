// The commands of administer.ts, for the table of commands.

import type { Command, Option } from './arguments.ts'

const project: Option = { name: 'project', value: 'ID', about: "the project; the key's own unless told" }

export const ADMINISTRATION_COMMANDS: readonly Command[] = [
  {
    name: 'projects',
    args: [],
    summary: 'List projects, with what they run and spend.',
    options: [],
    run: async session => (await import('./administer.ts')).projects(session),
  },
  {
    name: 'keys',
    args: [],
    summary: 'List the keys of a project, make one, or revoke one.',
    options: [
      project,
      { name: 'create', value: 'NAME', about: 'make a key; it is shown once' },
      { name: 'revoke', value: 'ID', about: 'revoke a key' },
    ],
    run: async (...given) => (await import('./administer.ts')).keys(...given),
  },
  {
    name: 'members',
    args: [],
    summary: 'List who can sign in; takes the token of a session.',
    options: [],
    run: async session => (await import('./administer.ts')).members(session),
  },
  {
    name: 'audit',
    args: [],
    summary: 'List who changed what and when, newest first.',
    options: [
      project,
      { name: 'action', value: 'NAME', about: 'only this operation, for example createApiKey' },
      { name: 'limit', value: 'N', kind: 'whole', least: 1, about: 'how many to list; 50 unless told' },
    ],
    run: async (...given) => (await import('./administer.ts')).audit(...given),
  },
]
