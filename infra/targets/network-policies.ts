// Generates the network policies: callers come only through the platform's gateways, Prometheus may reach the metrics,
// and agents' code may reach no private address except those that the values name.

import type {
  INetworkPolicy,
  INetworkPolicyEgressRule,
  INetworkPolicyPeer,
} from 'kubernetes-models/networking.k8s.io/v1'
import { PORT } from './image.ts'
import { STANDING_ROLE } from './knative-options.ts'
import { named, namedWithin } from './names.ts'
import { partOf, ROLE } from './pods.ts'
import type { ImageValues, KnativeValues, OpenfaasValues } from './values.ts'

const NAMESPACE_NAME = 'kubernetes.io/metadata.name'
/**
 * The namespaces through which every request to a Knative Service comes, both from outside and from other functions.
 */
const KNATIVE_GATEWAYS = [
  'knative-serving',
  'kourier-system',
  'istio-system',
  'contour-internal',
  'contour-external',
]

const inNamespaces = (values: string[]): INetworkPolicyPeer => ({
  namespaceSelector: { matchExpressions: [{ key: NAMESPACE_NAME, operator: 'In', values }] },
})
const DNS: INetworkPolicyEgressRule = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
}
// Agents behind URLs, callbacks and stores may be anywhere, but nobody may reach the machine's own credentials.
const ANYWHERE: INetworkPolicyEgressRule = {
  to: [
    { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } },
    { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128'] } },
    { namespaceSelector: {} },
  ],
}

const policy = (
  values: ImageValues,
  name: string,
  spec: NonNullable<INetworkPolicy['spec']>,
): INetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, namespace: values.namespace, labels: partOf(values) },
  spec,
})

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16']

/** The egress rules for agents' code: public addresses, `agent_networks`, and `more`. */
const agentsReach = (
  { agent_networks }: ImageValues,
  more: { networks?: readonly string[]; ports?: readonly number[] } = {},
): INetworkPolicyEgressRule[] => [
  DNS,
  {
    to: [
      { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE } },
      { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
      ...[...agent_networks, ...(more.networks ?? [])].map(cidr => ({ ipBlock: { cidr } })),
    ],
  },
  ...(more.ports ? [{ ports: more.ports.map(port => ({ protocol: 'TCP' as const, port })) }] : []),
]

/** The ports of trace receivers, which are mostly in the cluster. */
const telemetryPorts = ({ telemetry }: ImageValues): number[] => {
  const endpoints = Object.entries(telemetry).flatMap(([name, url]) =>
    name.endsWith('_ENDPOINT') ? (URL.parse(url) ?? []) : [],
  )
  return [
    ...new Set(endpoints.map(({ port, protocol }) => Number(port) || (protocol === 'https:' ? 443 : 80))),
  ]
}

/** Lets Prometheus in its namespace reach the tick's metrics. */
export const prometheusPolicy = (values: KnativeValues, prometheus: string): INetworkPolicy =>
  policy(values, namedWithin(values, 'in-by-prometheus'), {
    podSelector: { matchLabels: { ...partOf(values), [ROLE]: 'tick' } },
    policyTypes: ['Ingress'],
    ingress: [{ from: [inNamespaces([prometheus])], ports: [{ protocol: 'TCP', port: PORT }] }],
  })

/** The policies on OpenFaaS, by function names, since others may have functions in the same namespace. */
export function openfaasPolicies(
  functions: string[],
  router: string | undefined,
  runtime: string,
  values: OpenfaasValues,
): INetworkPolicy[] {
  const { namespace, gateway_in_cluster } = values
  const gateway = inNamespaces([new URL(gateway_in_cluster).hostname.split('.')[1] ?? namespace])
  const hidden = functions.filter(name => name !== router)
  return [
    policy(values, named(values, 'in-by-gateway'), {
      podSelector: { matchExpressions: [{ key: 'faas_function', operator: 'In', values: hidden }] },
      policyTypes: ['Ingress'],
      ingress: [{ from: [gateway] }],
    }),
    ...(router === undefined
      ? []
      : [
          policy(values, named(values, 'out-of-router'), {
            podSelector: { matchLabels: { faas_function: router } },
            policyTypes: ['Egress'],
            egress: [DNS, { to: [gateway] }],
          }),
        ]),
    policy(values, named(values, 'out-of-runtime'), {
      podSelector: { matchLabels: { faas_function: runtime } },
      policyTypes: ['Egress'],
      egress: agentsReach(values),
    }),
  ]
}

export function knativePolicies(values: KnativeValues): INetworkPolicy[] {
  const { stores } = values
  const part = partOf(values)
  const gateways = inNamespaces(KNATIVE_GATEWAYS)
  return [
    policy(values, namedWithin(values, 'in-by-gateways'), {
      podSelector: {
        matchLabels: part,
        matchExpressions: [{ key: ROLE, operator: 'NotIn', values: ['pooler'] }],
      },
      policyTypes: ['Ingress'],
      ingress: [{ from: [gateways] }],
    }),
    policy(values, namedWithin(values, 'in-to-pooler'), {
      podSelector: { matchLabels: { ...part, [ROLE]: 'pooler' } },
      policyTypes: ['Ingress'],
      ingress: [{ from: [{ podSelector: { matchLabels: part } }] }],
    }),
    policy(values, namedWithin(values, 'out-of-router'), {
      podSelector: { matchLabels: { ...part, [ROLE]: 'router' } },
      policyTypes: ['Egress'],
      egress: [DNS, { to: [gateways] }],
    }),
    policy(values, namedWithin(values, 'out-of-functions'), {
      podSelector: {
        matchLabels: part,
        matchExpressions: [{ key: ROLE, operator: 'NotIn', values: ['router', 'runtime', STANDING_ROLE] }],
      },
      policyTypes: ['Egress'],
      egress: [DNS, ANYWHERE],
    }),
    policy(values, namedWithin(values, 'out-of-runtime'), {
      podSelector: { matchLabels: { ...part, [ROLE]: 'runtime' } },
      policyTypes: ['Egress'],
      egress: agentsReach(values),
    }),
    // It runs bundles, claims items and sends callbacks: it gets the runtime's network, callback networks and stores.
    ...(values.keda
      ? [
          policy(values, namedWithin(values, 'out-of-standing-consumer'), {
            podSelector: { matchLabels: { ...part, [ROLE]: STANDING_ROLE } },
            policyTypes: ['Egress'],
            egress: agentsReach(values, {
              networks: values.callback_networks,
              ports: [stores.postgres_port, stores.redis_port, ...telemetryPorts(values)],
            }),
          }),
        ]
      : []),
  ]
}
