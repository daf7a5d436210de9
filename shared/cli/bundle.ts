// Bundles an agent's file into the one module that a deployment runs, and reads the declaration from that module.
// Guarantee: the same files in the same place give the same bytes, and a bundle that is returned has been loaded; in the
// sandbox, if that is on this machine.

import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { type BuildFailure, build, type Message, type Plugin } from 'esbuild'
import { LIMITS } from '../kernel/limits.ts'
import type { AgentDeclaration } from '../protocol/rules/protocol.ts'
import { limitIn, SANDBOX_LIMITS, wayOut } from '../sdk/sandbox-limits.ts'
import { TEXT_ENDINGS } from '../sdk/text-files.ts'
import { variablesRead } from './agent-environment.ts'
import { BundleError } from './bundle-error.ts'
import { loadInNode, loadInSandbox } from './bundle-load.ts'
import { BundlePlaces } from './bundle-places.ts'
import { awsByFetch, resolveOwnAndBuiltin, textFiles, withoutForeignMaps } from './bundle-plugins.ts'
import { OWN_PACKAGES, ROOT } from './own-files.ts'
import { aboutPackage, packageOf } from './sandbox-packages.ts'
import { withoutLuxon } from './without-luxon.ts'

export interface AgentBundle {
  /** An ES module whose default export has `fetch(request)`. */
  code: string
  declaration: AgentDeclaration
  bytes: number
  /** Variables that the agent's own files read. */
  reads: string[]
  /** Whether it was loaded in the sandbox, and not only in Node. */
  in_sandbox: boolean
  places: BundlePlaces
}

export interface BundleOptions {
  /** Where it is to run: in the sandbox by default, or in Node, as a function of its own. */
  for?: 'sandbox' | 'node'
  /** The variables that it is loaded with. */
  env?: Record<string, string>
}

/**
 * Bundles the agent that a file exports by default, with all its imports except `node:*` and `cloudflare:*`. `assay`
 * resolves to this SDK wherever the file is; packages that Assay itself needs (zod, openai, @anthropic-ai/sdk) are
 * found even if the file's own project has not installed them.
 *
 * @throws BundleError
 * @example
 * const { code, declaration } = await bundleAgent('examples/ticket-triage/agent.ts')
 */
export async function bundleAgent(file: string, options: BundleOptions = {}): Promise<AgentBundle> {
  const isForNode = options.for === 'node'
  const path = resolve(file)
  const { code, places, sources } = await compile(path, isForNode)
  const bytes = Buffer.byteLength(code)
  if (bytes > LIMITS.agent_bundle_bytes) {
    throw new BundleError(
      'bundle_too_large',
      `${file} makes a bundle of ${bytes} bytes, the limit is ${LIMITS.agent_bundle_bytes}: import less, or fetch data at run time`,
    )
  }
  const bundle = { file, code, places, env: options.env ?? {} }
  const inSandbox = isForNode ? undefined : await loadInSandbox(bundle)
  const declaration = inSandbox ?? (await loadInNode(bundle))
  const reads = variablesRead(sources)
  return { code, declaration, bytes, reads, in_sandbox: inSandbox !== undefined, places }
}

const OUT = 'agent.mjs'

/** The bundle, its places, and the source texts of the author's own files in it. */
async function compile(path: string, isForNode: boolean) {
  const folder = dirname(path)
  try {
    const { metafile, outputFiles } = await build(optionsFor(path, isForNode) as never)
    const { inputs, outputs } = metafile!
    const own = Object.keys(inputs).filter(
      name => !name.includes('node_modules/') && resolve(folder, name).startsWith(folder + sep),
    )
    const sources = new Map(
      own
        .filter(name => existsSync(resolve(folder, name)))
        .map(name => [name, readFileSync(resolve(folder, name), 'utf8')]),
    )
    const required = Object.values(outputs).some(output =>
      output.imports.some(({ kind }) => kind === 'require-call'),
    )
    const textOf = (ending: string) => outputFiles!.find(file => file.path.endsWith(ending))!.text
    const code = textOf(OUT)
    const parts = { map: textOf('.map'), metafile: metafile!, sources, lines_before: required ? 1 : 0 }
    return {
      code: required ? `${REQUIRE}\n${code}` : code,
      places: new BundlePlaces(parts),
      sources: [...sources.values()],
    }
  } catch (error) {
    throw explained(error, basename(path))
  }
}

