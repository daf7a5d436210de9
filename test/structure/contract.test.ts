// Every rule of the contract has a test, and every test that names a rule names one that exists.

import { describe, expect, it } from 'vitest'
import { endpoints } from '../../functions/index.ts'
import { LOG_EVENTS } from '../../shared/upkeep/rules/log-events.ts'
import { proofsIn, readContract, readProofs } from './coverage.ts'

const rules = readContract()
const known = new Set(rules.map(rule => rule.id))
const proven = new Set(readProofs().map(proof => proof.rule))

describe('the contract', () => {
  it('names each rule once', () => {
    expect(rules.map(rule => rule.id).filter((id, at, all) => all.indexOf(id) !== at)).toEqual([])
  })

  it('has a test for every rule', () => {
    expect([...known].filter(id => !proven.has(id))).toEqual([])
  })

  it('has every rule that a test names', () => {
    const events = new Set(Object.keys(LOG_EVENTS).map(event => `log.${event}`)) // for operators, not for callers
    expect(readProofs().filter(({ rule }) => !known.has(rule) && !events.has(rule))).toEqual([])
  })

  it('covers every operation, and no other', () => {
    const operations = new Set(endpoints.map(({ method, path }) => `${method.toUpperCase()} ${path}`))
    const named = new Set(rules.flatMap(rule => rule.operations))
    expect([...operations].filter(operation => !named.has(operation))).toEqual([])
    expect([...named].filter(operation => !operations.has(operation))).toEqual([])
  })
})

it('titles of tests are read with the titles around them', () => {
  // In pieces: a whole one would be taken for a test of this file.
  const end = (ids: string) => ` [${ids}]'`
  const source = [
    `describe('keys${end('a.all')}, () => {`,
    `  describe('of one', () => {`,
    `    it.each([`,
    `      ['x'],`,
    `    ])('are %s${end('b.one, b.two')}, () => {})`,
    '  })',
    `  it('end', () => {})`,
    `})`,
    `it("don't stay${end('c.d').replace("'", '"')}, () => {})`,
  ]
  expect(proofsIn('f.ts', source.join('\n'))).toEqual([
    { rule: 'a.all', file: 'f.ts', test: 'keys' },
    { rule: 'b.one', file: 'f.ts', test: 'keys: of one: are %s' },
    { rule: 'b.two', file: 'f.ts', test: 'keys: of one: are %s' },
    { rule: 'c.d', file: 'f.ts', test: "don't stay" },
  ])
})
