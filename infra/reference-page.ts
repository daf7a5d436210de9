// Generates the reference of what agents, their tests and clients import: the declarations that TypeScript makes of
// their files, with the comments. Guarantee: the page covers every export.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const SHARED = join(import.meta.dirname, '../shared')
const IMPORTED = [
  { name: 'assay', file: 'sdk/index.ts' },
  { name: 'assay/testing', file: 'testing/index.ts' },
  { name: 'assay/client', file: 'sdk/client.ts' },
]

export function referencePage(): string {
  const sections = IMPORTED.flatMap(({ name, file }) => [
    `## \`${name}\``,
    ...exportsOf(file)
      .toSorted(([one], [other]) => one.localeCompare(other, 'en'))
      .map(([name, text]) => `### \`${name}\`\n\n\`\`\`ts\n${text}\n\`\`\``),
  ])
  return `${[HEAD, ...sections].join('\n\n')}\n`
}

const HEAD = `<!-- Made by npm run generate from the types. -->
# Reference

Everything that \`assay\`, \`assay/testing\` and \`assay/client\` export, as TypeScript declares it. A client also has a method for each HTTP method, typed by the path: \`GET /docs\` of an installation lists the operations. [PROTOCOL.md](PROTOCOL.md) is for agents in other languages.`

/** Returns the names a file exports or re-exports, each with its declaration and comment. */
function exportsOf(file: string): [name: string, text: string][] {
  const { outputText } = ts.transpileDeclaration(readFileSync(join(SHARED, file), 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.Latest },
  })
  const source = ts.createSourceFile(file, outputText, ts.ScriptTarget.Latest)
  return source.statements.flatMap((statement): [string, string][] => {
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier !== undefined) {
      const there = new Map(exportsOf(join(file, '..', (statement.moduleSpecifier as ts.StringLiteral).text)))
      return (statement.exportClause as ts.NamedExports).elements.map(({ name }) => [
        name.text,
        there.get(name.text)!,
      ])
    }
    const text = statement.getFullText(source).trim()
    const name = /^export (?:declare )?\w+ (\w+)/m.exec(text)?.[1]
    return name === undefined ? [] : [[name, text.replace(/^export (declare )?/m, '')]]
  })
}
