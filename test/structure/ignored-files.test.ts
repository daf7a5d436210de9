// What pages and commands have people write into a checkout or a project, secrets before all, is ignored by git.

import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectFiles } from '../../shared/cli/init-files.ts'
import { pythonFiles } from '../../shared/cli/init-python-files.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Those of the paths that git would show as new files. */
function shown(paths: readonly string[], cwd = ROOT): string[] {
  const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
    cwd,
    input: paths.join('\n'),
    encoding: 'utf8',
  })
  const ignored = new Set(stdout.split('\n'))
  return paths.filter(path => !ignored.has(path))
}

/** The files that the shell blocks of a page write in the checkout, where the reader begins. */
function writtenBy(page: string): string[] {
  return [...page.matchAll(/```sh[^\n]*\n(.*?)```/gs)].flatMap(([, block]) => {
    let folder = '.'
    return block!.split('\n').flatMap(line => {
      for (const [, to] of line.matchAll(/\bcd ([\w./-]+)/g)) folder = join(folder, to!)
      const names = (/ in (.*?); do/.exec(line)?.[1] ?? '').split(' ')
      const files = [...line.matchAll(/(?:^|[^<>\d-])>{1,2} ?([^\s)&;|]+)|\bmv \S+ ([^\s)]+)/g)]
      return files
        .map(([, redirected, moved]) => redirected ?? moved!)
        .flatMap(file => (file === '$name' ? names : [file]))
        .filter(file => !/^["$/]/.test(file))
        .map(file => join(folder, file))
    })
  })
}

describe('git ignores', () => {
  it('every file that a page about a platform has its reader write', () => {
    const pages = readdirSync(join(ROOT, 'infra')).filter(name => name.endsWith('.md'))
    const written = pages.flatMap(name => writtenBy(readFileSync(join(ROOT, 'infra', name), 'utf8')))
    for (const one of ['master.key', 'secrets.env', 'workerd.env', 'consumer.env', 'first-account.json'])
      expect(written).toContain(one)
    for (const one of [
      'infra/secrets/master-key',
      'infra/secrets/database-url',
      'infra/secrets/keys-runtime',
    ])
      expect(written).toContain(one)
    expect(shown(written)).toEqual([])
  })

  it('every file of secrets that a container or a cluster is given', () => {
    const compose = readFileSync(join(ROOT, 'infra/compose.yaml'), 'utf8')
    const mounted = [...compose.matchAll(/file: \.\/([\w./-]+)/g)].map(([, file]) => `infra/${file}`)
    const texts = ['knative.md', 'openfaas.md'].map(name => readFileSync(join(ROOT, 'infra', name), 'utf8'))
    const given = [...texts.join('').matchAll(/(?:--from-(?:env-)?file=|base64 -w0 )([\w./-]+)/g)]
    expect(mounted.length).toBeGreaterThan(5)
    expect(given.length).toBeGreaterThan(0)
    expect(shown([...mounted, ...given.map(([, file]) => file!)])).toEqual([])
  })

  it('every backup that a page has its reader make', () => {
    const pages = ['README.md', 'infra/README.md', 'infra/docs/backup.md'].map(name =>
      readFileSync(join(ROOT, name), 'utf8'),
    )
    const made = [...pages.join('').matchAll(/assay backup ([a-z]\w*\.\w+)/g)].map(([, file]) => file!)
    expect(made.length).toBeGreaterThan(2)
    expect(shown(made)).toEqual([])
  })

  it('what a stack, Wrangler and programs of the checkout write', () => {
    const files = [
      ...['local.json', 'master.key', 'operator.key', 'postgres.json', 'redis.json'].map(
        name => `.assay/${name}`,
      ),
      ...[
        '.dev.vars',
        '.dev.vars.staging',
        '.dev.vars.123.new',
        'infra/.dev.vars',
        '.env',
        '.env.production',
      ],
      ...['.wrangler/state/v3', 'infra/.wrangler/tmp', 'dist/workerd/assay.mjs', 'assay-values.staging.yaml'],
      '.assay', // a link to the data folder elsewhere
    ]
    expect(shown(files)).toEqual([])
  })

  const named = { name: 'Sorter', slug: 'sorter' }
  it.each([
    ['TypeScript', projectFiles({ ...named, class_name: 'Sorter', assay: '0.1.0', versions: {} })],
    ['Python', pythonFiles({ ...named, wheel: 'vendor/assay.whl' })],
  ])('secrets in a new project in %s', async (_, made) => {
    const folder = await mkdtemp(join(tmpdir(), 'assay-ignored-'))
    try {
      execFileSync('git', ['init', '--quiet'], { cwd: folder })
      await writeFile(join(folder, '.gitignore'), made['.gitignore']!)
      const files = ['.assay', '.assay/local.json', '.env', '.env.local']
      expect(shown(files, folder)).toEqual([])
      expect(shown(['agent.ts', 'agent.py', 'items.jsonl', 'README.md'], folder)).toHaveLength(4)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
