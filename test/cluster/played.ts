// An installation as its files describe it, without a cluster: each function under a double of its platform, started by
// its first request, and the Jobs, all run by the programs of the image with exactly the settings they are given.

import { execFile, execFileSync } from 'node:child_process'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import type { IRevisionSpec } from '@kubernetes-models/knative/serving.knative.dev/v1/RevisionSpec'
import type { IService } from '@kubernetes-models/knative/serving.knative.dev/v1/Service'
import type { IContainer } from 'kubernetes-models/v1/Container'
import { parse } from 'yaml'
import { readExample } from '../../infra/targets/installation.ts'
import { named, namedWithin } from '../../infra/targets/names.ts'
import { secretName } from '../../infra/targets/openfaas.ts'
import { answers } from '../conformance/function-hosts.ts'
import { passBack, passOn, plain, startProxy } from '../support/doubles/proxy.ts'
import { startRevision } from '../support/doubles/queue-proxy.ts'
import { READY, startWatchdog } from '../support/doubles/watchdog.ts'
import { objectsIn } from '../support/kubernetes.ts'
import { Stack } from '../support/openfaas.ts'
import { tempFolder } from '../support/temp-folder.ts'

export type Platform = 'openfaas' | 'knative'

interface Running {
  url: string
  end(): unknown
}
type Starters = Record<string, () => Promise<Running>>

const ROOT = join(import.meta.dirname, '../..')
const example = await readExample('openfaas')

/** The content of the image, made without Docker. */
export interface Image {
  /** The folder that is `/app` in the image. */
  app: string
  remove(): Promise<void>
}

export async function makeImage(): Promise<Image> {
  const { path, remove } = await tempFolder()
  const app = join(path, 'app')
  await mkdir(app)
  await promisify(execFile)(process.execPath, [join(ROOT, 'infra/image.ts'), app])
  await symlink(join(ROOT, 'drizzle'), join(path, 'drizzle'))
  await symlink(join(ROOT, 'node_modules'), join(app, 'node_modules')) // for workerd, as the Dockerfile copies it
  return { app, remove }
}

export interface Played {
  image: Image
  /** A file of the installation. */
  read(name: string): string
  /** By the names in infra/unit-settings.ts. */
  secrets: Record<string, string>
  /** Its name, where others share its namespace or its Redis. */
  installation?: string | undefined
}

/** What the names of its functions, Jobs and secrets begin with on OpenFaaS. */
const prefixOf = (played: Played) => named(played, '')

/** Secrets other than those of the stores and the keys are any text. */
const held = ({ secrets }: Played, secret: string) => secrets[secret] ?? 'ab'.repeat(16)
const inImage = ({ image }: Played, command: string) => command.replace('/app/', `${image.app}/`)

function openfaas(played: Played, gateway: string): Starters {
  const text = played.read('stack.yml').replaceAll('http://gateway.openfaas:8080', gateway)
  const { functions } = Stack.parse(parse(text))
  const start = async ({ environment }: (typeof functions)[string]) => {
    const own = { ...environment, fprocess: inImage(played, environment.fprocess) } as Record<string, string>
    for (const [name, path] of Object.entries(own)) {
      if (name.endsWith('_FILE')) own[name] = await mounted(played, path)
    }
    const { url, process } = await startWatchdog(own)
    await answers(url, process, READY)
    return { url, end: () => process.child.kill('SIGKILL') }
  }
  return Object.fromEntries(Object.entries(functions).map(([name, one]) => [name, () => start(one)]))
}

/** A secret as OpenFaaS mounts it, in a file of its name. */
async function mounted(played: Played, path: string): Promise<string> {
  const name = basename(path)
  const values = { ...example, installation: played.installation }
  const secret = Object.keys(played.secrets).find(one => secretName(values, one) === name)
  const file = join(played.image.app, name)
  await writeFile(file, held(played, secret ?? name))
  return file
}

