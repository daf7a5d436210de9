// Makes a new agent project, and runs the tests of one. Guarantee: no file that is there is written over.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { LIMITS } from '../domain/limits.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { type NewProject, projectFiles } from './init-files.ts'
import type { Session } from './session.ts'

const CHECKOUT = join(import.meta.dirname, '../..')
const TESTING = join(import.meta.dirname, '../testing/index.ts')

export async function init({ folder, output }: Session, given: Given): Promise<ExitCode> {
  const target = resolve(folder, given.optionalArg(0) ?? '.')
  const project = newProject(target)
  const files = projectFiles(project)
  const there = Object.keys(files).filter(name => existsSync(join(target, name)))
  if (there.length > 0)
    throw usageFailure(`${target} has ${there.join(', ')} already`, {
      hint: 'nothing was written; name a folder of its own',
      next: 'assay init FOLDER',
    })
  await mkdir(target, { recursive: true })
  for (const [name, text] of Object.entries(files)) await writeFile(join(target, name), text, { flag: 'wx' })
  const near = relative(folder, target)
  const told = { folder: target, name: project.name, slug: project.slug, files: Object.keys(files) }
  output.emit('project', told, ({ paint }) =>
    [
      `${paint('bold', project.name)}: ${near || '.'}/ has ${told.files.join(', ')}`,
      `${paint('dim', 'try ')}  ${near === '' ? '' : `cd ${near} && `}npm install && npm test`,
      `      npx assay deploy agent.ts --env OPENAI_API_KEY`,
      `      npx assay submit items.jsonl --agent ${project.slug} --item-id id --watch`,
    ].join('\n'),
  )
  return EXIT.ok
}

/** Named like its folder. */
function newProject(target: string): NewProject {
  const words = basename(target)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  const slug = words.join('-').slice(0, LIMITS.slug_characters).replace(/-$/, '') || 'my-agent'
  const name = slug.replaceAll('-', ' ')
  const class_name = slug.replaceAll(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase())
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  return {
    name: name[0]!.toUpperCase() + name.slice(1),
    slug,
    class_name: /^\d/.test(class_name) ? `Agent${class_name}` : class_name,
    assay: `file:${relative(target, CHECKOUT)}`,
    versions: { ...devDependencies, ...dependencies },
  }
}

/** Node's own test runner, on the Node that runs this command, with what it takes to import agents. */
export async function test({ folder }: Session, given: Given): Promise<ExitCode> {
  const file = given.optionalArg(0)
  const args = ['--enable-source-maps', '--import', TESTING, '--test', ...(file === undefined ? [] : [file])]
  const child = spawn(process.execPath, args, { cwd: folder, stdio: 'inherit' })
  const [status, signal] = await once(child, 'exit')
  if (signal !== null) return EXIT.interrupted
  return status === 0 ? EXIT.ok : EXIT.failed
}
