// How large modules, files and functions are. What is larger than it should be stands here by name, and may only shrink.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MODULE_LINES = 2500
const FUNCTION_LINES = 50

/** Modules that have more lines, and how many. The commands, the SDK and its tests have no bound. */
const LARGE: Record<string, number> = {
  items: 13_950,
  recovery: 5200,
  starts: 4650,
  accounts: 4350,
  kernel: 3200,
  http: 3200,
  outbox: 3100,
}
const UNBOUNDED = ['cli', 'sdk', 'testing']

/** How many functions have more lines: pages that are one template, and closures that hold what a process keeps. */
const LONG_FUNCTIONS: Record<string, number> = { functions: 41, infra: 14, shared: 10 }

const files = execFileSync('git', ['ls-files', 'shared', 'functions', 'infra'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(file => /\.tsx?$/.test(file) && !/\.(test|gen)\.ts$|^infra\/generated/.test(file))
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('a module', () => {
  const lines: Record<string, number> = {}
  for (const file of files) {
    const [, module] = /^shared\/([\w-]+)\//.exec(file) ?? []
    if (module !== undefined) lines[module] = (lines[module] ?? 0) + textOf(file).split('\n').length - 1
  }

  it('has 2,500 lines at most, or no more than it had', () => {
    const tooLarge = Object.entries(lines).filter(
      ([module, n]) => !UNBOUNDED.includes(module) && n > (LARGE[module] ?? MODULE_LINES),
    )
    expect(tooLarge).toEqual([])
  })

  it('leaves the list of large ones once it is none', () => {
    expect(Object.keys(LARGE).filter(module => (lines[module] ?? 0) <= MODULE_LINES)).toEqual([])
  })
})

it('a function has 50 lines at most, but for those that had more', () => {
  const found: Record<string, string[]> = { functions: [], infra: [], shared: [] }
  for (const file of files) {
    const source = ts.createSourceFile(file, textOf(file), ts.ScriptTarget.Latest, true)
    const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line + 1
    const visit = (node: ts.Node): void => {
      const isLong = lineOf(node.end) - lineOf(node.getStart()) >= FUNCTION_LINES
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && isLong)
        found[file.split('/')[0]!]!.push(`${file}:${lineOf(node.getStart())}`)
      ts.forEachChild(node, visit)
    }
    visit(source)
  }
  for (const [folder, long] of Object.entries(found))
    expect(long.length, long.join('\n')).toBeLessThanOrEqual(LONG_FUNCTIONS[folder]!)
})
