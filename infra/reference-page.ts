// Generates the reference of what agents, their tests and clients import, from the types and their comments. Guarantee:
// the page covers every export, or the generator fails.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import type { Endpoint } from '../shared/http/endpoint.ts'

const SHARED = join(import.meta.dirname, '../shared')

/** The contents of the page, in order: headings with the exported names of a file. */
const PAGE: readonly { heading: string; about: string; from: string; names: readonly string[] }[] = [
  {
    heading: 'An agent',
    about: "`import { agent, items, schedule, trigger } from 'assay'`",
    from: 'sdk',
    names: [
      'agent',
      'AgentOptions',
      'AgentClass',
      'schedule',
      'ScheduleOptions',
      'SourceOptions',
      'RowOptions',
      'trigger',
      'TriggerOptions',
      'items',
      'ItemsContext',
      'Occurrence',
    ],
  },
  {
    heading: 'What `run` is given',
    about: "`import type { Context } from 'assay'`: the first argument, `ctx` by custom.",
    from: 'sdk',
    names: ['Context', 'ItemIdentity', 'ModelCallOptions', 'ModelAnswer'],
  },
  {
    heading: 'Errors, and agents elsewhere',
    about: "`import { ItemError, serve } from 'assay'`",
    from: 'sdk',
    names: [
      'ItemError',
      'DecoratorTargetError',
      'DecoratorValidationError',
      'serve',
      'ServeOptions',
      'declarationOf',
    ],
  },
  {
    heading: 'Tests',
    about: "`import { runItem, scripted } from 'assay/testing'`",
    from: 'testing',
    names: [
      'runItem',
      'RunItemOptions',
      'ItemResult',
      'ItemStep',
      'ItemCost',
      'runGenerator',
      'RunGeneratorOptions',
      'scripted',
      'ScriptedAnswer',
      'ScriptedRequest',
      'ScriptedModel',
      'recorded',
      'RecordedOptions',
      'Model',
      'ModelError',
      'agents',
    ],
  },
  {
    heading: 'Client',
    about: "`import { createClient } from 'assay/client'`",
    from: 'sdk/client.ts',
    names: ['createClient', 'ClientOptions', 'Client', 'RunEvent', 'ApiFailure'],
  },
]

/** Exports left out, because they are only names for types documented elsewhere. */
const UNTOLD = ['AgentDeclaration', 'Schemas', 'Item']

export function referencePage(endpoints: readonly Endpoint[]): string {
  const files = new Set(PAGE.map(({ from }) => (from.endsWith('.ts') ? from : `${from}/index.ts`)))
  const exported = new Map([...files].flatMap(file => exportsOf(file)))
  const told = new Set([...PAGE.flatMap(({ names }) => names), ...UNTOLD])
  const untold = [...exported.keys()].filter(name => !told.has(name))
  if (untold.length > 0) throw new Error(`infra/reference-page.ts does not tell ${untold.join(', ')}`)
  const sections = PAGE.map(({ heading, about, names }) =>
    [`## ${heading}`, about, ...names.map(name => declarationText(name, exported.get(name)!))].join('\n\n'),
  )
  return `${[HEAD, ...sections, operations(endpoints)].join('\n\n')}\n`
}

const HEAD = `<!-- Made by npm run generate from the types. -->
# Reference

Everything that \`assay\`, \`assay/testing\` and \`assay/client\` export. [PROTOCOL.md](PROTOCOL.md) is for agents in other languages.`

function operations(endpoints: readonly Endpoint[]): string {
  const rows = endpoints
    .filter(one => one.auth !== 'trigger' && one.path.startsWith('/v'))
    .map(({ method, path, summary }) => `| \`client.${method.toUpperCase()}('${path}')\` | ${summary} |`)
  return [
    'Besides the methods above a client has one for each HTTP method, typed by the path:',
    ['| Call | |', '|---|---|', ...rows].join('\n'),
  ].join('\n\n')
}

const parse = (file: string) =>
  ts.createSourceFile(file, readFileSync(join(SHARED, file), 'utf8'), ts.ScriptTarget.Latest, true)

