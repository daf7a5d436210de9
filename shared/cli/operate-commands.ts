// The commands for operators of an installation, as data.

import type { Command } from './arguments.ts'
import { EXIT, Failure } from './failure.ts'

/** Loads the code that works on the stores. @throws Failure `not_here` if the package came without their drivers */
async function operating() {
  try {
    return await import('./backup.ts')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Failure(EXIT.usage, 'not_here', 'this package talks to a server alone, not to its database', {
      hint: "run it where the installation is: in Assay's checkout, or in its image",
    })
  }
}

export const OPERATE_COMMANDS: readonly Command[] = [
  {
    name: 'backup',
    args: ['[FILE]'],
    summary: 'Write all of an installation into one file, while it works.',
    options: [
      { name: 'to', value: 'FOLDER', about: 'a folder of backups instead, each named by its time; for cron' },
      {
        name: 'keep',
        value: 'N',
        kind: 'whole',
        least: 1,
        about: 'with --to: how many stay, the newest; all by default',
      },
      { name: 'with-key', about: 'the master key goes along: the file alone is then everything' },
    ],
    run: async (...given) => (await operating()).backup(...given),
  },
  {
    name: 'restore',
    args: ['FILE'],
    summary: 'Restore a backup into an empty installation; it is held at first.',
    options: [
      { name: 'dry-run', about: 'read the file through and print what is in it, and change nothing' },
      {
        name: 'unsigned',
        about:
          'accept a file that no key at hand vouches for: whoever wrote it may have put in owners and keys of their own',
      },
    ],
    run: async (...given) => (await operating()).restore(...given),
  },
  {
    name: 'admin',
    summary: 'Show whether the installation is held, and what its master key is known by.',
    run: async session => (await operating()).admin(session),
  },
  {
    name: 'admin go-on',
    summary: 'Let a restored installation dispatch, fire and send again.',
    run: async session => (await operating()).goOn(session),
  },
  {
    name: 'admin systemd-unit',
    summary: 'Print the unit by which systemd starts this checkout at boot.',
    run: async session => (await operating()).printUnit(session),
  },
]
