// Bundles an agent's file into the one module that a deployment runs, and reads the declaration from that module.
// Guarantee: the same files in the same place give the same bytes, and a bundle that is returned has been loaded.

import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildFailure, build, type Message, type Plugin } from 'esbuild'
import { LIMITS } from '../kernel/limits.ts'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { variablesRead } from './agent-environment.ts'
import { OWN_MODULES, OWN_PACKAGES, ROOT } from './own-files.ts'
import { withoutLuxon } from './without-luxon.ts'

export type BundleErrorCode =
  | 'bundle_failed'
  | 'no_default_export'
  | 'DecoratorTargetError'
  | 'DecoratorValidationError'
  | 'load_failed'
  | 'load_timeout'
  | 'bundle_too_large'

/** Why a file cannot be deployed; the message names the place in the code and what to do. */
export class BundleError extends Error {
  readonly code: BundleErrorCode
  constructor(code: BundleErrorCode, message: string) {
    super(message)
    this.name = 'BundleError'
    this.code = code
  }
}

export interface AgentBundle {
  /** An ES module whose default export has `fetch(request)`. */
  code: string
  declaration: AgentDeclaration
  bytes: number
  /** Variables that the agent's own files read. */
  reads: string[]
}

/**
 * Bundles the agent that a file exports by default, with all its imports except `node:*` and `cloudflare:*`. `assay`
 * resolves to this SDK wherever the file is; packages that Assay itself needs (zod, openai, @anthropic-ai/sdk) are
 * found even if the file's own project has not installed them.
 *
 * @throws BundleError with one of the codes above
 * @example
 * const { code, declaration } = await bundleAgent('examples/ticket-triage/agent.ts')
 */
export async function bundleAgent(file: string): Promise<AgentBundle> {
  const path = resolve(file)
  const { code, sources } = await compile(path)
  const bytes = Buffer.byteLength(code)
  if (bytes > LIMITS.agent_bundle_bytes) {
    throw new BundleError(
      'bundle_too_large',
      `${file} makes a bundle of ${bytes} bytes, the limit is ${LIMITS.agent_bundle_bytes}: import less, or fetch data at run time`,
    )
  }
  return { code, declaration: await declarationIn(code, file), bytes, reads: variablesRead(sources) }
}

/** The bundle, and the source texts of the author's own files in it. */
async function compile(path: string): Promise<{ code: string; sources: string[] }> {
  const options = {
    stdin: {
      contents: `import Agent from ${JSON.stringify(`./${basename(path)}`)}
import { serve } from 'assay'
export default { fetch: serve(Agent) }`,
      resolveDir: dirname(path),
      sourcefile: 'assay-entry.js',
    },
    absWorkingDir: dirname(path),
    bundle: true,
    write: false,
    metafile: true,
    logLevel: 'silent',
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    // Not `workerd`: some packages' builds for it lack parts of their common builds.
    conditions: ['worker', 'import'],
    mainFields: ['module', 'main'],
    minifySyntax: true,
    minifyWhitespace: true, // names stay, so that a stack trace can be read
    legalComments: 'none',
    nodePaths: [OWN_PACKAGES],
    plugins: [resolveOwnAndBuiltin, withoutLuxon(({ importer }) => importer.startsWith(OWN_SOURCES))],
  } as const
  try {
    const first = await build({ ...options, plugins: [...options.plugins] } as never)
    const { inputs, outputs } = first.metafile!
    const own = Object.keys(inputs).filter(
      name => !name.includes('node_modules/') && resolve(dirname(path), name).startsWith(dirname(path) + sep),
    )
    const files = own.map(name => resolve(dirname(path), name)).filter(name => existsSync(name))
    const required = Object.values(outputs).some(output =>
      output.imports.some(({ kind }) => kind === 'require-call'),
    )
    const [output] = first.outputFiles!
    return {
      code: required ? `${REQUIRE}\n${output!.text}` : output!.text,
      sources: files.map(name => readFileSync(name, 'utf8')),
    }
  } catch (error) {
    throw explained(error, basename(path))
  }
}

// CommonJS packages call require('node:…'), which an ES module has to create for itself.
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire('file:///agent.mjs');"

/** In the npm package nothing imports cron-parser: it is bundled into it. */
const OWN_SOURCES = join(ROOT, 'shared') + sep

const builtin = new Set(builtinModules)

const resolveOwnAndBuiltin: Plugin = {
  name: 'assay',
  setup(build) {
    build.onResolve({ filter: /^assay(\/client)?$/ }, ({ path }) => ({ path: OWN_MODULES[path]! }))
    build.onResolve({ filter: /^(node|cloudflare):/ }, ({ path }) => ({ path, external: true }))
    build.onResolve({ filter: /^[a-z_]+(\/[a-z_]+)?$/ }, ({ path }) =>
      builtin.has(path) ? { path: `node:${path}`, external: true } : undefined,
    )
  },
}

function explained(error: unknown, name: string): BundleError {
  const messages = (error as Partial<BuildFailure>).errors
  if (!messages) return new BundleError('bundle_failed', String(error))
  if (messages.some(({ text }) => /No matching export .* for import "default"/.test(text))) {
    return new BundleError('no_default_export', `${name} exports no agent: write "export default class …"`)
  }
  return new BundleError('bundle_failed', messages.slice(0, LIMITS.bad_lines_named).map(placed).join('\n'))
}

function placed({ text, location }: Message): string {
  return location ? `${location.file}:${location.line}:${location.column + 1}: ${text}` : text
}

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

/** Loads the bundle in a separate process, because loading it runs the author's code. */
async function declarationIn(code: string, file: string): Promise<AgentDeclaration> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-bundle-'))
  try {
    const path = join(folder, 'agent.mjs')
    await writeFile(path, code)
    const reply = await ask(pathToFileURL(path).href, file)
    if ('declaration' in reply) return reply.declaration
    throw refused(reply, file)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function ask(url: string, file: string): Promise<Reply> {
  const { promise, resolve: answer, reject } = Promise.withResolvers<Reply>()
  const child = spawn(process.execPath, ['--input-type=module', '--eval', LOADER, url], {
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
