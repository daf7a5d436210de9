// Five thousand requests made from the OpenAPI document, while a played agent works on what they start. The document
// must allow every answer, every operation must succeed now and then, and afterwards every run must add up. FUZZ_SEED
// and FUZZ_REQUESTS repeat or prolong it, as `npm run fuzz` does.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMember } from '../../shared/accounts/verbs/members.ts'
import { signAccessToken } from '../../shared/http/session-tokens.ts'
import { indexSteps } from '../../shared/traces/queries/step-index.ts'
import { askQuestions } from '../../shared/triage/queries/questions.ts'
import { sweep } from '../../shared/upkeep/verbs/sweep.ts'
import { openAccount, PASSWORD, signIn } from './account-of-own.ts'
import { SPARE_PROJECT } from './fuzz-operations.ts'
import { kindOf, type Named, THING, type Token, type Wish, wishes } from './fuzz-requests.ts'
import { OPERATOR_KEY, startNodeHost } from './hosts.ts'
import { makeAgent } from './make.ts'
import { called, deploy, fails, holds, type Play, workOff, works } from './play.ts'
import { makeTenants, type Tenant } from './sweep-tenants.ts'
import { type Answer, openWorld, type World } from './world.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 5000)
const AT_ONCE = 25
const PROGRESS_LINES = 10 // how often progress is printed
const UNKNOWN = '01900000-0000-7000-8000-000000000001'

let world: World
let tenants: Tenant[]
let tokens: Record<Token, string | null>
/** The sessions of callers that use one. */
let sessions: Record<'session' | 'viewer', string>
/** Ids and the like by kind, learned from answers. */
const things: Record<string, string[]> = {}
/** Things that all requests need, which must not be removed. */
const kept = new Set<string>()
/** They need partners: sources.test.ts in test/integration/sources has a source, answers.test.ts an agent. */
const OUTWARD = ['previewSource', 'answerItems']
/** How many answers had each status. */
const statuses = new Map<number, number>()
/** How often each operation was called, and how often that succeeded. */
const asked = new Map<string, { times: number; succeeded: number }>()

beforeAll(async () => {
  world = await openWorld(startNodeHost)
  tenants = await makeTenants(world)
  const [own, , stranger] = tenants as [Tenant, Tenant, Tenant]
  const member = (email: string, role: 'viewer' | 'operator') =>
    addMember(world.ctx, { account_id: own.account_id, email, role, password: PASSWORD })
  const viewer = await member('viewer@example.org', 'viewer')
  const { access_token, session_id } = await signIn(world, viewer.email)
  tokens = {
    key: own.key,
    session: own.session,
    viewer: access_token,
    stranger: stranger.key,
    none: null,
    bad: 'pk_bad',
  }
  const changing = await member('changing@example.org', 'viewer')
  learn('changing', changing.id)
  kept.add(changing.id)
  for (const n of [1, 2, 3]) {
    const { id, email } = await member(`operator-${n}@example.org`, 'operator')
    kept.add(id)
    const session = await signIn(world, email)
    learn('email', email)
    learn('access_token', session.access_token)
    learn('refresh_token', session.refresh_token)
  }
  learn('operator_key', OPERATOR_KEY)
  const doomed = await openAccount(world)
  learn('doomed', doomed.name)
  learn('doomed_token', doomed.token)
  const body = { agent_id: own.agent_id, name: 'fired' }
  const trigger = await world.call('POST', '/v1/triggers', { token: own.key, body })
  learn('fired', trigger.json.url.split('/').at(-2))
  learn('fired_secret', trigger.json.secret)
  sessions = { session: await keep(viewer.id, session_id, own.key_id, trigger.json.id), viewer: session_id }
  await makeQuestions(own)
  await makeFailures(own)
  for (const { id } of await world.ctx.sql<{ id: string }[]>`select id from accounts`) kept.add(id) // never suspended
  for (const of of tenants.slice(0, 2)) {
    learn('project', of.project_id)
    learn('agent', of.agent_id)
    learn('slug', of.slug)
    learn('run', of.run_id)
    learn('item', of.record_id)
    learn('recovery', of.recovery_id)
    learn('schedule', of.schedule_id)
    learn('delivery', of.delivery_id)
    learn('upstream', of.upstream_id)
    learn('actor', of.spare_key_id)
  }
})
afterAll(() => world?.end())

