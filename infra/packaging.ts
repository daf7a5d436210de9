// Packs functions into units, each a bundle and a service of its own. Guarantee: in every packaging each function is in
// exactly one unit, and a unit's name is a valid service name on every platform.

import { ROOT as DASHBOARD_ROOT } from '../functions/dashboard/shell/addresses.ts'
import { endpoints, platformFunctions } from '../functions/index.ts'
import type { Endpoint } from '../shared/http/operation.ts'
import type { PlatformFunction } from '../shared/http/platform-function.ts'
import type { Route } from '../shared/http/routes.ts'

/** One unit for each endpoint, for each group of the interface, or for all of them. */
export const PACKAGINGS = ['endpoint', 'group', 'all'] as const
export type Packaging = (typeof PACKAGINGS)[number]

export interface Unit {
  /** Lower-case letters, digits and dashes: a DNS label. */
  name: string
  endpoints: readonly Endpoint[]
  /** The platform function of a unit that no caller reaches. */
  platform?: PlatformFunction
  /** Serves the OpenAPI document and the reference page of all endpoints. */
  docs: boolean
  /** Serves the pages, which call all endpoints within the process. */
  dashboard: boolean
}

/**
 * The units of a packaging; the router, which belongs to no packaging, is none of them.
 *
 * @example
 * unitsOf('group').map(unit => unit.name) // ['health', 'projects', …, 'docs', 'dashboard', 'consume', 'tick']
 */
export function unitsOf(packaging: Packaging): Unit[] {
  const named = Map.groupBy(endpoints, endpoint => unitName(packaging, endpoint))
  const units: Unit[] = [...named].map(([name, endpoints]) => ({
    name,
    endpoints,
    docs: packaging === 'all',
    dashboard: packaging === 'all',
  }))
  if (packaging !== 'all') {
    units.push({ name: 'docs', endpoints: [], docs: true, dashboard: false })
    units.push({ name: 'dashboard', endpoints: [], docs: false, dashboard: true })
  }
  return [
    ...units,
    ...platformFunctions.map(platform => ({
      name: platform.name,
      endpoints: [],
      platform,
      docs: false,
      dashboard: false,
    })),
  ]
}

/** These query the stores, unlike the rest of their group, so a unit that is connected to them anyway serves them. */
export const READINESS = { operation_ids: ['getReadiness', 'getServing'], unit: 'account' }

function unitName(packaging: Packaging, endpoint: Endpoint): string {
  if (packaging === 'all') return 'api'
  if (packaging === 'group' && READINESS.operation_ids.includes(endpoint.operation_id)) return READINESS.unit
  if (packaging === 'group') return endpoint.tag.toLowerCase()
  return endpoint.operation_id.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/** The paths of the unit with the reference, in addition to its endpoints. */
const DOCS_PATHS = ['/', '/openapi.json', '/docs'] as const

/** The dashboard serves GET and POST on every path below its own. */
const DASHBOARD_ROUTES = ['get', 'post'].flatMap(method =>
  [DASHBOARD_ROOT, `${DASHBOARD_ROOT}/*`].map(path => ({ method, path })),
)

/** Returns the routes of all units that callers reach, in the order in which they are tried. */
export function routesOf(units: readonly Unit[]): Route[] {
  const unitOf = new Map(
    units.flatMap(unit => unit.endpoints.map(endpoint => [endpoint, unit.name] as const)),
  )
  const docs = units.find(unit => unit.docs)
  const dashboard = units.find(unit => unit.dashboard)
  return [
    ...endpoints.flatMap(endpoint => {
      const { method, path, makes_work } = endpoint
      const unit = unitOf.get(endpoint)
      return unit === undefined ? [] : [{ method, path, unit, ...(makes_work && { makes_work }) }]
    }),
    ...(dashboard ? DASHBOARD_ROUTES.map(route => ({ ...route, unit: dashboard.name })) : []),
    ...(docs ? DOCS_PATHS.map(path => ({ method: 'get', path, unit: docs.name })) : []),
  ]
}
