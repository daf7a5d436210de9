// Generates an nginx in the cluster that replaces the router where there is one function for each endpoint. It has no
// state: a copy may stop at any time, which is why there are two.

import type { IDeployment } from 'kubernetes-models/apps/v1/Deployment'
import type { IConfigMap } from 'kubernetes-models/v1/ConfigMap'
import type { IService } from 'kubernetes-models/v1/Service'
import { servedObjects } from './deployment.ts'
import { PORT } from './image.ts'
import { named } from './names.ts'
import { partOf, ROLE, SCRATCH, SCRATCH_MOUNT } from './pods.ts'
import type { OpenfaasValues } from './values.ts'

const NGINX_ROLE = 'ingress'
const FILE = 'assay.conf'
const COPIES = 2

export const nginxName = (values: OpenfaasValues) => named(values, NGINX_ROLE)

export function nginxObjects(conf: string, values: OpenfaasValues): [IConfigMap, IDeployment, IService] {
  const { namespace, ingress } = values
  const name = nginxName(values)
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace, labels: { ...partOf(values), [ROLE]: NGINX_ROLE } },
      data: { [FILE]: conf },
    },
    ...servedObjects({
      name,
      namespace,
      part: partOf(values),
      role: NGINX_ROLE,
      replicas: COPIES,
      image: ingress.nginx_image,
      port: { name: 'http', number: PORT },
      user: 101,
      container: { volumeMounts: [{ name: 'conf', mountPath: '/etc/nginx/conf.d' }, SCRATCH_MOUNT] },
      volumes: [{ name: 'conf', configMap: { name } }, SCRATCH],
    }),
  ]
}
