// Stores who is signed in on this machine, by server and by profile name. Guarantee: only the owner can ever read the
// file, and a token is sent only to the server that issued it.

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { ApiFailure, createClient, type Schemas } from '../sdk/client.ts'
import { EXIT, Failure, usageFailure } from './failure.ts'

type Environment = Record<string, string | undefined>

export interface SignedIn {
  email: string
  access_token: string
  access_expires_at: string
  refresh_token: string
}

/** An access token is refreshed this long before it expires, because a request may take a while to arrive. */
const EARLY_MS = 30_000

const fileOf = ({ XDG_CONFIG_HOME }: Environment) =>
  join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'assay', 'sessions.json')

/** A sign-in with a name of its own, and its server. */
export interface Profile extends SignedIn {
  base_url: string
}

interface Kept {
  /** Sign-ins without a profile, by server. */
  sessions: Record<string, SignedIn>
  profiles: Record<string, Profile>
  /** The profile to use by default. */
  current: string | undefined
}

/** The profile name that means the local stack. */
export const LOCAL = 'local'

/** Reads the file; one from before there were profiles holds only sessions. @throws Failure `bad_sessions` */
export function readKept(env: Environment): Kept {
  const file = fileOf(env)
  if (!existsSync(file)) return { sessions: {}, profiles: {}, current: undefined }
  try {
    const { profiles = {}, current, ...sessions } = JSON.parse(readFileSync(file, 'utf8'))
    return { sessions, profiles, current }
  } catch (error) {
    throw new Failure(EXIT.api, 'bad_sessions', `${file} cannot be used: ${(error as Error).message}`, {
      hint: 'delete it and sign in again',
      next: 'assay login',
    })
  }
}

function writeKept(env: Environment, { sessions, profiles, current }: Kept): string {
  const file = fileOf(env)
  const hasProfiles = Object.keys(profiles).length > 0
  const value = { ...sessions, ...(hasProfiles && { profiles }), ...(current !== undefined && { current }) }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  chmodSync(next, 0o600)
  renameSync(next, file)
  return file
}

/**
 * The environment as a command sees it. A profile sets its server and removes keys and bearers, because those in the
 * environment belong to another server. `fresh` also accepts a name that no profile has yet.
 * @throws Failure `no_profile`, `usage`
 */
export function withProfile(env: Environment, asked: string | undefined, fresh = false): Environment {
  const kept = readKept(env)
  const isFree = !env.ASSAY_BASE_URL && !env.ASSAY_API_KEY && !env.ASSAY_DATA_DIR
  const name = asked ?? (env.ASSAY_PROFILE || (isFree ? kept.current : undefined))
  if (name === undefined || name === LOCAL) return { ...env, ASSAY_PROFILE: undefined }
  const profile = kept.profiles[name]
  if (profile === undefined && !fresh)
    throw new Failure(EXIT.api, 'no_profile', `nobody is signed in by the profile "${name}"`, {
      hint: `there are: ${[...Object.keys(kept.profiles), LOCAL].join(', ')}`,
      next: `assay login --profile ${name} --server URL`,
    })
  const base_url = profile?.base_url
  if (
    asked === undefined &&
    base_url &&
    env.ASSAY_BASE_URL &&
    env.ASSAY_BASE_URL.replace(/\/+$/, '') !== base_url
  )
    throw usageFailure(
      `ASSAY_PROFILE is ${name}, which is for ${base_url}, and ASSAY_BASE_URL is another server`,
      {
        hint: 'unset one of them',
      },
    )
  return {
    ...env,
    ASSAY_PROFILE: name,
    ASSAY_API_KEY: undefined,
    ...(base_url !== undefined && {
      ASSAY_BASE_URL: base_url,
      ASSAY_OPERATOR_KEY: undefined,
      ASSAY_METRICS_TOKEN: undefined,
    }),
  }
}

/** Sets the profile to use from now on; undefined means the local stack. */
export const useAsCurrent = (env: Environment, current: string | undefined): string =>
  writeKept(env, { ...readKept(env), current })

export function signedInAt(env: Environment, base_url: string): SignedIn | undefined {
  const { sessions, profiles } = readKept(env)
  if (!env.ASSAY_PROFILE) return sessions[base_url]
  const profile = profiles[env.ASSAY_PROFILE]
  return profile?.base_url === base_url ? profile : undefined
}

/** Stores who is signed in; undefined removes the entry. */
export function keepSignedIn(env: Environment, base_url: string, found: SignedIn | undefined): string {
  const kept = readKept(env)
  const name = env.ASSAY_PROFILE
  if (!name) {
    const { [base_url]: _, ...others } = kept.sessions
    return writeKept(env, { ...kept, sessions: { ...others, ...(found && { [base_url]: found }) } })
  }
  const { [name]: _, ...others } = kept.profiles
  return writeKept(env, {
    ...kept,
    profiles: { ...others, ...(found && { [name]: { base_url, ...found } }) },
    current: found === undefined && kept.current === name ? undefined : kept.current,
  })
}

export const signedIn = (email: string, session: Schemas['Session']): SignedIn => {
  const { access_token, access_expires_at, refresh_token } = session
  return { email, access_token, access_expires_at, refresh_token }
}

/** A fetch that authenticates as the signed-in member, and refreshes the tokens in time. */
export function memberFetch(env: Environment, base_url: string, now: () => number): typeof fetch {
  let trading: Promise<SignedIn> | undefined
  const current = async () => {
    const found = signedInAt(env, base_url)
    if (found === undefined) throw signedOut(base_url)
    if (Date.parse(found.access_expires_at) - EARLY_MS > now()) return found
    trading ??= traded(env, base_url, found).finally(() => {
      trading = undefined
    })
    return trading
  }
  return async (input, init) => {
    const request = new Request(input, init)
    const { access_token } = await current()
    request.headers.set('authorization', `Bearer ${access_token}`)
    return fetch(request)
  }
}

async function traded(env: Environment, base_url: string, old: SignedIn): Promise<SignedIn> {
  const { refresh_token } = old
  try {
    const { data } = await createClient({ baseUrl: base_url, apiKey: '' }).POST('/v1/sessions/refresh', {
      body: { refresh_token },
    })
    const next = signedIn(old.email, data!)
    keepSignedIn(env, base_url, next)
    return next
  } catch (error) {
    if (!(error instanceof ApiFailure) || error.code !== 'unauthenticated') throw error
    // A refresh token works once; another command may have used it a moment ago.
    const found = signedInAt(env, base_url)
    if (found !== undefined && found.refresh_token !== refresh_token) return found
    keepSignedIn(env, base_url, undefined)
    throw signedOut(base_url)
  }
}

const signedOut = (base_url: string) =>
  new Failure(EXIT.api, 'signed_out', `nobody is signed in at ${base_url} any more`, { next: 'assay login' })
