// Deploys the agents of the bench of bills, and ends their processes: one is a bundle, two are behind a URL.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { bundleAgent } from '../../../shared/cli/bundle.ts'
import { processes, treeOf } from '../proc.ts'
import { type Agent, type Bench, stopProcess } from '../stack.ts'

export const AGENTS = ['ai-sdk', 'langchain', 'python'] as const
export type AgentName = (typeof AGENTS)[number]

export interface BilledAgent extends Agent {
  /** Ends one of its processes, and starts it again where nobody else does. Resolves when it has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

const CLIENTS = join(import.meta.dirname, '../../clients')

/** `consumers` are the processes that have the sandboxes of bundles. */
export async function deploy(
  bench: Bench,
  name: AgentName,
  { model_url, consumers }: { model_url: string; consumers: () => readonly ChildProcess[] },
): Promise<BilledAgent> {
  const { project } = bench
  const { data } = await project.client.POST('/v1/agents', {
    body: { project_id: project.id, name, slug: name },
  })
  const agent = { agent_id: data!.id, project }
  const env = { MODEL_URL: model_url }
  if (name === 'ai-sdk') {
    const { code, declaration } = await bundleAgent(join(CLIENTS, 'bills-ai-sdk.mjs'), { env })
    await deployAs(agent, { kind: 'bundle', code, declaration, env })
    return { ...agent, end: signal => endSandbox(consumers(), signal) }
  }
  const served =
    name === 'python' ? await servePython(env) : await serveBundle(bench, 'bills-langchain.mjs', env)
  bench.defer(served.close)
  const { url, declaration, end } = served
  await deployAs(agent, { kind: 'url', url, protocol: 'ndjson', declaration })
  return { ...agent, end }
}

async function deployAs({ agent_id, project }: Agent, body: object): Promise<void> {
  const path = { agentId: agent_id }
  const { error } = await project.client.POST('/v1/agents/{agentId}/deployments', {
    params: { path },
    body: body as never,
  })
  if (error !== undefined) throw new Error(`the agent cannot be deployed: ${JSON.stringify(error)}`)
}

const LOOK_MS = 50

/** Ends one process of the bundle, which its consumer starts again. */
async function endSandbox(consumers: readonly ChildProcess[], signal: NodeJS.Signals): Promise<void> {
  for (;;) {
    const all = processes()
    const own = consumers.flatMap(({ pid }) => treeOf(pid!, all)).filter(({ name }) => name === 'workerd')
    const one = own[Math.floor(Math.random() * own.length)]
    if (one !== undefined) return void process.kill(one.pid, signal)
    await pause(LOOK_MS) // a consumer that has just begun starts it with its first item
  }
}

interface Served {
  url: string
  declaration: object
  end: BilledAgent['end']
  close(): Promise<void>
}

const PYTHON = { name: 'bills in Python', retries: 3, max_consecutive_failures: 1_000_000 }

const servePython = (env: Record<string, string>): Promise<Served> =>
  served(PYTHON, async port => {
    const child = spawn('python3', [join(import.meta.dirname, 'agent.py')], {
      env: { ...process.env, ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    return [child, Number(line)]
  })

async function serveBundle(bench: Bench, name: string, env: Record<string, string>): Promise<Served> {
  const { code, declaration } = await bundleAgent(join(CLIENTS, name), { env })
  const folder = await mkdtemp(join(tmpdir(), 'assay-bills-'))
  bench.defer(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'agent.mjs')
  await writeFile(file, code)
  return served(declaration, async port => {
    const child = fork(join(import.meta.dirname, '../limits/agent-process.ts'), {
      env: { ...process.env, ...env, BUNDLE: file, PORT: String(port) },
    })
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return [child, message.port]
  })
}

/** Starts a process at a free port, and again at the same one after it was ended. */
async function served(
  declaration: object,
  start: (port: number) => Promise<[ChildProcess, number]>,
): Promise<Served> {
  let [child, port] = await start(0)
  return {
    url: `http://127.0.0.1:${port}/`,
    declaration,
    async end(signal) {
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
      ;[child, port] = await start(port)
    },
    close: () => stopProcess(child),
  }
}
