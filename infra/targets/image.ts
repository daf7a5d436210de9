// What every platform that runs the container image has to know of it: how a unit is started in it, what it is told,
// and how much time and room it needs.

import { LIMITS } from '../../shared/domain/limits.ts'
import { type Unit, unitsOf } from '../packaging.ts'

/** OpenFaaS CE allows fifteen functions: one for each group of the interface, and the router before them. */
export const UNITS = unitsOf('group')
export const ROUTER = 'router'
export const CONSUMER = 'consume'
export const TICK = 'tick'

/** Of the image, without its registry and tag. */
export const IMAGE = 'assay'
/** Runs the unit that FUNCTION names. */
export const COMMAND = ['node', '/app/function.mjs']
export const MIGRATE_COMMAND = ['node', '/app/migrate.mjs']
/** One process with all of Assay, or the parts that ASSAY_PARTS names. */
export const SERVER_COMMAND = ['node', '/app/server.mjs']
export const PORT = 8080
export const HEALTH_PATH = '/healthz'

/** Settings that are secrets; without them no unit but the router starts. */
export const SECRETS = ['DATABASE_URL', 'REDIS_URL', 'ASSAY_MASTER_KEY'] as const

// Where a cluster has its ingress, its proxies and the router; who calls from there is believed whom it calls for.
export const TRUSTED_PROXIES = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7'

export type Role = 'router' | 'api' | 'consumer' | 'tick'

export interface Workload {
  /** What FUNCTION selects. */
  name: string
  role: Role
}

/** The router first, then every unit. */
export const WORKLOADS: readonly Workload[] = [
  { name: ROUTER, role: 'router' },
  ...UNITS.map(unit => ({ name: unit.name, role: roleOf(unit) })),
]

function roleOf({ platform }: Unit): Role {
  if (platform === undefined) return 'api'
  return platform.name === CONSUMER ? 'consumer' : 'tick'
}

const SPARE_S = 5 // between the last moment of a function's own time and the platform's end of it

/** No call of the consumer or of the tick takes longer by itself. */
export const PLATFORM_CALL_S = Math.max(LIMITS.consume_ms, LIMITS.tick_function_ms) / 1000 + SPARE_S
/** No answer is longer under way than an event stream. */
export const STREAM_S = LIMITS.event_stream_ms / 1000 + SPARE_S

interface Room {
  requests: { cpu: string; memory: string }
  limits: { cpu: string; memory: string }
}

const MiB = 1024 * 1024
export const SMALL: Room = { requests: { cpu: '20m', memory: '96Mi' }, limits: { cpu: '1', memory: '384Mi' } }
// The consumer brings the processes that run agents, and each of those may fill what it is allowed.
export const LARGE: Room = {
  requests: { cpu: '200m', memory: '256Mi' },
  limits: { cpu: '2', memory: `${LIMITS.agent_memory_bytes / MiB + 1024}Mi` },
}

export const roomOf = ({ role }: Workload): Room => (role === 'consumer' ? LARGE : SMALL)
