// How large pages of lists are with all rows and long names: a phone waits for the whole page. The HTML is measured
// before compression; style and scripts are fetched once.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { newRunId } from '../../../shared/kernel/ids.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { makeRun } from '../../conformance/make.ts'
import { deploy, type Play, recordId, workOff } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'
import { chat, step } from '../../support/agents-played.ts'
import { shut } from '../../support/upstreams.ts'

/** More rows than any page shows. */
const MANY = 60
/** Names as long as people, or their programs, make them. */
const RUN_NAME = 'Nightly classification of refund requests, all regions, second attempt'
const ITEM_ID = 'zendesk-eu-central/tickets/2026-03-02/0000000'
const PARTITION = 'customer:northwind-traders-international'
const SLUG = 'classify-refund-requests-of-customers'

const LETTERS = 'abcdefghij'
const inLetters = (n: number) => [...String(n)].map(digit => LETTERS[Number(digit)]!.repeat(3)).join('')

/** Each item of a page fails for a cause of its own: two items share a cause, far apart. */
const failsInItsOwnWay: Play = item => {
  const { seq, attempt } = item
  const place = inLetters(seq % (2 * MANY))
  const message = `The warehouse of ${place} refused the parcel ${inLetters((seq % (2 * MANY)) * 7)}: it answered "no such street", and the carrier has no other way to deliver it there`
  return [
    step(item, `ask the model about ${place}`, chat('Is the order refundable?', 'It is an order.')),
    step(item, `look up the order at ${place}`, { error: { code: 'tool_call_error', message } }),
    { type: 'error', seq, attempt, error: { code: 'tool_call_error', message } },
  ]
}
const heldForLong: Play = item => [
  step(item, 'hold', { kind: 'step', output: { held: true } }),
  { type: 'hold', seq: item.seq, attempt: item.attempt, reason: 'The amount is above what is paid unseen' },
]

let world: World
let cookie: string
let causes_run: string
let held_run: string
let before_run: string
let agent_id: string

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    item_id: `${ITEM_ID}${String(n).padStart(4, '0')}`,
    partition_key: PARTITION,
    input: { id: n, subject: 'Refund of "order" no. 7', text: 'The customer "J. Müller" asks. '.repeat(20) },
  }))

beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const { call, first } = world
  cookie = await signIn()
  for (let n = 0; n < 20; n++)
    await call('POST', '/v1/agents', { body: { name: `${SLUG} ${n}`, slug: `${SLUG}-${n}` } })
  const { json } = await call('POST', '/v1/agents', { body: { name: SLUG, slug: SLUG } })
  agent_id = json.id
  await deploy(world, agent_id)
  before_run = await makeRun(world, agent_id, itemsOf(MANY), { name: RUN_NAME })
  await workOff(world, item => [{ type: 'result', seq: item.seq, attempt: item.attempt, output: 'fine' }])
  held_run = await makeRun(world, agent_id, itemsOf(MANY), { name: RUN_NAME })
  await workOff(world, heldForLong)
  causes_run = await makeRun(world, agent_id, itemsOf(4 * MANY), { name: RUN_NAME })
  await workOff(world, failsInItsOwnWay)
  await fillLists(first.project_id)
})
afterAll(() => world.end())

