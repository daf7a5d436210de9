// Writes what is made from the list of functions: the OpenAPI document, the client's types and the function table.
// With --check it writes nothing and fails when a file differs from what it would write.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { endpoints } from '../functions/index.ts'
import { API_ERRORS } from '../shared/domain/errors.ts'
import { openApiDocument } from '../shared/http/openapi.ts'

const ROOT = join(import.meta.dirname, '..')

async function generated(): Promise<Map<string, string>> {
  const document = openApiDocument(endpoints)
  const types = await openapiTS(document as unknown as Parameters<typeof openapiTS>[0], {
    alphabetize: false,
    defaultNonNullable: false,
  })
  return new Map([
    ['infra/generated/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['infra/generated/functions.md', functionTable()],
    [
      'shared/sdk/client.gen.ts',
      `// Made by npm run generate from the OpenAPI document.\n\n${astToString(types)}`,
    ],
  ])
}

function functionTable(): string {
  const operations = endpoints.map(
    ({ method, path, operation_id, auth, summary }) =>
      `| ${method.toUpperCase()} \`${path}\` | \`${operation_id}\` | ${auth} | ${summary} |`,
  )
  const errors = Object.entries(API_ERRORS)
    .sort(([a, s], [b, t]) => s - t || (a < b ? -1 : 1))
    .map(([code, status]) => `| \`${code}\` | ${status} |`)
  return `${[
    '<!-- Made by npm run generate. -->',
    '# Operations',
    '',
    '| Path | Operation | Credentials | |',
    '|---|---|---|---|',
    ...operations,
    '',
    '# Error codes',
    '',
    '| Code | Status |',
    '|---|---|',
    ...errors,
  ].join('\n')}\n`
}

/** The first line in which two texts differ. */
function firstDifference(kept: string, made: string): string {
  const [before, after] = [kept.split('\n'), made.split('\n')]
  const at = after.findIndex((line, index) => line !== before[index])
  const line = at === -1 ? after.length : at
  return `line ${line + 1}:\n  - ${before[line] ?? '(end)'}\n  + ${after[line] ?? '(end)'}`
}

const isCheck = process.argv.includes('--check')
for (const [name, text] of await generated()) {
  const path = join(ROOT, name)
  const kept = await readFile(path, 'utf8').catch(() => '')
  if (kept === text) continue
  if (isCheck) {
    console.error(
      `${name} is out of date: npm run generate. First difference at ${firstDifference(kept, text)}`,
    )
    process.exitCode = 1
  } else {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
    console.log(`wrote ${relative(process.cwd(), path)}`)
  }
}
