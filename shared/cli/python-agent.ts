// An agent in Python, served on this machine or elsewhere. Guarantee: a process that was started for it is ended.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { EXIT, Failure, usageFailure } from './failure.ts'
import { isOwn } from './found-folder.ts'
import type { Session } from './session.ts'

export const isPython = (file: string): boolean => /\.py(:\w+)?$/.test(file)

/** Sends a request of the protocol. @throws Failure where nothing answers, or refuses */
export async function ask(url: string, request: Request): Promise<Response> {
  const { method } = request
  const headers = { 'content-type': 'application/x-ndjson', 'assay-run': 'test' }
  const body = method === 'POST' ? { body: await request.text() } : {}
  const response = await fetch(url, { method, headers, ...body }).catch(error => {
    throw new Failure(EXIT.api, 'unreachable', `nothing answers at ${url}: ${String(error.cause ?? error)}`)
  })
  if (response.ok) return response
  const said = (await response.text()).slice(0, 500)
  throw new Failure(EXIT.api, 'agent_refused', `the agent answered ${response.status}: ${said}`)
}

/** What the agent behind a URL declares. @throws Failure `no_protocol` */
export async function declarationAt(url: string): Promise<AgentDeclaration> {
  const about = await (await ask(url, new Request(url))).json().catch(() => undefined)
  if (about?.declaration === undefined)
    throw new Failure(EXIT.api, 'no_protocol', `what answers at ${url} does not speak the agent protocol`, {
      hint: 'serve it with the package assay (python3 -m assay serve), or with serve() of the SDK',
    })
  return about.declaration
}

interface ServedPython extends AsyncDisposable {
  url: string
}

/** Serves the file with the Python of the environment, on a port that is free. */
export async function servePython(
  { folder, env }: Pick<Session, 'folder' | 'env'>,
  file: string,
): Promise<ServedPython> {
  const { ASSAY_AGENT_KEY: _, ...own } = env
  const child = spawn(
    pythonOf(env),
    ['-m', 'assay', 'serve', resolve(folder, file), '--port', '0', '--workers', '1'],
    {
      cwd: folderOf(folder, file),
      env: { ...own, PYTHONUNBUFFERED: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const failed = once(child, 'error').then(([error]) => error as Error)
  const url = await Promise.race([urlOf(child), failed])
  if (typeof url === 'string') return { url, [Symbol.asyncDispose]: () => ended(child) }
  throw usageFailure(`${file} was not served${url instanceof Error ? `: ${url.message}` : ''}`, {
    hint: 'python3 -m assay serve has to work here: activate the environment in which the package assay is installed',
  })
}

/**
 * Where Python starts, and with -m looks for modules first: the folder that one stands in only where the file lies in it and
 * nobody else can write to it, or somebody else's `assay.py` or `json.py` would run.
 */
export function folderOf(folder: string, file: string): string {
  const path = resolve(folder, file)
  const way = relative(folder, path)
  return way.startsWith('..') || isAbsolute(way) || !isOwn(folder) ? dirname(path) : folder
}

/** The Python of an active environment is first on the PATH. */
export const pythonOf = (env: Session['env']): string => env.ASSAY_PYTHON ?? 'python3'

/** The address in the first line that it prints; undefined if it ended without one. */
async function urlOf(child: ChildProcess): Promise<string | undefined> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = / on (http:\S+?),/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  return undefined
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await exit
}
