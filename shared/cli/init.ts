// Makes a new agent project, and runs the tests of one. Guarantee: no existing file is overwritten.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { type NewProject, projectFiles } from './init-files.ts'
import { linkStack, namesOf, refuseExisting, VENDOR } from './new-project.ts'
import {
  IS_CHECKOUT,
  OWN_MODULES,
  OWN_PACKAGES,
  ownManifest,
  ROOT,
  SANDBOX_TESTS,
  workerdVersion,
} from './own-files.ts'
import type { Session } from './session.ts'

export async function init(session: Session, given: Given): Promise<void> {
  const { folder, env, output } = session
  const target = resolve(folder, given.optionalArg(0) ?? '.')
  if (given.flag('python')) return (await import('./init-python.ts')).initPython(session, given, target)
  if (given.text('wheel') !== undefined) throw usageFailure('--wheel goes with --python')
  const project = newProject(target, await ownDependency())
  const files = projectFiles(project)
  refuseExisting(target, files)
  await mkdir(target, { recursive: true })
  await copyTarball(target)
  for (const [name, text] of Object.entries(files)) await writeFile(join(target, name), text, { flag: 'wx' })
  if (IS_CHECKOUT) await linkStack(target, resolve(folder, env.ASSAY_DATA_DIR || join(ROOT, '.assay')))
  const near = relative(folder, target)
  const result = { folder: target, name: project.name, slug: project.slug, files: Object.keys(files) }
  output.emit('project', result, ({ paint }) =>
    [
      `${paint('bold', project.name)}: ${near || '.'}/ has ${result.files.join(', ')}`,
      `${paint('dim', 'try ')}  ${near === '' ? '' : `cd ${near} && `}npm install && npm test`,
      `      npx --no assay deploy agent.ts --env OPENAI_API_KEY   ${paint('dim', '# without a key: see README.md')}`,
      `      npx --no assay submit items.jsonl --agent ${project.slug} --item-id id --watch`,
    ].join('\n'),
  )
}

/**
 * The tarball this command was installed from, or the URL of one. Never a name: nobody owns "assay" in npm's registry.
 * @throws Failure `usage` if it is gone or unknown
 */
async function ownTarball(): Promise<{ file: string } | { url: string }> {
  const lock = join(OWN_PACKAGES, '.package-lock.json')
  const { packages } = JSON.parse(await readFile(lock, 'utf8').catch(() => '{"packages":{}}'))
  const resolved: string | undefined = packages['node_modules/assay']?.resolved
  if (resolved?.startsWith('https://')) return { url: resolved }
  if (!resolved?.startsWith('file:'))
    throw usageFailure(
      'this command was not installed from a file or a URL that a new project could depend on',
      {
        hint: 'nothing was written',
        next: 'npm install FILE.tgz, then assay init FOLDER',
      },
    )
  const file = resolve(dirname(OWN_PACKAGES), resolved.slice('file:'.length))
  if (existsSync(file)) return { file }
  throw usageFailure(`${file}, which this command was installed from, is gone`, {
    hint: 'nothing was written; a new project depends on that file',
    next: 'npm install FILE.tgz, then assay init FOLDER',
  })
}

/** What the new project names as its dependency. */
async function ownDependency(): Promise<string> {
  const vendored = (file: string) => `file:${VENDOR}/${basename(file)}`
  if (IS_CHECKOUT) return vendored(`assay-${ownManifest().version}.tgz`)
  const own = await ownTarball()
  return 'url' in own ? own.url : vendored(own.file)
}

async function copyTarball(target: string): Promise<void> {
  const copy = (file: string) => cp(file, join(target, VENDOR, basename(file)))
  if (!IS_CHECKOUT) {
    const own = await ownTarball()
    return 'file' in own ? copy(own.file) : undefined
  }
  const made = await mkdtemp(join(tmpdir(), 'assay-init-'))
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, 'infra/npm-package.ts'), made])
    await copy(join(made, `assay-${ownManifest().version}.tgz`))
  } finally {
    await rm(made, { recursive: true })
  }
}

/** A project named after its folder. */
function newProject(target: string, assay: string): NewProject {
  const { slug, name } = namesOf(target)
  const class_name = slug.replaceAll(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase())
  const { projectVersions, dependencies, devDependencies } = ownManifest()
  return {
    name,
    slug,
    class_name: /^\d/.test(class_name) ? `Agent${class_name}` : class_name,
    assay,
    versions: projectVersions ?? { ...devDependencies, ...dependencies },
  }
}

async function refuseWithoutSandbox(folder: string): Promise<void> {
  const { Sandbox } = await import('#sandbox')
  const sandbox = await Sandbox.find(folder)
  if (sandbox !== undefined) return sandbox.close()
  throw usageFailure('workerd, the runtime of batches, is not installed here', {
    next: `npm install --save-dev workerd@${workerdVersion()}`,
  })
}

/** Runs Node's test runner, on the Node that runs this command, with the hooks that import agents. */
export async function test({ folder }: Session, given: Given): Promise<ExitCode> {
  const file = given.optionalArg(0)
  const inSandbox = given.flag('sandbox')
  if (inSandbox) await refuseWithoutSandbox(folder)
  const imports = [OWN_MODULES['assay/testing']!, ...(inSandbox ? [SANDBOX_TESTS] : [])]
  const args = [
    '--enable-source-maps',
    ...imports.flatMap(path => ['--import', pathToFileURL(path).href]),
    '--test',
    ...(file === undefined ? [] : [file]),
  ]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' })
  const [status, signal] = await once(child, 'exit')
  if (signal !== null) return EXIT.interrupted
  return status === 0 ? EXIT.ok : EXIT.failed
}
