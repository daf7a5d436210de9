// Writes what is made from the list of functions: the OpenAPI document, the client's types, the tables of
// operations, errors and coverage, and what platforms are told.
// With --check it writes nothing and fails when a file differs from what it would write.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { endpoints } from '../functions/index.ts'
import { ERROR_MEANINGS, ITEM_ERROR_MEANINGS } from '../shared/domain/error-meanings.ts'
import { API_ERRORS, type ApiErrorCode } from '../shared/domain/errors.ts'
import { errorsOf, openApiDocument } from '../shared/http/openapi.ts'
import { coverageTable } from '../test/structure/coverage.ts'
import { dashboardAssets } from './dashboard-assets.ts'
import { PRICE_LIST_FILE, priceListFile } from './price-list.ts'
import { referencePage } from './reference-page.ts'
import { knativeFiles } from './targets/knative.ts'
import { openfaasFiles } from './targets/openfaas.ts'
import { workerdFiles } from './targets/workerd.ts'

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
    ['infra/generated/errors.md', errorTable()],
    ['shared/sdk/REFERENCE.md', referencePage(endpoints)],
    ['infra/generated/coverage.md', coverageTable(endpoints)],
    [PRICE_LIST_FILE, await priceListFile()],
    ...openfaasFiles().map(([path, text]) => [`infra/generated/openfaas/${path}`, text] as const),
    ...knativeFiles().map(([path, text]) => [`infra/generated/knative/${path}`, text] as const),
    ...workerdFiles().map(([path, text]) => [`infra/generated/workerd/${path}`, text] as const),
    ['functions/dashboard/frame/assets.gen.ts', await dashboardAssets()],
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
  const rows = ['| Path | Operation | Credentials | |', '|---|---|---|---|', ...operations]
  return ['<!-- Made by npm run generate. -->', '# Operations', '', ...rows, ''].join('\n')
}

/** Every code an answer or an item can carry, what it means, and who gives it. */
function errorTable(): string {
  const givers = (code: ApiErrorCode) => {
    const names = endpoints.filter(one => errorsOf(one).includes(code)).map(one => `\`${one.operation_id}\``)
    return names.length > endpoints.length / 2 ? 'most operations' : names.join(', ')
  }
  const api = (Object.entries(API_ERRORS) as [ApiErrorCode, number][])
    .sort(([a, s], [b, t]) => s - t || (a < b ? -1 : 1))
    .map(([code, status]) => `| \`${code}\` | ${status} | ${ERROR_MEANINGS[code]} | ${givers(code)} |`)
  const items = Object.entries(ITEM_ERROR_MEANINGS).map(([code, meaning]) => `| \`${code}\` | ${meaning} |`)
  return [
    '<!-- Made by npm run generate. -->',
    '# Error codes',
    '',
    'An error is `{"error": {"code", "message", "hint"?}}`. Codes are stable; messages are for people.',
    '',
    '| Code | Status | Meaning | Given by |',
    '|---|---|---|---|',
    ...api,
    '',
    '# Error codes of items',
    '',
    'What ended an item, in `error_code` of its record. Agents may add codes of their own.',
    '',
    '| Code | Meaning |',
    '|---|---|',
    ...items,
    '',
  ].join('\n')
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