/** Items that triage asks about as possible refusals: only these can be confirmed, and only a sample is asked about. */
async function makeQuestions({ key }: Tenant): Promise<void> {
  const agent = await makeAgent(world, key)
  await deploy(world, agent.id, {}, key)
  const items = Array.from({ length: 60 }, (_, nth) => ({ input: nth, item_id: `asked-${nth}` }))
  await world.call('POST', '/v1/batches', { token: key, body: { agent_id: agent.id, items } })
  await workOff(world, item => [called(item, 'gpt-4o-mini', 1, 1, 'I must decline.'), ...works(item)])
  while ((await indexSteps(world.ctx.sql, 1000)) > 0);
  await askQuestions(world.ctx)
  const path = `/v1/triage?agent_id=${agent.id}&kind=review`
  const { rows } = (await world.call('GET', path, { token: key })).json
  for (const { record_id } of rows) learn('question', record_id)
}

/** Runs that failed as a whole and in part, since the fuzz may make none: few of its agents are deployed. */
async function makeFailures({ key }: Tenant): Promise<void> {
  const agent = await makeAgent(world, key)
  kept.add(agent.id)
  await deploy(world, agent.id, {}, key)
  for (const inputs of Array.from({ length: 5 }, () => [['fail'], ['fail', 'work']]).flat()) {
    const items = inputs.map(input => ({ input }))
    await world.call('POST', '/v1/batches', { token: key, body: { agent_id: agent.id, items } })
  }
  await workOff(world, item => (item.input === 'fail' ? fails()(item) : works(item)))
}

/** Protects these, and the session and member that call, from being ended or removed; returns the session. */
async function keep(...ids: string[]): Promise<string> {
  const read = (path: string) => world.call('GET', path, { token: tokens.session })
  const sessions = (await read('/v1/sessions')).json as { id: string; is_current: boolean }[]
  const current = sessions.find(session => session.is_current)!
  for (const id of [(await read('/v1/account')).json.member.id, current.id, ...ids]) kept.add(id)
  return current.id
}

/** An access token is valid for minutes, and a long fuzz takes an hour. */
async function renewTokens(): Promise<void> {
  for (const who of ['session', 'viewer'] as const)
    tokens[who] = (await signAccessToken(world.ctx, sessions[who])).access_token
}

it(
  'the API answers any request as the document says, and loses nothing [errors.only-these, errors.codes, errors.json]',
  async () => {
    const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31)
    console.log(`fuzz: seed ${seed}, ${REQUESTS} requests`)
    const wish = wishes(world.contract.document)
    let batches = 0
    let turn = new AbortController()
    let playing: Promise<void> | undefined
    await fc.assert(
      fc.asyncProperty(fc.array(wish, { minLength: AT_ONCE, maxLength: AT_ONCE }), async batch => {
        batches++
        printProgress(batches)
        // While requests are sent, so that they meet items in every state.
        if (batches % 10 === 0) {
          turn.abort()
          await playing
          turn = new AbortController()
          playing = workOff(world, plays, turn.signal)
          playing.catch(() => {})
        }
        if (batches % 100 === 0) expect(await failedChores()).toEqual([])
        if (batches % 100 === 0) await renewTokens()
        await Promise.all(batch.map(send))
      }),
      // No shrinking, since earlier requests have changed what the server holds. The request that failed is named.
      { seed, numRuns: Math.ceil(REQUESTS / AT_ONCE), endOnFailure: true },
    )
    turn.abort()
    await playing
    await workOff(world, plays, AbortSignal.timeout(5000))
    printSuccesses()
    await addUp()
  },
  600_000 + REQUESTS * 50,
)

/** The chores of a tick that failed: one that fails because of one project fails for all. */
async function failedChores(): Promise<unknown[]> {
  const failed: unknown[] = []
  const log: World['ctx']['log'] = (level, event, fields) => {
    if (event === 'chore_failed') failed.push(fields)
    world.ctx.log(level, event, fields)
  }
  await sweep({ ...world.ctx, log })
  return failed
}

