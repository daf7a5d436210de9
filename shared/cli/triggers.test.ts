import { expect, it } from 'vitest'
import { screen } from '../../test/support/cli-samples.ts'
import { answering } from '../../test/support/cli-session.ts'
import { connect } from './api.ts'
import { parse } from './arguments.ts'
import { COMMANDS } from './commands.ts'
import { shownText, triggerText, update } from './triggers.ts'

const URL = 'http://127.0.0.1:8090/v1/webhooks/whk_abPEPGcZKBo6IUyoPzeSZA/trigger'
const made = {
  id: '01a1fe7f-6070-7b5f-a60a-7a02a709b956',
  project_id: '01a1fe7e-fc1f-71d7-8ce7-aac000dc9c90',
  agent_id: '01a1fe7f-58e9-704c-8451-1e255fbda40e',
  agent_slug: 'hello',
  name: 'new-ticket',
  url: URL,
  scheme: 'bearer' as const,
  secret_env: null,
  ready: true,
  declared: false,
  items: false,
  item_id: null,
  partition_key: null,
  budget_cents: null,
  allow_unpriced: false,
  pilot_items: null,
  concurrency: null,
  timeout_seconds: null,
  patience_seconds: null,
  callback_url: null,
  tags: [],
  source: null,
  created_at: '2026-01-01T00:00:00.000Z',
  last_fired_at: null,
  secret: 'whk_secret_x',
}
const linesOf = (values: Partial<Parameters<typeof triggerText>[0]>) =>
  triggerText({ ...made, ...values }, screen(80)).split('\n')

it('a new trigger shows its secret and a sample request to copy', () => {
  expect(linesOf({ secret_env: 'ASSAY_SECRET' })).toEqual([
    'new-ticket starts hello',
    `url     ${URL}`,
    'secret  whk_secret_x',
    'Keep it as ASSAY_SECRET where the sender runs: this is the only time it is shown.',
    '',
    'Try it:',
    `  curl ${URL} \\`,
    `    -H 'authorization: Bearer whk_secret_x' \\`,
    `    -H 'content-type: application/json' -d '{"hello":"world"}'`,
  ])
})

it('a trigger whose sender must be given the secret says so', () => {
  expect(linesOf({ scheme: 'github' }).at(-1)).toBe(
    'Give github the URL and the secret, and have it send JSON.',
  )
})

it('a trigger whose sender makes the secret says how to store it', () => {
  const lines = linesOf({ scheme: 'stripe', secret: null, ready: false })
  expect(lines.at(-1)).toBe(
    '  SIGNING_SECRET=… assay triggers secret new-ticket --signing-secret SIGNING_SECRET',
  )
  expect(lines.join('\n')).not.toContain('curl')
})

it('a trigger that already has its sender’s secret shows no instructions', () => {
  expect(linesOf({ scheme: 'slack', secret: null })).toHaveLength(2)
})

it('a trigger of an agent with an input schema shows a sample body that fits the schema', () => {
  const schema = {
    type: 'object',
    properties: { text: { type: 'string' }, days: { type: 'integer', minimum: 2 } },
  }
  const shown = (values: object) =>
    triggerText({ ...made, ...values }, screen(80), schema)
      .split('\n')
      .at(-1)
  expect(shown({})).toContain(`-d '{"text":"text","days":2}'`)
  expect(shown({ items: true })).toContain(`-d '[{"text":"text","days":2}]'`)
})

it('a trigger is shown with the settings of its runs, and says if it has no budget of its own', () => {
  const of = (values: object) =>
    shownText({ ...made, ...values }, Date.parse('2026-01-01T00:10:00Z'), screen(80)).split('\n')
  expect(of({ last_fired_at: '2026-01-01T00:05:00.000Z' })).toEqual([
    'new-ticket starts hello',
    `url         ${URL}`,
    'scheme      bearer',
    'items       one, its body',
    'last fired  5m ago',
    'budget      none of its own',
  ])
  const set = { budget_cents: 250, allow_unpriced: true, pilot_items: 1, concurrency: 3, timeout_seconds: 60 }
  expect(of({ ...set, callback_url: 'https://a.example/', tags: ['a', 'b'] }).slice(5)).toEqual([
    'budget      $2.50 a run',
    'unpriced    models without a price go on, and are not counted',
    'pilot       1 item first',
    'at once     3 items',
    'timeout     60 s an item',
    'callback    https://a.example/',
    'tags        a, b',
  ])
})

it.each([
  [['--source', 'none'], { source: null }],
  [['--no-items'], { items: false }],
  [['--no-allow-unpriced'], { allow_unpriced: false }],
])('an update with %j takes the setting away', async (options, body) => {
  const sent: unknown[] = []
  const api = connect({ base_url: 'http://assay.test', api_key: 'pk_test' }, async input => {
    const { method } = input as Request
    if (method === 'PATCH') sent.push(await (input as Request).json())
    const answer = method === 'PATCH' ? made : { triggers: [made], next_cursor: null }
    return Response.json(answer, { headers: { 'assay-version': '0.1.0' } })
  })
  const invocation = parse(COMMANDS, ['triggers', 'update', 'new-ticket', ...options])
  if (invocation.kind !== 'run') throw new Error('the command line was not understood')
  await update({ ...answering({})(80), api }, invocation.given)
  expect(sent).toEqual([body])
})

it('a source is not taken away and set at once', async () => {
  const words = ['triggers', 'update', 'new-ticket', '--source', 'none', '--format', 'csv']
  const invocation = parse(COMMANDS, words)
  if (invocation.kind !== 'run') throw new Error('the command line was not understood')
  await expect(update(answering({})(80), invocation.given)).rejects.toThrow('--format is of one')
})
