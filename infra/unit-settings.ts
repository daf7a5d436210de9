// Which settings and secrets each unit is given, and how many connections it may hold. Guarantee: a unit works with
// exactly these; what it does not do, it has no secret for. Generated manifests and the tables of the docs are made
// from this list.

import type { Endpoint } from '../shared/http/endpoint.ts'
import type { KeyPurpose } from '../shared/kernel/secrets.ts'
import type { Unit } from './packaging.ts'

/** Of the unit that is given it: DATABASE_URL, kept by the operator under the name that `secret` says. */
export interface SecretSetting {
  setting: string
  secret: string
  /** The unit starts without it. */
  optional: boolean
}

export interface Needs {
  /** Variables that are no secrets; each is left out where the operator gave no value. */
  settings: readonly string[]
  secrets: readonly SecretSetting[]
  /** Connections to PostgreSQL that one copy opens at most, unless ASSAY_DATABASE_CONNECTIONS says otherwise. */
  connections: number
}

const INTERFACE_KEYS = ['session', 'cursor', 'signing', 'platform', 'fingerprint'] as const

/**
 * Sets of keys that are derived from the master key, each a secret of its own: ASSAY_KEYS_TICK. Smaller ones first: a
 * unit is given the first that has all it needs.
 */
export const KEY_SETS = {
  runtime: ['platform'],
  readiness: ['fingerprint'],
  // Whoever reads a source reads its headers from the environment of the deployment that declares it.
  tick: ['environment', 'source', 'signing', 'platform', 'fingerprint'],
  interface: INTERFACE_KEYS,
  answers: [...INTERFACE_KEYS, 'answer'],
  consume: ['environment', 'source', 'signing', 'agent', 'answer', 'platform', 'fingerprint'],
  schedules: [...INTERFACE_KEYS, 'trigger', 'source', 'environment'],
  agents: [...INTERFACE_KEYS, 'trigger', 'source', 'environment', 'agent', 'answer'],
} as const satisfies Record<string, readonly KeyPurpose[]>
export type KeySet = keyof typeof KEY_SETS

/** The name under which an operator keeps the keys of a set. */
export const keySecretOf = (set: KeySet) => `ASSAY_KEYS_${set.toUpperCase()}`

// What processes of every kind read: who waits for what is logged, and where traces go.
const OF_ALL = ['PORT', 'HOST', 'ASSAY_LOG_LEVEL'] as const
const TELEMETRY = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_SERVICE_NAME'] as const
const OF_CALLERS = [...OF_ALL, 'BASE_URL', 'ASSAY_TRUSTED_PROXIES'] as const
/** Of whatever asks the stores. */
const OF_STORES = [...TELEMETRY, 'BASE_URL', 'ASSAY_DATABASE_CONNECTIONS'] as const
/** Of whatever works on them: it notifies consumers, and sends callbacks of what it ended. */
const OF_WORK = [...OF_STORES, 'ASSAY_CONSUMER_URL', 'ASSAY_ALLOW_CALLBACK_NETWORKS'] as const

const needed = (setting: string, secret = setting): SecretSetting => ({ setting, secret, optional: false })
const optional = (setting: string): SecretSetting => ({ setting, secret: setting, optional: true })
const keys = (set: KeySet) => needed('ASSAY_KEYS', keySecretOf(set))
const STORES = [
  needed('DATABASE_URL'),
  optional('DATABASE_CA'),
  needed('REDIS_URL'),
  optional('REDIS_CA'),
] as const
const TELEMETRY_HEADERS = optional('OTEL_EXPORTER_OTLP_HEADERS')

/** Leads callers to units by path, and knows nothing else. */
export const ROUTER_NEEDS: Needs = { settings: [...OF_ALL, 'ASSAY_UNIT_URL'], secrets: [], connections: 0 }

/** Runs code of agents, so it is given as little as can be: what consumers, who bring the code, prove themselves with. */
export const RUNTIME_NEEDS: Needs = {
  settings: [...OF_ALL, 'ASSAY_ALLOW_NETWORKS', 'ASSAY_DATA_DIR'],
  secrets: [keys('runtime')],
  connections: 0,
}

/** Changes the schema: as the tables' owner, past any pooler. */
export const MIGRATION_NEEDS: Needs = {
  settings: [],
  secrets: [needed('DATABASE_URL'), optional('DATABASE_MIGRATE_URL'), optional('DATABASE_CA')],
  connections: 1,
}

