// Twenty thousand requests made from the OpenAPI document. Whatever is asked, the answer is one that the document
// allows, and afterwards every run still adds up. FUZZ_SEED and FUZZ_REQUESTS repeat or prolong it.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMember } from '../../shared/engine/members.ts'
import { sweep } from '../../shared/engine/sweep.ts'
import { PASSWORD, signIn } from './account-of-own.ts'
import { type Named, THING, type Wish, wishes } from './fuzz-requests.ts'
import { startNodeHost } from './hosts.ts'
import { makeTenants, type Tenant } from './sweep-tenants.ts'
import { openWorld, type World } from './world.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 20_000)
const AT_ONCE = 25
const UNKNOWN = '01900000-0000-7000-8000-000000000001'

let world: World
let tenants: Tenant[]
let tokens: Record<Wish['token'], string | null>
/** Ids by what they name, found in answers as they come. */
const things: Record<string, string[]> = {}
/** Secrets of triggers by the id in their URL. */
const triggerSecrets = new Map<string, string>()
const statuses = new Map<string, number>()
const succeeded = new Set<string>()

beforeAll(async () => {
  world = await openWorld(startNodeHost)
  tenants = await makeTenants(world)
  const [own, , stranger] = tenants as [Tenant, Tenant, Tenant]
  const viewer = {
    account_id: own.account_id,
    email: 'viewer@example.org',
    role: 'viewer',
    password: PASSWORD,
  } as const
  await addMember(world.ctx, viewer)
  const { access_token } = await signIn(world, viewer.email)
  tokens = {
    key: own.key,
    session: own.session,
    viewer: access_token,
    stranger: stranger.key,
    none: null,
    bad: 'pk_bad',
  }
  for (const of of tenants.slice(0, 2)) {
    learn('project', of.project_id)
    learn('agent', of.agent_id)
    learn('slug', of.slug)
    learn('run', of.run_id)
    learn('schedule', of.schedule_id)
    learn('trigger', of.trigger_id)
    learn('deployment', of.deployment_id)
    for (const name of ['item', 'record']) learn(name, of.record_id)
    learn('key', of.spare_key_id)
    learn('member', of.spare_member_id)
    learn('session', of.spare_session_id)
    learn('actor', of.key_id)
  }
}, 120_000)
afterAll(() => world?.end())

it('answers any request as the document says, and loses nothing [errors.only-these, errors.codes, errors.json]', async () => {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
  console.log(`fuzz: seed ${seed}, ${REQUESTS} requests`)
  const wish = wishes(world.contract.document)
  let batches = 0
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: AT_ONCE, maxLength: AT_ONCE }), async batch => {
      await Promise.all(batch.map(send))
      if (++batches % 100 === 0) await sweep(world.ctx)
    }),
    // Nothing is shrunk: the requests before have changed what the server holds. The one that failed is named.
    { seed, numRuns: Math.ceil(REQUESTS / AT_ONCE), endOnFailure: true },
  )
  const sorted = [...statuses].sort(([a], [b]) => (a < b ? -1 : 1))
  console.log(`fuzz: ${sorted.map(([status, n]) => `${status}: ${n}`).join(', ')}`)
  const never = Object.values(world.contract.document.paths).flatMap(methods =>
    Object.values(methods).flatMap(({ operationId }) => (succeeded.has(operationId) ? [] : [operationId])),
  )
  console.log(`fuzz: never answered with success: ${never.join(', ') || 'none'}`)
  // Requests that only ever fail would prove nothing.
  expect(statuses.get('2xx')! / REQUESTS).toBeGreaterThan(0.1)

  const runs = await world.ctx.sql<{ id: string; key: string | null }[]>`
    select r.id from runs r join projects p on p.id = r.project_id
    where p.account_id = ${tenants[0]!.account_id} and not r.materializing and r.id <> all(${made()})`
  expect(runs.length).toBeGreaterThan(10)
  for (const { id } of runs) {
    const { json } = await world.call('GET', `/v2/runs/${id}/verify`, { token: tokens.session })
    expect([id, json.differences]).toEqual([id, []])
  }
}, 180_000)

/** Runs that were written as failed by hand: their counters are not what the engine would have written. */
const made = () => tenants.map(tenant => tenant.run_id)

