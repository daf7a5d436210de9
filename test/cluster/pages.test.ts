// The pages of the platforms: their commands are of a kind that is tried, and name files that are there.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesOf, readExample } from '../../infra/targets/installation.ts'
import { TARGETS } from '../../infra/targets/values.ts'
import { blocksOf, KINDS, PAGES } from './page.ts'

const ROOT = join(import.meta.dirname, '../..')

describe.each(PAGES)('infra/%s.md', page => {
  const blocks = blocksOf(page)

  it('has blocks of known kinds alone, and what needs a cluster is marked', () => {
    expect(blocks.filter(({ kind }) => !KINDS.includes(kind))).toEqual([])
    const unmarked = blocks.filter(({ kind }) => kind === '').map(one => one.commands)
    expect(unmarked.join('')).not.toMatch(/^\s*(kubectl|faas-cli|helm|docker|systemctl)\b/m)
    expect(unmarked.length).toBeGreaterThan(3)
  })

  it('applies files that are made', async () => {
    const target = TARGETS.find(one => one === page)!
    const made = filesOf(target, await readExample(target), 'a test').map(([path]) => path)
    const named = blocks.flatMap(({ commands }) =>
      [...commands.matchAll(/"\$OUT\/([\w./-]+)"/g)].map(([, path]) => path!),
    )
    const missing = named.filter(
      path => !made.includes(path) && !made.some(one => one.startsWith(`${path}/`)),
    )
    expect(missing).toEqual([])
  })

  it('names files of the checkout that are there', () => {
    const named = blocks.flatMap(({ commands }) =>
      [...commands.matchAll(/(?<=\s)((?:infra|examples)\/[\w./-]+)/g)].map(([, path]) => path!),
    )
    expect(named.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

it('the time that OpenFaaS’s page tells the gateway is what its functions need', async () => {
  const stack = new Map(filesOf('openfaas', await readExample('openfaas'), 'a test')).get('stack.yml')!
  const [, seconds] = /The gateway must allow (\d+) s/.exec(stack)!
  const told = blocksOf('openfaas')
    .map(one => one.commands)
    .join('')
  expect(told).toContain(`gateway.upstreamTimeout=${seconds}s`)
})
