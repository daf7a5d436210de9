// Generates the Jobs that run once on a cluster: the migration, and the creation of the first account. Both use the
// image, so the machine that applies them needs no Node.

import type { IJob } from 'kubernetes-models/batch/v1/Job'
import { REFUSED } from '../local/exit-error.ts'
import { FIRST_ACCOUNT_NEEDS, MIGRATION_NEEDS, type Needs } from '../unit-settings.ts'
import { secretsOf } from './environment.ts'
import { FIRST_ACCOUNT_COMMAND, MIGRATE_COMMAND, SMALL } from './image.ts'
import { named } from './names.ts'
import { CONFINED, partOf, ROLE } from './pods.ts'
import type { ImageValues } from './values.ts'

/** The values of an installation, and where its platform keeps each secret. */
export interface Place {
  values: ImageValues
  placeOf(secret: string): { name: string; key: string }
}

export const migrationJob = (at: Place): IJob =>
  job(at, 'migrate', 'migration', MIGRATE_COMMAND, MIGRATION_NEEDS)

export function firstAccountJob(at: Place): IJob {
  const { email, name } = at.values.first_account
  const command = [...FIRST_ACCOUNT_COMMAND, '--email', email, '--name', name]
  return job(at, 'first-account', 'account', command, FIRST_ACCOUNT_NEEDS)
}

/** The container's variables for the secrets it needs. */
export const secretVariables = (at: Place, needs: Needs) =>
  secretsOf(needs, at.values).map(({ setting, secret }) => secretVariable(at, setting, secret))

export const secretVariable = ({ placeOf }: Place, name: string, secret: string) => ({
  name,
  valueFrom: { secretKeyRef: placeOf(secret) },
})

function job(at: Place, name: string, role: string, command: string[], needs: Needs): IJob {
  const { namespace, image, image_pull_secret } = at.values
  const labels = { ...partOf(at.values), [ROLE]: role }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: named(at.values, name), namespace, labels },
    spec: {
      backoffLimit: 6,
      // A fault that a person has to fix is not retried, and its pod stays for its log.
      podFailurePolicy: {
        rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [REFUSED] } }],
      },
      ttlSecondsAfterFinished: 3600,
      template: {
        metadata: { labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          ...(image_pull_secret ? { imagePullSecrets: [{ name: image_pull_secret }] } : {}),
          containers: [
            {
              name,
              image,
              command,
              env: secretVariables(at, needs),
              resources: SMALL,
              securityContext: CONFINED,
            },
          ],
        },
      },
    },
  }
}