async function send(wish: Wish): Promise<void> {
  // Settings that would refuse everything that follows are not sent.
  let body = typeof wish.body === 'string' ? filled(wish.body) : wish.body
  if (wish.operation_id === 'updateProject' && typeof body === 'string')
    body = body.replaceAll(/"(requests_per_second|open_runs|keys_may_mint)":\w+/g, '"$1":null')
  // It would end the session all others are sent with.
  if (wish.operation_id === 'deleteCurrentSession' && wish.token !== 'none' && wish.token !== 'bad') return
  const path = wish.path.replaceAll(/\{(\w+)\}/g, (_, name) => encoded(named(wish.params[name]!)))
  const query = wish.query.map(([name, value]) => `${name}=${encoded(named(value))}`).join('&')
  const target = query === '' ? path : `${path}?${query}`
  const headers: Record<string, string> = {}
  if (wish.content_type !== undefined) headers['content-type'] = wish.content_type
  if (wish.accept !== undefined) headers.accept = wish.accept
  const canCarry = wish.method !== 'GET' && body !== undefined
  try {
    const answer = await world.call(wish.method, target, {
      token: tokenOf(wish, path),
      headers,
      ...(canCarry && { raw: body as BodyInit }),
    })
    const group = `${Math.floor(answer.status / 100)}xx`
    statuses.set(group, (statuses.get(group) ?? 0) + 1)
    if (answer.status < 300) succeeded.add(wish.operation_id)
    if (answer.status === 429) statuses.set('429', (statuses.get('429') ?? 0) + 1)
    expect(answer.status).toBeLessThan(500)
    expect(answer.text).not.toMatch(
      /<html|<!doctype| at .+\.[mt]s:\d+|node_modules|PostgresError|select .+ from /i,
    )
    if (answer.status >= 400) expect(Object.keys(answer.json)).toEqual(['error'])
    learnFrom(answer.json)
  } catch (error) {
    const sent = { ...wish, target, body: typeof body === 'string' ? body : body && [...body] }
    throw new Error(`${JSON.stringify(sent)}\n${(error as Error).message}`)
  }
}

/** A fire takes its trigger's own secret. */
function tokenOf(wish: Wish, path: string): string | null {
  const webhookId =
    wish.operation_id === 'fireTrigger' && wish.token === 'key' ? path.split('/')[3] : undefined
  return triggerSecrets.get(webhookId ?? '') ?? tokens[wish.token]
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function named(value: Named): string {
  if ('text' in value) return value.text
  const known = things[value.thing] ?? []
  return known[value.nth % known.length] ?? UNKNOWN
}

const filled = (text: string) =>
  text.replaceAll(THING, (_, thing, nth) => JSON.stringify(named({ thing, nth: Number(nth) })))

function learn(thing: string, id: string): void {
  const known = things[thing] ?? []
  things[thing] = known
  // The latest hundred: what was deleted drops out with time.
  if (!known.includes(id) && known.push(id) > 100) known.shift()
}

// biome-ignore lint/suspicious/noExplicitAny: answers as they arrive
function learnFrom(json: any): void {
  if (json === null || typeof json !== 'object') return
  if (typeof json.next_cursor === 'string') learn('cursor', json.next_cursor)
  if (typeof json.record_id === 'string') for (const name of ['item', 'record']) learn(name, json.record_id)
  if (typeof json.run_id === 'string') learn('run', json.run_id)
  if (typeof json.slug === 'string' && typeof json.id === 'string') {
    learn('agent', json.id)
    learn('slug', json.slug)
  }
  if (typeof json.declaration === 'object' && typeof json.id === 'string') learn('deployment', json.id)
  if (typeof json.key === 'string' && typeof json.prefix === 'string') learn('key', json.id)
  if (typeof json.role === 'string') learn('member', json.id)
  if (typeof json.cron === 'string' && typeof json.id === 'string') learn('schedule', json.id)
  if (typeof json.try_count === 'number') learn('delivery', json.id)
  if (typeof json.scheme === 'string') {
    learn('trigger', json.id)
    const webhookId = json.url.split('/').at(-2)
    if (typeof json.secret === 'string') triggerSecrets.set(webhookId, json.secret)
    if (json.scheme === 'bearer') learn('webhook', webhookId)
  }
  if (typeof json.filter === 'object' && typeof json.id === 'string') learn('recovery', json.id)
}