async function signIn(): Promise<string> {
  const response = await fetch(`${world.url}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(world.first.account),
  })
  return response.headers.getSetCookie()[0]!.split(';')[0]!
}

/** Inserts the rows that need no work done: more than a page shows. */
async function fillLists(project_id: string) {
  const { sql } = world.ctx
  const random = (bytes: Uint8Array) => void crypto.getRandomValues(bytes as Uint8Array<ArrayBuffer>)
  const runs = Array.from({ length: MANY }, (_, n) => {
    const at = new Date(Date.now() - n * 1000)
    const counters = {
      total_items: 1_234_567,
      ok: 1_200_000,
      degraded: 12_345,
      failed: 12_345,
      cancelled: 4_567,
    }
    const tags = ['production', 'customer-7']
    const sums = { running: 5_310, undecided: 24_690, cost_micro: 12_345_678 }
    return {
      id: newRunId(at.getTime(), random),
      project_id,
      agent_id,
      name: RUN_NAME,
      tags,
      ...counters,
      ...sums,
      started_at: at,
    }
  })
  await sql`insert into runs ${sql(runs)}`
  const url = 'https://hooks.northwind-traders.example/assay/callbacks/refund-requests?environment=production'
  await sql`
    insert into deliveries ${sql(runs.map(run => ({ project_id, run_id: run.id, kind: 'run.finished', url })))}`
  await sql`
    insert into api_keys ${sql(runs.map((_, n) => ({ id: world.ctx.newId(), project_id, name: `${RUN_NAME} ${n}`, prefix: 'pk_abcdefgh', hash: Buffer.from(`key ${n}`) })))}`
  await sql`
    insert into schedules ${sql(runs.map((_, n) => ({ id: world.ctx.newId(), project_id, agent_id, cron: `${n} 6 * * 1-5`, timezone: 'America/Argentina/Buenos_Aires', name: `${RUN_NAME} ${n}` })))}`
  await sql`
    update runs r set waits_for = (${await fillUpstreams(project_id)}::uuid[])[1 + n % ${MANY}]
    from (select id, row_number() over () as n from runs where project_id = ${project_id}) numbered
    where r.project_id = ${project_id} and r.id = numbered.id and finished_at is null`
  await sql`
    insert into triggers ${sql(runs.map((_, n) => ({ id: world.ctx.newId(), project_id, agent_id, name: `${SLUG}-${n}`, webhook_id: `webhook-${n}`, secret_hash: Buffer.from('hash') })))}`
}

/** Upstreams with all that a row can show. */
async function fillUpstreams(project_id: string): Promise<string[]> {
  const account = { body: world.first.account, token: null }
  const { json: session } = await world.call('POST', '/v1/sessions', account)
  const ids = Array.from({ length: MANY }, () => world.ctx.newId())
  const words = 'You exceeded your current quota, please check your plan and billing details. '.repeat(4)
  for (const [n, id] of ids.entries()) {
    const host = `llm-gateway-${n}.eu-central.northwind-traders.example`
    await shut(world.ctx.sql, { project_id, id, host, label: 'NORTHWIND_GATEWAY_API_KEY', words })
    const body = { project_id, host, requests: '500/min', tokens: '200000/min', in_flight: 20 }
    await world.call('PUT', '/v1/upstreams', { body, token: session.access_token })
  }
  return ids
}

const PAGES: Record<string, () => string> = {
  overview: () => `../${world.first.project_id}`,
  runs: () => 'runs',
  'runs that failed': () => 'runs?outcome=failed',
  'triage, a cause an item': () =>
    `triage?run_id=${causes_run}&kind=dlq&partition_key=${encodeURIComponent(PARTITION)}`,
  triage: () => 'triage',
  'triage, held': () => `triage?kind=quarantine&run_id=${held_run}`,
  search: () => 'search?q=warehouse',
  health: () => 'health',
  agents: () => 'agents',
  schedules: () => 'schedules',
  triggers: () => 'triggers',
  upstreams: () => 'upstreams',
  deliveries: () => 'deliveries',
  audit: () => 'audit',
  keys: () => 'keys',
  verdicts: () => 'verdicts',
  recoveries: () => 'recoveries',
  run: () => `../../runs/${causes_run}`,
  'run, its held items': () => `../../runs/${held_run}?outcome=any`,
  results: () => `../../runs/${causes_run}/results`,
  'compare, items': () => `../../runs/${causes_run}/compare?with=${before_run}&items=1`,
  item: () => `../../items/${recordId(causes_run)}`,
}

it.each(Object.entries(PAGES))('%s is a page of bounded size', async (_, path) => {
  const url = new URL(path(), `${world.url}/dashboard/projects/${world.first.project_id}/`)
  const response = await fetch(url, { headers: { cookie }, redirect: 'manual' })
  const bytes = (await response.arrayBuffer()).byteLength
  expect(response.status).toBe(200)
  expect(bytes).toBeLessThan(LIMITS.page_html_bytes)
})