function knative(played: Played, gateway: string): Starters {
  const text = played
    .read('services.yaml')
    .replaceAll(/http:\/\/(\S+)\.assay\.svc\.cluster\.local/g, `${gateway}/function/$1`)
  const services = objectsIn(text) as IService[]
  const start = async (name: string, { containers, ...revision }: IRevisionSpec) => {
    const [container] = containers as [IContainer]
    const { url, close } = await startRevision({
      containerConcurrency: revision.containerConcurrency!,
      timeoutSeconds: revision.timeoutSeconds!,
      name,
      command: container.command!.map(part => inImage(played, part)),
      env: environmentOf(played, container),
      readinessPath: container.readinessProbe!.httpGet!.path!,
    })
    return { url, end: close }
  }
  return Object.fromEntries(
    services.map(({ metadata, spec }) => [
      metadata!.name!,
      () => start(metadata!.name!, spec!.template!.spec!),
    ]),
  )
}

const environmentOf = (played: Played, { env }: IContainer): Record<string, string> =>
  Object.fromEntries(
    env!.map(({ name, value, valueFrom }) => [
      name,
      value ?? held(played, secretOf(played, valueFrom!.secretKeyRef!.key!)),
    ]),
  )

/** The key of a Secret is the name of its secret; on OpenFaaS, as faas-cli writes it. */
const secretOf = (played: Played, key: string) => {
  const prefix = prefixOf(played)
  if (!key.startsWith(prefix)) return key
  const name = key.slice(prefix.length).replaceAll('-', '_').toUpperCase()
  return /^(KEYS|METRICS|OPERATOR)_/.test(name) ? `ASSAY_${name}` : name
}

/** Runs a Job to its end; returns what it printed. */
export function playJob(played: Played, name: string): string {
  const [job] = objectsIn(played.read(`jobs/${name}.yaml`))
  const container = job!.spec.template.spec.containers[0] as IContainer
  const [program, ...args] = container.command!.map(part => inImage(played, part))
  const node = program === 'node' ? process.execPath : program!
  return execFileSync(node, args, { env: environmentOf(played, container), encoding: 'utf8' })
}

const PLATFORMS = { openfaas, knative }
const ROUTERS = {
  openfaas: (played: Played) => named(played, 'router'),
  knative: (played: Played) => namedWithin(played, 'router'),
}

export interface Gateway {
  /** Where callers reach the router. */
  url: string
  /** How many functions there are, and how many of them were called. */
  functions: number
  running(): number
  close(): Promise<void>
}

/** A namespace with its gateway, in which each function has a name of its own. */
export async function openNamespace() {
  const functions: Starters = {}
  const running = new Map<string, Promise<Running>>()
  const gateway = await startProxy(async (incoming, outgoing) => {
    const [, name, path] = /^\/function\/([a-z0-9-]+)(\/.*)?$/.exec(incoming.url!) ?? []
    const start = functions[name ?? '']
    if (start === undefined) return plain(outgoing, 404, '')
    const started = running.get(name!) ?? start()
    running.set(name!, started)
    const { url } = await started
    await passBack(await passOn(incoming, outgoing, new URL(url + (path ?? '/')), {}), outgoing)
  })
  return {
    url: gateway.url,
    running,
    /** @throws Error if there is a function of that name already */
    deploy(own: Starters): void {
      const taken = Object.keys(own).filter(name => name in functions)
      if (taken.length > 0) throw new Error(`these functions are there already: ${taken.join(', ')}`)
      Object.assign(functions, own)
    },
    async close() {
      gateway.kill()
      await Promise.all([...running.values()].map(async one => (await one).end()))
    },
  }
}
type Namespace = Awaited<ReturnType<typeof openNamespace>>

/** Deploys the installation, into a namespace of its own if none is given. */
export async function playInstallation(
  platform: Platform,
  played: Played,
  namespace?: Namespace,
): Promise<Gateway> {
  const into = namespace ?? (await openNamespace())
  const functions = PLATFORMS[platform](played, into.url)
  into.deploy(functions)
  return {
    url: `${into.url}/function/${ROUTERS[platform](played)}`,
    functions: Object.keys(functions).length,
    running: () => into.running.size,
    close: async () => (namespace === undefined ? into.close() : undefined),
  }
}