/** The result of an item follows from its input only, so that a replay of a failed item fails again. */
const plays: Play = item => {
  const { seq, attempt, input } = item
  const output = { of: input }
  switch (JSON.stringify(input).length % 5) {
    case 0:
      return fails()(item)
    case 1:
      return holds(item)
    case 2:
      return [{ type: 'result', seq, attempt, degraded: 'not sure', output }]
    case 3:
      return [called(item, 'gpt-4o-mini', 1000, 10), { type: 'result', seq, attempt, output }]
    default:
      return works(item)
  }
}

const began_ms = performance.now()

/** Prints how many requests were sent, how fast, and how large the process is that sends and answers them. */
function printProgress(batches: number): void {
  const all = Math.ceil(REQUESTS / AT_ONCE)
  if (batches !== 1 && batches % Math.ceil(all / PROGRESS_LINES) !== 0) return
  const seconds = (performance.now() - began_ms) / 1000
  const rate = Math.round((batches * AT_ONCE) / seconds)
  const mb = Math.round(process.memoryUsage().rss / 1e6)
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`)
  console.log(`fuzz: ${batches * AT_ONCE} requests, ${rate} a second, ${mb} MB; ${counts.join(', ')}`)
}

/** Prints how often each operation succeeded. One that never did was not tested: see fuzz-operations.ts. */
function printSuccesses(): void {
  const operations = Object.values(world.contract.document.paths).flatMap(methods =>
    Object.values(methods).map(({ operationId }) => ({
      name: operationId,
      ...(asked.get(operationId) ?? { times: 0, succeeded: 0 }),
    })),
  )
  const sorted = operations.sort((a, b) => a.succeeded - b.succeeded)
  console.log(`fuzz: succeeded: ${sorted.map(one => `${one.name} ${one.succeeded}/${one.times}`).join(', ')}`)
  if (REQUESTS < 20_000) return
  expect(
    sorted.filter(one => one.succeeded === 0 && !OUTWARD.includes(one.name)).map(one => one.name),
  ).toEqual([])
}

/** Checks that every run matches a recount of it. */
async function addUp(): Promise<void> {
  // Runs of the tenants were marked as failed by hand: the engine would have written other counters. Runs of deleted
  // agents are being removed, their items first.
  const made = tenants.map(tenant => tenant.run_id)
  const runs = await world.ctx.sql<{ id: string; status: string }[]>`
    select r.id, r.status from runs r
    join projects p on p.id = r.project_id join agents a on a.project_id = r.project_id and a.id = r.agent_id and a.deleted_at is null
    where p.account_id = ${tenants[0]!.account_id} and not r.materializing and r.id <> all(${made})`
  const statuses = Map.groupBy(runs, run => run.status)
  console.log(`fuzz: runs: ${[...statuses].map(([status, of]) => `${status} ${of.length}`).join(', ')}`)
  expect([...statuses.keys()]).toEqual(
    expect.arrayContaining(['completed', 'partial', 'failed', 'cancelled']),
  )
  for (let at = 0; at < runs.length; at += AT_ONCE) {
    const verified = runs.slice(at, at + AT_ONCE).map(async ({ id }) => {
      const { json } = await world.call('GET', `/v2/runs/${id}/verify`, { token: tokens.session })
      expect([id, json.differences]).toEqual([id, []])
    })
    await Promise.all(verified)
  }
}

async function send(wish: Wish): Promise<void> {
  // Settings that would make everything after them be refused are not sent.
  let body = typeof wish.body === 'string' ? filled(wish.body) : wish.body
  if (wish.operation_id === 'updateProject' && typeof body === 'string')
    body = body.replaceAll(/"(requests_per_second|open_runs|keys_may_mint)":\w+/g, '"$1":null')
  const path = filledPath(wish)
  const query = wish.query.map(([name, value]) => `${name}=${encoded(named(value))}`).join('&')
  const target = query === '' ? path : `${path}?${query}`
  const headers: Record<string, string> = {}
  if (wish.content_type !== undefined) headers['content-type'] = wish.content_type
  if (wish.accept !== undefined) headers.accept = wish.accept
  const canCarry = wish.method !== 'GET' && body !== undefined
  try {
    const answer = await world.call(wish.method, target, {
      token: typeof wish.token === 'string' ? tokens[wish.token] : named(wish.token),
      headers,
      ...(canCarry && { raw: body as BodyInit }),
    })
    const tally = asked.get(wish.operation_id) ?? { times: 0, succeeded: 0 }
    asked.set(wish.operation_id, tally)
    tally.times++
    if (answer.status < 300) tally.succeeded++
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    expect(answer.status).toBeLessThan(500)
    // A mail that was sent is shown with its HTML.
    const shown = wish.operation_id === 'getDelivery' ? '' : answer.text
    expect(shown).not.toMatch(/<html|<!doctype| at .+\.[mt]s:\d+|node_modules|PostgresError|select .+ from /i)
    if (answer.status >= 400) expect(Object.keys(answer.json)).toEqual(['error'])
    else if (!['viewer', 'stranger'].includes(wish.token as string)) learnFrom(wish.path, path, answer)
  } catch (error) {
    const sent = { ...wish, target, body: typeof body === 'string' ? body : body && [...body] }
    throw new Error(`${JSON.stringify(sent)}\n${(error as Error).message}`)
  }
}

const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function named(value: Named): string {
  if ('text' in value) return value.text
  const known = things[value.thing] ?? []
  return known[value.nth % known.length] ?? UNKNOWN
}

/** A thing below another thing is one of those seen below it, if any was. */
function filledPath({ path, params }: Wish): string {
  return path.split('/').reduce((filled, part) => {
    const value = params[/^\{(\w+)\}$/.exec(part)?.[1] ?? '']
    if (value === undefined) return part === '' ? filled : `${filled}/${part}`
    const isBelow = 'thing' in value && filled in things
    return `${filled}/${encoded(named(isBelow ? { ...value, thing: filled } : value))}`
  }, '')
}

const filled = (text: string) =>
  text.replaceAll(THING, (_, thing, nth) => JSON.stringify(named({ thing, nth: Number(nth) })))

function learn(thing: string, id: string): void {
  if (kept.has(id)) return
  const known = things[thing] ?? []
  things[thing] = known
  // Keeps the latest hundred, so that deleted ones drop out with time.
  if (!known.includes(id) && known.push(id) > 100) known.shift()
}

/** Learns what an answer names; `filled` is the path of the request. */
function learnFrom(path: string, filled: string, { json, headers }: Answer): void {
  const cursor = json?.next_cursor ?? headers.get('x-next-cursor')
  if (cursor) learn('cursor', cursor)
  const list = Array.isArray(json) ? json : Object.values(json ?? {}).find(Array.isArray)
  const kind = kindBelow(path)
  for (const one of [json, ...(list ?? []).slice(0, 5)]) {
    if (one === null || typeof one !== 'object') continue
    for (const [name, value] of Object.entries(one)) {
      if (typeof value !== 'string') continue
      if (/_token$|^secret$/.test(name)) learn(name, value)
      if (/^(run|record|deployment|recovery|schedule|session)_id$/.test(name)) learn(kindOf(name), value)
      if (name === 'slug') learn('slug', value)
      // Rows of triage: items that are held, and items that did not work.
      if (name === 'kind' && 'record_id' in one) learn(value, one.record_id)
      if (name !== 'id' || kind === undefined) continue
      // Runs stay together in few projects; projects made to be deleted are kept apart.
      if (kind !== 'project') learn(kind, value)
      else if ((one as { name?: string }).name === SPARE_PROJECT) learn('spare_project', value)
      if (path.includes('{')) learn(filled, value)
    }
  }
}

/** The kind of thing that a path lists: `/v1/agents` lists agents, because `/v1/agents/{agentId}` names one. */
function kindBelow(path: string): string | undefined {
  const paths = Object.keys(world.contract.document.paths)
  const below = paths.find(other => other.startsWith(`${path}/{`))
  return below && kindOf(/^\w+/.exec(below.slice(path.length + 2))![0])
}
