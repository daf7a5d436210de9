// No passage of more than twelve lines appears twice, so that a fix in one place is enough.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MOST = 12

/** Files that are generated from others, or kept as they were. */
const LEFT = /\.gen\.ts$|^infra\/generated\//

/** The lines of a file that hold code, without imports, each with its number. */
function linesOf(file: string): { number: number; text: string }[] {
  const code = readFileSync(join(ROOT, file), 'utf8').replace(/^import [^;]*? from '[^']*'$/gm, block =>
    block.replace(/[^\n]/g, ''),
  )
  return code
    .split('\n')
    .map((line, at) => ({ number: at + 1, text: line.trim() }))
    .filter(({ text }) => /\w/.test(text) && !/^(\/\/|\*|\/\*)/.test(text))
}

it('no passage of more than twelve lines appears twice', () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(file => file !== '' && !LEFT.test(file))
  const seen = new Map<string, string>()
  const twice = new Map<string, string>()
  for (const file of files) {
    const lines = linesOf(file)
    for (let at = 0; at + MOST < lines.length; at++) {
      const passage = lines.slice(at, at + MOST + 1)
      const text = passage.map(line => line.text).join('\n')
      const place = `${file}:${passage[0]!.number}`
      const before = seen.get(text)
      if (before === undefined) seen.set(text, place)
      else twice.set(`${before.split(':')[0]} and ${file}`, `${before} and ${place}`)
    }
  }
  expect([...twice.values()]).toEqual([])
})
