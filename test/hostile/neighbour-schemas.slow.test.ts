// A tenant declares schemas that are made to take for ever, and sends outputs that take as long as a check may: each ends
// its own item, and other accounts do not notice.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  behindUrl,
  expectUndisturbed,
  printMeasured,
  type Shared,
  START_MS,
  startShared,
} from './support/neighbour-stack.ts'

let shared: Shared
/** The agent: it answers each item with the item's input. */
let echo: Server
beforeAll(async () => {
  echo = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    response.setHeader('content-type', 'application/x-ndjson')
    for (const line of text.trim().split('\n')) {
      const { seq, attempt, input } = JSON.parse(line)
      const output = JSON.stringify(OUTPUTS[input.output]?.() ?? null)
      response.write(`{"type":"result","seq":${seq},"attempt":${attempt},"output":${output}}\n`)
    }
    response.end()
  })
  await once(echo.listen(0, '127.0.0.1'), 'listening')
  shared = await startShared()
  await shared.measure(20) // its code is compiled by then
  printMeasured('alone', await shared.measure())
}, START_MS)
afterAll(async () => {
  echo.closeAllConnections()
  echo.close()
  await shared.close()
})

const many = <T>(times: number, one: (at: number) => T): T[] =>
  Array.from({ length: times }, (_, at) => one(at))
const byName = <T>(times: number, one: (at: number) => [string, T]) => Object.fromEntries(many(times, one))

/** Made by the agent, so that they need not be submitted. */
const OUTPUTS: Record<string, () => unknown> = {
  text: () => `${'a'.repeat(500_000)}!`,
  texts: () => many(4000, () => 'a'.repeat(200)),
  numbers: () => many(100_000, at => at % 10),
  rows: () => many(40_000, at => ({ id: at, ok: true })),
  names: () => byName(50_000, at => [`k${at}`, 1]),
  nested: () => JSON.parse(`${'{"l":'.repeat(60)}null${'}'.repeat(60)}`),
}

const laughs = (keyword: string) => ({
  $ref: '#/$defs/a0',
  $defs: {
    ...byName(40, at => [`a${at}`, { [keyword]: many(2, () => ({ $ref: `#/$defs/a${at + 1}` })) }]),
    a40: {},
  },
})
const tree = { anyOf: [{ type: 'null' }, ...many(2, () => ({ properties: { l: { $ref: '#/$defs/t' } } }))] }

/** As many outputs at once as keep a consumer busy for as long as the neighbour is measured. */
const ITEMS = 30

/** Which of a hostile schema and an output are checked together, and how the item ends. */
const HOSTILE: [what: string, schema: object, output: string, ends: string][] = [
  ['nested quantifiers', { pattern: '^(a+)+$' }, 'text', 'schema_mismatch'],
  ['an automaton without end', { items: { pattern: '(a?){90}a{90}' } }, 'texts', 'schema_check_limit'],
  ['ten thousand names', { enum: many(10_000, at => `v${at}`) }, 'numbers', 'schema_mismatch'],
  [
    'ten thousand names, of items',
    { items: { enum: many(9000, at => `v${at}`) } },
    'numbers',
    'schema_check_limit',
  ],
  [
    'a thousand branches',
    { items: { anyOf: many(1000, at => ({ required: [`r${at}`] })) } },
    'rows',
    'schema_check_limit',
  ],
  ['twice as much at each level, allOf', laughs('allOf'), 'text', 'schema_check_limit'],
  ['twice as much at each level, oneOf', laughs('oneOf'), 'text', 'schema_check_limit'],
  [
    'twice as much at each level of the output',
    { $ref: '#/$defs/t', $defs: { t: tree } },
    'nested',
    'schema_check_limit',
  ],
  [
    'no item twice, fifty times',
    { allOf: many(50, () => ({ uniqueItems: true })) },
    'numbers',
    'schema_check_limit',
  ],
  [
    'lengths of a long text',
    { allOf: many(1000, () => ({ minLength: 400_000 })) },
    'text',
    'schema_check_limit',
  ],
  ['a huge length', { minLength: 1e300 }, 'text', 'schema_mismatch'],
  ['tiny multiples', { items: { multipleOf: 5e-324 } }, 'numbers', 'schema_check_limit'],
  [
    'names that are patterns',
    { patternProperties: byName(500, at => [`^(x+)+${at}$`, {}]) },
    'names',
    'schema_check_limit',
  ],
  [
    'what is not evaluated',
    { allOf: many(200, () => ({ additionalProperties: true })), unevaluatedProperties: false },
    'names',
    'schema_check_limit',
  ],
  [
    'dynamic anchors',
    {
      $defs: byName(32, at => [`d${at}`, { $dynamicAnchor: `a${at}`, type: 'integer' }]),
      items: { $dynamicRef: '#a0' },
    },
    'numbers',
    'schema_check_limit',
  ],
]

describe('schemas of one tenant', () => {
  it.each(HOSTILE)(
    '%s: its items end, and a neighbour waits for none of them',
    async (what, output_schema, output, ends) => {
      const attacker = await shared.tenant()
      const url = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/`
      const agent_id = await attacker.deploy(behindUrl(url, { output_schema }))
      const items = many(ITEMS, at => ({ item_id: `${at}`, input: { output } }))
      const { group_id } = await attacker.call('/v1/batches', { agent_id, items })
      const measured = await shared.measure()
      printMeasured(`beside ${what}`, measured)
      await expect
        .poll(async () => (await attacker.call(`/v2/runs/${group_id}`)).status, { timeout: 280_000 })
        .not.toMatch(/queued|running/)
      const rows = await attacker.call(`/v2/runs/${group_id}/items?limit=50`)
      const ended = new Set(
        rows.map((row: Record<string, string>) => row.error_code ?? row.outcome_reason ?? row.status),
      )
      expect([...ended]).toEqual([ends])
      expectUndisturbed(measured)
    },
    600_000,
  )

  it('are refused at the deploy where they could be seen to have no end, and read in slices otherwise', async () => {
    const attacker = await shared.tenant()
    const slug = 'deploys'
    const { id } = await attacker.call('/v1/agents', { project_id: attacker.id, name: slug, slug })
    const refused = [
      { $ref: '#' },
      { $ref: 'http://169.254.169.254/' },
      { anyOf: many(10_000, at => ({ const: at })) },
    ]
    const large = { properties: byName(2500, at => [`p${at}`, { type: 'string' }]) }
    const deploy = async (output_schema: object) => {
      const body = JSON.stringify({ ...behindUrl('http://127.0.0.1:1/', { output_schema }), dry_run: true })
      return (await attacker.ask(`/v1/agents/${id}/deployments`, { method: 'POST', body })).status
    }
    expect(await Promise.all(refused.map(deploy))).toEqual([400, 400, 400])
    let isOver = false
    const attack = (async () => {
      while (!isOver) await deploy(large)
    })()
    const measured = await shared.measure()
    isOver = true
    await attack
    printMeasured('beside deploys of large schemas', measured)
    expectUndisturbed(measured)
  }, 300_000)
})