function optionsFor(path: string, isForNode: boolean) {
  const folder = dirname(path)
  const luxon: Plugin = withoutLuxon(({ importer }) => importer.startsWith(OWN_SOURCES))
  return {
    stdin: {
      contents: `import Agent from ${JSON.stringify(`./${basename(path)}`)}
import { serve } from 'assay'
export default { fetch: serve(Agent) }`,
      resolveDir: folder,
      sourcefile: 'assay-entry.js',
    },
    absWorkingDir: folder,
    outfile: join(folder, OUT),
    bundle: true,
    write: false,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
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
    plugins: [resolveOwnAndBuiltin, textFiles, withoutForeignMaps, ...(isForNode ? [] : [awsByFetch]), luxon],
    // In the sandbox it has no place of its own: a file is then missed by its name, which says what to do.
    ...(!isForNode && { define: IMPORT_META }),
  }
}

const IMPORT_META = {
  'import.meta.url': JSON.stringify('file:///bundle/agent.mjs'),
  'import.meta.filename': JSON.stringify('/bundle/agent.mjs'),
  'import.meta.dirname': JSON.stringify('/bundle'),
}

// CommonJS packages call require('node:…'), which an ES module has to create for itself.
const REQUIRE =
  "import{createRequire as __createRequire}from'node:module';const require=__createRequire('file:///agent.mjs');"

/** In the npm package nothing imports cron-parser: it is bundled into it. */
const OWN_SOURCES = join(ROOT, 'shared') + sep

function explained(error: unknown, name: string): BundleError {
  const messages = (error as Partial<BuildFailure>).errors
  if (!messages) return new BundleError('bundle_failed', String(error))
  if (
    messages.some(
      ({ text }) => /No matching export .* for import "default"/.test(text) && text.includes(name),
    )
  ) {
    return new BundleError('no_default_export', `${name} exports no agent: write "export default class …"`)
  }
  return new BundleError('bundle_failed', messages.slice(0, LIMITS.bad_lines_named).map(placed).join('\n'))
}

function placed(message: Message): string {
  const { text, location } = message
  const place = location ? `${location.file}:${location.line}:${location.column + 1}: ` : ''
  const way = wayOutOf(message)
  return `${place}${text}${way === undefined ? '' : `. ${way}`}`
}

const NO_LOADER = /^No loader is configured for "(\.[^"]*)" files/
const NOT_FOUND = /^Could not resolve "([^"]+)"/

/** What to do about an import that cannot be bundled. */
function wayOutOf({ text, location }: Message): string | undefined {
  const [, missing] = NOT_FOUND.exec(text) ?? []
  const [, ending] = NO_LOADER.exec(text) ?? []
  const named = missing !== undefined && /^[@\w]/.test(missing)
  const name = named
    ? nameOf(missing)
    : (packageOf(text) ?? (location ? packageOf(location.file) : undefined))
  const known = name && aboutPackage(name)
  if (known !== undefined) return known
  if (ending === '.node') return wayOut(limitIn('process.dlopen') ?? SANDBOX_LIMITS[0]!)
  if (ending !== undefined)
    return `Import its text with { type: 'text' }: import text from './file${ending}' with { type: 'text' }; without that, ${TEXT_ENDINGS.map(one => `.${one}`).join(', ')} are text and .json is a value. Bytes come with the items, or by fetch`
  return named ? `Install it in the agent's project: npm install ${name}` : undefined
}

/** The package of a specifier. */
const nameOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
