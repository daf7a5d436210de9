// The page of the agent protocol names all that the code takes.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Declaration } from '../../shared/agents/wire/declaration.ts'
import { linesOfReport } from '../../shared/grading/rules/plain-report.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../shared/sdk/PROTOCOL.md'), 'utf8')

/** The keys in the first column of the first table after a heading or a text. */
function keysAfter(text: string): string[] {
  const from = PAGE.indexOf(text)
  expect(from).toBeGreaterThan(0)
  const table = /(?:^\|.*\n?)+/m.exec(PAGE.slice(from))![0].trim().split('\n')
  return table
    .slice(2)
    .flatMap(row => [...row.split('|')[1]!.matchAll(/`([a-z_]+)`/g)].map(([, key]) => key!))
}

it('the page has every field of a declaration, and no other', () => {
  const declared = Object.keys(Declaration.shape)
  const said = keysAfter('### What it declares')
  expect(said.toSorted()).toEqual(declared.toSorted())
  expect(new Set(said).size).toBe(said.length)
})

it('the page has every key of a plain report, and no other', () => {
  let problem = ''
  try {
    linesOfReport('{"none":1}', { seq: 1, attempt: 1 })
  } catch (error) {
    problem = (error as Error).message
  }
  const known = problem.slice(problem.indexOf('there are ') + 'there are '.length).split(', ')
  expect(keysAfter('application/vnd.assay+json`, and its output').toSorted()).toEqual(known.toSorted())
})

it('the example of a plain report is one', () => {
  const body = /assay-code-version: a3f91c\n\n(\{.*?\})\n```/s.exec(PAGE)![1]!
  const lines = linesOfReport(body, { seq: 1, attempt: 1 }).map(line => JSON.parse(line))
  expect(lines.map(({ type }) => type)).toEqual(['step', 'result'])
})
