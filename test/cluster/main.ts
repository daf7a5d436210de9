// `npm run test:cluster`: applies what is generated to a cluster that is named, and asks of it what only a cluster can
// tell. Without one it refuses. It exits 0 when everything was asked and answered well, 1 when not, and 2 when nothing
// was tried.
//
//   KUBECONFIG=FILE npm run test:cluster -- knative FOLDER     what infra/generate.ts made, in a namespace with the secret
//   KUBECONFIG=FILE OPENFAAS_URL=URL npm run test:cluster -- openfaas FOLDER     the same, the secrets made

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { probe, type Report } from './probe.ts'

const READY_S = 300
const ASLEEP_S = 300
const LOOK_MS = 5000

class Refused extends Error {}

function needed(name: string, what: string): string {
  const value = process.env[name]
  if (!value) throw new Refused(`${name} is not set: ${what}`)
  return value
}

function run(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Refused(`${command} is not on the PATH`)
    throw error
  }
}

const folderOf = (folder: string | undefined): string => {
  if (!folder) throw new Refused('say which folder infra/generate.ts wrote to')
  return folder
}

/** A Job cannot be changed, so one of before goes first. */
function migrate(folder: string, kubectl: (...args: string[]) => string): void {
  kubectl('delete', 'job', 'assay-migrate', '--ignore-not-found')
  kubectl('apply', '-f', join(folder, 'jobs/migrate.yaml'))
  kubectl('wait', '--for=condition=Complete', `--timeout=${READY_S}s`, 'job/assay-migrate')
}

async function knative(given: string | undefined): Promise<Report> {
  needed('KUBECONFIG', 'the file that says how your cluster is reached; no other is looked for')
  const folder = folderOf(given)
  const [service] = parseAllDocuments(readFileSync(join(folder, 'services.yaml'), 'utf8'))
  const namespace = service!.toJS().metadata.namespace
  const kubectl = (...args: string[]) => run('kubectl', ['--namespace', namespace, ...args])
  console.log(`cluster ${run('kubectl', ['config', 'current-context']).trim()}, namespace ${namespace}`)

  kubectl('apply', '-f', folder, '--dry-run=server') // the webhooks of Knative, KEDA and the Gateway API
  kubectl('apply', '-f', join(folder, 'network-policies.yaml'))
  migrate(folder, kubectl)
  kubectl('apply', '-f', folder)
  kubectl('wait', '--for=condition=Ready', `--timeout=${READY_S}s`, 'ksvc', '--all')
  kubectl('wait', '--for=condition=Ready', `--timeout=${READY_S}s`, 'pingsource/tick')

  const url = kubectl('get', 'ksvc', 'router', '-o', 'jsonpath={.status.url}')
  const answers = await probe(url)
  const scale = 'jsonpath={.spec.template.metadata.annotations.autoscaling\\.knative\\.dev/min-scale}'
  const sleeping = kubectl('get', 'ksvc', 'router', '-o', scale) === '0'
  return sleeping ? [...answers, await wakes(url, kubectl)] : answers
}

/** Every function but the tick, which is called each minute, goes to zero; then one request wakes what it needs. */
async function wakes(url: string, kubectl: (...args: string[]) => string): Promise<Report[number]> {
  const selector = 'app.kubernetes.io/component in (router, api, consumer)'
  const since = Date.now()
  while (kubectl('get', 'pods', '-l', selector, '-o', 'name') !== '') {
    if (Date.now() - since > ASLEEP_S * 1000)
      return { what: 'goes to zero', wrong: `not within ${ASLEEP_S} s` }
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
  }
  const from = performance.now()
  const { status } = await fetch(`${url}/health/ready`)
  const took = Math.round(performance.now() - from)
  return { what: `wakes from zero: ${took} ms`, ...(status === 200 ? {} : { wrong: `answered ${status}` }) }
}

async function openfaas(given: string | undefined): Promise<Report> {
  const gateway = needed('OPENFAAS_URL', 'where your gateway answers').replace(/\/$/, '')
  needed('KUBECONFIG', 'the file that says how its cluster is reached; no other is looked for')
  const folder = folderOf(given)
  const stack = join(folder, 'stack.yml')
  console.log(`gateway ${gateway}`)
  const job = parse(readFileSync(join(folder, 'jobs/migrate.yaml'), 'utf8'))
  const kubectl = (...args: string[]) => run('kubectl', ['--namespace', job.metadata.namespace, ...args])
  kubectl('apply', '-f', join(folder, 'network-policies.yaml'))
  migrate(folder, kubectl)
  console.log(run('faas-cli', ['deploy', '-f', stack, '--gateway', gateway]))
  for (const name of Object.keys(parse(readFileSync(stack, 'utf8')).functions)) {
    run('faas-cli', ['ready', name, '--gateway', gateway])
  }
  return probe(`${gateway}/function/assay-router`)
}

try {
  const [platform, folder] = process.argv.slice(2)
  if (platform !== 'knative' && platform !== 'openfaas')
    throw new Refused('say of which platform your cluster is: -- knative FOLDER, or -- openfaas FOLDER')
  const report = await (platform === 'knative' ? knative(folder) : openfaas(folder))
  for (const { what, wrong } of report) console.log(wrong ? `WRONG  ${what}: ${wrong}` : `right  ${what}`)
  const wrong = report.filter(one => one.wrong).length
  console.log(
    wrong === 0 ? `passed: ${report.length} of ${report.length}` : `failed: ${wrong} of ${report.length}`,
  )
  process.exitCode = wrong === 0 ? 0 : 1
} catch (error) {
  const refused = error instanceof Refused
  console.error(refused ? `nothing was tested: ${error.message}` : `failed: ${error}`)
  process.exitCode = refused ? 2 : 1
}
