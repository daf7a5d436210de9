// The commands of administer.ts, for the table of commands.

import { KEY_ROLES } from '../domain/vocabulary.ts'
import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS } from './list-options.ts'

const project: Option = { name: 'project', value: 'ID', about: "the project; the key's own unless told" }

export const ADMINISTRATION_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    args: [],
    summary: 'Sign in as a member; what takes one is asked as you from then on.',
    options: [
      {
        name: 'email',
        value: 'EMAIL',
        about: 'who you are; without a terminal the password comes on standard input',
      },
    ],
    run: async (...given) => (await import('./login.ts')).login(...given),
  },
  {
    name: 'logout',
    args: [],
    summary: 'Sign out.',
    options: [],
    run: async session => (await import('./login.ts')).logout(session),
  },
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
      { name: 'role', value: 'ROLE', choices: KEY_ROLES, about: 'with --create: a viewer only reads' },
      { name: 'expires', value: 'WHEN', about: 'with --create: a time, or how long from now, such as 30d' },
      { name: 'revoke', value: 'ID', about: 'revoke a key' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./administer.ts')).keys(...given),
  },
  {
    name: 'members',
    args: [],
    summary: 'List who can sign in; takes assay login.',
    member: true,
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
