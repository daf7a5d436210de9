// Where a process's settings come from, on every platform alike: the variable itself, the file that NAME_FILE names,
// or the secret of that name where OpenFaaS mounts them. Guarantee: a setting that is missing is named, with all the
// places it was looked for.

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isKeySet } from '../../shared/kernel/secrets.ts'
import { ExitError, invalid } from '../local/exit-error.ts'
import type { SettingName } from './setting-names.ts'

const OPENFAAS_SECRETS = '/var/openfaas/secrets'

export interface Settings {
  /** Undefined when it is nowhere, or empty. */
  get(name: SettingName): string | undefined
  /** Where people find the installation, with the path it has there, and no slash at its end. @throws ExitError when it is no such URL */
  baseUrl(): string | undefined
  /** What stands between commas. */
  list(name: SettingName): string[] | undefined
  /** Networks (CIDR) between commas. @throws ExitError that names what is none */
  networks(name: SettingName): string[] | undefined
  /** @throws ExitError when it is no whole number within the bounds */
  whole(name: SettingName, bounds: { min: number; max: number }): number | undefined
  /** Whether it is `true`. @throws ExitError when it is neither `true` nor `false` */
  flag(name: SettingName): boolean
  /** @throws ExitError that names the setting and where it may stand */
  need(name: SettingName): string
}

/**
 * The settings of this process.
 *
 * @example
 * const settings = readSettings(process.env)
 * settings.need('DATABASE_URL') // $DATABASE_URL, or what is in $DATABASE_URL_FILE, or in …/secrets/database-url
 */
export function readSettings(
  env: Record<string, string | undefined>,
  secretsFolder = OPENFAAS_SECRETS,
): Settings {
  const secretOf = (name: SettingName) => join(secretsFolder, name.toLowerCase().replaceAll('_', '-'))
  function get(name: SettingName): string | undefined {
    const given = env[name]
    if (given) return given
    const file = env[`${name}_FILE`]
    if (file) return readNamed(name, file)
    return readIfThere(secretOf(name))
  }
  const list = (name: SettingName) =>
    get(name)
      ?.split(',')
      .map(part => part.trim())
  return {
    get,
    baseUrl: () => baseUrlOf(get('BASE_URL')),
    list,
    networks(name) {
      const networks = list(name)
      const wrong = networks?.find(network => !isNetwork(network))
      if (wrong === undefined) return networks
      throw invalid(`${name}: "${wrong}" is not a network: write it like 10.0.0.0/8.`)
    },
    whole(name, { min, max }) {
      const value = get(name)
      if (value === undefined) return undefined
      if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value)
      throw invalid(`${name} is ${value}: it takes a whole number from ${min} to ${max}.`)
    },
    flag(name) {
      const value = get(name) ?? 'false'
      if (['true', 'false'].includes(value)) return value === 'true'
      throw invalid(`${name} is ${value}: it takes true or false.`)
    },
    need(name) {
      const value = get(name)
      if (value !== undefined) return value
      throw new ExitError(
        'setting_missing',
        `${name} is not set: set it, or ${name}_FILE to a file that holds it, or mount ${secretOf(name)}.`,
      )
    },
  }
}

function baseUrlOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isBase = url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash
  if (isBase) return url.href.replace(/\/+$/, '')
  throw invalid(
    `BASE_URL is ${text}: it takes the address people use, such as https://assay.example.com or https://example.com/assay.`,
  )
}

function isNetwork(text: string): boolean {
  const [address = '', bits = ''] = text.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return /^\d+$/.test(bits) && Number(bits) <= most && text === `${address}/${bits}`
}

const ANY_PORT = { min: 0, max: 65_535 }

/** Where a process listens. */
export const listeningAt = (settings: Settings, port: number) => ({
  port: settings.whole('PORT', ANY_PORT) ?? port,
  host: settings.get('HOST') ?? '0.0.0.0',
})

/** The database itself, for what a pooler in between cannot carry: migrations and backups; as the role that owns it. */
export const migrationTarget = (settings: Settings) => ({
  url: settings.get('DATABASE_MIGRATE_URL') ?? settings.need('DATABASE_URL'),
  ca: settings.get('DATABASE_CA'),
})

/** Where PostgreSQL and Redis are, and who signed their certificates where that is not known anyway. */
export function storesFrom(settings: Settings) {
  return {
    ...databaseFrom(settings),
    redisUrl: settings.need('REDIS_URL'),
    redisCa: settings.get('REDIS_CA'),
  }
}

/** Where PostgreSQL is, for what needs nothing else. */
export const databaseFrom = (settings: Settings) => ({
  databaseUrl: settings.need('DATABASE_URL'),
  databaseCa: settings.get('DATABASE_CA'),
})

/** The master key, or what is derived from it for the purposes of this process alone. @throws ExitError without either */
export function keysFrom(settings: Settings): string {
  const keys = settings.get('ASSAY_KEYS')
  if (keys === undefined) return wholeMasterKey(settings.need('ASSAY_MASTER_KEY'), 'ASSAY_MASTER_KEY')
  if (isKeySet(keys)) return keys
  throw invalid('ASSAY_KEYS is not what infra/unit-keys.ts prints: a purpose and 64 hex digits for each key.')
}

/** @throws ExitError where it is none: `of` names where it stands */
export function wholeMasterKey(key: string, of: string): string {
  if (/^[0-9a-f]{64}$/i.test(key)) return key.toLowerCase()
  throw new ExitError(
    'master_key_malformed',
    `the master key in ${of} is not 64 hexadecimal digits, as openssl rand -hex 32 prints them.`,
  )
}

/** How many connections to PostgreSQL this process may open; its unit's own number unless told. @throws ExitError */
export const connectionsFrom = (settings: Settings): number | undefined =>
  settings.whole('ASSAY_DATABASE_CONNECTIONS', LIMITS.database_connections)

const OPERATOR_KEY_CHARACTERS = 32 // 128 bits where they are hex digits

/** The operator's credential; nobody is the operator without. @throws ExitError where it could be guessed, or not be sent */
export function operatorKeyFrom(settings: Settings): string | undefined {
  const key = settings.get('ASSAY_OPERATOR_KEY')
  if (key === undefined || (key.length >= OPERATOR_KEY_CHARACTERS && /^[A-Za-z0-9._~+/=-]+$/.test(key)))
    return key
  throw invalid(
    `ASSAY_OPERATOR_KEY must have at least ${OPERATOR_KEY_CHARACTERS} characters of a bearer token: openssl rand -hex 32 makes one.`,
  )
}

/** A file that was named must be there. */
function readNamed(name: string, file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw invalid(
      `${name}_FILE names ${file}, which cannot be read (${code}): name a file that is there and may be read.`,
    )
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim() || undefined
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
