// The files of an installation on Knative, for `kubectl apply -k`: a base, an overlay for each kind of installation with
// the names an operator gives at its top, and components that an overlay may add.

import { stringify } from 'yaml'
import { CONSUMER, IMAGE, METRICS_TOKEN, RUNTIME, SECRETS, TRUSTED_PROXIES } from './image.ts'
import { migration, ROLE, SETTINGS, services, tickSource } from './knative-objects.ts'
import {
  consumer,
  consumerScale,
  databaseAuthentication,
  disruptionBudgets,
  domainMapping,
  httpRoute,
  podMonitor,
  referenceGrant,
} from './knative-options.ts'
import { policies, prometheusPolicy } from './network-policies.ts'
import { yamlFile } from './yaml.ts'

/** What of a kustomization.yaml is used here. */
interface Kustomization {
  apiVersion: 'kustomize.config.k8s.io/v1beta1' | 'kustomize.config.k8s.io/v1alpha1'
  kind: 'Kustomization' | 'Component'
  namespace?: string
  images?: { name: string; newName: string; newTag: string }[]
  configMapGenerator?: { name: string; literals: string[] }[]
  resources?: string[]
  components?: string[]
  configurations?: string[]
  patches?: { target: Selector; patch: string }[]
  replacements?: Replacement[]
}
interface Selector {
  group?: string
  kind: string
  name?: string
  labelSelector?: string
}
interface Replacement {
  source: { kind: string; name: string; fieldPath: string; options?: { delimiter: string; index: number } }
  targets: {
    select: { kind: string; name?: string }
    fieldPaths: string[]
    options?: { delimiter: string; index: number }
  }[]
}

interface Installation {
  name: string
  about: string
  namespace: string
  host: string
  patches?: Kustomization['patches']
  resources?: string[]
}

