// Lists which settings and secrets each unit gets, and how many connections it may hold. Guarantee: a unit works with
// exactly these, and has no secret for what it does not do. Manifests and the tables of the docs are generated from
// this list.

import type { Endpoint } from '../shared/http/operation.ts'
import type { KeyPurpose } from '../shared/kernel/secrets.ts'
import { READINESS, type Unit } from './packaging.ts'

/**
 * A secret of a unit: `setting` is its name for the unit, such as DATABASE_URL; the operator keeps it under `secret`.
 */
export interface SecretSetting {
  setting: string
  secret: string
  /** Whether the unit starts without it. */
  optional: boolean
}

export interface Needs {
  /** Variables that are not secret; each is left out where the operator set no value. */
  settings: readonly string[]
  secrets: readonly SecretSetting[]
  /** Most connections to PostgreSQL that one copy opens, unless ASSAY_DATABASE_CONNECTIONS says otherwise. */
  connections: number
}

const INTERFACE_KEYS = [
  'session',
  'cursor',
  'signing',
  'address',
  'cache',
  'platform',
  'fingerprint',
] as const

/**
 * Sets of keys derived from the master key, each a secret of its own, such as ASSAY_KEYS_TICK. Smaller sets come first:
 * a unit gets the first set that has all keys it needs.
 */
export const KEY_SETS = {
  runtime: ['platform'],
  readiness: ['fingerprint'],
  // Reading a source needs `environment`: its headers are in the environment of the deployment that declares it.
  tick: ['environment', 'source', 'signing', 'address', 'platform', 'fingerprint'],
  interface: INTERFACE_KEYS,
  answers: [...INTERFACE_KEYS, 'answer'],
  consume: ['environment', 'source', 'signing', 'address', 'agent', 'answer', 'platform', 'fingerprint'],
  schedules: [...INTERFACE_KEYS, 'trigger', 'source', 'environment'],
  agents: [...INTERFACE_KEYS, 'trigger', 'source', 'environment', 'agent', 'answer'],
} as const satisfies Record<string, readonly KeyPurpose[]>
export type KeySet = keyof typeof KEY_SETS

/** The name of the secret with the keys of a set. */
export const keySecretOf = (set: KeySet) => `ASSAY_KEYS_${set.toUpperCase()}`

// Settings of processes of every kind: where to listen, what to log, and which installation they are of. Units with stores add where traces go.
const OF_ALL = ['PORT', 'HOST', 'ASSAY_LOG_LEVEL', 'ASSAY_INSTALLATION'] as const
const TELEMETRY = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_SERVICE_NAME'] as const
const OF_CALLERS = [...OF_ALL, 'BASE_URL', 'ASSAY_TRUSTED_PROXIES'] as const
/** Settings of units that run bundles. */
const OF_BUNDLES = ['ASSAY_AGENT_ITEMS', 'ASSAY_AGENT_MEMORY_MIB'] as const
/** Settings of units that query the stores. */
const OF_STORES = [...TELEMETRY, 'BASE_URL', 'ASSAY_DATABASE_CONNECTIONS'] as const
/** Settings of units that write to the stores: they notify consumers and send callbacks of runs they ended. */
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

/** The router sends callers to units by path and needs nothing else. */
export const ROUTER_NEEDS: Needs = { settings: [...OF_ALL, 'ASSAY_UNIT_URL'], secrets: [], connections: 0 }

/** The runtime executes agents' code, so it gets only the key by which it verifies consumers, which bring the code. */
export const RUNTIME_NEEDS: Needs = {
  settings: [...OF_ALL, ...OF_BUNDLES, 'ASSAY_ALLOW_NETWORKS', 'ASSAY_DATA_DIR'],
  secrets: [keys('runtime')],
  connections: 0,
}

/** The migration changes the schema as the tables' owner, without a pooler in between. */
export const MIGRATION_NEEDS: Needs = {
  settings: [],
  secrets: [needed('DATABASE_URL'), optional('DATABASE_MIGRATE_URL'), optional('DATABASE_CA')],
  connections: 1,
}

/** Creating the first account and its key needs the database only. */
export const FIRST_ACCOUNT_NEEDS: Needs = {
  settings: [],
  secrets: [needed('DATABASE_URL'), optional('DATABASE_CA')],
  connections: 1,
}

/** The units for the document and for liveness query no store and need no secret. */
const NOTHING_BEHIND: Needs = { settings: OF_CALLERS, secrets: [], connections: 0 }

const CONSUME_NEEDS: Needs = {
  settings: [
    ...OF_ALL,
    ...OF_WORK,
    ...OF_BUNDLES,
    'ASSAY_RUNTIME_URL',
    'ASSAY_CONSUME_SECONDS',
    'ASSAY_CONSUMERS_MAX',
    'ASSAY_ALLOW_NETWORKS',
  ],
  secrets: [...STORES, keys('consume'), TELEMETRY_HEADERS],
  connections: 10, // for three claims, two settles of each run, heartbeats and steps at once
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
const API_CONNECTIONS = 5 // two each for reads and statements, so that a slow one leaves one for the others
const PAGES_CONNECTIONS = 6 // a page makes several calls at once

/**
 * Returns the settings, secrets and connections of a unit.
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

/** Whether any part of the unit needs PostgreSQL or Redis. */
export const asksStores = (unit: Unit): boolean =>
  unit.platform !== undefined ||
  unit.dashboard ||
  unit.endpoints.some(({ operation_id }) => operation_id !== 'getHealth')

/** A deployment needs the consumer's time, to report agents that may need more. */
const deploys = ({ operation_id }: Endpoint) => operation_id === 'createDeployment'

const readsReadiness = ({ operation_id }: Endpoint) => READINESS.operation_ids.includes(operation_id)

/** Whether any part of the unit does more than read readiness. */
const isWorking = (unit: Unit): boolean => unit.dashboard || unit.endpoints.some(one => !readsReadiness(one))

const isForOperator = ({ path }: Endpoint) => path.startsWith('/v1/admin')

function keySetOf(unit: Unit): KeySet {
  const wanted = new Set(unit.dashboard ? KEY_SETS.agents : unit.endpoints.flatMap(keysOf))
  const sets = Object.entries(KEY_SETS) as [KeySet, readonly KeyPurpose[]][]
  return sets.find(([, held]) => [...wanted].every(key => held.includes(key)))![0]
}

function keysOf(endpoint: Endpoint): readonly KeyPurpose[] {
  const { operation_id, tag } = endpoint
  if (operation_id === 'getHealth') return []
  if (readsReadiness(endpoint)) return KEY_SETS.readiness
  if (operation_id === 'answerItems') return KEY_SETS.answers
  if (tag === 'Agents') return KEY_SETS.agents
  return tag === 'Schedules' ? KEY_SETS.schedules : KEY_SETS.interface
}

/** Returns the most connections an installation holds, given the copies that its platform allows of each unit. */
export const connectionsOf = (units: readonly { needs: Needs; copies: number }[]): number =>
  units.reduce((sum, { needs, copies }) => sum + needs.connections * copies, 0)
