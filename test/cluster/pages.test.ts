// The pages of the platforms: their commands are of a kind that is tried, and name files that exist.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesOf, readExample } from '../../infra/targets/installation.ts'
import { TARGETS } from '../../infra/targets/values.ts'
import { blocksOf, KINDS, PAGES, programsOf, STEPS } from './page.ts'

const ROOT = join(import.meta.dirname, '../..')
const OF_CLUSTERS = /^(docker|kubectl|helm|faas-cli|kn)$/

describe.each(PAGES)('infra/%s.md', page => {
  const blocks = blocksOf(page)

  it('has only blocks of known kinds, and marks what needs a cluster', () => {
    expect(blocks.filter(({ kind, step }) => !KINDS.includes(kind) || !STEPS.includes(step))).toEqual([])
    const unmarked = blocks.filter(({ kind }) => kind === '')
    expect(programsOf(unmarked)).not.toEqual(expect.arrayContaining([expect.stringMatching(OF_CLUSTERS)]))
    expect(unmarked.map(one => one.commands).join('')).not.toMatch(/^\s*systemctl\b/m)
    expect(unmarked.length).toBeGreaterThan(3)
  })

  it('runs no program that a bare machine lacks and CI does not install', () => {
    const lacking = programsOf(blocks.filter(({ kind }) => kind === ''))
    expect(lacking).toContain('openssl')
    const ci = readFileSync(join(ROOT, '.ci/run'), 'utf8')
    expect(lacking.filter(name => !ci.includes(`has ${name} || wanted+=(${name})`))).toEqual([])
  })

  it('needs no editing below the names, and leaves the shell as it was', () => {
    const below = blocks.filter(({ kind }) => kind !== 'names' && kind !== 'account')
    const commands = below.map(one => one.commands).join('')
    expect(commands).not.toMatch(/example\.com|…|openfaas-fn|127\.0\.0\.1:\d/)
    expect(commands).not.toMatch(/^umask/m)
  })

  it("runs the project's own Node, whatever the system has", () => {
    const commands = blocks.map(one => one.commands).join('\n')
    const own = commands.indexOf('export PATH="$PWD/node_modules/.bin:$PATH"')
    expect(own).toBeGreaterThan(-1)
    expect(commands.slice(0, own)).not.toMatch(/^\s*(node|npx --no assay|assay)\b/m)
  })

  it('applies only files that are generated', async () => {
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

  it('names only files of the checkout that exist', () => {
    const named = blocks.flatMap(({ commands }) =>
      [...commands.matchAll(/(?<=\s)((?:infra|examples)\/[\w./-]+)/g)].map(([, path]) => path!),
    )
    expect(named.filter(path => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

it('the timeout that OpenFaaS’s page sets for the gateway and Traefik is what its functions need', async () => {
  const files = new Map(filesOf('openfaas', await readExample('openfaas'), 'a test'))
  const [, seconds] = /The gateway must allow (\d+) s/.exec(files.get('stack.yml')!)!
  const commands = blocksOf('openfaas')
    .map(one => one.commands)
    .join('')
  expect(commands).toContain(`gateway.upstreamTimeout=${seconds}s`)
  expect(commands).toContain(`ports.websecure.transport.respondingTimeouts.readTimeout=${seconds}s`)
  expect(files.get('ingress.yaml')).toContain(
    `respondingTimeouts.readTimeout of its entry point says ${seconds}s`,
  )
})
