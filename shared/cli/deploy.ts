// Deploys an agent: a file that this command bundles, or an HTTP function that runs elsewhere. Guarantee: a dry run
// changes nothing.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { codeVersionOf } from '../agents/rules/code-version.ts'
import { planLimits, planSchedules, planTriggers } from '../agents/rules/deploy-plan.ts'
import { SECRET_CHARACTERS, SECRETS_VARIABLE } from '../kernel/masking.ts'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import type { Agent, Api } from './api.ts'
import { answered, asFailure } from './api.ts'
import type { Given } from './arguments.ts'
import type { BundleOptions } from './bundle.ts'
import { checkSame, printServing } from './deploy-python.ts'
import { type Deployment, type DryRun, deployedText, dryRunText, type Plan } from './deploy-view.ts'
import { EXIT, type ExitCode, Failure, usageFailure } from './failure.ts'
import { workerdVersion } from './own-files.ts'
import { isPython } from './python-agent.ts'
import { PerhapsDone } from './retrying.ts'
import type { Session } from './session.ts'

type Code = { kind: 'bundle'; code: string } | { kind: 'url'; url: string; protocol: 'ndjson' | 'json' }

export interface DeployOrder {
  slug: string
  code: Code
  declaration: AgentDeclaration
  env: Record<string, string>
  external_id?: string | undefined
  /** The version of the code behind a URL, as it says. */
  code_version?: string | undefined
  /** Variables that the agent's files read and `env` lacks. */
  missing?: string[]
  /** Of a file: whether it was loaded in the sandbox here. */
  in_sandbox?: boolean
  /** Of a file: what the server says about places in the bundle, about the file's own lines. */
  inSources?: (message: string) => string
}

export interface DeployedAgent extends Deployment {
  agent: Agent
}

export async function deploy(session: Session, given: Given): Promise<ExitCode> {
  const file = given.optionalArg(0)
  const url = given.text('url')
  if (file !== undefined && isPython(file)) {
    if (url === undefined) {
      await printServing(session, file)
      return EXIT.ok
    }
    await checkSame(session, file, url)
  }
  const order = await orderOf(session, given)
  for (const name of order.missing ?? [])
    session.output.note(
      `the agent reads ${name}, which its environment lacks: deploy with --env ${name} to pass on your own, or --env ${name}=VALUE`,
    )
  if (given.flag('dry-run')) return dryRun(session, order)
  const { agent, ...deployed } = await deployAgent(session.api, order)
  const { plan, ...result } = deployed
  session.output.emit('deployed', { ...result, agent_id: agent.id, ...plan }, screen =>
    deployedText(deployed, screen),
  )
  return EXIT.ok
}

export interface FileOptions extends BundleOptions {
  slug?: string | undefined
}

/** Bundles an agent's file into a deploy order. @throws Failure `usage` if it cannot be bundled */
export async function orderOfFile(file: string, { slug, ...options }: FileOptions): Promise<DeployOrder> {
  // Bundling needs esbuild, which the other commands need not load.
  const { bundleAgent } = await import('./bundle.ts')
  const bundled = await bundleAgent(file, options).catch(error => {
    throw new Failure(EXIT.usage, error?.code ?? 'bundle_failed', (error as Error).message, {
      hint: `correct ${file}; nothing was sent`,
    })
  })
  const { code, declaration, reads, in_sandbox, places } = bundled
  const { env = {} } = options
  return {
    slug: slug ?? slugOf(declaration.name),
    code: { kind: 'bundle', code },
    declaration,
    env,
    missing: reads.filter(name => !(name in env)),
    in_sandbox,
    inSources: message => places.inSources(message),
  }
}

/** Creates the agent if it does not exist, and makes this content its current version. */
export async function deployAgent(api: Api, order: DeployOrder): Promise<DeployedAgent> {
  const known = await findBySlug(api, order.slug)
  const { name, description = '' } = order.declaration
  const agent =
    known ?? (await answered(api.POST('/v1/agents', { body: { name, slug: order.slug, description } })))
  const deployed = await send(api, agent.id, order, false)
  if ('dry_run' in deployed) throw new Error('a deploy was answered as a dry run')
  const { version, created, external_id, agent_key, plan, unpriced, warnings, checks } = deployed
  return {
    agent,
    slug: order.slug,
    code_version: order.code_version,
    agent_created: known === undefined,
    version,
    created,
    external_id,
    ...(order.external_id !== undefined &&
      order.external_id !== external_id && { other_label: order.external_id }),
    bytes: sizeOf(order.code),
    agent_key,
    plan,
    unpriced,
    warnings,
    is_plain: order.code.kind === 'url' && order.code.protocol === 'json',
    schemas: (['input_schema', 'output_schema'] as const).filter(
      name => order.declaration[name] !== undefined,
    ),
    ...(order.declaration.checks === undefined && {
      default_checks: checks.filter(name => name !== 'wrong_language'),
    }),
  }
}

