// Writes the files that run an agent as a separate function on a cluster: the agent, its server and the platforms'
// files. Guarantee: an existing folder is written to only if it has no files but those that this command writes.

import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { build } from 'esbuild'
import { LIMITS } from '../kernel/limits.ts'
import type { Given } from './arguments.ts'
import { orderOfFile } from './deploy.ts'
import { usageFailure } from './failure.ts'
import { bytes } from './format.ts'
import { AGENT_SERVER } from './own-files.ts'
import { type Packaged, packageFiles } from './package-files.ts'
import type { Session } from './session.ts'

export async function packageAgent({ folder, output }: Session, given: Given): Promise<void> {
  const file = resolve(folder, given.arg(0))
  if (!existsSync(file)) throw usageFailure(`there is no file ${file}`)
  const { slug, code, declaration } = await orderOfFile(file, { for: 'node' })
  const name = serviceName(slug)
  const packaged: Packaged = {
    name,
    agent: declaration.name,
    image: given.text('image') ?? `registry.example.com/${name}:latest`,
    timeout_s: declaration.timeout_seconds ?? LIMITS.agent_timeout_seconds.default,
  }
  const files: Record<string, string> = {
    'agent.mjs': code.kind === 'bundle' ? code.code : '',
    'server.mjs': await serverBundle(),
    ...packageFiles(packaged),
  }
  const target = resolve(folder, given.text('out') ?? name)
  await refuseForeign(target, Object.keys(files))
  await mkdir(target, { recursive: true })
  for (const [path, text] of Object.entries(files)) await writeFile(join(target, path), text)

  const near = relative(folder, target)
  const at = near.startsWith('..') ? target : near || '.'
  const build = `docker build --tag ${packaged.image} --push ${at}`
  const run = [`faas-cli deploy --yaml ${at}/stack.yml`, `kubectl apply --filename ${at}/service.yaml`]
  const deploy = `assay deploy --slug ${slug} --url URL`
  const result = { slug, folder: target, image: packaged.image, files: Object.keys(files) }
  output.emit('packaged', { ...result, next: { build, run, deploy } }, ({ program }) =>
    [
      `${declaration.name}: ${at}/ has ${result.files.join(', ')} (${bytes(sizeOf(files))})`,
      `  ${build}`,
      `  ${run.join('   # or: ')}`,
      `  ${deploy.replace('assay', program)}   # where the function answers; prints its ASSAY_AGENT_KEY`,
    ].join('\n'),
  )
}

const sizeOf = (files: Record<string, string>) =>
  Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** The slug as a service name: a slug may contain characters that a service name may not, and be one longer. */
const serviceName = (slug: string) =>
  (/^[a-z]/.test(slug) ? slug : `agent-${slug}`)
    .replaceAll(/[._-]+/g, '-')
    .slice(0, 63)
    .replace(/-$/, '')

async function refuseForeign(target: string, own: readonly string[]): Promise<void> {
  const there = existsSync(target) ? await readdir(target) : []
  const foreign = there.filter(name => !own.includes(name))
  if (foreign.length === 0) return
  throw usageFailure(`${target} holds other things (${foreign.slice(0, 3).join(', ')})`, {
    next: 'name another folder with --out DIR',
  })
}

async function serverBundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [AGENT_SERVER],
    bundle: true,
    write: false,
    logLevel: 'silent',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
  })
  return outputFiles[0]!.text
}
