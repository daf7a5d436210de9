// What every platform that runs the container image has to know of it: how a unit is started in it, what it is told,
// and how much time and room it needs.

import { LIMITS } from '../../shared/domain/limits.ts'
import { type Unit, unitsOf } from '../packaging.ts'
import { type Needs, needsOf, ROUTER_NEEDS, RUNTIME_NEEDS } from '../unit-settings.ts'

/** OpenFaaS CE allows fifteen functions: one for each group of the interface, and the router before them. */
export const UNITS = unitsOf('group')
export const ROUTER = 'router'
export const CONSUMER = 'consume'
export const TICK = 'tick'
/** Runs the bundles of agents, for the consumer. */
export const RUNTIME = 'runtime'

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
/** What metrics are read with: of the tick, which answers for the whole installation and is awake every minute. */
export const METRICS_TOKEN = 'ASSAY_METRICS_TOKEN'
/** What accounts are opened with, of the unit that has them; optional. */
export const OPERATOR_KEY = 'ASSAY_OPERATOR_KEY'
export const METRICS_PATH = '/metrics'

// Where a cluster has its ingress, its proxies and the router; who calls from there is believed whom it calls for.
export const TRUSTED_PROXIES = '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,fc00::/7'

export type Role = 'router' | 'api' | 'consumer' | 'tick' | 'runtime'

export interface Workload {
  /** What FUNCTION selects. */
  name: string
  role: Role
  /** Settings and secrets, and the connections that one copy may hold. */
  needs: Needs
}

/** The router first, then every unit, and what runs agents. */
export const WORKLOADS: readonly Workload[] = [
  { name: ROUTER, role: 'router', needs: ROUTER_NEEDS },
  ...UNITS.map(unit => ({ name: unit.name, role: roleOf(unit), needs: needsOf(unit) })),
  { name: RUNTIME, role: 'runtime', needs: RUNTIME_NEEDS },
]

function roleOf({ platform }: Unit): Role {
  if (platform === undefined) return 'api'
  return platform.name === CONSUMER ? 'consumer' : 'tick'
}

const SPARE_S = 5 // between the last moment of a function's own time and the platform's end of it

/** No call of the consumer, as long as nobody tells it another time, or of the tick takes longer by itself. */
export const PLATFORM_CALL_S = Math.max(LIMITS.consume_ms, LIMITS.tick_function_ms) / 1000 + SPARE_S
/** Nor of a consumer that works as long as any may, and so none of the runtime, which works while it is called. */
export const LONGEST_CALL_S = LIMITS.consume_seconds.max + SPARE_S
/** No answer is longer under way than an event stream. */
export const STREAM_S = LIMITS.event_stream_ms / 1000 + SPARE_S

interface Room {
  requests: { cpu: string; memory: string }
  limits: { cpu: string; memory: string }
}

const MiB = 1024 * 1024
export const SMALL: Room = { requests: { cpu: '20m', memory: '96Mi' }, limits: { cpu: '1', memory: '384Mi' } }
// The consumer holds the inputs and results of what is in flight.
const MEDIUM: Room = { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '1024Mi' } }
// What runs agents brings their processes, and each of those may fill what it is allowed.
export const LARGE: Room = {
  requests: { cpu: '200m', memory: '256Mi' },
  limits: { cpu: '2', memory: `${LIMITS.agent_memory_bytes / MiB + 1024}Mi` },
}

const ROOMS: Record<Role, Room> = {
  router: SMALL,
  api: SMALL,
  tick: SMALL,
  consumer: MEDIUM,
  runtime: LARGE,
}
export const roomOf = ({ role }: Workload): Room => ROOMS[role]
