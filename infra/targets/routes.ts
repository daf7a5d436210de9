// Leads each request straight to the function that serves it, where functions are one for each endpoint and no router
// stands before them. Guarantee: every route is in the file, the first that fits wins as in the router, and what nothing
// serves goes to the unit that answers in our words.

import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import { patternOf, type Route } from '../../shared/http/routes.ts'
import { VERSION } from '../../shared/kernel/version.ts'
import { routesOf, type Unit } from '../packaging.ts'
import { PORT } from './image.ts'

/** How an nginx reaches functions, with $assay_unit for the name of one. */
export interface Reached {
  /** HOST:PORT. */
  server: string
  /** What stands before the path of a request. */
  path?: string
  /** By which Host a function is found; that of the server unless told. */
  host?: string
  /** After which it gives up: later than whatever it asks. */
  seconds: number
}

/** Of what it answers in our words: without it clients take that for a stranger's. */
const OWN_HEADER = `add_header assay-version ${VERSION} always;`

/** No named location: nginx leads to none from a request without a path, and one that cannot be read has none. */
const UNREADABLE = '/unreadable'

/** A file for the folder conf.d of an nginx. */
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

/** It knows the document, and so whether a path that it does not serve is near to one. */
const answeringUnknown = (units: readonly Unit[]) => units.find(unit => unit.docs)!.name

/** Servers answer HEAD by what they would answer to GET. */
const methodsOf = (method: string) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])

/** An expression for the whole of a path. */
const expressionOf = (path: string) => patternOf(path).source.replaceAll('\\/', '/')

// nginx tries expressions in the order in which they stand.
const keyOf = ({ method, path }: Route) =>
  `"~^(?:${methodsOf(method).join('|')}) ${expressionOf(path).slice(1)}"`

// What the Gateway API's own schema allows.
const RULES_PER_ROUTE = 16
const MATCHES_PER_RULE = 8

export type Rule = NonNullable<NonNullable<IHTTPRoute['spec']>['rules']>[number]
export type Match = NonNullable<Rule['matches']>[number]

/** Rules of the Gateway API, so many to an HTTPRoute as it takes. */
export function httpRules(units: readonly Unit[], rule: (unit: string, matches: Match[]) => Rule): Rule[][] {
  const byUnit = Map.groupBy(routesOf(units), route => route.unit)
  const rules = [...byUnit].flatMap(([unit, ofUnit]) =>
    chunked(ofUnit.flatMap(matchesOf), MATCHES_PER_RULE).map(matches => rule(unit, matches)),
  )
  // The shortest expression there is: gateways try longer ones first.
  rules.push(rule(answeringUnknown(units), [{ path: { type: 'RegularExpression', value: '^/.*$' } }]))
  return chunked(rules, RULES_PER_ROUTE)
}

/** A path without parameters goes before every expression, by the rules of the API. */
function matchesOf({ method, path }: Route): Match[] {
  const value: NonNullable<Match['path']> = /[{*]/.test(path)
    ? { type: 'RegularExpression', value: expressionOf(path) }
    : { type: 'Exact', value: path }
  return methodsOf(method).map(one => ({ method: one as NonNullable<Match['method']>, path: value }))
}

const chunked = <T>(all: readonly T[], most: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, at) => all.slice(at * most, (at + 1) * most))
