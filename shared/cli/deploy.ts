// Deploys an agent: a file that is bundled here, or an HTTP function that runs elsewhere. Guarantee: a dry run reads
// and sends nothing that changes anything.

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { AgentDeclaration } from '../domain/protocol.ts'
import type { Agent, Api } from './api.ts'
import { answered } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { bytes, clean } from './format.ts'
import type { Screen } from './output.ts'
import type { Session } from './session.ts'

type Code = { kind: 'bundle'; code: string } | { kind: 'url'; url: string; protocol: 'ndjson' | 'json' }

export interface DeployOrder {
  slug: string
  code: Code
  declaration: AgentDeclaration
  env: Record<string, string>
}

export interface DeployedAgent {
  agent: Agent
  agent_created: boolean
  version: number
  /** False when this content was a version already. */
  created: boolean
  bytes: number
}

export async function deploy(session: Session, given: Given): Promise<ExitCode> {
  const order = await orderOf(session, given)
  if (given.flag('dry-run')) return plan(session, order)
  const deployed = await deployAgent(session.api, order)
  session.output.emit(
    'deployed',
    { ...deployed, agent: undefined, agent_id: deployed.agent.id, slug: order.slug },
    screen => deployedText(deployed, screen),
  )
  return EXIT.ok
}

/** The order for an agent's file. */
export async function orderOfFile(
  file: string,
  env: Record<string, string>,
  slug?: string,
): Promise<DeployOrder> {
  // Bundling takes esbuild, which the other commands need not load.
  const { bundleAgent } = await import('./bundle.ts')
  const { code, declaration } = await bundleAgent(file).catch(error => {
    throw new Failure(EXIT.usage, error?.code ?? 'bundle_failed', (error as Error).message, {
      hint: `mend ${file}; nothing was sent`,
    })
  })
  return { slug: slug ?? slugOf(declaration.name), code: { kind: 'bundle', code }, declaration, env }
}

/** Creates the agent if need be and makes this content its current version. */
export async function deployAgent(api: Api, order: DeployOrder): Promise<DeployedAgent> {
  const known = await findBySlug(api, order.slug)
  const { name, description = '' } = order.declaration
  const agent =
    known ?? (await answered(api.POST('/v1/agents', { body: { name, slug: order.slug, description } })))
  const deployment = await answered(
    api.POST('/v1/agents/{agentId}/deployments', {
      params: { path: { agentId: agent.id } },
      body: { ...order.code, declaration: order.declaration, env: order.env },
    }),
  )
  return {
    agent,
    agent_created: known === undefined,
    version: deployment.version,
    created: deployment.created,
    bytes: sizeOf(order.code),
  }
}

const findBySlug = async (api: Api, slug: string) =>
  (await answered(api.GET('/v1/agents'))).find(agent => agent.slug === slug)

const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')
const sizeOf = (code: Code) => (code.kind === 'bundle' ? Buffer.byteLength(code.code) : 0)

async function orderOf(session: Session, given: Given): Promise<DeployOrder> {
  const file = given.optionalArg(0)
  const url = given.text('url')
  const env = environmentOf(given.list('env'), session.env)
  const slug = given.text('slug')
  if ((file === undefined) === (url === undefined)) {
    throw usageFailure('give either the FILE of an agent or the --url of one that runs elsewhere', {
      next: 'assay deploy --help',
    })
  }
  if (url === undefined) {
    for (const name of ['protocol', 'name']) {
      if (given.text(name) !== undefined)
        throw usageFailure(`--${name} goes with --url: a file says it by itself`)
    }
    const path = resolve(session.folder, file!)
    if (!existsSync(path)) throw usageFailure(`there is no file ${path}`)
    return orderOfFile(path, env, slug)
  }
  const protocol = (given.text('protocol') ?? 'ndjson') as 'ndjson' | 'json'
  const name = given.text('name')
  const declaration = name === undefined ? await askDeclaration(url, protocol) : { name }
  return { slug: slug ?? slugOf(declaration.name), code: { kind: 'url', url, protocol }, declaration, env }
}

