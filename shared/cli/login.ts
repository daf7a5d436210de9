// Commands to sign in and out. Guarantee: the password is never shown, stored, or taken from the command line, where
// others could read it.

import { ApiFailure, createClient } from '../sdk/client.ts'
import { serverOf } from './access.ts'
import { connect } from './api.ts'
import type { Given } from './arguments.ts'
import { ask, askHidden, canAsk } from './ask.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { retried } from './retrying.ts'
import type { Session } from './session.ts'
import {
  keepSignedIn,
  LOCAL,
  memberFetch,
  readKept,
  signedIn,
  signedInAt,
  useAsCurrent,
} from './signed-in.ts'
import { type Column, table } from './table.ts'

const PROFILE_NAME = /^[\w.-]{1,64}$/

export async function login(session: Session, given: Given): Promise<ExitCode> {
  const { output, folder } = session
  const server = given.text('server')
  const env = server === undefined ? session.env : { ...session.env, ASSAY_BASE_URL: server }
  const base_url = serverOf(env, folder)
  const profile = env.ASSAY_PROFILE
  if (profile !== undefined && !PROFILE_NAME.test(profile))
    throw usageFailure(`"${profile}" cannot be the name of a profile`, {
      hint: 'it takes letters, digits, dots, dashes and underscores',
    })
  const { email, password } = canAsk() ? await asked(given) : await piped(given)
  const client = retried(connect({ base_url, api_key: '' }), session.retrying)
  try {
    const { data } = await client.POST('/v1/sessions', { body: { email, password } })
    const file = keepSignedIn(env, base_url, signedIn(email, data!))
    output.emit(
      'signed_in',
      { email, base_url, file, ...(profile !== undefined && { profile }) },
      () =>
        `signed in at ${base_url} as ${email}${profile === undefined ? '' : ` (--profile ${profile})`}, kept in ${file}`,
    )
    return EXIT.ok
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'unauthenticated') throw error
    throw new Failure(EXIT.api, 'unauthenticated', 'the e-mail or the password is wrong', {
      hint: `at ${base_url}; the first start of a stack prints both and leaves them in .assay/local.json`,
    })
  }
}

async function asked(given: Given) {
  const email = given.text('email') ?? (await ask('E-mail: '))
  return { email, password: await askHidden('Password: ') }
}

/** Reads the password from standard input, without the line break at its end. */
async function piped(given: Given) {
  const email = given.text('email')
  if (email === undefined)
    throw usageFailure('--email is missing', {
      hint: 'without a terminal the password is read from standard input',
      next: 'assay login --email EMAIL < password-file',
    })
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(Buffer.from(chunk))
  const password = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '')
  if (password === '') throw usageFailure('standard input holds no password')
  return { email, password }
}

/** Signs out here and at the server; a server that is unreachable, or ended the session already, is no error. */
export async function logout({ output, env, folder, now }: Session): Promise<void> {
  const base_url = serverOf(env, folder)
  const found = signedInAt(env, base_url)
  if (found === undefined)
    throw new Failure(EXIT.api, 'signed_out', `nobody is signed in at ${base_url}`, { next: 'assay login' })
  const client = createClient({ baseUrl: base_url, apiKey: '', fetch: memberFetch(env, base_url, now) })
  const ended = await client.DELETE('/v1/sessions/current').then(
    () => true,
    () => false,
  )
  keepSignedIn(env, base_url, undefined)
  output.emit('signed_out', { email: found.email, base_url, ended }, () =>
    ended ? `${found.email} is signed out of ${base_url}` : `forgotten here; ${base_url} was not notified`,
  )
}

interface ListedProfile {
  name: string
  base_url: string
  email: string
  current: boolean
}

const PROFILES: Column<ListedProfile>[] = [
  { title: '', value: row => (row.current ? '*' : ''), least: 1 },
  { title: 'NAME', value: row => row.name },
  { title: 'SERVER', value: row => row.base_url, least: 20 },
  { title: 'E-MAIL', value: row => row.email, least: 10 },
]

export function profiles({ output, env }: Session): void {
  const kept = readKept(env)
  const rows = Object.entries(kept.profiles).map(([name, { base_url, email }]) => ({
    name,
    base_url,
    email,
    current: name === kept.current,
  }))
  output.rows('profile', rows, screen =>
    rows.length === 0
      ? screen.paint('dim', 'no profiles; assay login --profile NAME --server URL makes one')
      : table(PROFILES, rows, screen),
  )
}

export function useProfile({ output, env }: Session, given: Given): void {
  const name = given.arg(0)
  const profile = readKept(env).profiles[name]
  if (profile === undefined && name !== LOCAL)
    throw usageFailure(`there is no profile "${name}"`, { next: 'assay profiles' })
  useAsCurrent(env, profile === undefined ? undefined : name)
  output.emit('profile_used', { name, base_url: profile?.base_url ?? null }, () =>
    profile === undefined
      ? 'the stack that runs here is asked again by default'
      : `${profile.base_url} is asked from now on by default, as ${profile.email}`,
  )
}
