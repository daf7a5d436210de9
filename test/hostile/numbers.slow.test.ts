// Every number, text and list of a request, at its bounds and beyond, in a request that is otherwise valid. What fits
// is accepted and stored; what does not is a 400 that names the field; nothing is a 500. Every run that was started
// with an accepted value ends.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { workOff, works } from '../conformance/play.ts'
import { asked, operationsOf, type Swept, sessionFor } from '../conformance/sweep.ts'
import { makeTenants, type Tenant } from '../conformance/sweep-tenants.ts'
import { type Answer, openWorld, type World } from '../conformance/world.ts'
import { type Place, Places, type Schema, type Trial, trialsOf, withRaw } from './places.ts'

let world: World
let own: Tenant
let other: Tenant
let places: Places
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const tenants = await makeTenants(world)
  own = tenants[0]!
  other = tenants[2]!
  places = new Places(world.contract.document)
})
afterAll(() => world?.end())

/** Their caller proves itself in another way, they end the caller's access, or they need a partner for the answer. */
const ELSEWHERE = [
  'answerItems',
  'fireTrigger',
  'previewSource',
  'deleteAccount',
  'createSession',
  'refreshSession',
]
/** What they set bounds all later requests of their tenant, so another tenant's is set. */
const OF_OTHER = ['updateProject', 'setAccountQuotas', 'setAccountPlan', 'createAccount']

let made = 0
/** What a body needs beyond the sweep's, so that it is accepted again and again. */
const BODIES: Record<string, () => Record<string, unknown>> = {
  createSchedule: () => ({
    cron: `${++made % 60} ${Math.floor(made / 60) % 24} ${1 + Math.floor(made / 1440)} * *`,
  }),
}

/** The sweep's item is not paused, so it is refused after its number was read. */
const NEVER_TAKEN = ['resumeItem budget_cents']

/** What was found, as lines that name the request. */
const found: string[] = []
let sent = 0
/** Whether a number was ever accepted, by its place: only then were its bounds tried. */
const numbers = new Map<string, boolean>()

interface Sent {
  where: string
  schema: Schema
  answer: Answer
}

const isNumber = ({ type }: Schema) => ['integer', 'number'].includes(String([type].flat()[0]))

function judge({ where, schema, answer }: Sent, name: string, { value, fits }: Trial): void {
  const { status, json, text } = answer
  sent++
  if (isNumber(schema)) numbers.set(where, (numbers.get(where) ?? false) || status < 300)
  const line = `${where} = ${withRaw(JSON.stringify(value))?.slice(0, 80)}: ${status} ${text.slice(0, 300)}`
  const names = status === 400 && (json?.error?.message ?? '').includes(name)
  if (status >= 500) found.push(line)
  else if (fits === false && (status < 400 || status >= 422)) found.push(`taken: ${line}`)
  // A number that no double holds is refused by the parser, before there are fields.
  else if (fits === false && status === 400 && !names && json.error.code !== 'number_out_of_range')
    found.push(`not named: ${line}`)
  else if (fits === true && names && json.error.code === 'invalid_request') found.push(`refused: ${line}`)
}

const bodyOf = ({ operation }: Swept) => operation.requestBody?.content['application/json']?.schema

async function walkBody(swept: Swept): Promise<void> {
  const of = OF_OTHER.includes(swept.id) ? other : own
  const ask = (body: unknown) =>
    asked(
      world,
      swept,
      of,
      sessionFor(swept, of),
      {},
      {
        raw: withRaw(JSON.stringify(body)),
        headers: { 'content-type': 'application/json' },
      },
    )
  const base = () => ({ ...swept.row.body?.(of), ...BODIES[swept.id]?.() })
  const all = places.within(bodyOf(swept), base())
  for (const { path, schema } of all)
    for (const trial of trialsOf(schema, places.sample(schema) as unknown)) {
      const place = placeAt(swept, base(), path, schema)
      const answer = await ask(place.with(trial.value))
      const where = `${swept.id} ${path.join('.')}`
      judge({ where, schema, answer }, path.findLast(name => name !== '0')!, trial)
      if (answer.status < 300) await used(swept, answer)
    }
}

