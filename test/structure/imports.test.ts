// The house rules that can be checked: who may import whom, where Node may be named, and which file names are not used.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/**
 * Modules by work: `shared/<module>/<layer>/<topic>.ts`, or `shared/<module>/<layer>.ts` while it is short. A layer
 * imports the layers before it, of any module.
 */
const LAYERS = ['vocabulary', 'rules', 'tables', 'wire', 'queries', 'verbs'] as const
type Layer = (typeof LAYERS)[number]

/**
 * Within a layer a module imports the modules named here and no others. Tables are left out: foreign keys go both ways.
 */
const ARROWS: Record<string, Partial<Record<Layer, readonly string[]>>> = {
  items: {
    rules: ['prices'],
    wire: ['grading', 'upstreams'],
    queries: ['accounts', 'prices'],
    verbs: ['outbox', 'settling'],
  },
  submission: {
    rules: ['prices'],
    queries: ['accounts', 'claims', 'cluster', 'items', 'prices'],
    verbs: ['accounts', 'claims', 'prices'],
  },
  claims: {
    rules: ['prices', 'protocol', 'upstreams'],
    queries: ['accounts', 'cluster', 'items', 'prices', 'upstreams'],
    verbs: ['accounts'],
  },
  consumer: {
    queries: ['claims', 'settling'],
    verbs: ['accounts', 'claims', 'outbox', 'protocol', 'settling', 'triage', 'upstreams'],
  },
  settling: {
    queries: ['claims', 'items', 'prices'],
    verbs: ['claims', 'outbox', 'triage'],
  },
  protocol: {
    rules: ['pacing'],
  },
  grading: {
    rules: ['prices', 'protocol', 'providers', 'refusals', 'upstreams'],
    queries: ['items'],
  },
  providers: {
    rules: ['prices', 'protocol'],
  },
  refusals: {},
  triage: {
    rules: ['grading', 'items'],
    wire: ['items'],
    queries: ['cluster', 'items'],
    verbs: ['accounts'],
  },
  recovery: {
    rules: ['prices', 'protocol'],
    wire: ['items', 'triage'],
    queries: ['claims', 'items', 'triage'],
    verbs: ['outbox', 'submission'],
  },
  results: {
    wire: ['items'],
    queries: ['items'],
  },
  schedules: {
    wire: ['items', 'results', 'sources', 'submission', 'upstreams'],
    queries: ['accounts', 'cluster', 'items', 'submission'],
    verbs: ['accounts', 'alerts', 'claims', 'quotas', 'sources', 'submission'],
  },
  triggers: {
    wire: ['sources', 'submission'],
    queries: ['accounts'],
    verbs: ['accounts', 'quotas', 'sources', 'submission'],
  },
  sources: {
    rules: ['protocol', 'submission'],
    queries: ['accounts'],
    verbs: ['accounts', 'alerts', 'submission'],
  },
  agents: {
    rules: ['grading', 'pacing', 'prices', 'protocol', 'results', 'sources'],
    wire: ['results', 'sources', 'triggers', 'upstreams'],
    queries: ['accounts', 'cluster', 'prices', 'upstreams'],
    verbs: ['accounts', 'prices', 'quotas', 'schedules', 'sources', 'triggers'],
  },
  alerts: {
    rules: ['items', 'outbox', 'prices', 'recovery', 'schedules', 'upstreams'],
    queries: ['prices'],
    verbs: ['accounts'],
  },
  outbox: {
    wire: ['alerts', 'items'],
    queries: ['accounts', 'cluster', 'prices'],
    verbs: ['accounts'],
  },
  traces: {
    queries: ['cluster', 'triage'],
  },
  accounts: {
    wire: ['prices', 'schedules'],
    queries: ['cluster', 'prices'],
    verbs: ['prices', 'quotas', 'sessions'],
  },
  sessions: { queries: ['accounts'] },
  prices: {},
  quotas: {},
  upkeep: {
    queries: ['accounts', 'claims', 'items'],
    verbs: [
      'accounts',
      'alerts',
      'claims',
      'grading',
      'outbox',
      'prices',
      'quotas',
      'recovery',
      'schedules',
      'sources',
      'submission',
      'traces',
      'triage',
    ],
  },
  upstreams: {
    rules: ['pacing'],
    queries: ['cluster'],
    verbs: ['accounts'],
  },
  pacing: {},
  schemas: {},
  cluster: {},
}
const IN_MODULE = new RegExp(`^shared/(${Object.keys(ARROWS).join('|')})/(${LAYERS.join('|')})(?:/|\\.ts$)`)

