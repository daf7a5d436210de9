// Generates an nginx in the cluster that replaces the router where there is one function for each endpoint. It has no
// state: a copy may stop at any time, which is why there are two.

import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IService } from 'kubernetes-models/v1/Service'
import { servedObjects } from './deployment.ts'
import { PORT } from './image.ts'
import { PART, ROLE, SCRATCH, SCRATCH_MOUNT } from './pods.ts'
import type { OpenfaasValues } from './values.ts'

export const NGINX = 'assay-ingress'
const NGINX_ROLE = 'ingress'
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
      metadata: { name: NGINX, namespace, labels: { ...PART, [ROLE]: NGINX_ROLE } },
      data: { [FILE]: conf },
    },
    ...servedObjects({
      name: NGINX,
      namespace,
      role: NGINX_ROLE,
      replicas: COPIES,
      image: ingress.nginx_image,
      port: { name: 'http', number: PORT },
      user: 101,
      container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/nginx/conf.d' }, SCRATCH_MOUNT] },
      volumes: [{ name: 'conf', configMap: { name: NGINX } }, SCRATCH],
    }),
  ]
}
