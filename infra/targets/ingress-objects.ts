// Generates the entry for callers: an Ingress, a FunctionIngress of OpenFaaS, a DomainMapping of Knative, or a route of
// the Gateway API. Guarantee: it leads only to the router, or without a router to each function by its routes, and
// nothing in front of them times out earlier.

import type { IHTTPRoute } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute'
import type { IReferenceGrant } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1beta1/ReferenceGrant'
import type { IDomainMapping } from '@kubernetes-models/knative/serving.knative.dev/v1beta1/DomainMapping'
import type { IIngress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { prefixOf } from '../../shared/kernel/installation-name.ts'
import { unitsOf } from '../packaging.ts'
import { PORT, ROUTER } from './image.ts'
import { named, namedWithin } from './names.ts'
import { partOf } from './pods.ts'
import { httpRules, type Match, type Rule } from './routes.ts'
import { timesOf } from './times.ts'
import type { KnativeValues, OpenfaasValues } from './values.ts'

const tlsSecret = (values: Installation) => named(values, 'tls')
interface Installation {
  installation?: string | undefined
}
const hostOf = ({ base_url }: { base_url: string }) => new URL(base_url).hostname

/** An Ingress to the Service that OpenFaaS makes for the function, so that no path has to be rewritten. */
export function classIngress(service: string, values: OpenfaasValues): IIngress {
  const { namespace, ingress } = values
  const host = hostOf(values)
  const { gateway_s } = timesOf(values.consumer_seconds)
  const annotations = {
    ...(ingress.issuer ? { 'cert-manager.io/cluster-issuer': ingress.issuer } : {}),
    // Only the API limits an upload's size, and streams are not buffered.
    ...(ingress.class === 'nginx'
      ? {
          'nginx.ingress.kubernetes.io/proxy-body-size': '0',
          'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off',
          'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
          'nginx.ingress.kubernetes.io/proxy-read-timeout': String(gateway_s),
          'nginx.ingress.kubernetes.io/proxy-send-timeout': String(gateway_s),
        }
      : {}),
  }
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: prefixOf(values.installation), namespace, labels: partOf(values), annotations },
    spec: {
      ingressClassName: ingress.class,
      ...(ingress.issuer ? { tls: [{ hosts: [host], secretName: tlsSecret(values) }] } : {}),
      rules: [
        {
          host,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: service, port: { number: PORT } } },
              },
            ],
          },
        },
      ],
    },
  }
}

export function functionIngress(router: string, values: OpenfaasValues) {
  const { ingress, namespace } = values
  return {
    apiVersion: 'openfaas.com/v1',
    kind: 'FunctionIngress',
    metadata: { name: prefixOf(values.installation), namespace: 'openfaas' },
    spec: {
      domain: hostOf(values),
      function: router,
      functionNamespace: namespace,
      ingressType: ingress.class,
      path: '/(.*)', // the whole path reaches the router
      ...(ingress.issuer
        ? { tls: { enabled: true, issuerRef: { name: ingress.issuer, kind: 'ClusterIssuer' } } }
        : {}),
    },
  }
}

/** The DomainMapping of the host, the claim that allows it in this namespace, and its certificate. */
export function domainObjects(values: KnativeValues): object[] {
  const { namespace, ingress } = values
  const host = hostOf(values)
  const mapping: IDomainMapping = {
    apiVersion: 'serving.knative.dev/v1beta1',
    kind: 'DomainMapping',
    metadata: { name: host, namespace, labels: partOf(values) },
    spec: {
      ref: { apiVersion: 'serving.knative.dev/v1', kind: 'Service', name: namedWithin(values, ROUTER) },
      ...(ingress.issuer ? { tls: { secretName: tlsSecret(values) } } : {}),
    },
  }
  const claim = {
    apiVersion: 'networking.internal.knative.dev/v1alpha1',
    kind: 'ClusterDomainClaim',
    metadata: { name: host, labels: partOf(values) },
    spec: { namespace },
  }
  return [claim, ...(ingress.issuer ? [certificate(host, values, ingress.issuer)] : []), mapping]
}

const certificate = (host: string, values: KnativeValues, issuer: string) => ({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: prefixOf(values.installation), namespace: values.namespace, labels: partOf(values) },
  spec: {
    secretName: tlsSecret(values),
    // Knative searches for certificates among the Secrets with this label.
    secretTemplate: {
      labels: { 'networking.internal.knative.dev/certificate-uid': prefixOf(values.installation) },
    },
    dnsNames: [host],
    issuerRef: { name: issuer, kind: 'ClusterIssuer' },
  },
})

const placeOf = (place: string) => {
  const [namespace, name] = place.split('/') as [string, string]
  return { namespace, name }
}

/** Routes all paths to the router; without a router, each function's paths to it. */
const rulesOf = ({ packaging }: KnativeValues, rule: (unit: string, matches: Match[]) => Rule): Rule[][] =>
  packaging === 'endpoint'
    ? httpRules(unitsOf(packaging), rule)
    : [[rule(ROUTER, [{ path: { type: 'PathPrefix', value: '/' } }])]]

/** The routes, and the grant that lets them point into the namespace of Knative's own gateway. */
export function gatewayObjects(values: KnativeValues): (IHTTPRoute | IReferenceGrant)[] {
  const { namespace, ingress } = values
  const backend = placeOf(ingress.backend)
  const prefix = prefixOf(values.installation)
  const rules = rulesOf(values, (unit, matches) => ({
    matches,
    // Knative selects its Service by the host.
    filters: [
      {
        type: 'URLRewrite',
        urlRewrite: { hostname: `${namedWithin(values, unit)}.${namespace}.svc.cluster.local` },
      },
    ],
    backendRefs: [{ ...backend, port: 80 }],
    timeouts: { request: '0s' }, // Envoy Gateway allows 15 s by default; the Service's own timeout applies instead
  }))
  return [
    ...rules.map(
      (rules, at): IHTTPRoute => ({
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'HTTPRoute',
        metadata: { name: at === 0 ? prefix : `${prefix}-${at + 1}`, namespace, labels: partOf(values) },
        spec: { parentRefs: [placeOf(ingress.gateway)], hostnames: [hostOf(values)], rules },
      }),
    ),
    {
      apiVersion: 'gateway.networking.k8s.io/v1beta1',
      kind: 'ReferenceGrant',
      metadata: {
        name: values.installation === undefined ? `${prefix}-${namespace}` : `${prefix}-in-${namespace}`,
        namespace: backend.namespace,
        labels: partOf(values),
      },
      spec: {
        from: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace }],
        to: [{ group: '', kind: 'Service', name: backend.name }],
      },
    },
  ]
}