const upTo = (layer: Layer): string[] => LAYERS.slice(0, LAYERS.indexOf(layer) + 1)

/** What each layer or folder may import, in addition to its own files. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  // Shared by all modules, and knows none of them.
  'shared/kernel': [],
  'shared/json': ['shared/kernel'],
  vocabulary: ['shared/kernel'],
  rules: [...upTo('rules'), 'shared/json', 'shared/kernel'],
  tables: [...upTo('tables'), 'shared/kernel'],
  wire: [...upTo('wire'), 'shared/json', 'shared/kernel'],
  queries: [...upTo('queries'), 'shared/context', 'shared/json', 'shared/kernel'],
  verbs: [...upTo('verbs'), 'shared/context', 'shared/redis', 'shared/view', 'shared/json', 'shared/kernel'],
  // What the host hands an invocation: types only, of everybody's connections.
  'shared/context': [...upTo('rules'), 'shared/kernel'],
  // All tables, from which migrations are made.
  'shared/tables': ['tables'],
  // How runs and items are shown, once for pages and the command line.
  'shared/view': [...upTo('rules'), 'shared/json', 'shared/kernel', 'shared/sdk'],
  'shared/redis': [...upTo('rules'), 'shared/context', 'shared/kernel'],
  'shared/http': [...upTo('queries'), 'shared/context', 'shared/redis', 'shared/json', 'shared/kernel'],
  // Makes the document and the reference page from what endpoints declare.
  'shared/openapi': [...upTo('wire'), 'shared/context', 'shared/http', 'shared/json', 'shared/kernel'],
  'shared/sdk': [...upTo('rules'), 'shared/json', 'shared/kernel'],
  'shared/testing': [...upTo('rules'), 'shared/sdk', 'shared/json', 'shared/kernel'],
  'shared/cli': [
    ...upTo('rules'),
    'shared/sdk',
    'shared/testing',
    'shared/json',
    'shared/kernel',
    'shared/view',
    'infra/local',
    'infra/backup',
    'infra/packing',
  ],
  // A client of the API like any other, but within the process.
  'functions/dashboard': [
    ...upTo('wire'),
    'functions',
    'shared/context',
    'shared/http',
    'shared/json',
    'shared/kernel',
    'shared/view',
    'shared/sdk',
  ],
  functions: [...LAYERS, 'shared/context', 'shared/http', 'shared/json', 'shared/kernel'],
}

/**
 * http looks up callers and what they may act on, scopes their reads, logs what they change, and says whether the
 * installation is on hold; the functions do everything else.
 */