/** Returns the names a file exports or re-exports, with their declarations. */
function exportsOf(file: string): [string, ts.Declaration][] {
  const source = parse(file)
  return source.statements.flatMap((statement): [string, ts.Declaration][] => {
    if (ts.isExportDeclaration(statement)) {
      const target = (statement.moduleSpecifier as ts.StringLiteral).text
      const there = new Map(declarationsOf(parse(join(file, '..', target))))
      const { elements } = statement.exportClause as ts.NamedExports
      return elements.map(({ name }) => [name.text, there.get(name.text)!])
    }
    return isExported(statement) ? declarationsIn(statement) : []
  })
}

const declarationsOf = (source: ts.SourceFile) =>
  source.statements.flatMap(statement => declarationsIn(statement))

function declarationsIn(statement: ts.Statement): [string, ts.Declaration][] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(one => [one.name.getText(), one])
  const { name } = statement as unknown as { name?: ts.Identifier }
  return name === undefined ? [] : [[name.text, statement as unknown as ts.Declaration]]
}

const isExported = (statement: ts.Statement) =>
  ts.canHaveModifiers(statement) &&
  (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

function declarationText(name: string, declaration: ts.Declaration): string {
  const { text, throws, example } = commentOf(declaration)
  return [
    `### \`${name}\``,
    ts.isFunctionDeclaration(declaration) ? code(signature(declaration)) : '',
    text,
    ...membersOf(declaration),
    throws,
    example,
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

const code = (text: string) => `\`\`\`ts\n${text}\n\`\`\``

const signature = (fn: ts.FunctionDeclaration) =>
  `${fn.name!.text}(${fn.parameters.map(one => unspaced(one.getText())).join(', ')})${fn.type ? `: ${unspaced(fn.type.getText())}` : ''}`

/** Returns the members of an interface, a class or the objects of a union, one a line. */
function membersOf(declaration: ts.Declaration): string[] {
  const lists = memberLists(declaration)
  return [lists.map(members => members.map(memberText).join('\n')).join('\n\nor\n\n')]
}

type Member = ts.TypeElement | ts.ClassElement

function memberLists(node: ts.Node): (readonly Member[])[] {
  if (ts.isInterfaceDeclaration(node)) return [node.members]
  if (ts.isClassDeclaration(node)) {
    const properties = node.members.filter(ts.isPropertyDeclaration)
    return properties.length > 0 ? [properties] : []
  }
  if (!ts.isTypeAliasDeclaration(node)) return []
  const union: readonly ts.TypeNode[] = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type]
  return union.filter(ts.isTypeLiteralNode).map(one => one.members)
}

function memberText(member: Member): string {
  const { text, throws, example } = commentOf(member)
  const shape = unspaced(member.getText().replace(/^readonly /, ''))
  const more = [throws, example].filter(part => part !== '').map(part => indented(`\n${part}`))
  return [`- \`${shape}\`${text && `: ${text.replaceAll('\n', ' ')}`}`, ...more].join('\n')
}

const indented = (text: string) => text.replace(/^(?=.)/gm, '  ')
const unspaced = (text: string) =>
  text
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replace(/\s+/g, ' ')
    .replace(/[,;]? ([)}])/g, ' $1')
    .replace('( ', '(')
    .replace(' )', ')')
    .replace(/;$/, '')
    .trim()

/** Splits the comment by hand: TypeScript takes a decorator at the beginning of an example's line for a tag. */
function commentOf(node: ts.Node): { text: string; throws: string; example: string } {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const lines = (comment?.getText() ?? '').replace(/^\/\*\*|\*\/$/g, '').replace(/^ *\* ?/gm, '')
  const [text, ...tags] = lines.split(/^ ?@(?=(?:throws|example|param)\b)/m)
  const tagged = (name: string) =>
    tags.filter(tag => tag.startsWith(name)).map(tag => tag.slice(name.length).trim())
  return {
    text: [text!.trim(), ...tagged('param').map(one => one.replace(/^\w+/, '`$&`:'))].join('\n\n').trim(),
    throws: tagged('throws')
      .map(one => `Throws ${one.replaceAll(/\s+/g, ' ')}`)
      .join('\n\n'),
    example: tagged('example').map(code).join('\n\n'),
  }
}
