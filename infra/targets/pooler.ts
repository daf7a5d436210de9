// A PgBouncer in transaction mode before PostgreSQL: however many functions are awake, PostgreSQL has the connections
// that were chosen.

import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IService } from 'kubernetes-models/v1/Service'
import { CONFINED, PART, ROLE } from './pods.ts'
import { type Place, secretVariable } from './run-once.ts'

const NAME = 'assay-pooler'
const LABELS = { ...PART, [ROLE]: 'pooler' }
const PORT = 5432
// A function holds up to ten connections; 500 is fifty copies, and an idle one costs PgBouncer 2 KiB.
const CLIENTS = 500

export function poolerObjects(at: Place): [IDeployment, IService] {
  const { namespace, pooler } = at.values
  const env = {
    POOL_MODE: 'transaction',
    DEFAULT_POOL_SIZE: String(pooler!.connections),
    MAX_DB_CONNECTIONS: String(pooler!.connections),
    MAX_CLIENT_CONN: String(CLIENTS),
    AUTH_TYPE: 'scram-sha-256',
    LISTEN_PORT: String(PORT),
  }
  return [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: NAME, namespace, labels: LABELS },
      spec: {
        replicas: 1, // two would share nothing, and PostgreSQL would have twice the connections
        selector: { matchLabels: LABELS },
        template: {
          metadata: { labels: LABELS },
          spec: {
            automountServiceAccountToken: false,
            enableServiceLinks: false,
            containers: [
              {
                name: 'pgbouncer',
                image: pooler!.image,
                ports: [{ name: 'postgres', containerPort: PORT }],
                env: [
                  secretVariable(at, 'DATABASE_URL', 'DATABASE_MIGRATE_URL'),
                  ...Object.entries(env).map(([name, value]) => ({ name, value })),
                ],
                readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 2 },
                resources: {
                  requests: { cpu: '20m', memory: '32Mi' },
                  limits: { cpu: '1', memory: '128Mi' },
                },
                // Its configuration is written from the environment as it starts, to a folder of its own.
                securityContext: { ...CONFINED, readOnlyRootFilesystem: false, runAsUser: 70 },
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: NAME, namespace, labels: LABELS },
      spec: { selector: LABELS, ports: [{ name: 'postgres', port: PORT, targetPort: 'postgres' }] },
    },
  ]
}
