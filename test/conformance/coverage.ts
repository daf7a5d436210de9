// Writes down which test calls which operation, as the suite saw it: WRITE_COVERAGE=1 npx vitest run
// test/conformance/node.test.ts.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contract } from './contract.ts'

const FILE = join(import.meta.dirname, '../../infra/generated/coverage.md')

export async function writeCoverage({ document, calls }: Contract): Promise<void> {
  const rows = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => {
      const tests = [...calls.get(operationId)!]
      const more = tests.length > 3 ? ` (and ${tests.length - 3} more)` : ''
      return `| ${method.toUpperCase()} \`${path}\` | \`${operationId}\` | ${tests.slice(0, 3).map(cell).join('; ')}${more} |`
    }),
  )
  const head = ['<!-- Made by the conformance suite: see test/conformance/coverage.ts. -->', '# Coverage', '']
  const text = [...head, '| Path | Operation | Tests |', '|---|---|---|', ...rows].join('\n')
  await writeFile(FILE, `${text}\n`)
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