async function send(api: Api, agentId: string, order: DeployOrder, dry: boolean) {
  const { code, declaration, env, external_id, code_version, in_sandbox, inSources } = order
  const body = {
    ...code,
    declaration,
    env,
    ...(external_id && { external_id }),
    ...(code_version !== undefined && code.kind === 'url' && { code_version }),
    ...(dry && { dry_run: true }),
  }
  try {
    const sent = api.POST('/v1/agents/{agentId}/deployments', { params: { path: { agentId } }, body })
    const answer = await answered(sent)
    return { ...answer, warnings: warningsFor(answer.warnings, in_sandbox === true) }
  } catch (error) {
    const failure = error instanceof PerhapsDone ? withSecrets(error, order) : asFailure(error)
    if (failure === undefined) throw error
    if (inSources === undefined) throw failure
    const { exit, code, message, hint, next } = failure
    throw new Failure(exit, code, inSources(message), { hint, next })
  }
}

/** A deploy whose answer was lost: so were the secrets of the triggers that it made. */
function withSecrets(error: PerhapsDone, { slug, declaration }: DeployOrder): Failure {
  const names = declaration.triggers?.map(({ name }) => name) ?? []
  if (names.length === 0) return error
  return error.advising(
    `deploy again; a trigger that is new with it (${names.join(', ')}) and shows no secret then had it in the lost answer: assay triggers delete NAME --agent ${slug}, and deploy once more for another URL and secret`,
    `assay triggers --agent ${slug}`,
  )
}

/** A server without a runtime at hand loads no bundle: then this command has, or says how it would. */
function warningsFor(warnings: DryRun['warnings'] = [], in_sandbox: boolean) {
  if (in_sandbox) return warnings.filter(({ code }) => code !== 'bundle_not_loaded')
  return warnings.map(one => ({
    ...one,
    ...(one.code === 'bundle_not_loaded' && {
      hint: `With workerd installed in the agent's project, this command loads it there: npm install --save-dev workerd@${workerdVersion()}`,
    }),
  }))
}

const findBySlug = async (api: Api, slug: string) =>
  (await answered(api.GET('/v1/agents'))).find(agent => agent.slug === slug)

const slugOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')
const sizeOf = (code: Code) => (code.kind === 'bundle' ? Buffer.byteLength(code.code) : 0)

async function orderOf(session: Session, given: Given): Promise<DeployOrder> {
  const file = given.optionalArg(0)
  const url = given.text('url')
  const env = environmentOf(given, session.env)
  const slug = given.text('slug')
  const external_id = given.text('external-id')
  if ((file === undefined) === (url === undefined) && !(file && isPython(file))) {
    throw usageFailure('give either the FILE of an agent or the --url of one that runs elsewhere', {
      next: 'assay deploy --help',
    })
  }
  if (url === undefined) {
    const ofUrl = ['protocol', 'name'].find(name => given.text(name) !== undefined)
    const misplaced = given.flag('answers-later')
      ? 'answers-later'
      : given.text('model-calls') !== undefined
        ? 'model-calls'
        : ofUrl
    if (misplaced !== undefined)
      throw usageFailure(`--${misplaced} goes with --url: a file says it by itself`)
    const path = resolve(session.folder, file!)
    if (!existsSync(path)) throw usageFailure(`there is no file ${path}`)
    return { ...(await orderOfFile(path, { env, slug })), external_id }
  }
  const protocol = (given.text('protocol') ?? 'ndjson') as 'ndjson' | 'json'
  const name = given.text('name')
  const answersLater = given.flag('answers-later') && { answers_later: true }
  const said = name === undefined ? await askDeclaration(url, protocol) : { declaration: { name } }
  const callsNone = given.text('model-calls') === 'none' && { model_calls: 'none' as const }
  const declaration = { ...said.declaration, ...answersLater, ...callsNone }
  const code = { kind: 'url', url, protocol } as const
  const code_version = 'version' in said ? said.version : undefined
  return { slug: slug ?? slugOf(declaration.name), code, declaration, env, external_id, code_version }
}