/** An agent made with the SDK answers a GET with its declaration. */
async function askDeclaration(url: string, protocol: 'ndjson' | 'json'): Promise<AgentDeclaration> {
  const unnamed = (why: string) =>
    usageFailure(`--name is missing: ${why}`, {
      next: `assay deploy --url ${url} --protocol ${protocol} --name NAME`,
    })
  if (protocol === 'json') throw unnamed('a plain JSON function does not say its name')
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(10_000),
    })
    const { declaration } = (await response.json()) as { declaration: AgentDeclaration }
    if (typeof declaration.name === 'string') return declaration
  } catch (error) {
    throw unnamed(`${url} did not say it (${(error as Error).message})`)
  }
  throw unnamed(`${url} did not say it`)
}

/** `K=V`, or `K` alone to pass on a variable of this shell, so that a secret need not stand in the command line. */
function environmentOf(given: string[], shell: Session['env']): Record<string, string> {
  const env: Record<string, string> = {}
  for (const entry of given) {
    const at = entry.indexOf('=')
    const name = at === -1 ? entry : entry.slice(0, at)
    const value = at === -1 ? shell[name] : entry.slice(at + 1)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw usageFailure(`--env "${entry}" does not begin with a variable's name`)
    if (value === undefined)
      throw usageFailure(`--env ${name}: there is no such variable here; write ${name}=VALUE`)
    env[name] = value
  }
  return env
}

function deployedText(
  { agent, agent_created, version, created, bytes: size }: DeployedAgent,
  { paint, program }: Screen,
): string {
  const what = created ? paint('green', `version ${version} deployed`) : `version ${version}, unchanged`
  return [
    `${paint('bold', agent.slug)}${agent_created ? ' (new agent)' : ''}: ${what}${size > 0 ? `, ${bytes(size)}` : ''}`,
    `${paint('dim', 'try ')}  ${program} submit FILE.jsonl --agent ${agent.slug} --watch`,
  ].join('\n')
}

/** Says what a deploy would do. */
async function plan(
  { api, output }: Session,
  { slug, code, declaration, env }: DeployOrder,
): Promise<ExitCode> {
  const agent = await findBySlug(api, slug)
  const versions =
    agent === undefined
      ? []
      : await answered(
          api.GET('/v1/agents/{agentId}/deployments', { params: { path: { agentId: agent.id } } }),
        )
  const current = versions.find(version => version.is_current)
  const changes = current === undefined ? ['everything'] : changesBetween(current, code, declaration)
  const said = {
    slug,
    agent: agent === undefined ? 'create' : 'exists',
    current_version: current?.version ?? null,
    changes,
    bytes: sizeOf(code),
    env: Object.keys(env),
  }
  output.emit('plan', said, ({ paint }) => {
    const lines = [
      agent === undefined
        ? `would create the agent ${paint('bold', slug)}`
        : `agent ${paint('bold', slug)} exists`,
      current === undefined
        ? 'would deploy its first version'
        : changes.length === 0
          ? `version ${current.version} has this content; a new version only if the environment differs`
          : `would deploy over version ${current.version}; changed: ${clean(changes.join(', '))}`,
    ]
    if (code.kind === 'bundle') lines.push(`bundle of ${bytes(sizeOf(code))}`)
    if (said.env.length > 0) lines.push(`environment: ${said.env.join(', ')}`)
    return [...lines, paint('dim', 'a dry run: nothing was sent')].join('\n')
  })
  return EXIT.ok
}

interface Version {
  kind: string
  bundle_hash: string | null
  url: string | null
  protocol: string
  declaration: object
}

function changesBetween(current: Version, code: Code, declaration: AgentDeclaration): string[] {
  const sameCode =
    code.kind === 'bundle'
      ? current.bundle_hash === createHash('sha256').update(code.code).digest('hex')
      : current.kind === 'url' && current.url === code.url && current.protocol === code.protocol
  const before = current.declaration as Record<string, unknown>
  const after = declaration as unknown as Record<string, unknown>
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = keys.filter(key => canonical(before[key]) !== canonical(after[key]))
  return [...(sameCode ? [] : [code.kind === 'bundle' ? 'code' : 'url']), ...changed]
}

/** The database keeps no order of keys. */
function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, member) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ) ?? ''
  )
}
