// Generates a Deployment of another project's image, which runs next to the functions, and the Service in front of it.

import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IContainer } from 'kubernetes-models/v1/Container'
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec'
import type { IService } from 'kubernetes-models/v1/Service'
import { CONFINED, ROLE } from './pods.ts'

export interface Served {
  name: string
  namespace: string
  /** The label of its installation. */
  part: Record<string, string>
  role: string
  replicas: number
  image: string
  port: { name: string; number: number }
  /** The user id that the image runs as. */
  user: number
  container?: Pick<IContainer, 'env' | 'volumeMounts'>
  volumes?: IPodSpec['volumes']
  /** Set where its start writes into its root file system. */
  writesRoot?: boolean
}

export function servedObjects(one: Served): [IDeployment, IService] {
  const { name, namespace, port } = one
  const labels = { ...one.part, [ROLE]: one.role }
  const metadata = { name, namespace, labels }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas: one.replicas,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            containers: [
              {
                name: one.role,
                image: one.image,
                ports: [{ name: port.name, containerPort: port.number }],
                ...one.container,
                readinessProbe: { tcpSocket: { port: port.number }, periodSeconds: 2 },
                resources: {
                  requests: { cpu: '20m', memory: '32Mi' },
                  limits: { cpu: '1', memory: '128Mi' },
                },
                securityContext: {
                  ...CONFINED,
                  ...(one.writesRoot ? { readOnlyRootFilesystem: false } : {}),
                  runAsUser: one.user,
                },
              },
            ],
            ...(one.volumes ? { volumes: one.volumes } : {}),
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: labels, ports: [{ name: port.name, port: port.number, targetPort: port.name }] },
    },
  ]
}
