// What all pods of an installation have in common: how they are found, and that they may do nothing beyond their own
// memory and their network.

import type { IContainer } from 'kubernetes-models/v1/Container'

export const PART = { 'app.kubernetes.io/part-of': 'assay' }
export const ROLE = 'app.kubernetes.io/component'

export const CONFINED: NonNullable<IContainer['securityContext']> = {
  runAsNonRoot: true,
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
}

/** Where the processes of agents have their files; everything else is read-only. */
export const SCRATCH = { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } }
export const SCRATCH_MOUNT = { name: SCRATCH.name, mountPath: '/tmp' }