const KUSTOMIZATION = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' } as const
const COMPONENT = { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' } as const

const KNATIVE_SERVICE = { group: 'serving.knative.dev', kind: 'Service' }

const INSTALLATIONS: Installation[] = [
  {
    name: 'staging',
    about: 'Everything at zero when nobody asks for anything.',
    namespace: 'assay-staging',
    host: 'assay-staging.example.com',
  },
  {
    name: 'production',
    about: 'What callers wait for is always up: the router and the interface.',
    namespace: 'assay',
    host: 'assay.example.com',
    resources: ['disruption-budgets.yaml'],
    patches: [
      {
        target: { ...KNATIVE_SERVICE, labelSelector: `${ROLE} in (router, api)` },
        patch: stringify([
          {
            op: 'replace',
            path: '/spec/template/metadata/annotations/autoscaling.knative.dev~1min-scale',
            value: '1',
          },
        ]),
      },
    ],
  },
]

/** Every file, in the folder of the platform. */
export function knativeFiles(): [path: string, text: string][] {
  return [
    ...BASE_FILES.map(([name, about, ...objects]) => written(`base/${name}`, about, objects)),
    ...INSTALLATIONS.map(one =>
      written(`overlays/${one.name}/kustomization.yaml`, aboutOf(one), [overlay(one)]),
    ),
    written('overlays/production/disruption-budgets.yaml', ABOUT_BUDGETS, disruptionBudgets),
    ...COMPONENTS.flatMap(({ name, about, file, objects, ...rest }) => [
      written(`components/${name}/kustomization.yaml`, about, [{ ...COMPONENT, resources: [file], ...rest }]),
      written(`components/${name}/${file}`, 'Of the component beside it.', objects),
    ]),
    written('cluster/reference-grant.yaml', ABOUT_GRANT, [
      referenceGrant(INSTALLATIONS.map(one => one.namespace)),
    ]),
  ]
}

function written(path: string, about: string, objects: readonly object[]): [path: string, text: string] {
  return [path, yamlFile(about, objects)]
}

const ABOUT_BUDGETS = 'Of each Service one copy may be evicted at a time, and the only one too.'
const ABOUT_GRANT =
  'Lets the routes of these namespaces lead to Kourier. Applied once, by who administers the cluster.'
const ABOUT_POLICIES = `Nothing comes in but by the gateways of Knative, which the label cluster-local keeps the outside from; name
yours here if it is another. A gateway hides who called, so the consumer also asks for a bearer, and the tick does
no harm to be called. Out goes what agents behind URLs and callbacks need; the router finds other functions only. Code
of agents reaches public addresses, and PostgreSQL at its usual port: name there what else of yours it may.`
const aboutOf = ({ about }: Installation) => `${about}
Yours to name: namespace, newName, newTag and BASE_URL. Hosts within the cluster follow the namespace.
Optional: components: [../../components/domain] or gateway, keda, and prometheus.
Before it: kubectl -n NAMESPACE create secret generic ${SETTINGS} ${SECRETS.map(name => `--from-literal=${name}=…`).join(' ')}
  and for metrics --from-literal=${METRICS_TOKEN}=…`

const BASE: Kustomization = {
  ...KUSTOMIZATION,
  resources: ['services.yaml', 'tick.yaml', 'migrate.yaml', 'network-policies.yaml'],
  configurations: ['name-references.yaml'],
}

/** Where kustomize finds the name of the ConfigMap, which bears a hash of its content. */
const NAME_REFERENCES = {
  nameReference: [
    {
      kind: 'ConfigMap',
      version: 'v1',
      fieldSpecs: [
        {
          group: 'serving.knative.dev',
          kind: 'Service',
          path: 'spec/template/spec/containers/envFrom/configMapRef/name',
        },
      ],
    },
  ],
}

const BASE_FILES: [name: string, about: string, ...objects: object[]][] = [
  [
    'kustomization.yaml',
    'Applied through an overlay, which names the namespace, the image and the host.',
    BASE,
  ],
  [
    'services.yaml',
    'A Service for each unit of functions and for what runs agents; callers reach the router only.',
    ...services,
  ],
  ['tick.yaml', 'Calls the tick every minute.', tickSource],
  ['migrate.yaml', 'Brings the database to the schema of this image; safe to repeat.', migration],
  ['network-policies.yaml', ABOUT_POLICIES, ...policies],
  ['name-references.yaml', 'Lets a changed setting make a new revision.', NAME_REFERENCES],
]

function overlay({ namespace, host, resources = [], patches }: Installation): Kustomization {
  return {
    ...KUSTOMIZATION,
    namespace,
    images: [{ name: IMAGE, newName: `registry.example.com/${IMAGE}`, newTag: '0.1.0' }],
    configMapGenerator: [
      {
        name: SETTINGS,
        literals: [
          `BASE_URL=https://${host}`,
          `ASSAY_CONSUMER_URL=http://${CONSUMER}.${namespace}.svc.cluster.local`,
          `ASSAY_RUNTIME_URL=http://${RUNTIME}.${namespace}.svc.cluster.local`,
          `ASSAY_UNIT_URL=http://{unit}.${namespace}.svc.cluster.local`,
          `ASSAY_TRUSTED_PROXIES=${TRUSTED_PROXIES}`,
        ],
      },
    ],
    resources: ['../../base', ...resources],
    ...(patches ? { patches } : {}),
    // Last, when all the rest bears the namespace.
    replacements: [
      {
        source: { kind: 'ConfigMap', name: SETTINGS, fieldPath: 'metadata.namespace' },
        targets: [
          {
            select: { kind: 'ConfigMap', name: SETTINGS },
            fieldPaths: ['data.ASSAY_CONSUMER_URL', 'data.ASSAY_RUNTIME_URL', 'data.ASSAY_UNIT_URL'],
            options: { delimiter: '.', index: 1 },
          },
          {
            select: { kind: 'HTTPRoute' },
            fieldPaths: ['spec.rules.0.filters.0.urlRewrite.hostname'],
            options: { delimiter: '.', index: 1 },
          },
        ],
      },
    ],
  }
}

/** Writes the host of BASE_URL into objects of a kind. */
const hostInto = (kind: string, fieldPath: string): Replacement => ({
  source: {
    kind: 'ConfigMap',
    name: SETTINGS,
    fieldPath: 'data.BASE_URL',
    options: { delimiter: '/', index: 2 },
  },
  targets: [{ select: { kind }, fieldPaths: [fieldPath] }],
})

interface Component extends Pick<Kustomization, 'patches' | 'replacements'> {
  name: string
  about: string
  file: string
  objects: readonly object[]
}

const COMPONENTS: Component[] = [
  {
    name: 'prometheus',
    about: `Lets the operator of Prometheus read the metrics, with ${METRICS_TOKEN} of the Secret. Name your Prometheus's
namespace in pod-monitor.yaml, and the labels by which it picks monitors.`,
    file: 'pod-monitor.yaml',
    objects: [podMonitor, prometheusPolicy],
  },
  {
    name: 'domain',
    about:
      'Gives the router the host of BASE_URL. Needs a ClusterDomainClaim, or autocreate-cluster-domain-claims.',
    file: 'domain-mapping.yaml',
    objects: [domainMapping],
    replacements: [hostInto('DomainMapping', 'metadata.name')],
  },
  {
    name: 'gateway',
    about: `Leads the host of BASE_URL to the router by the Gateway API and Kourier: name your Gateway in http-route.yaml,
and apply ../../cluster/reference-grant.yaml once.`,
    file: 'http-route.yaml',
    objects: [httpRoute],
    replacements: [hostInto('HTTPRoute', 'spec.hostnames.0')],
  },
  {
    name: 'keda',
    about: 'A consumer that stays up while there is a backlog, in the place of the function "consume".',
    file: 'consumer.yaml',
    objects: [consumer, databaseAuthentication, consumerScale],
    patches: [
      {
        target: { ...KNATIVE_SERVICE, name: CONSUMER },
        patch: stringify({
          $patch: 'delete',
          apiVersion: 'serving.knative.dev/v1',
          kind: 'Service',
          metadata: { name: CONSUMER },
        }),
      },
      {
        // Wakes go by Redis then: what stays up listens there.
        target: { ...KNATIVE_SERVICE, labelSelector: `${ROLE} in (api, tick)` },
        patch: stringify([
          {
            op: 'add',
            path: '/spec/template/spec/containers/0/env/-',
            value: { name: 'ASSAY_CONSUMER_URL', value: '' },
          },
        ]),
      },
    ],
  },
]
