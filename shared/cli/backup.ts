// Backup and restore. They connect to PostgreSQL directly and need no server; DATABASE_URL or the data folder of
// `npm start` says where it is.

import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import * as infra from '../../infra/backup/index.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { bytes, count, plural } from './format.ts'
import type { Session } from './session.ts'

/** Turns an expected refusal into a Failure with its code, so that it is reported without a stack trace. */
async function reported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const refused = infra.refusalOf(error)
    throw refused === undefined ? error : new Failure(EXIT.api, refused.code, refused.message)
  }
}

const sum = (rows: Record<string, number>) => Object.values(rows).reduce((total, one) => total + one, 0)

export function backup({ folder, env, output, now }: Session, given: Given): Promise<ExitCode> {
  const [name, to, keep] = [given.optionalArg(0), given.text('to'), given.whole('keep')]
  if ((name === undefined) === (to === undefined)) {
    throw usageFailure('it takes a FILE, or --to FOLDER', { next: 'assay backup assay.backup' })
  }
  if (keep !== undefined && to === undefined) throw usageFailure('--keep takes --to FOLDER')
  return reported(async () => {
    await using place = await infra.openPlace({ env, folder }, 'read')
    const at = new Date(now())
    const file = to === undefined ? resolve(folder, name!) : await infra.placeIn(resolve(folder, to), at)
    if (given.flag('with-key') && place.masterKey === undefined) {
      throw usageFailure('--with-key: the master key is not at hand', {
        hint: `it is neither in ASSAY_MASTER_KEY nor in ${place.dataDir}/master.key`,
      })
    }
    const { database, masterKey } = place
    const withKey = given.flag('with-key')
    const taken = await infra.backup({ database, file, masterKey, withKey, now: () => at })
    const removed = keep === undefined ? [] : await infra.prune(resolve(folder, to!), keep, at)
    output.emit('backed_up', { ...taken, removed }, ({ paint }) =>
      [
        `${paint('green', taken.file)}: ${plural(sum(taken.rows), 'row')} of ${place.name}, ${bytes(taken.bytes)}, counted twice`,
        taken.with_key
          ? 'The master key is in it: whoever has the file has everything.'
          : `The master key is not in it (fingerprint ${taken.key_fingerprint ?? 'none yet'}): keep ${place.dataDir}/master.key, or what ASSAY_MASTER_KEY holds, in another place.`,
        taken.signed
          ? 'Signed by the master key, with which alone it is restored.'
          : paint(
              'yellow',
              'Not signed, as the master key of this installation is not at hand: nothing will show whether somebody changed it, and a restore takes --unsigned.',
            ),
        ...(removed.length > 0 ? [`removed ${removed.join(', ')}`] : []),
      ].join('\n'),
    )
    return EXIT.ok
  })
}

export function restore({ folder, env, output }: Session, given: Given): Promise<ExitCode> {
  const file = resolve(folder, given.arg(0))
  return reported(async () => {
    const checked = await infra.checkBackup(file)
    const { header, trailer } = checked
    const from = `taken ${header.made_at.slice(0, 16).replace('T', ' ')} UTC by Assay ${header.version}`
    const within = `${plural(sum(trailer.rows), 'row')} of ${count(header.tables.length)} tables`
    if (given.flag('dry-run')) {
      const { master_key, ...shown } = header
      const origin = await originOf(checked, { env, folder })
      const found = { file, ...shown, with_key: master_key !== undefined, rows: trailer.rows, origin }
      output.emit('checked', found, () =>
        [`${file} is whole: ${within}, ${from}`, ORIGINS[origin], rowsText(trailer.rows)].join('\n'),
      )
      return EXIT.ok
    }
    const judge = {
      masterKey: await infra.masterKeyAt({ env, folder }),
      unsigned: given.flag('unsigned'),
    }
    await infra.judgeOrigin(checked, judge) // before a place is made or started
    await using place = await infra.openPlace({ env, folder }, 'fill')
    const key = await infra.keyFor(place, header)
    const restored = await infra.restore(place.database, file, checked, judge)
    if (key.write !== undefined) await infra.writeMasterKey(place.dataDir, key.write)
    output.emit('restored', { file, ...restored, key: key.state }, ({ paint, program }) =>
      [
        `${paint('green', 'restored')} ${within} into ${place.name}, ${from}; every table was counted again`,
        key.text,
        paint('yellow', 'It is held: no item is dispatched, no schedule fires and no message leaves.'),
        `Start it, look at it, then: ${paint('cyan', `${program} admin go-on`)}`,
      ].join('\n'),
    )
    return EXIT.ok
  })
}

/** What a dry run reports of who wrote the file. */
const ORIGINS = {
  signed: 'It is what the master key at hand signed.',
  backup_unsigned: 'It is not known who wrote it: it bears no signature, or there is no master key here.',
  backup_foreign: 'It is signed under another master key than the one at hand.',
  backup_forged: 'Somebody changed it: it is not what the master key at hand signed.',
}

async function originOf(
  checked: Parameters<typeof infra.judgeOrigin>[0],
  where: Parameters<typeof infra.masterKeyAt>[0],
): Promise<keyof typeof ORIGINS> {
  // A key that cannot be read, or lies where nobody named it, verifies nothing.
  const masterKey = await infra.masterKeyAt(where).catch(() => undefined)
  try {
    await infra.judgeOrigin(checked, { masterKey, unsigned: false })
    return 'signed'
  } catch (error) {
    const code = infra.refusalOf(error)?.code
    if (code !== undefined && code in ORIGINS) return code as keyof typeof ORIGINS
    throw error
  }
}

/** The tables that have rows, the largest first. */
function rowsText(rows: Record<string, number>): string {
  const most = Object.entries(rows).filter(([, n]) => n > 0)
  return most
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, n]) => `  ${name} ${count(n)}`)
    .join('\n')
}

export function admin({ folder, env, output }: Session): Promise<ExitCode> {
  return reported(async () => {
    await using place = await infra.openPlace({ env, folder }, 'read')
    const state = await infra.stateOf(place.database)
    output.emit('installation', state, ({ program }) =>
      [
        `${place.name}: master key ${state.key_fingerprint ?? 'not seen yet'}`,
        state.held_since === null
          ? 'at work'
          : `held since ${state.held_since.toISOString()}; next: ${program} admin go-on`,
      ].join('\n'),
    )
    return EXIT.ok
  })
}

export function goOn({ folder, env, output }: Session): Promise<ExitCode> {
  return reported(async () => {
    await using place = await infra.openPlace({ env, folder }, 'read')
    const since = await infra.goOn(place.database)
    output.emit('went_on', { held_since: since }, () =>
      since === null
        ? `${place.name} was not held`
        : `${place.name} goes on: items are dispatched, schedules fire and messages leave`,
    )
    return EXIT.ok
  })
}

/** Prints the systemd unit unformatted, because it is redirected to a file. */
export async function printUnit({ folder, env }: Session): Promise<void> {
  const { systemdUnit } = await import('../../infra/local/systemd.ts')
  const { checkout, dataDir } = infra.stackOf({ env, folder })
  const { username: user } = userInfo()
  process.stdout.write(systemdUnit({ checkout, user, dataDir, path: env.PATH ?? '' }))
}
