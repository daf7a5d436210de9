// The threat model is one page and names a test for each attack, and every test it names exists.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const page = read('infra/threat-model.md')
const rows = page.split('\n').filter(line => /^\| \*\*/.test(line))
const WORDS = 1450 // of a printed page in small type, without the names of tests

it('every attacker has a test, and the test exists', () => {
  expect(rows.length).toBeGreaterThan(8)
  const missing = rows.flatMap(row => {
    const [who, tests] = [row.split('|')[1]!.trim(), row.split('|').at(-2)!]
    const named = [...tests.matchAll(/`([^`]+)`/g)].map(([, path]) => path!)
    if (named.length === 0) return [`${who}: no test is named`]
    return named.filter(path => globSync(path, { cwd: ROOT }).length === 0).map(path => `${who}: ${path}`)
  })
  expect(missing).toEqual([])
})

it('the threat model is one page, and the README links to it', () => {
  expect(page.replaceAll(/`[^`]+\.test\.ts`/g, '').split(/\s+/).length).toBeLessThan(WORDS)
  for (const path of ['SECURITY.md', 'infra/threat-model.md'])
    expect(read('README.md')).toContain(`(${path})`)
  expect(read('SECURITY.md')).toContain('(infra/threat-model.md)')
})