/** The same place in a body that was not sent before. */
function placeAt(swept: Swept, base: unknown, path: string[], schema: unknown): Place {
  const name = path.join('.')
  return places
    .within(bodyOf(swept), base)
    .find(place => place.path.join('.') === name && JSON.stringify(place.schema) === JSON.stringify(schema))!
}

/** Starts a run with an accepted value that says how runs are. */
async function used(swept: Swept, { json }: Answer): Promise<void> {
  const token = own.session
  if (swept.id === 'createDeployment')
    await world.call('POST', '/v1/batches', {
      token,
      body: { agent_id: own.agent_id, items: [{ input: 1 }, { input: 2 }] },
    })
  if (swept.id === 'createSchedule' || swept.id === 'updateSchedule')
    await world.call('POST', `/v1/schedules/${json.id}/trigger`, { token, body: {} })
  if (swept.id === 'createSchedule') await world.call('DELETE', `/v1/schedules/${json.id}`, { token })
  if (swept.id === 'createTrigger') await world.call('DELETE', `/v1/triggers/${json.id}`, { token })
}

/** In a query a number is a text. */
const inQuery = ({ value }: Trial) =>
  withRaw(typeof value === 'string' ? value : JSON.stringify(value)).replace(/^@raw:(.*)@$/, '$1')

async function walkQuery(swept: Swept): Promise<void> {
  const lines = swept.operation['x-lines']
  for (const { name, in: part, schema } of [
    ...(swept.operation.parameters ?? []),
    ...(lines?.parameters ?? []),
  ]) {
    if (part !== 'query' || ['cursor', 'confirm'].includes(name)) continue
    const isOfLines = lines?.parameters.some(one => one.name === name) ?? false
    for (const trial of trialsOf(schema, undefined)) {
      const value = inQuery(trial)
      const search = new URLSearchParams({
        ...swept.row.query?.(own),
        ...(isOfLines && { agent_id: own.agent_id }),
        [name]: value,
      })
      const answer = await asked(
        world,
        swept,
        own,
        sessionFor(swept, own),
        { search: String(search) },
        isOfLines ? LINES : {},
      )
      // In a query everything is text, and a page size is clamped.
      const isClear =
        isNumber(schema) &&
        name !== 'limit' &&
        typeof trial.value === 'number' &&
        !String(trial.value).includes('e')
      judge({ where: `${swept.id} ?${name}`, schema, answer }, name, {
        value,
        fits: isClear ? trial.fits : undefined,
      })
    }
  }
}
const LINES = { raw: '{"input":1}\n', headers: { 'content-type': 'application/x-ndjson' } }

it('every number of a request is accepted up to its bounds, and refused by name beyond [errors.400, errors.only-these]', async () => {
  const operations = operationsOf(world).filter(({ id, row }) => !ELSEWHERE.includes(id) && !row.destroys)
  let walked = 0
  for (const swept of operations) {
    if (bodyOf(swept) !== undefined) await walkBody(swept)
    if (swept.method === 'get' || swept.id === 'submitBatch') await walkQuery(swept)
    walked++
  }
  const never = [...numbers].flatMap(([where, isTaken]) => (isTaken ? [] : [where]))
  console.log(`numbers: ${numbers.size} in ${walked} operations, ${sent} requests, ${found.length} found`)
  expect(found).toEqual([])
  expect(never).toEqual(NEVER_TAKEN)
}, 1_800_000)

it('every run that was started meanwhile ends', async () => {
  await workOff(world, works)
  const runs = await world.ctx.sql`select from runs r join projects p on p.id = r.project_id
    where p.account_id = ${own.account_id}`
  console.log(`numbers: ${runs.length} runs`)
  const open = await world.ctx.sql`
    select r.id, r.status, r.stop_reason from runs r join projects p on p.id = r.project_id
    where p.account_id = ${own.account_id} and r.status in ('queued', 'running') and r.paused = 0
      and exists (select from agents a where a.project_id = r.project_id and a.id = r.agent_id and a.current_deployment_id is not null)`
  expect(open).toEqual([])
}, 600_000)
