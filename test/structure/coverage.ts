// Which test proves which rule of test/contract.md, read from the sources without running anything.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const ID = '[a-z]+\\.[a-z0-9_-]+'
const SECTION = /^## (.+)$/
const RULE = new RegExp(`^- \`(${ID})\`: (.+)$`)
/** The operation that a rule is about. */
const OPERATION = /`((?:GET|POST|PATCH|PUT|DELETE) \/[^`]*)`/g
const DESCRIBE = /^(\s*)describe\((['"`])(.*)\2,/
/** A string in the sources that ends with ids of rules in brackets. */
const TAGGED = new RegExp(`(['"\`])((?:(?!\\1).)*) \\[(${ID}(?:, ${ID})*)\\]\\1`)

export interface Rule {
  id: string
  section: string
  text: string
  /** As `GET /v1/agents`. */
  operations: string[]
}

export interface Proof {
  rule: string
  file: string
  /** Its title, with those around it. */
  test: string
}

export function readContract(): Rule[] {
  const rules: Rule[] = []
  let section = ''
  for (const line of readFileSync(join(ROOT, 'test/contract.md'), 'utf8').split('\n')) {
    const [, id, text] = RULE.exec(line) ?? []
    if (id && text)
      rules.push({ id, section, text, operations: [...text.matchAll(OPERATION)].map(match => match[1]!) })
    else section = SECTION.exec(line)?.[1] ?? section
  }
  return rules
}

export function readProofs(): Proof[] {
  const files = ['test', 'shared', 'functions', 'infra', 'examples'].flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => !name.includes('node_modules'))
      .filter(name => (folder === 'test' ? name.endsWith('.ts') : name.endsWith('.test.ts')))
      .map(name => join(folder, name)),
  )
  return files.sort().flatMap(file => proofsIn(file, readFileSync(join(ROOT, file), 'utf8')))
}

/** What is inside a `describe` is indented more than it; the formatter guarantees that. */
export function proofsIn(file: string, source: string): Proof[] {
  const proofs: Proof[] = []
  const around: { indent: number; title: string }[] = []
  for (const line of source.split('\n')) {
    if (line.trim() === '') continue
    const indent = line.length - line.trimStart().length
    while (around.length > 0 && indent <= around.at(-1)!.indent) around.pop()
    const [, , title, ids] = TAGGED.exec(line) ?? []
    if (title !== undefined) {
      const test = [...around.map(one => one.title), title].join(': ').replace(/\\(.)/g, '$1')
      proofs.push(...ids!.split(', ').map(rule => ({ rule, file, test })))
    }
    const opened = DESCRIBE.exec(line)
    if (opened) around.push({ indent, title: opened[3]!.replace(/ \[[^\]]+\]$/, '') })
  }
  return proofs
}

export interface Operation {
  method: string
  path: string
  operation_id: string
}

export function coverageTable(operations: readonly Operation[]): string {
  const rules = readContract()
  const proofs = Map.groupBy(readProofs(), proof => proof.rule)
  const testsOf = (of: Rule[]) => {
    const tests = of
      .flatMap(({ id }) => proofs.get(id) ?? [])
      .map(({ test, file }) => `${test} (\`${file}\`)`)
    return [...new Set(tests)].join('<br>')
  }
  const rows = [...Map.groupBy(rules, rule => rule.section)].flatMap(([section, of]) => [
    `## ${section}`,
    '',
    '| Rule | | Tests |',
    '|---|---|---|',
    ...of.map(rule => row(`\`${rule.id}\``, rule.text, testsOf([rule]))),
    '',
  ])
  const byOperation = operations.map(({ method, path, operation_id }) => {
    const about = rules.filter(rule => rule.operations.includes(`${method.toUpperCase()} ${path}`))
    const ids = about.map(rule => `\`${rule.id}\``).join(', ')
    return row(`${method.toUpperCase()} \`${path}\``, `\`${operation_id}\``, ids, testsOf(about))
  })
  const head = [
    '<!-- Made by npm run generate from test/contract.md and the titles of tests. -->',
    '# Coverage',
    '',
    `${rules.length} rules, each with the tests that prove it.`,
    '',
  ]
  const tail = [
    '## Operations',
    '',
    '| Path | Operation | Rules | Tests |',
    '|---|---|---|---|',
    ...byOperation,
  ]
  return `${[...head, ...rows, ...tail].join('\n')}\n`
}

const row = (...cells: string[]) => `| ${cells.map(text => text.replaceAll('|', '\\|')).join(' | ')} |`
