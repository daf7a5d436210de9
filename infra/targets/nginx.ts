// An nginx in the cluster, in the place of the router where functions are one for each endpoint. It keeps nothing: a copy
// may go at any time, and two are there so that one does.

import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IService } from 'kubernetes-models/v1/Service'
import { PORT } from './image.ts'
import { CONFINED, PART, ROLE, SCRATCH, SCRATCH_MOUNT } from './pods.ts'
import type { OpenfaasValues } from './values.ts'

export const NGINX = 'assay-ingress'
const LABELS = { ...PART, [ROLE]: 'ingress' }
const FILE = 'assay.conf'
const COPIES = 2

export function nginxObjects(
  conf: string,
  { namespace, ingress }: OpenfaasValues,
): [IConfigMap, IDeployment, IService] {
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: NGINX, namespace, labels: LABELS },
      data: { [FILE]: conf },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: NGINX, namespace, labels: LABELS },
      spec: {
        replicas: COPIES,
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            containers: [
              {
                name: 'nginx',
                image: ingress.nginx_image,
                ports: [{ name: 'http', containerPort: PORT }],
                readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 2 },
                resources: {
                  requests: { cpu: '20m', memory: '32Mi' },
                  limits: { cpu: '1', memory: '128Mi' },
                },
                securityContext: { ...CONFINED, runAsUser: 101 },
                volumeMounts: [{ name: 'conf', mountPath: '/etc/nginx/conf.d' }, SCRATCH_MOUNT],
              },
            ],
            volumes: [{ name: 'conf', configMap: { name: NGINX } }, SCRATCH],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NGINX, namespace, labels: LABELS },
      spec: { selector: LABELS, ports: [{ name: 'http', port: PORT, targetPort: 'http' }] },
    },
  ]
}
