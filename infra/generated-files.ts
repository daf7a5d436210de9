// Generates the files that depend on the list of functions: the OpenAPI document, the client's types, the tables of
// operations, errors, log events, values and coverage, and an example of each platform's files.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import openapiTS, { astToString } from 'openapi-typescript'
import { endpoints } from '../functions/index.ts'
import { TAKE_SECTION } from '../shared/claims/queries/take-functions.ts'
import { ERROR_MEANINGS, ITEM_ERROR_MEANINGS } from '../shared/items/rules/error-meanings.ts'
import { API_ERRORS, type ApiErrorCode } from '../shared/kernel/errors.ts'
import { errorsOf, openApiDocument } from '../shared/openapi/openapi.ts'
import { finishTable } from '../shared/providers/rules/finish-words.ts'
import { eventTable } from '../shared/upkeep/rules/log-table.ts'
import { coverageTable } from '../test/structure/coverage.ts'
import { billsTable } from '../test/support/bills/bills-table.ts'
import { dashboardAssets } from './dashboard-assets.ts'
import { ITEM_STATES_FILE, itemStatesPage } from './item-states.ts'
import { unitsOf } from './packaging.ts'
import { PRICE_LIST_FILE, priceListFile } from './price-list.ts'
import { referencePage } from './reference-page.ts'
import { sandboxPage } from './sandbox-page.ts'
import { SCHEMA_FILE, schemaFile } from './schema-file.ts'
import { exampleFiles } from './targets/installation.ts'
import { valuesOf } from './targets/read-values.ts'
import { TARGETS } from './targets/values.ts'
import { COMPATIBILITY_DATE, COMPATIBILITY_FLAGS } from './workerd/compatibility.ts'

/** Returns the text of each file, by its path in the checkout. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const document = openApiDocument(endpoints)
  const types = await openapiTS(document as unknown as Parameters<typeof openapiTS>[0], {
    alphabetize: false,
    defaultNonNullable: false,
  })
  return new Map([
    ['infra/generated/openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    ['infra/generated/functions.md', functionTable()],
    ['infra/generated/errors.md', errorTable()],
    ['infra/logs.md', await logsPage()],
    [GRADING_PAGE, await gradingPage()],
    ['shared/sdk/REFERENCE.md', referencePage()],
    ['shared/sdk/SANDBOX.md', sandboxPage()],
    ['infra/generated/coverage.md', coverageTable(endpoints)],
    [PRICE_LIST_FILE, await priceListFile()],
    [SCHEMA_FILE, await schemaFile()],
    [FIRST_MIGRATION, await firstMigration()],
    [ITEM_STATES_FILE, itemStatesPage()],
    ['infra/generated/values.md', valuesTable()],
    ...(await wranglerFiles()),
    ...(await exampleFiles()),
    ['functions/dashboard/shell/assets.gen.ts', await dashboardAssets()],
    [
      'shared/sdk/client.gen.ts',
      `// Made by npm run generate from the OpenAPI document.\n\n${astToString(types)}`,
    ],
  ])
}

const FIRST_MIGRATION = 'drizzle/0000_init.sql'

/** As it is, with the section of the functions that take items. */
async function firstMigration(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '..', FIRST_MIGRATION), 'utf8')
  const [begin] = TAKE_SECTION.split('\n')
  return text.slice(0, text.indexOf(begin!)) + TAKE_SECTION
}

/** The table of operations, with the unit that serves each in either packaging. */
function functionTable(): string {
  const [group, endpoint] = (['group', 'endpoint'] as const).map(packaging => {
    const units = unitsOf(packaging)
    return new Map(units.flatMap(unit => unit.endpoints.map(one => [one, unit.name] as const)))
  })
  const operations = endpoints.map(one => {
    const { method, path, operation_id, auth, summary } = one
    const units = `\`${group!.get(one)}\` | \`${endpoint!.get(one)}\``
    return `| ${method.toUpperCase()} \`${path}\` | \`${operation_id}\` | ${auth} | ${units} | ${summary} |`
  })
  return [
    '<!-- Made by npm run generate. -->',
    '# Operations',
    '',
    'Which unit serves what, in either [packaging](../packaging.md). Four units are the same in both: `docs` serves `/`, `/docs` and `/openapi.json`, `dashboard` the pages, and nobody but functions and the clock calls `consume` and `tick`.',
    '',
    '| Path | Operation | Credentials | By group | By endpoint | |',
    '|---|---|---|---|---|---|',
    ...operations,
    '',
  ].join('\n')
}

/** The table of error codes of responses and items: what each means and which operations return it. */
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

/** The page infra/logs.md with its table of events brought up to date. */
async function logsPage(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, 'logs.md'), 'utf8')
  return page.replace(/^\| event (?:.*\n\|)*.*/m, eventTable)
}

/** What an owner edits stays as it is. */
async function wranglerFiles(): Promise<[string, string][]> {
  const read = async (name: string): Promise<[string, string]> => {
    const file = await readFile(join(import.meta.dirname, '..', name), 'utf8')
    const dated = file.replace(
      /^compatibility_date = ".*?"$/m,
      `compatibility_date = "${COMPATIBILITY_DATE}"`,
    )
    return [name, dated.replace(/^compatibility_flags = .*$/m, `compatibility_flags = ${FLAGS}`)]
  }
  return Promise.all(['wrangler.toml', 'infra/wrangler.staging.toml'].map(read))
}
const FLAGS = JSON.stringify(COMPATIBILITY_FLAGS)

const GRADING_PAGE = 'shared/grading/grading.md'

/** As it is, with the tables of finish words and of bills. */
async function gradingPage(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '..', GRADING_PAGE), 'utf8')
  return page
    .replace(/^\| finish words (?:.*\n\|)*.*/m, finishTable)
    .replace(/^\| client (?:.*\n\|)*.*/m, billsTable)
}

/** The tables of all values in each platform's values file. */
function valuesTable(): string {
  const rows = TARGETS.flatMap(target => [
    `## ${target}`,
    '',
    `An example: [infra/values/${target}.yaml](../values/${target}.yaml).`,
    '',
    '| Value | | Unless given |',
    '|---|---|---|',
    ...valuesOf(target).map(
      ({ name, purpose, otherwise }) => `| \`${name}\` | ${purpose} | ${otherwise ?? '**must be given**'} |`,
    ),
    '',
  ])
  return ['<!-- Made by npm run generate. -->', '# Values of an installation', '', ...rows].join('\n')
}
