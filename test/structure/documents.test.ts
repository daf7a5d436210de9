// Files that pages for contributors name exist, and each decision is in the index.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ALERT_RULES } from '../../shared/alerts/vocabulary.ts'

const ROOT = join(import.meta.dirname, '../..')
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('a page', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(file => file !== '' && file !== 'CHANGELOG.md')

  it('names only files that exist', () => {
    const gone = pages.flatMap(page =>
      [...textOf(page).matchAll(/`((?:shared|functions|infra|test|drizzle|examples)\/[\w./-]*)`/g)]
        .map(([, path]) => path!)
        .filter(path => !/\*|…/.test(path) && !existsSync(join(ROOT, path)))
        .map(path => `${page} names ${path}`),
    )
    expect(gone).toEqual([])
  })

  it('links only to files that exist', () => {
    const gone = pages.flatMap(page =>
      [...textOf(page).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)]
        .map(([, path]) => path!)
        .filter(path => !existsSync(join(ROOT, dirname(page), path)))
        .map(path => `${page} links to ${path}`),
    )
    expect(gone).toEqual([])
  })
})

it('the page about how it works names only files that exist', () => {
  const paths = [...textOf('shared/README.md').matchAll(/`([a-z-]+(?:\/[\w.-]+)*\.ts)`/g)].map(
    ([, path]) => path!,
  )
  const places = ['shared', 'shared/items', '.']
  const begin = [...textOf('shared/README.md').matchAll(/^\| `(\w+)` \|.*\| `([\w/.-]+)` \|$/gm)]
  expect(begin.length).toBeGreaterThan(7)
  expect(begin.filter(([, module, path]) => !existsSync(join(ROOT, 'shared', module!, path!)))).toEqual([])
  const others = paths.filter(path => !begin.some(([, , one]) => one === path))
  const gone = others.filter(path => !places.some(place => existsSync(join(ROOT, place, path))))
  expect(gone).toEqual([])
  expect(paths.length).toBeGreaterThan(20)
})

it('every decision is in the index of its module, once', () => {
  const text = textOf('shared/DECISIONS.md')
  const decisions = [...text.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number)
  const [, index] = /^## By module\n([\s\S]*?)\n## /m.exec(text)!
  const listed = [...index!.matchAll(/\[(\d+)\]\(#\1-/g)].map(([, number]) => number)
  expect(listed.sort()).toEqual(decisions.sort())
})

it('the page about the interface names every alert rule', () => {
  const page = textOf('functions/README.md')
  expect(ALERT_RULES.filter(rule => !page.includes(`\`${rule}\``))).toEqual([])
})