/** Makes the first account and its key, in the database alone. */
export const FIRST_ACCOUNT_NEEDS: Needs = {
  settings: [],
  secrets: [needed('DATABASE_URL'), optional('DATABASE_CA')],
  connections: 1,
}

/** What serves the document, and what answers that it is there, ask no store and hold nothing. */
const NOTHING_BEHIND: Needs = { settings: OF_CALLERS, secrets: [], connections: 0 }

const CONSUME_NEEDS: Needs = {
  settings: [
    ...OF_ALL,
    ...OF_WORK,
    'ASSAY_RUNTIME_URL',
    'ASSAY_CONSUME_SECONDS',
    'ASSAY_CONSUMERS_MAX',
    'ASSAY_ALLOW_NETWORKS',
  ],
  secrets: [...STORES, keys('consume'), TELEMETRY_HEADERS],
  connections: 10, // three claims, two settles of each run, heartbeats and steps overlap
}

const TICK_NEEDS: Needs = {
  settings: [...OF_ALL, ...OF_WORK, 'ASSAY_MAIL_FROM', 'ASSAY_TICK_OPEN'],
  secrets: [
    ...STORES,
    keys('tick'),
    optional('ASSAY_METRICS_TOKEN'),
    optional('ASSAY_SMTP_URL'),
    TELEMETRY_HEADERS,
  ],
  connections: 3,
}

const PLATFORM_NEEDS: Record<string, Needs> = { consume: CONSUME_NEEDS, tick: TICK_NEEDS }
const API_CONNECTIONS = 5 // two each for reads and statements, so that one that takes long leaves one for the others
const PAGES_CONNECTIONS = 6 // a page asks for several things at once

/**
 * What the unit is given.
 *
 * @example
 * needsOf(unitsOf('group').find(unit => unit.name === 'docs')!).secrets // []
 */
export function needsOf(unit: Unit): Needs {
  if (unit.platform) return PLATFORM_NEEDS[unit.platform.name]!
  if (!asksStores(unit)) return NOTHING_BEHIND
  return {
    settings: [
      ...new Set([...OF_CALLERS, ...(isWorking(unit) ? OF_WORK : OF_STORES)]),
      ...(unit.endpoints.some(deploys) ? ['ASSAY_CONSUME_SECONDS'] : []),
    ],
    secrets: [
      ...STORES,
      keys(keySetOf(unit)),
      ...(unit.endpoints.some(isForOperator) ? [optional('ASSAY_OPERATOR_KEY')] : []),
      TELEMETRY_HEADERS,
    ],
    connections: unit.dashboard ? PAGES_CONNECTIONS : API_CONNECTIONS,
  }
}

/** Whether anything of the unit needs PostgreSQL or Redis. */
export const asksStores = (unit: Unit): boolean =>
  unit.platform !== undefined ||
  unit.dashboard ||
  unit.endpoints.some(({ operation_id }) => operation_id !== 'getHealth')

/** It says so where an agent may need more time than a consumer has. */
const deploys = ({ operation_id }: Endpoint) => operation_id === 'createDeployment'

/** Whether anything of it does more than look. */
const isWorking = (unit: Unit): boolean =>
  unit.dashboard || unit.endpoints.some(({ operation_id }) => operation_id !== 'getReadiness')

const isForOperator = ({ path }: Endpoint) => path.startsWith('/v1/admin')

function keySetOf(unit: Unit): KeySet {
  const wanted = new Set(unit.dashboard ? KEY_SETS.agents : unit.endpoints.flatMap(keysOf))
  const sets = Object.entries(KEY_SETS) as [KeySet, readonly KeyPurpose[]][]
  return sets.find(([, held]) => [...wanted].every(key => held.includes(key)))![0]
}

function keysOf({ operation_id, tag }: Endpoint): readonly KeyPurpose[] {
  if (operation_id === 'getHealth') return []
  if (operation_id === 'getReadiness') return KEY_SETS.readiness
  if (operation_id === 'answerItems') return KEY_SETS.answers
  if (tag === 'Agents') return KEY_SETS.agents
  return tag === 'Schedules' ? KEY_SETS.schedules : KEY_SETS.interface
}

/** How many connections an installation holds at most, by the copies that its platform allows of each unit. */
export const connectionsOf = (units: readonly { needs: Needs; copies: number }[]): number =>
  units.reduce((sum, { needs, copies }) => sum + needs.connections * copies, 0)
