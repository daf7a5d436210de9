// Reads a process's settings, the same way on every platform: from the variable itself, the file that NAME_FILE names,
// or the secret of that name where OpenFaaS mounts them. Guarantee: the error for a missing setting names all the
// places that were tried.

import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { isKeySet } from '../../shared/kernel/secrets.ts'
import { ExitError, invalid } from '../local/exit-error.ts'
import { checkedInstallation } from './installation-name.ts'
import { logAs } from './log.ts'
import { type PostgresTarget, postgresOptions } from './postgres-options.ts'
import type { SettingName } from './setting-names.ts'

const OPENFAAS_SECRETS = '/var/openfaas/secrets'

export interface Settings {
  /** Returns undefined when the setting is missing or empty. */
  get(name: SettingName): string | undefined
  /**
   * The installation's public URL with its path, without a slash at the end.
   * @throws ExitError when it is no such URL
   */
  baseUrl(): string | undefined
  /** The comma-separated values. */
  list(name: SettingName): string[] | undefined
  /** Comma-separated networks (CIDR). @throws ExitError naming the invalid ones */
  networks(name: SettingName): string[] | undefined
  /** @throws ExitError when it is no whole number within the bounds */
  whole(name: SettingName, bounds: { min: number; max: number }): number | undefined
  /** Whether it is `true`. @throws ExitError when it is neither `true` nor `false` */
  flag(name: SettingName): boolean
  /** @throws ExitError naming the setting and where it may be set */
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

/** The address a process listens on. */
export const listeningAt = (settings: Settings, port: number) => ({
  port: settings.whole('PORT', ANY_PORT) ?? port,
  host: settings.get('HOST') ?? '0.0.0.0',
})

/**
 * The database without a pooler, which migrations and backups cannot use, and as the role that owns it.
 * @throws ExitError where the URL cannot be used
 */
export function migrationTarget(settings: Settings): PostgresTarget {
  const url = settings.get('DATABASE_MIGRATE_URL')
  const setting = url === undefined ? 'DATABASE_URL' : 'DATABASE_MIGRATE_URL'
  const target = {
    url: url ?? settings.need('DATABASE_URL'),
    ca: settings.get('DATABASE_CA'),
    setting,
  } as const
  postgresOptions(target) // refuses the URL by the name of its setting
  return target
}

/** The URLs of PostgreSQL and Redis, the CA certificates that Node does not have, and the installation's name. */
export function storesFrom(settings: Settings) {
  return {
    ...databaseFrom(settings),
    redisUrl: settings.need('REDIS_URL'),
    redisCa: settings.get('REDIS_CA'),
    installation: installationFrom(settings),
  }
}

/** The URL of PostgreSQL, for programs that need nothing else. */
export const databaseFrom = (settings: Settings) => ({
  databaseUrl: settings.need('DATABASE_URL'),
  databaseCa: settings.get('DATABASE_CA'),
})

/**
 * Reads the settings of a process that serves or works. Every line that it logs from then on names the installation.
 *
 * @throws ExitError when the installation's name cannot be one
 */
export function processSettings(env: Record<string, string | undefined> = process.env): Settings {
  const settings = readSettings(env)
  logAs(installationFrom(settings))
  return settings
}

/** The name of this installation among others; undefined without one. @throws ExitError when it cannot be one */
export const installationFrom = (settings: Settings): string | undefined =>
  checkedInstallation(settings.get('ASSAY_INSTALLATION'))

/** The master key, or keys derived from it for the purposes of this process only. @throws ExitError without either */
export function keysFrom(settings: Settings): string {
  const keys = settings.get('ASSAY_KEYS')
  if (keys === undefined) return wholeMasterKey(settings.need('ASSAY_MASTER_KEY'), 'ASSAY_MASTER_KEY')
  if (isKeySet(keys)) return keys
  throw invalid('ASSAY_KEYS is not what infra/unit-keys.ts prints: a purpose and 64 hex digits for each key.')
}

/** @param of where the key is set, for the error @throws ExitError where it is no master key */
export function wholeMasterKey(key: string, of: string): string {
  if (/^[0-9a-f]{64}$/i.test(key)) return key.toLowerCase()
  throw new ExitError(
    'master_key_malformed',
    `the master key in ${of} is not 64 hexadecimal digits, as openssl rand -hex 32 prints them.`,
  )
}

/** Most connections to PostgreSQL that this process may open; by default its unit's own number. @throws ExitError */
export const connectionsFrom = (settings: Settings): number | undefined =>
  settings.whole('ASSAY_DATABASE_CONNECTIONS', LIMITS.database_connections)

/** The bounds of one process of an agent's bundle. @throws ExitError when one is no whole number within its limits */
export const processBoundsFrom = (settings: Settings) => ({
  processItems: settings.whole('ASSAY_AGENT_ITEMS', LIMITS.agent_process_items),
  memoryMib: settings.whole('ASSAY_AGENT_MEMORY_MIB', LIMITS.agent_memory_mib),
})

const OPERATOR_KEY_CHARACTERS = 32 // 128 bits if they are hex digits

/** The operator's credential; without it there is no operator. @throws ExitError where it is too short or no bearer */
export function operatorKeyFrom(settings: Settings): string | undefined {
  const key = settings.get('ASSAY_OPERATOR_KEY')
  if (key === undefined || (key.length >= OPERATOR_KEY_CHARACTERS && /^[A-Za-z0-9._~+/=-]+$/.test(key)))
    return key
  throw invalid(
    `ASSAY_OPERATOR_KEY must have at least ${OPERATOR_KEY_CHARACTERS} characters of a bearer token: openssl rand -hex 32 makes one.`,
  )
}

/** Reads a file that a setting names. @throws ExitError where it cannot be read */
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
