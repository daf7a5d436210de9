// The house rules that can be checked: who may import whom, where Node may be named, and which words are not used.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Layer → layers it may import. A layer may always import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  // Of use to any program: knows no noun of the product.
  'shared/kernel': [],
  // How a run and an item are told, once for pages and the command line.
  'shared/view': ['shared/domain', 'shared/kernel', 'shared/sdk'],
  'shared/domain': ['shared/kernel'],
  // What the host hands an invocation: types only, of everybody's connections.
  'shared/context': ['shared/engine', 'shared/schema', 'shared/domain', 'shared/kernel'],
  'shared/schema': ['shared/domain', 'shared/kernel'],
  'shared/store': ['shared/context', 'shared/schema', 'shared/domain', 'shared/kernel'],
  'shared/hints': ['shared/context', 'shared/domain', 'shared/kernel'],
  'shared/engine': [
    'shared/context',
    'shared/store',
    'shared/hints',
    'shared/schema',
    'shared/domain',
    'shared/kernel',
    'shared/view',
  ],
  'shared/http': [
    'shared/context',
    'shared/hints',
    'shared/schema',
    'shared/domain',
    'shared/store',
    'shared/kernel',
  ],
  'shared/sdk': ['shared/domain', 'shared/kernel'],
  'shared/testing': ['shared/sdk', 'shared/domain', 'shared/kernel'],
  'shared/cli': [
    'shared/sdk',
    'shared/domain',
    'shared/kernel',
    'shared/view',
    'infra/local',
    'infra/backup',
  ],
  // A client of the API like any other, only within the process.
  'functions/dashboard': [
    'functions',
    'shared/context',
    'shared/http',
    'shared/schema',
    'shared/domain',
    'shared/kernel',
    'shared/view',
    'shared/sdk',
  ],
  functions: [
    'shared/context',
    'shared/http',
    'shared/schema',
    'shared/engine',
    'shared/store',
    'shared/domain',
    'shared/kernel',
  ],
}

/**
 * Modules by work: `shared/<module>/<layer>/<topic>.ts`, or `shared/<module>/<layer>.ts` while it is short. What a
 * layer of a module may import is what the folder of that layer may.
 */
const MODULES = ['items', 'recovery', 'starts', 'agents', 'outbox', 'traces', 'accounts', 'upkeep']
const LAYERS: Record<string, string> = {
  rules: 'shared/domain',
  tables: 'shared/schema',
  wire: 'shared/schema',
  queries: 'shared/store',
  verbs: 'shared/engine',
}
const IN_MODULE = new RegExp(
  `^shared/(?:${MODULES.join('|')})/(${Object.keys(LAYERS).join('|')})(?:/|\\.ts$)`,
)

/**
 * http looks up callers and what they may act on, confines them, logs what they change, and tells whether the installation
 * can work; all else is the functions'.
 */
const HTTP_STORES = [
  'api-keys',
  'sessions',
  'projects',
  'agents',
  'runs',
  'members',
  'schedules',
  'triggers',
  'audit',
  'tenant',
  'database-state',
  'running-role',
  'installation',
]

interface Import {
  file: string
  target: string
  typeOnly: boolean
}

const sources = ['shared', 'functions', 'infra'].flatMap(folder =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name) && !/\.(test|gen)\.ts$/.test(name) && !name.startsWith('generated'))
    .map(name => join(folder, name)),
)
const textOf = new Map(sources.map(file => [file, readFileSync(join(ROOT, file), 'utf8')]))
const imports: Import[] = sources.flatMap(file =>
  [
    ...textOf
      .get(file)!
      .matchAll(/^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/gm),
  ].map(match => ({
    file,
    typeOnly: match[1] !== undefined,
    target: resolve(file, (match[2] ?? match[3])!),
  })),
)

function resolve(file: string, specifier: string): string {
  return specifier.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), specifier)) : specifier
}

