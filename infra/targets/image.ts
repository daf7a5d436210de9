// Describes the container image for every platform that runs it: its programs, the units of an installation, and the
// resources each needs.

import { LIMITS } from '../../shared/kernel/limits.ts'
import { type Packaging, type Unit, unitsOf } from '../packaging.ts'
import { type Needs, needsOf, ROUTER_NEEDS, RUNTIME_NEEDS } from '../unit-settings.ts'

/** One unit for each group of the interface. */
export const UNITS = unitsOf('group')
export const ROUTER = 'router'
export const CONSUMER = 'consume'
export const TICK = 'tick'
/** The unit that runs agents' bundles for the consumer. */
export const RUNTIME = 'runtime'

/** The command that runs the unit named by FUNCTION. */
export const COMMAND = ['node', '/app/function.mjs']
export const MIGRATE_COMMAND = ['node', '/app/migrate.mjs']
export const FIRST_ACCOUNT_COMMAND = ['node', '/app/first-account.mjs']
/** The command that runs all of Assay in one process, or the parts that ASSAY_PARTS names. */
export const SERVER_COMMAND = ['node', '/app/server.mjs']
export const PORT = 8080
export const HEALTH_PATH = '/healthz'

export const METRICS_PATH = '/metrics'

export type Role = 'router' | 'api' | 'consumer' | 'tick' | 'runtime'

export interface Workload {
  /** The value of FUNCTION. */
  name: string
  role: Role
  needs: Needs
}

/**
 * The workloads of an installation: the router first, then every unit, and the runtime for agents. With one function
 * for each endpoint there is no router, since the ingress routes to them itself (routes.ts).
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

export const SMALL: Room = { requests: { cpu: '20m', memory: '96Mi' }, limits: { cpu: '1', memory: '384Mi' } }
// The consumer holds the inputs and results of items in flight.
const MEDIUM: Room = { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '1024Mi' } }
// The runtime includes agents' processes, each of which may use all the memory it is allowed.
export const LARGE: Room = {
  requests: { cpu: '200m', memory: '256Mi' },
  limits: { cpu: '2', memory: `${LIMITS.agent_memory_mib.default + 1024}Mi` },
}

const ROOMS: Record<Role, Room> = {
  router: SMALL,
  api: SMALL,
  tick: SMALL,
  consumer: MEDIUM,
  runtime: LARGE,
}
export const roomOf = ({ role }: Workload): Room => ROOMS[role]
