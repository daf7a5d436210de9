// Loads a bundle once before it is sent: in the sandbox, as the server's runtime would, or in Node where that is not
// installed or the agent is to run there. Guarantee: loading is bounded in time and happens in a process of its own.

import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BundleLoad } from '../agents/rules/bundle-load.ts'
import { LIMITS } from '../kernel/limits.ts'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { BundleError } from './bundle-error.ts'
import type { BundlePlaces } from './bundle-places.ts'
import { aboutPackage } from './sandbox-packages.ts'

export interface LoadedFile {
  /** The agent's file, for messages. */
  file: string
  code: string
  places: BundlePlaces
  env: Record<string, string>
}

/** Undefined where the sandbox is not on this machine. @throws BundleError */
export async function loadInSandbox(bundle: LoadedFile): Promise<AgentDeclaration | undefined> {
  const { Sandbox } = await import('#sandbox')
  const { file, code, env } = bundle
  const sandbox = await Sandbox.find(dirname(file))
  if (sandbox === undefined) return undefined
  try {
    const load = await sandbox.load({ name: file, code, env }).catch(() => undefined)
    if (load === undefined) return undefined // it is installed and does not run, as on another machine's libraries
    if (!load.loaded) throw failedThere(load, bundle)
    if (load.declaration === undefined)
      throw new BundleError('load_failed', `${file} loads in the sandbox, but does not say its declaration`)
    return load.declaration as AgentDeclaration
  } finally {
    await sandbox.close()
  }
}

type Failed = Extract<BundleLoad, { loaded: false }>

function failedThere({ code, message, hint, places, error }: Failed, { file, places: map }: LoadedFile) {
  const words = message.replace(/^agent\.mjs:\d+:\d+: /, '')
  const { own, packages } = map.of(places)
  const where = own ?? file
  if (error === 'DecoratorTargetError' || error === 'DecoratorValidationError')
    return new BundleError(error, `${where}: ${words}`)
  if (code === 'load_timeout')
    return new BundleError(
      code,
      `${file} did not finish loading within ${LIMITS.bundle_load_ms} ms; work belongs in run()`,
    )
  const about = packages.flatMap(name => aboutPackage(name) ?? [])[0]
  const arose = packages.length === 0 ? '' : `, because of ${packages[0]}`
  // A package that is known not to work says much about how to install it, which is no way out.
  const said = about === undefined ? map.inSources(words) : words.split('\n', 1)[0]!
  const way =
    about ?? hint ?? 'An agent is loaded with the variables of --env alone: create clients inside the class'
  return new BundleError(
    code,
    `${where}: it does not load in the sandbox${arose}: ${sentence(said)} ${sentence(way)}`,
  )
}

const sentence = (text: string) => `${text.replace(/[.\s]+$/, '')}.`

// Runs in the child process. It replies through `send`, which the agent's own output cannot be mistaken for.
const LOADER = `
const reply = message => process.send(message, () => process.exit(0))
try {
  const { default: agent } = await import(process.argv[1])
  const response = await agent.fetch(new Request('http://agent/'))
  reply({ declaration: (await response.json()).declaration })
} catch (error) {
  reply({ code: error?.code, message: String(error?.message ?? error) })
}`

type Reply = { declaration: AgentDeclaration } | { code?: string; message: string }

/** Loads the bundle in a process of Node. @throws BundleError */
export async function loadInNode({ code, file, env }: LoadedFile): Promise<AgentDeclaration> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bundle-'))
  try {
    const path = join(folder, 'agent.mjs')
    await writeFile(path, code)
    const reply = await ask(pathToFileURL(path).href, file, env)
    if ('declaration' in reply) return reply.declaration
    throw refused(reply, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function ask(url: string, file: string, env: Record<string, string>): Promise<Reply> {
  const { promise, resolve: answer, reject } = Promise.withResolvers<Reply>()
  const child = spawn(process.execPath, ['--input-type=module', '--eval', LOADER, url], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr!.on('data', (chunk: Buffer) => {
    said = (said + chunk).slice(-LIMITS.error_message_characters)
  })
  const timer = setTimeout(() => {
    child.kill('SIGKILL')
    reject(
      new BundleError(
        'load_timeout',
        `${file} did not finish loading within ${LIMITS.agent_load_ms} ms; work belongs in run()`,
      ),
    )
  }, LIMITS.agent_load_ms)
  child.on('message', message => answer(message as Reply))
  child.on('error', reject)
  child.on('close', status =>
    answer({ message: said.trim() || `its process ended with status ${status} before it was loaded` }),
  )
  return promise.finally(() => clearTimeout(timer))
}

function refused({ code, message }: { code?: string; message: string }, file: string): BundleError {
  if (code === 'DecoratorTargetError' || code === 'DecoratorValidationError')
    return new BundleError(code, `${file}: ${message}`)
  return new BundleError(
    'load_failed',
    `${file} threw while it was loaded: ${message}. An agent is loaded without its environment: create clients inside the class.`,
  )
}
