// Writes the files generated from the list of functions (generated-files.ts). With --check it writes nothing and fails
// if a file differs from what it would write.
//
//   node infra/generate.ts --target openfaas|knative|workerd --values FILE [--out FOLDER]
//
// writes the files of one installation instead, generated from its values.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = join(import.meta.dirname, '..')

/** Describes the first line in which two texts differ. */
function firstDifference(kept: string, made: string): string {
  const [before, after] = [kept.split('\n'), made.split('\n')]
  const at = after.findIndex((line, index) => line !== before[index])
  const line = at === -1 ? after.length : at
  return `line ${line + 1}:\n  - ${before[line] ?? '(end)'}\n  + ${after[line] ?? '(end)'}`
}

async function writeGenerated(isCheck: boolean): Promise<void> {
  const { generatedFiles } = await import('./generated-files.ts')
  for (const [name, text] of await generatedFiles()) {
    const path = join(ROOT, name)
    const kept = await readFile(path, 'utf8').catch(() => '')
    if (kept === text) continue
    if (isCheck) {
      const difference = firstDifference(kept, text)
      console.error(`${name} is out of date: npm run generate. First difference at ${difference}`)
      process.exitCode = 1
    } else {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
      console.log(`wrote ${relative(process.cwd(), path)}`)
    }
  }
}

const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    target: { type: 'string' },
    values: { type: 'string' },
    out: { type: 'string' },
  },
})
if (options.target === undefined && options.values === undefined) await writeGenerated(options.check)
else {
  const { writeInstallation } = await import('./targets/installation.ts')
  const { ValuesRefused } = await import('./targets/read-values.ts')
  try {
    await writeInstallation(options.target, options.values, options.out)
  } catch (error) {
    if (!(error instanceof ValuesRefused)) throw error
    console.error(error.message)
    process.exitCode = 2
  }
}
