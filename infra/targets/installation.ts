// Writes the files of an installation from its values. Guarantee: the folder has the files generated from these values
// and none generated from others; files that somebody put there stay.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { knativeFiles } from './knative.ts'
import { openfaasFiles } from './openfaas.ts'
import { readValues, ValuesRefused } from './read-values.ts'
import { isMade, type TargetFile, textOf } from './target-file.ts'
import { TARGETS, type Target, type ValuesOf } from './values.ts'
import { workerdFiles } from './workerd.ts'

const ROOT = join(import.meta.dirname, '../..')
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }

const MAKERS: { [T in Target]: (values: ValuesOf<T>) => TargetFile[] } = {
  openfaas: openfaasFiles,
  knative: knativeFiles,
  workerd: workerdFiles,
}

const exampleOf = (target: Target) => `infra/values/${target}.yaml`

export async function readExample<T extends Target>(target: T): Promise<ValuesOf<T>> {
  const name = exampleOf(target)
  return readValues(target, await readFile(join(ROOT, name), 'utf8'), name)
}

/** Returns the files of one installation as path and text; `name` is the name of its values file. */
export const filesOf = <T extends Target>(target: T, values: ValuesOf<T>, name: string): [string, string][] =>
  MAKERS[target](values).map(file => [file.path, textOf(file, `${name} by Assay ${version}`)])

/** Returns the checked-in files, which are generated from the example values. */
export async function exampleFiles(): Promise<[path: string, text: string][]> {
  const all = TARGETS.map(async target =>
    filesOf(target, await readExample(target), exampleOf(target)).map(([path, text]): [string, string] => [
      `infra/generated/${target}/${path}`,
      text,
    ]),
  )
  return (await Promise.all(all)).flat()
}

/** Writes the installation's files to `out`. @throws ValuesRefused that says which value to give */
export async function writeInstallation(
  target: string | undefined,
  valuesFile: string | undefined,
  out = join('dist', target ?? ''),
): Promise<void> {
  if (!TARGETS.includes(target as Target)) throw new ValuesRefused(`--target is one of ${TARGETS.join(', ')}`)
  const of = target as Target
  if (valuesFile === undefined)
    throw new ValuesRefused(`--values is missing: a file like ${exampleOf(of)}, which is an example of one`)
  const source = await readFile(valuesFile, 'utf8').catch(error => {
    throw new ValuesRefused(`--values ${valuesFile} cannot be read: ${error.message}`)
  })
  const files = new Map(filesOf(of, readValues(of, source, valuesFile), valuesFile))
  await removeOthers(out, files)
  for (const [path, text] of files) {
    await mkdir(dirname(join(out, path)), { recursive: true })
    await writeFile(join(out, path), text)
  }
  const left = [...new Set(source.match(/^[^#\n]*\bexample\.(?:com|org|net)\b/gm) ?? [])]
  for (const line of left) console.error(`still of an example: ${line.trim()}`)
  console.log(
    `wrote ${[...files.keys()].join(', ')} to ${relative('', out) || '.'}; infra/${of}.md says what to do with them`,
  )
}

/** Removes files that other values generated here, which would be applied with the rest. */
async function removeOthers(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const there = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of there.filter(one => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    if (files.has(relative(folder, path)) || /\.mjs$/.test(path)) continue
    if (isMade(await readFile(path, 'utf8'))) await rm(path)
  }
}
