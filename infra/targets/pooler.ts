// Generates a PgBouncer in transaction mode in front of PostgreSQL: however many functions are awake, PostgreSQL has
// the configured number of connections.

import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IService } from 'kubernetes-models/v1/Service'
import type { PoolerSecret } from '../pooler-secrets.ts'
import { servedObjects } from './deployment.ts'
import { named } from './names.ts'
import { partOf } from './pods.ts'
import { type Place, secretVariable } from './run-once.ts'

const ROLE = 'pooler'
const PORT = 5432
// A function holds up to ten connections; 500 is fifty copies, and an idle one costs PgBouncer 2 KiB.
const CLIENTS = 500

/** The image's variables for PostgreSQL's address, with the secrets that hold them. */
const FROM_SECRETS: Record<string, PoolerSecret> = {
  DB_HOST: 'POOLER_HOST',
  DB_PORT: 'POOLER_PORT',
  DB_USER: 'POOLER_USER',
  DB_PASSWORD: 'POOLER_PASSWORD',
  DB_NAME: 'POOLER_DATABASE',
  SERVER_TLS_SSLMODE: 'POOLER_TLS',
}
const CA = 'DATABASE_CA'
const CA_FOLDER = '/etc/assay'
const CA_FILE = 'ca.pem'

export function poolerObjects(at: Place): [IDeployment, IService] {
  const { namespace, pooler, secrets } = at.values
  const ca = secrets.includes(CA) ? at.placeOf(CA) : undefined
  const env = {
    POOL_MODE: 'transaction',
    DEFAULT_POOL_SIZE: String(pooler!.connections),
    MAX_DB_CONNECTIONS: String(pooler!.connections),
    MAX_CLIENT_CONN: String(CLIENTS),
    AUTH_TYPE: 'scram-sha-256',
    LISTEN_PORT: String(PORT),
    ...(ca ? { SERVER_TLS_CA_FILE: `${CA_FOLDER}/${CA_FILE}` } : {}),
  }
  return servedObjects({
    name: named(at.values, ROLE),
    namespace,
    part: partOf(at.values),
    role: ROLE,
    replicas: 1, // two would share nothing, and PostgreSQL would have twice the connections
    image: pooler!.image,
    port: { name: 'postgres', number: PORT },
    user: 70,
    writesRoot: true, // its configuration, from the environment
    container: {
      env: [
        ...Object.entries(FROM_SECRETS).map(([name, secret]) => secretVariable(at, name, secret)),
        ...Object.entries(env).map(([name, value]) => ({ name, value })),
      ],
      ...(ca ? { volumeMounts: [{ name: 'ca', mountPath: CA_FOLDER, readOnly: true }] } : {}),
    },
    ...(ca
      ? {
          volumes: [{ name: 'ca', secret: { secretName: ca.name, items: [{ key: ca.key, path: CA_FILE }] } }],
        }
      : {}),
  })
}