function layerOf(path: string): string | undefined {
  if (path === 'shared/context.ts') return 'shared/context'
  const [, layer] = IN_MODULE.exec(path) ?? []
  if (layer !== undefined) return LAYERS[layer]
  return Object.keys(MAY_IMPORT).find(layer => path.startsWith(`${layer}/`))
}

it('every file of shared and functions belongs to a layer', () => {
  const homeless = sources.filter(file => !file.startsWith('infra/') && layerOf(file) === undefined)
  expect(homeless).toEqual([])
})

it('a layer imports only the layers below it', () => {
  const wrong = imports.filter(({ file, target }) => {
    const from = layerOf(file)
    const to =
      layerOf(target) ?? (target.startsWith('infra/') ? target.split('/').slice(0, 2).join('/') : undefined)
    return from !== undefined && to !== undefined && from !== to && !MAY_IMPORT[from]!.includes(to)
  })
  expect(wrong.map(one => `${one.file} imports ${one.target}`)).toEqual([])
})

it('http reads only what it takes to know a caller, and writes only the log of changes', () => {
  const asked = imports.flatMap(({ file, target }) => {
    const [, name] = /^shared\/(?:store|\w+\/queries)\/(.+)\.ts$/.exec(target) ?? []
    return file.startsWith('shared/http/') && name !== undefined ? [{ file, target, name }] : []
  })
  const wrong = asked.filter(({ name }) => !HTTP_STORES.includes(name))
  expect(wrong.map(one => `${one.file} imports ${one.target}`)).toEqual([])
})

it('Node is named only in infra, the command line and what tests import: everything else runs in workerd', () => {
  const portable = sources.filter(file => !/^(infra|shared\/(cli|testing))\//.test(file))
  // Its crypto is workerd's too: WebCrypto has no scrypt.
  const wrong = portable.filter(file =>
    /from 'node:(?!crypto')|\bprocess\.(env|exit|on|argv|pid)/.test(code(file)),
  )
  expect(wrong).toEqual([])
})

it('SQL stands in store alone, besides how tables and partitions are laid out', () => {
  const silent = ['shared/engine', 'shared/http', 'shared/hints', 'shared/domain', 'shared/kernel']
  const portable = sources.filter(
    file => file.startsWith('functions/') || silent.includes(layerOf(file) ?? ''),
  )
  const asking = 'shared/http/readiness.ts' // asks only whether anybody answers
  expect(portable.filter(file => file !== asking && /\bsql(<[^>]*>)?`/.test(code(file)))).toEqual([])
})

it('OpenTelemetry’s library is named in one module, which is loaded where something is exported', () => {
  const named = imports.filter(({ target }) => target.startsWith('@opentelemetry/')).map(one => one.file)
  expect([...new Set(named)]).toEqual(['infra/node/otlp.ts'])
  const loaders = imports.filter(one => one.target === 'infra/node/otlp.ts')
  expect(loaders.map(one => [one.file, /import\('\.\/otlp\.ts'\)/.test(code(one.file))])).toEqual([
    ['infra/node/telemetry.ts', true],
  ])
})

it('every module opens by saying what it is', () => {
  const silent = sources.filter(
    file => !/^(#!.*\n)?\/\//.test(textOf.get(file)!) && !/^functions\//.test(file),
  )
  expect(silent).toEqual([])
})

it('names that say nothing are not used for files', () => {
  const empty = /(^|[/-])(utils?|common|manager|service|helpers?|jobs?|tasks?|misc)(\.|-|\/)/
  expect(sources.filter(file => empty.test(file))).toEqual([])
})

it('a file has 300 lines at most, so that it is read as a whole', () => {
  const long = sources.filter(file => textOf.get(file)!.split('\n').length > 301)
  expect(long).toEqual([])
})

/** A file without its comments. */
function code(file: string): string {
  return textOf
    .get(file)!
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

it('zod is imported as a name space, of which a bundle has what is used, and the whole of it otherwise', () => {
  const whole = sources.filter(file => /^import \{ z \} from /m.test(textOf.get(file)!))
  expect(whole).toEqual([])
})
