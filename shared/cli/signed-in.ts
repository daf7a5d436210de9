// Who is signed in on this machine, for each server. Guarantee: the file is its owner's alone from the moment it is
// there, and a token is sent to the server that gave it and to no other.

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { ApiFailure, createClient, type Schemas } from '../sdk/client.ts'
import { EXIT, Failure } from './failure.ts'

type Environment = Record<string, string | undefined>

export interface SignedIn {
  email: string
  access_token: string
  access_expires_at: string
  refresh_token: string
}

/** An access token is traded while it is good for so long yet: a request may take a while to arrive. */
const EARLY_MS = 30_000

const fileOf = ({ XDG_CONFIG_HOME }: Environment) =>
  join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'assay', 'sessions.json')

/** @throws Failure `bad_sessions` */
function readAll(env: Environment): Record<string, SignedIn> {
  const file = fileOf(env)
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Failure(EXIT.api, 'bad_sessions', `${file} cannot be used: ${(error as Error).message}`, {
      hint: 'delete it and sign in again',
      next: 'assay login',
    })
  }
}

export const signedInAt = (env: Environment, base_url: string): SignedIn | undefined => readAll(env)[base_url]

/** Keeps who is signed in; undefined forgets it. */
export function keepSignedIn(env: Environment, base_url: string, found: SignedIn | undefined): string {
  const file = fileOf(env)
  const { [base_url]: _, ...others } = readAll(env)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const next = `${file}.${process.pid}`
  writeFileSync(next, `${JSON.stringify({ ...others, ...(found && { [base_url]: found }) }, null, 2)}\n`, {
    mode: 0o600,
  })
  chmodSync(next, 0o600)
  renameSync(next, file)
  return file
}

export const signedIn = (email: string, session: Schemas['Session']): SignedIn => {
  const { access_token, access_expires_at, refresh_token } = session
  return { email, access_token, access_expires_at, refresh_token }
}

/** Fetches as the one who is signed in, whose tokens are traded for the next pair when it is time. */
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
    // Another command may have traded it a moment ago: it works once.
    const found = signedInAt(env, base_url)
    if (found !== undefined && found.refresh_token !== refresh_token) return found
    keepSignedIn(env, base_url, undefined)
    throw signedOut(base_url)
  }
}

const signedOut = (base_url: string) =>
  new Failure(EXIT.api, 'signed_out', `nobody is signed in at ${base_url} any more`, { next: 'assay login' })
