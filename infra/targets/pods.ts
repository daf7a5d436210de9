// What all pods of an installation share: their labels, and a security context that allows nothing beyond their own
// memory and network.

import type { IContainer } from 'kubernetes-models/v1/Container'
import { prefixOf } from '../../shared/kernel/installation-name.ts'

/** The label of everything that an installation has; policies and monitors select by it. */
export const partOf = ({ installation }: { installation?: string | undefined }) => ({
  'app.kubernetes.io/part-of': prefixOf(installation),
})
export const ROLE = 'app.kubernetes.io/component'

export const CONFINED: NonNullable<IContainer['securityContext']> = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

/** The volume for the files of agents' processes; everything else is read-only. */
export const SCRATCH = { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }
export const SCRATCH_MOUNT = { name: SCRATCH.name, mountPath: '/tmp' }
