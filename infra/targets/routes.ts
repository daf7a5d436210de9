// Generates routes that send each request straight to its function, for one function per endpoint without a router.
// Guarantee: every route is included, the first match wins as in the router, and requests that nothing serves go to the
// unit that answers with our own errors.

import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import { patternOf, type Route } from '../../shared/http/routes.ts'
import { VERSION } from '../../shared/kernel/version.ts'
import { routesOf, type Unit } from '../packaging.ts'
import { PORT } from './image.ts'

/** How an nginx reaches functions, with $assay_unit for a function's name. */
export interface Reached {
  /** HOST:PORT. */
  server: string
  /** Prefix of a request's path. */
  path?: string
  /** The Host header that selects a function; by default the server's. */
  host?: string
  /** The timeout, longer than that of everything it calls. */
  seconds: number
}

/** Marks nginx's own error responses as ours; without it clients take them for another server's. */
const OWN_HEADER = `add_header assay-version ${VERSION} always;`

/**
 * Not a named location: nginx cannot redirect a request without a path to one, and an unreadable request has no path.
 */
const UNREADABLE = '/unreadable'

/** Returns a file for the folder conf.d of an nginx. */
export function nginxFile(units: readonly Unit[], { server, path = '', host, seconds }: Reached): string {
  return `map "$request_method $uri" $assay_unit {
  default ${answeringUnknown(units)};
${routesOf(units)
  .map(route => `  ${keyOf(route)} ${route.unit};`)
  .join('\n')}
}

upstream assay {
  server ${server};
  keepalive 64;
  keepalive_timeout 30s; # sooner than whatever it asks closes one: a POST on such a one would be lost
}

server {
  listen ${PORT};
  client_max_body_size 0; # functions have bounds of their own
  client_body_timeout ${seconds}s; # an upload may pause
  error_page 400 414 494 =400 ${UNREADABLE};
  location / {
    proxy_pass http://assay${path}$request_uri;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host ${host ?? '$proxy_host'};
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Host $http_host;
    proxy_set_header X-Forwarded-Proto $assay_proto;
    proxy_buffering off; # streams pass as they come
    proxy_request_buffering off; # and so do uploads
    proxy_read_timeout ${seconds}s;
    proxy_send_timeout ${seconds}s;
    error_page 502 504 =500 @unanswered;
  }
  location = ${UNREADABLE} {
    internal;
    default_type application/json;
    ${OWN_HEADER}
    return 400 '{"error":{"code":"invalid_request","message":"The proxy before Assay could not read the request: its URL or its headers."}}';
  }
  location @unanswered {
    internal;
    default_type application/json;
    ${OWN_HEADER}
    return 500 '{"error":{"code":"internal","message":"The function \\\\"$assay_unit\\\\" did not answer.","hint":"Ask again; what is sent with an Idempotency-Key is taken once."}}';
  }
}

# Whatever ended TLS before this says so.
map $http_x_forwarded_proto $assay_proto {
  default $http_x_forwarded_proto;
  "" $scheme;
}
`
}

/** The unit that answers unknown paths: it has the OpenAPI document, so it can suggest a similar path. */
const answeringUnknown = (units: readonly Unit[]) => units.find(unit => unit.docs)!.name

/** Servers answer HEAD like GET. */
const methodsOf = (method: string) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])

/** A regular expression for a whole path. */
const expressionOf = (path: string) => patternOf(path).source.replaceAll('\\/', '/')

// nginx tries expressions in their order in the file.
const keyOf = ({ method, path }: Route) =>
  `"~^(?:${methodsOf(method).join('|')}) ${expressionOf(path).slice(1)}"`

// The maximums of the Gateway API's schema.
const RULES_PER_ROUTE = 16
const MATCHES_PER_RULE = 8

export type Rule = NonNullable<NonNullable<IHTTPRoute['spec']>['rules']>[number]
export type Match = NonNullable<Rule['matches']>[number]

/** Returns rules of the Gateway API, grouped by HTTPRoute, RULES_PER_ROUTE each. */
export function httpRules(units: readonly Unit[], rule: (unit: string, matches: Match[]) => Rule): Rule[][] {
  const byUnit = Map.groupBy(routesOf(units), route => route.unit)
  const rules = [...byUnit].flatMap(([unit, ofUnit]) =>
    chunked(ofUnit.flatMap(matchesOf), MATCHES_PER_RULE).map(matches => rule(unit, matches)),
  )
  // The shortest expression, since gateways try longer ones first.
  rules.push(rule(answeringUnknown(units), [{ path: { type: 'RegularExpression', value: '^/.*$' } }]))
  return chunked(rules, RULES_PER_ROUTE)
}

/** The matches of a route; by the API's rules an exact path has precedence over every expression. */
function matchesOf({ method, path }: Route): Match[] {
  const value: NonNullable<Match['path']> = /[{*]/.test(path)
    ? { type: 'RegularExpression', value: expressionOf(path) }
    : { type: 'Exact', value: path }
  return methodsOf(method).map(one => ({ method: one as NonNullable<Match['method']>, path: value }))
}

const chunked = <T>(all: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most))
