// Deploys the agent of README.md: as a bundle, or served by a process that can be stopped and started again.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AgentBundle, bundleAgent } from '../../../shared/cli/bundle.ts'
import { type Agent, type Bench, stopProcess } from '../stack.ts'

export interface Deployed extends Agent {
  /** Nothing listens at its address for so long, as while it is deployed anew; only of agents behind a URL. */
  stop(ms: number): Promise<void>
}

const FILES = {
  bundle: 'classify.ts',
  url: 'classify.ts',
  'deadly bundle': 'classify-deadly.ts',
  'bundle of two calls': 'classify-twice.ts',
}
export type AgentKind = keyof typeof FILES

/** One agent, by default in a project of its own with the default caps, as a user would have it. */
export async function deploy(
  bench: Bench,
  which: AgentKind,
  env: Record<string, string>,
  beside?: Agent,
): Promise<Deployed> {
  const project = beside?.project ?? (await bench.newProject())
  const bundle = await bundleAgent(join(import.meta.dirname, FILES[which]))
  const { data: agent } = await project.client.POST('/v1/agents', {
    body: { project_id: project.id, name: which, slug: beside === undefined ? 'classify' : 'neighbour' },
  })
  const one = { agent_id: agent!.id, project }
  if (which === 'url') return { ...one, stop: await serveBundle(bench, one, bundle, env) }
  await deployTo(one, { kind: 'bundle', code: bundle.code, declaration: bundle.declaration, env })
  return {
    ...one,
    async stop() {
      throw new Error('a bundle has no process of its own to stop')
    },
  }
}

async function deployTo({ agent_id, project }: Agent, body: object): Promise<void> {
  const { error } = await project.client.POST('/v1/agents/{agentId}/deployments', {
    params: { path: { agentId: agent_id } },
    body: body as never,
  })
  if (error !== undefined) throw new Error(`the agent cannot be deployed: ${JSON.stringify(error)}`)
}

/** @returns how to stop it for a while */
async function serveBundle(
  bench: Bench,
  agent: Agent,
  { code, declaration }: AgentBundle,
  env: Record<string, string>,
): Promise<(ms: number) => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-agent-'))
  const file = join(folder, 'agent.mjs')
  await writeFile(file, code)
  const start = async (port: number): Promise<[ChildProcess, number]> => {
    const child = fork(join(import.meta.dirname, 'agent-process.ts'), {
      env: { ...process.env, ...env, BUNDLE: file, PORT: String(port) },
    })
    const [message] = (await once(child, 'message')) as [{ port: number }]
    return [child, message.port]
  }
  let [child, port] = await start(0)
  bench.defer(async () => {
    await stopProcess(child)
    await rm(folder, { recursive: true, force: true })
  })
  await deployTo(agent, { kind: 'url', url: `http://127.0.0.1:${port}/`, protocol: 'ndjson', declaration })
  return async ms => {
    child.kill('SIGKILL')
    await pause(ms)
    ;[child, port] = await start(port)
  }
}
