// Files that pages for contributors name exist, and so do the entries of the archive that pages about decisions cite.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ALERT_RULES } from '../../shared/alerts/vocabulary.ts'

const ROOT = join(import.meta.dirname, '../..')
const DECISIONS = 'shared/decisions'
const ARCHIVE = `${DECISIONS}/archive.md`
const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8')

describe('a page', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter(file => file !== '' && file !== 'CHANGELOG.md')

  it('names only files that exist', () => {
    // The archive of decisions is history, as CHANGELOG.md is.
    const gone = pages
      .filter(page => page !== ARCHIVE)
      .flatMap(page =>
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

describe('decisions', () => {
  const pages = readdirSync(join(ROOT, DECISIONS)).filter(page => !/^(README|archive)\.md$/.test(page))
  const entries = [...textOf(ARCHIVE).matchAll(/^<a id="(\d+)"><\/a>\n\n## \1\. /gm)].map(
    ([, number]) => number!,
  )

  it('are on pages that the first one lists, each below 900 words', () => {
    const first = textOf(`${DECISIONS}/README.md`)
    expect(pages.filter(page => !first.includes(`](${page})`))).toEqual([])
    const wordsOf = (page: string) => textOf(`${DECISIONS}/${page}`).split(/\s+/).filter(Boolean).length
    expect(pages.filter(page => wordsOf(page) > 900)).toEqual([])
  })

  it('cite entries of the archive by their number, and leave out only what is superseded', () => {
    const citedBy = (page: string, link: RegExp) =>
      [...textOf(`${DECISIONS}/${page}`).matchAll(link)].map(([, text, number]) => {
        expect(text, page).toBe(number)
        return number!
      })
    const cited = ['README.md', ...pages].flatMap(page => citedBy(page, /\[(\d+)\]\(archive\.md#([\w-]+)\)/g))
    const superseded = citedBy('archive.md', /\[(\d+)\]\(#([\w-]+)\)/g)
    expect([...cited, ...superseded].filter(number => !entries.includes(number))).toEqual([])
    expect(entries.filter(number => !cited.includes(number) && !superseded.includes(number))).toEqual([])
    expect(new Set(entries).size).toBe(entries.length)
    expect(entries.length).toBeGreaterThan(90)
  })
})

it('the page about the interface names every alert rule', () => {
  const page = textOf('functions/README.md')
  expect(ALERT_RULES.filter(rule => !page.includes(`\`${rule}\``))).toEqual([])
})
