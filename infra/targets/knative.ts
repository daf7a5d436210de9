// Generates the files of an installation on Knative for `kubectl apply -f`: one folder for everything that keeps
// running, and a folder below it for Jobs that run once.

import { unitsOf } from '../packaging.ts'
import { domainObjects, gatewayObjects } from './ingress-objects.ts'
import { disruptionBudgets, placeOf, services, tickSource } from './knative-objects.ts'
import { kedaObjects, podMonitor } from './knative-options.ts'
import { namedWithin } from './names.ts'
import { knativePolicies, prometheusPolicy } from './network-policies.ts'
import { poolerObjects } from './pooler.ts'
import { nginxFile } from './routes.ts'
import { firstAccountJob, migrationJob } from './run-once.ts'
import type { TargetFile } from './target-file.ts'
import { timesOf } from './times.ts'
import type { KnativeValues } from './values.ts'

export function knativeFiles(values: KnativeValues): TargetFile[] {
  const jobs = placeOf(values)
  const { prometheus_namespace } = values
  return [
    { path: 'network-policies.yaml', about: ABOUT_POLICIES, content: knativePolicies(values) },
    {
      path: 'services.yaml',
      about:
        'A Service for each unit of functions and for what runs agents; callers reach the router alone, or, where there is none, what routes lead to.',
      content: services(values),
    },
    { path: 'tick.yaml', about: 'Calls the tick every minute.', content: [tickSource(values)] },
    {
      path: 'disruption-budgets.yaml',
      about: 'Of each Service one copy may be evicted at a time, and the only one too.',
      content: disruptionBudgets(values),
    },
    ...ingressFiles(values),
    ...(values.pooler
      ? [
          {
            path: 'pooler.yaml',
            about: 'PgBouncer between the functions and PostgreSQL.',
            content: poolerObjects(jobs),
          },
        ]
      : []),
    ...(values.keda ? [{ path: 'consumer.yaml', about: ABOUT_KEDA, content: kedaObjects(values) }] : []),
    ...(prometheus_namespace
      ? [
          {
            path: 'prometheus.yaml',
            about: 'Lets the operator of Prometheus find the tick, and Prometheus read its metrics.',
            content: [podMonitor(values), prometheusPolicy(values, prometheus_namespace)],
          },
        ]
      : []),
    {
      path: 'jobs/migrate.yaml',
      about: 'Brings the database to the schema of this image; safe to repeat.',
      content: [migrationJob(jobs)],
    },
    {
      path: 'jobs/first-account.yaml',
      about:
        'Makes the first account and logs its credentials once; again, it gives the same account new ones.',
      content: [firstAccountJob(jobs)],
    },
  ]
}

function ingressFiles(values: KnativeValues): TargetFile[] {
  const own = values.packaging === 'endpoint' ? [nginxConf(values)] : []
  if (values.ingress.by === 'none') return own
  return [
    ...own,
    values.ingress.by === 'gateway'
      ? {
          path: 'ingress.yaml',
          about:
            'Leads the host to the router, or to each function its paths, by the Gateway API. The grant needs who administers the cluster.',
          content: gatewayObjects(values),
        }
      : {
          path: 'ingress.yaml',
          about: 'Gives the router its host. The claim needs who administers the cluster.',
          content: domainObjects(values),
        },
  ]
}

/** The configuration for the operator's own nginx; it calls Knative's gateway, which selects a Service by its host. */
function nginxConf(values: KnativeValues): TargetFile {
  const { namespace, ingress, consumer_seconds } = values
  const [at, name] = ingress.backend.split('/')
  return {
    path: 'nginx.conf',
    about: 'For the folder conf.d of an nginx of yours in the cluster, where no Gateway leads to functions.',
    content: nginxFile(unitsOf('endpoint'), {
      server: `${name}.${at}.svc.cluster.local:80`,
      host: `${namedWithin(values, '$assay_unit')}.${namespace}.svc.cluster.local`,
      seconds: timesOf(consumer_seconds).gateway_s,
    }),
  }
}

const ABOUT_KEDA =
  'A consumer that stays up while there is a backlog and runs bundles itself, in the place of the function "consume".'
const ABOUT_POLICIES = `Apply it before the Services. Nothing comes in but by the gateways of Knative, which keep the outside from what
is cluster-local. Out goes what agents behind URLs and callbacks need; the router finds other functions only. Code of
agents reaches public addresses and the agent_networks of the values.`
