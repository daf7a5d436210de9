// Who may reach what in a cluster: callers only through the platform's gateways, Prometheus the metrics, and code of
// agents nothing that is private but PostgreSQL, from where the runtime reads it.

import type {
  INetworkPolicy,
  INetworkPolicyEgressRule,
  INetworkPolicyPeer,
} from 'kubernetes-models/networking.k8s.io/v1'
import { PORT } from './image.ts'
import { PART, ROLE } from './knative-objects.ts'

const NAMESPACE_NAME = 'kubernetes.io/metadata.name'
/** Through which every request to a Service of Knative comes, from outside and from other functions alike. */
const GATEWAYS: INetworkPolicyPeer = {
  namespaceSelector: {
    matchExpressions: [
      {
        key: NAMESPACE_NAME,
        operator: 'In',
        values: ['knative-serving', 'kourier-system', 'istio-system', 'contour-internal', 'contour-external'],
      },
    ],
  },
}
const DNS: INetworkPolicyEgressRule = {
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
}
// Agents behind URLs, callbacks and stores may be anywhere; credentials of the machine itself are nobody's.
const ANYWHERE: INetworkPolicyEgressRule = {
  to: [
    { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.169.254/32'] } },
    { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128'] } },
    { namespaceSelector: {} },
  ],
}

const policy = (name: string, spec: NonNullable<INetworkPolicy['spec']>): INetworkPolicy => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name, labels: PART },
  spec,
})

const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '169.254.0.0/16']
const POSTGRES_PORT = 5432
/** Public addresses, and PostgreSQL wherever it is. */
const AGENTS_REACH: INetworkPolicyEgressRule[] = [
  DNS,
  {
    to: [
      { ipBlock: { cidr: '0.0.0.0/0', except: PRIVATE } },
      { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
    ],
  },
  { ports: [{ protocol: 'TCP', port: POSTGRES_PORT }] },
]

/** Where Prometheus is, unless it is elsewhere. */
export const prometheusPolicy = policy('in-by-prometheus', {
  podSelector: { matchLabels: { ...PART, [ROLE]: 'tick' } },
  policyTypes: ['Ingress'],
  ingress: [
    {
      from: [{ namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: 'monitoring' } } }],
      ports: [{ protocol: 'TCP', port: PORT }],
    },
  ],
})

/** On OpenFaaS, whose gateway calls every function; a pod there has the name of its function. */
export const openfaasRuntimePolicy = (name: string): INetworkPolicy => ({
  ...policy(name, {
    podSelector: { matchLabels: { faas_function: name } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [{ namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: 'openfaas' } } }] }],
    egress: AGENTS_REACH,
  }),
  metadata: { name, namespace: 'openfaas-fn', labels: PART },
})

export const policies: INetworkPolicy[] = [
  policy('in-by-gateways', {
    podSelector: { matchLabels: PART },
    policyTypes: ['Ingress'],
    ingress: [{ from: [GATEWAYS] }],
  }),
  policy('out-of-router', {
    podSelector: { matchLabels: { ...PART, [ROLE]: 'router' } },
    policyTypes: ['Egress'],
    egress: [DNS, { to: [GATEWAYS] }],
  }),
  policy('out-of-functions', {
    podSelector: {
      matchLabels: PART,
      matchExpressions: [{ key: ROLE, operator: 'NotIn', values: ['router', 'runtime'] }],
    },
    policyTypes: ['Egress'],
    egress: [DNS, ANYWHERE],
  }),
  policy('out-of-runtime', {
    podSelector: { matchLabels: { ...PART, [ROLE]: 'runtime' } },
    policyTypes: ['Egress'],
    egress: AGENTS_REACH,
  }),
]