const HTTP_STORES = [
  'caller-locks',
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
  'installation',
  'nodes',
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
  const [, , layer] = IN_MODULE.exec(path) ?? []
  return layer ?? Object.keys(MAY_IMPORT).find(name => path === `${name}.ts` || path.startsWith(`${name}/`))
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

it('within a layer a module imports exactly the modules that are listed for it', () => {
  const found: Record<string, Partial<Record<Layer, readonly string[]>>> = {}
  for (const module of Object.keys(ARROWS)) found[module] = {}
  for (const { file, target } of imports) {
    const [, from, layer] = (IN_MODULE.exec(file) ?? []) as unknown as [string, string, Layer]
    const [, to, below] = IN_MODULE.exec(target) ?? []
    if (layer === undefined || layer === 'tables' || layer !== below || from === to) continue
    const known = found[from]![layer] ?? []
    found[from]![layer] = [...new Set([...known, to!])].sort()
  }
  expect(found).toEqual(ARROWS)
})

it('the modules of a layer import each other without cycles', () => {
  const circles = LAYERS.flatMap(layer =>
    circlesOf(new Map(Object.entries(ARROWS).map(([module, arrows]) => [module, arrows[layer] ?? []]))),
  )
  expect(circles).toEqual([])
})

it('files import each other without cycles, type imports included', () => {
  const graph = new Map(sources.map(file => [file, [] as string[]]))
  for (const { file, target } of imports) if (graph.has(target)) graph.get(file)!.push(target)
  expect(circlesOf(graph)).toEqual([])
})

it('http reads only what it takes to know a caller, and writes only the audit log', () => {
  const asked = imports.flatMap(({ file, target }) => {
    const [, name] = /^shared\/\w+\/queries\/(.+)\.ts$/.exec(target) ?? []
    return file.startsWith('shared/http/') && name !== undefined ? [{ file, target, name }] : []
  })
  const wrong = asked.filter(({ name }) => !HTTP_STORES.includes(name))
  expect(wrong.map(one => `${one.file} imports ${one.target}`)).toEqual([])
})

it('only infra, the command line and what tests import name Node: everything else runs in workerd', () => {
  const portable = sources.filter(file => !/^(infra|shared\/(cli|testing))\//.test(file))
  // Node's crypto is workerd's too, and needed: WebCrypto has no scrypt.
  const wrong = portable.filter(file =>
    /from 'node:(?!crypto')|\bprocess\.(env|exit|on|argv|pid)/.test(code(file)),
  )
  expect(wrong).toEqual([])
})

it('a page of the dashboard is imported only by the list of pages and by other pages', () => {
  const pages = 'functions/dashboard/pages/'
  const wrong = imports.filter(
    ({ file, target }) =>
      target.startsWith(pages) && !file.startsWith(pages) && file !== 'functions/dashboard/index.ts',
  )
  expect(wrong.map(one => `${one.file} imports ${one.target}`)).toEqual([])
})

it('SQL is in queries only, except for how tables and partitions are laid out', () => {
  const silent = [
    'verbs',
    'rules',
    'vocabulary',
    'shared/http',
    'shared/redis',
    'shared/json',
    'shared/kernel',
  ]
  const portable = sources.filter(
    file => file.startsWith('functions/') || silent.includes(layerOf(file) ?? ''),
  )
  const without = [
    'shared/upkeep/verbs/readiness.ts', // only checks whether anything answers
    'shared/kernel/packed-columns.ts', // packs parameters, and names no table
    'shared/kernel/each-project.ts', // bounds a query that it is given
    'shared/kernel/locked-ids.ts', // locks the rows of a query that it is given
  ]
  expect(portable.filter(file => !without.includes(file) && /\bsql(<[^>]*>)?`/.test(code(file)))).toEqual([])
})

it('OpenTelemetry’s library is named in one module, which is loaded only if something is exported', () => {
  const named = imports.filter(({ target }) => target.startsWith('@opentelemetry/')).map(one => one.file)
  expect([...new Set(named)]).toEqual(['infra/node/otlp.ts'])
  const loaders = imports.filter(one => one.target === 'infra/node/otlp.ts')
  expect(loaders.map(one => [one.file, /import\('\.\/otlp\.ts'\)/.test(code(one.file))])).toEqual([
    ['infra/node/telemetry.ts', true],
  ])
})

it('every module begins with a comment that says what it is', () => {
  const silent = sources.filter(
    file => !/^(#!.*\n)?\/\//.test(textOf.get(file)!) && !/^functions\//.test(file),
  )
  expect(silent).toEqual([])
})

it('file names that say nothing are not used', () => {
  const empty = /(^|[/-])(utils?|common|manager|service|helpers?|jobs?|tasks?|misc)(\.|-|\/)/
  expect(sources.filter(file => empty.test(file))).toEqual([])
})

/** What is left after removing, again and again, what imports nothing that is left: cycles, and what leads to one. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(graph)
  for (let before = -1; before !== left.size; ) {
    before = left.size
    for (const [name, imported] of left) if (!imported.some(one => left.has(one))) left.delete(name)
  }
  return [...left.keys()]
}

/** A file without its comments. */
function code(file: string): string {
  return textOf
    .get(file)!
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
}

it('zod is imported as a namespace, of which a bundle holds only what is used', () => {
  const whole = sources.filter(file => /^import \{ z \} from /m.test(textOf.get(file)!))
  expect(whole).toEqual([])
})
