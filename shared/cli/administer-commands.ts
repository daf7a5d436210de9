// The commands for signing in, projects, keys, members and the audit log, as data. Their code is in files of these
// names.

import { KEY_ROLES, MEMBER_ROLES } from '../accounts/vocabulary.ts'
import type { Command, Option } from './arguments.ts'
import { LIST_OPTIONS, projectOption as project } from './list-options.ts'

const keyOptions: readonly Option[] = [
  { name: 'role', value: 'ROLE', choices: KEY_ROLES, about: 'a viewer only reads; operator by default' },
  { name: 'expires', value: 'WHEN', about: 'a time, or how long from now, such as 30d; never by default' },
]
const REVOKING: readonly Option[] = [
  { name: 'revoke-keys', about: 'revoke the keys that they made, too' },
  { name: 'revoke-triggers', about: 'delete the triggers whose secret they know, too' },
]
const limit = (name: string, about: string): Option => ({
  name,
  value: 'N',
  kind: 'whole',
  least: 1,
  none: true,
  about: `${about}; none takes it back`,
})

const SIGN_IN: readonly Command[] = [
  {
    name: 'login',
    anyProfile: true,
    summary: 'Sign in as a member; what takes one is asked as you from then on.',
    options: [
      {
        name: 'email',
        value: 'EMAIL',
        about: 'who you are; without a terminal the password comes on standard input',
      },
      { name: 'server', value: 'URL', about: 'where; by default the server that other commands ask' },
    ],
    run: async (...given) => (await import('./login.ts')).login(...given),
  },
  {
    name: 'logout',
    summary: 'Sign out.',
    run: async session => (await import('./login.ts')).logout(session),
  },
  {
    name: 'profiles',
    anyProfile: true,
    summary: 'List the servers that login --profile NAME was said of.',
    run: async session => (await import('./login.ts')).profiles(session),
  },
  {
    name: 'profiles use',
    args: ['NAME'],
    anyProfile: true,
    summary: 'Ask that server by default; local goes back to the stack that runs here.',
    run: async (...given) => (await import('./login.ts')).useProfile(...given),
  },
]

const PROJECTS: readonly Command[] = [
  ...['projects', 'projects list'].map(
    (name): Command => ({
      name,
      summary: 'List projects, with what they run and spend.',
      options: LIST_OPTIONS,
      run: async (...given) => (await import('./projects.ts')).projects(...given),
    }),
  ),
  {
    name: 'projects create',
    args: ['NAME'],
    summary: 'Make a project; takes assay login as an owner, like what changes one.',
    member: true,
    run: async (...given) => (await import('./projects.ts')).createProject(...given),
  },
  {
    name: 'projects rename',
    args: ['PROJECT', 'NAME'],
    summary: 'Give a project, by its id or name, another name.',
    member: true,
    run: async (...given) => (await import('./projects.ts')).renameProject(...given),
  },
  {
    name: 'projects settings',
    args: ['PROJECT'],
    summary: 'Show or set the limits of a project; money is in assay projects budget.',
    member: true,
    options: [
      limit('concurrency', 'items at work at once at most'),
      limit('partition-concurrency', 'items of one partition at work at once at most'),
      limit('open-runs', 'runs that have not ended, at most'),
      limit('requests-per-second', 'what each key may ask'),
      limit('step-retention-days', 'days that a run keeps its steps'),
      limit('payload-retention-days', 'days that a run keeps inputs and outputs'),
      limit('record-retention-days', 'days that a run keeps its items, and is kept itself'),
      {
        name: 'keys-may-mint',
        value: 'WHICH',
        choices: ['yes', 'no'],
        about: 'whether a key may make other keys',
      },
    ],
    run: async (...given) => (await import('./projects.ts')).projectSettings(...given),
  },
  {
    name: 'projects delete',
    args: ['PROJECT'],
    summary: 'Delete a project with everything in it.',
    member: true,
    options: [{ name: 'confirm', value: 'NAME', about: 'its name, to say that you mean it' }],
    run: async (...given) => (await import('./projects.ts')).deleteProject(...given),
  },
]

const KEYS: readonly Command[] = [
  {
    name: 'keys',
    summary: 'List the keys of a project, make one, or revoke one.',
    options: [
      project,
      { name: 'create', value: 'NAME', about: 'make a key; it is shown once' },
      ...keyOptions.map(option => ({ ...option, about: `with --create: ${option.about}` })),
      { name: 'revoke', value: 'ID', about: 'revoke a key' },
      ...REVOKING.map(option => ({ ...option, about: `with --revoke: ${option.about}` })),
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./keys.ts')).keys(...given),
  },
  {
    name: 'keys list',
    summary: 'List the keys of a project.',
    options: [project, ...LIST_OPTIONS],
    run: async (...given) => (await import('./keys.ts')).keys(...given),
  },
  {
    name: 'keys create',
    args: ['NAME'],
    summary: 'Make a key; it is shown once.',
    options: [project, ...keyOptions],
    run: async (...given) => (await import('./keys.ts')).createKey(...given),
  },
  {
    name: 'keys revoke',
    args: ['KEY'],
    summary: 'Revoke a key, by its id or by the key itself, and list what was made with it that stays.',
    options: [project, ...REVOKING],
    run: async (...given) => (await import('./keys.ts')).revokeKey(...given),
  },
]

const MEMBERS: readonly Command[] = [
  ...['members', 'members list'].map(
    (name): Command => ({
      name,
      summary: 'List who can sign in; takes assay login.',
      member: true,
      options: LIST_OPTIONS,
      run: async (...given) => (await import('./members.ts')).members(...given),
    }),
  ),
  {
    name: 'members add',
    args: ['EMAIL'],
    summary:
      'Let somebody sign in, with a password that is shown once; takes an owner, like what changes members.',
    member: true,
    options: [
      { name: 'role', value: 'ROLE', choices: MEMBER_ROLES, about: 'what they may do; operator by default' },
    ],
    run: async (...given) => (await import('./members.ts')).addMember(...given),
  },
  {
    name: 'members role',
    args: ['MEMBER', 'ROLE'],
    summary: `Change what a member, by id or e-mail, may do: ${MEMBER_ROLES.join(', ')}. One who may do less leaves what they made, which is listed.`,
    member: true,
    options: REVOKING,
    run: async (...given) => (await import('./members.ts')).changeRole(...given),
  },
  {
    name: 'members password',
    args: ['MEMBER'],
    summary: 'Make a link by which a member sets a new password, once; it is shown once.',
    member: true,
    run: async (...given) => (await import('./members.ts')).linkPassword(...given),
  },
  {
    name: 'members remove',
    args: ['MEMBER'],
    summary: 'Remove a member, and list what they made that stays.',
    member: true,
    options: REVOKING,
    run: async (...given) => (await import('./members.ts')).removeMember(...given),
  },
]

export const ADMINISTRATION_COMMANDS: readonly Command[] = [
  ...SIGN_IN,
  ...PROJECTS,
  ...KEYS,
  ...MEMBERS,
  {
    name: 'audit',
    summary: 'List who changed what and when, newest first.',
    options: [
      project,
      { name: 'action', value: 'NAME', about: 'only this operation, for example createApiKey' },
      ...LIST_OPTIONS,
    ],
    run: async (...given) => (await import('./audit.ts')).audit(...given),
  },
]