/** An agent made with the SDK answers a GET with its declaration, and the version of its code; so may plain JSON. */
async function askDeclaration(url: string, protocol: 'ndjson' | 'json') {
  const unnamed = (why: string) =>
    usageFailure(`--name is missing: ${why}`, {
      next: `assay deploy --url ${url} --protocol ${protocol} --name NAME`,
    })
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(10_000),
    })
    const said = (await response.json()) as {
      declaration: AgentDeclaration
      answers_later?: boolean
      version?: unknown
    }
    const { declaration, answers_later, version } = said
    if (typeof declaration.name === 'string')
      return {
        declaration: { ...declaration, ...(answers_later === true && { answers_later }) },
        version: typeof version === 'string' ? (codeVersionOf(version) ?? undefined) : undefined,
      }
  } catch (error) {
    throw unnamed(`${url} did not say it (${(error as Error).message})`)
  }
  throw unnamed(`${url} did not say it`)
}

const WITHOUT_KEY =
  'without a key, give instead what npm start prints after "model": --env OPENAI_BASE_URL=URL --env OPENAI_API_KEY=none'

/** `K=V`, or `K` alone to pass on a variable of this shell, so that a secret need not stand in the command line. */
function variablesOf(option: 'env' | 'secret', given: Given, shell: Session['env']): Record<string, string> {
  const env: Record<string, string> = {}
  for (const entry of given.list(option)) {
    const at = entry.indexOf('=')
    const name = at === -1 ? entry : entry.slice(0, at)
    const value = at === -1 ? shell[name] : entry.slice(at + 1)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw usageFailure(`--${option} "${entry}" does not begin with a variable's name`)
    if (value === undefined || (value === '' && at === -1))
      throw usageFailure(
        `--${option} ${name}: ${value === '' ? 'the variable is empty here' : 'there is no such variable here'}; write ${name}=VALUE`,
        name === 'OPENAI_API_KEY' ? { hint: WITHOUT_KEY } : {},
      )
    env[name] = value
  }
  return env
}

function environmentOf(given: Given, shell: Session['env']): Record<string, string> {
  const [env, secrets] = [variablesOf('env', given, shell), variablesOf('secret', given, shell)]
  for (const [name, value] of Object.entries(secrets))
    if (value.length < SECRET_CHARACTERS)
      throw usageFailure(
        `--secret ${name} has fewer than ${SECRET_CHARACTERS} characters, which occur in other texts too: pass it by --env`,
      )
  const names = [env[SECRETS_VARIABLE], ...Object.keys(secrets)].filter(Boolean)
  return { ...env, ...secrets, ...(names.length > 0 && { [SECRETS_VARIABLE]: names.join(',') }) }
}

/** Prints what a deploy would do. */
async function dryRun({ api, output }: Session, order: DeployOrder): Promise<ExitCode> {
  const agent = await findBySlug(api, order.slug)
  const answer = agent && (await send(api, agent.id, order, true))
  if (answer !== undefined && !('dry_run' in answer)) throw new Error('a dry run was answered as a deploy')
  const {
    version,
    created,
    current_version,
    changes,
    plan,
    unpriced = [],
    warnings = [],
  } = answer ?? firstDeploy(order.declaration)
  const result: DryRun = {
    slug: order.slug,
    agent: agent === undefined ? 'create' : 'exists',
    version,
    created,
    current_version,
    changes,
    bytes: sizeOf(order.code),
    env: Object.keys(order.env),
    plan,
    unpriced,
    warnings,
  }
  output.emit('plan', { ...result, plan: undefined, ...plan }, screen => dryRunText(result, screen))
  return EXIT.ok
}

/** The plan of an agent's first deploy, made without the server, which does not know the agent yet. */
function firstDeploy(declaration: AgentDeclaration) {
  const plan: Plan = {
    limits: planLimits(declaration),
    schedules: planSchedules(declaration, []).map(({ input: _, source: __, ...schedule }) => schedule),
    triggers: planTriggers(declaration, []).map(({ items: _, ...one }) => ({
      ...one,
      replaces: null,
      url: null,
      secret: null,
    })),
  }
  return {
    version: 1,
    created: true,
    current_version: null,
    changes: ['everything'],
    plan,
    unpriced: [],
    warnings: [],
  }
}
