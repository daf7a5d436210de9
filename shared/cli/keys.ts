// Commands that list, create and revoke the keys of a project. Guarantee: a key is shown once, when it is created.

import type { KeyRole } from '../accounts/vocabulary.ts'
import { defined } from '../kernel/defined.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { clean, minute } from './format.ts'
import { printList } from './listing.ts'
import { linesOfMade, revokingOf } from './made.ts'
import { BY_ID, inFull } from './pages.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Key = Schemas['ApiKey']

const KEYS: Column<Key>[] = [
  { title: 'PREFIX', value: row => row.prefix },
  { title: 'NAME', value: row => row.name, least: 10 },
  { title: 'ID', value: row => row.id },
  { title: 'CREATED', value: row => minute(row.created_at), optional: 1 },
  { title: 'ROLE', value: row => row.role },
  { title: 'EXPIRES', value: row => (row.expires_at === null ? 'never' : minute(row.expires_at)) },
  { title: 'LAST USED', value: row => (row.last_used_at === null ? 'never' : minute(row.last_used_at)) },
]

const read = ({ api }: Session, path: { projectId: string }) =>
  answered(api.GET('/v1/projects/{projectId}/api-keys', { params: { path } }))

/** Lists keys; with --create or --revoke it does the same as the verbs of these names. */
export async function keys(session: Session, given: Given): Promise<ExitCode> {
  const [name, keyId] = [given.text('create'), given.text('revoke')]
  if (name === undefined && (given.text('role') ?? given.text('expires')) !== undefined)
    throw usageFailure('--role and --expires take --create NAME')
  if (keyId === undefined && Object.keys(revokingOf(given)).length > 0)
    throw usageFailure('--revoke-keys and --revoke-triggers take --revoke ID')
  if (name !== undefined && keyId !== undefined) throw usageFailure('--create and --revoke are two commands')
  if (name !== undefined) return create(session, given, name)
  if (keyId !== undefined) return revoke(session, given, keyId)
  const path = await projectOf(session, given)
  return printList<Key>(session, given, {
    event: 'key',
    empty: 'no keys',
    ...inFull(() => read(session, path)),
    ...BY_ID,
    text: (rows, screen) => table(KEYS, rows, screen),
  })
}

export const createKey = (session: Session, given: Given) => create(session, given, given.arg(0))
export const revokeKey = (session: Session, given: Given) => revoke(session, given, given.arg(0))

async function create(session: Session, given: Given, name: string): Promise<ExitCode> {
  const expires_at = expiryOf(given.text('expires'), session.now())
  const role = given.text('role') as KeyRole | undefined
  const body = { name, ...defined({ role, expires_at }) }
  const params = { path: await projectOf(session, given) }
  const made = await answered(session.api.POST('/v1/projects/{projectId}/api-keys', { params, body }))
  session.output.emit('key_created', made, () => `${made.key}\nThis is the only time the key is shown.`)
  return EXIT.ok
}

/** Revokes a key named by its id, or by the key itself, which its prefix identifies. */
async function revoke(session: Session, given: Given, word: string): Promise<ExitCode> {
  const path = await projectOf(session, given)
  const known = word.startsWith('pk_')
    ? (await read(session, path)).filter(row => word.startsWith(row.prefix))
    : []
  if (word.startsWith('pk_') && known.length !== 1)
    throw usageFailure(`${known.length === 0 ? 'no key begins' : 'several keys begin'} like this`, {
      next: 'assay keys list',
    })
  const keyId = known[0]?.id ?? word
  const params = { path: { ...path, keyId }, query: revokingOf(given) }
  const gone = await answered(session.api.DELETE('/v1/projects/{projectId}/api-keys/{keyId}', { params }))
  session.output.emit('key_revoked', gone, () =>
    [`${gone.prefix}… (${clean(gone.name)}) is dead within five seconds`, ...linesOfMade(gone, 'key')].join(
      '\n',
    ),
  )
  return EXIT.ok
}

/** Reads a time, or a duration from now such as 12h or 30d. @throws Failure `usage` */
function expiryOf(text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined
  const [, amount, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? []
  const at =
    amount === undefined ? Date.parse(text) : now + Number(amount) * (unit === 'h' ? 3_600_000 : 86_400_000)
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw usageFailure(`--expires takes a time or how long from now, not "${text}"`, {
    hint: 'for example 12h, 30d or 2027-01-31T00:00:00Z',
  })
}
