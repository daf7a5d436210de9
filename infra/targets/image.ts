// What every platform that runs the container image has to know of it: which programs are in it, which units an
// installation is made of, and how much room each needs.

import { LIMITS } from '../../shared/kernel/limits.ts'
import { type Packaging, type Unit, unitsOf } from '../packaging.ts'
import { type Needs, needsOf, ROUTER_NEEDS, RUNTIME_NEEDS } from '../unit-settings.ts'

/** One for each group of the interface. */
export const UNITS = unitsOf('group')
export const ROUTER = 'router'
export const CONSUMER = 'consume'
export const TICK = 'tick'
/** Runs the bundles of agents, for the consumer. */
export const RUNTIME = 'runtime'

/** Runs the unit that FUNCTION names. */
export const COMMAND = ['node', '/app/function.mjs']
export const MIGRATE_COMMAND = ['node', '/app/migrate.mjs']
export const FIRST_ACCOUNT_COMMAND = ['node', '/app/first-account.mjs']
/** One process with all of Assay, or the parts that ASSAY_PARTS names. */
export const SERVER_COMMAND = ['node', '/app/server.mjs']
export const PORT = 8080
export const HEALTH_PATH = '/healthz'

export const METRICS_PATH = '/metrics'

export type Role = 'router' | 'api' | 'consumer' | 'tick' | 'runtime'

export interface Workload {
  /** What FUNCTION selects. */
  name: string
  role: Role
  needs: Needs
}

/**
 * What an installation is made of: the router first, then every unit, and what runs agents. Where functions are one for
 * each endpoint, the ingress leads to them by itself (routes.ts).
 */
export const workloadsOf = (packaging: Packaging): Workload[] => [
  ...(packaging === 'endpoint' ? [] : [{ name: ROUTER, role: 'router' as const, needs: ROUTER_NEEDS }]),
  ...unitsOf(packaging).map(unit => ({ name: unit.name, role: roleOf(unit), needs: needsOf(unit) })),
  { name: RUNTIME, role: 'runtime', needs: RUNTIME_NEEDS },
]

function roleOf({ platform }: Unit): Role {
  if (platform === undefined) return 'api'
  return platform.name === CONSUMER ? 'consumer' : 'tick'
}

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
