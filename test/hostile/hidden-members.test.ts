// A key that only reads is given away, and lists no members. Guarantee: no answer gives it the e-mail by which a member
// signs in, wherever it names who did something; the names of keys stay.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { itemRecordId } from '../../shared/kernel/ids.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { fails, ran } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'

let world: World
let owner: string
let email: string
/** What paths name. */
const ids: Record<string, string> = {}
const CALLED = 'nightly@example.com'

async function done(method: string, path: string, body: unknown, token: string) {
  const answer = await world.call(method, path, { body, token })
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
  return answer.json
}
const key = async (name: string, role: string) =>
  (await done('POST', `/v1/projects/${ids.projectId}/api-keys`, { name, role }, owner)).key as string

beforeAll(async () => {
  world = await openWorld(startNodeHost)
  ids.projectId = world.first.project_id
  const { sql } = world.ctx
  email = 'ana.of.the.account@example.org'
  await sql`update members set email = ${email} where email = ${world.first.account.email}`
  const body = { email, password: world.first.account.password }
  owner = (await world.call('POST', '/v1/sessions', { body, token: null })).json.access_token
  const agent = { project_id: ids.projectId, name: 'Seen', slug: 'seen' }
  ids.agentId = (await done('POST', '/v1/agents', agent, owner)).id
  const order = { agent_id: ids.agentId, items: [{ input: 1 }, { input: 2 }, { input: 3 }] }
  ids.runId = (await done('POST', '/v1/batches', order, owner)).group_id
  await done('POST', `/v2/runs/${ids.runId}/cancel`, undefined, owner)
  await sql`update items set status = 'failed', outcome = 'failed' where run_id = ${ids.runId!}`
  await sql`
    insert into triage (project_id, run_id, seq, agent_id, lane, reason)
    select project_id, run_id, seq, ${ids.agentId!}, 'dlq', 'error' from items where run_id = ${ids.runId!}`
  ids.itemId = itemRecordId(ids.runId!, 1)
  await done('POST', `/v1/durable/runs/${ids.itemId}/acknowledge`, undefined, owner)
  const recovery = { project_id: ids.projectId, action: 'acknowledge', filter: { run_id: ids.runId } }
  ids.recoveryId = (await done('POST', '/v1/recoveries', recovery, owner)).id
  await done('POST', '/v1/batches', order, await key(CALLED, 'operator'))
  ids.scheduleId = (
    await done('POST', '/v1/schedules', { agent_id: ids.agentId, cron: '0 9 * * *' }, owner)
  ).id
  ids.triggerId = (await done('POST', '/v1/triggers', { agent_id: ids.agentId, name: 'seen' }, owner)).id
  const { run } = await ran(world, fails(), [{ input: 1 }], { callback_url: 'https://example.org/ended' })
  ids.causeId = (await done('GET', `/v1/causes?run_id=${run}`, undefined, owner)).rows[0].id
  const decision = { project_id: ids.projectId, action: 'acknowledge', filter: { cause_id: ids.causeId } }
  await done('POST', '/v1/recoveries', decision, owner)
  ids.deliveryId = (await done('GET', `/v1/deliveries?run_id=${run}`, undefined, owner)).deliveries[0].id
})
afterAll(() => world.end())

/** What a read needs beyond its path. */
const QUERIES: Record<string, () => string> = {
  '/v1/agents/{agentId}/estimate': () => '?items=1',
  '/v1/results': () => `?run_id=${ids.runId}`,
  '/v1/schedules/preview': () => '?cron=0+9+*+*+*',
  '/v2/runs/{runId}/compare': () => `?with=${ids.runId}`,
}

interface Operation {
  security?: object[]
  responses: Record<string, { content?: object }>
}

/** What a key may read, where each is, and as which types. Not of the operator: no key opens those. */
function reads() {
  const paths = Object.entries(world.contract.document.paths as Record<string, { get?: Operation }>)
  return paths.flatMap(([path, { get }]) => {
    if (get === undefined || get.security?.length === 0 || get.security?.some(one => 'operator' in one))
      return []
    const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name) => ids[name] ?? whole)
    expect(filled, 'fill in its ids').not.toContain('{')
    const types = Object.keys(get.responses['200']?.content ?? {})
    return types.map(type => ({ path: filled, query: QUERIES[path]?.() ?? '', type }))
  })
}

const NAMING = () => [
  `/v2/runs/${ids.runId}`,
  `/v2/runs/${ids.runId}/compare?with=${ids.runId}`,
  `/v2/runs/${ids.runId}/events`,
  '/v2/runs',
  `/v1/durable/runs/${ids.itemId}`,
  `/v1/recoveries/${ids.recoveryId}`,
  '/v1/recoveries',
  '/v1/audit',
  `/v1/causes/${ids.causeId}`,
]

/** Reads that no key opens. */
const OF_MEMBERS = () => [
  '/v1/account',
  '/v1/members',
  '/v1/sessions',
  `/v1/projects/${ids.projectId}/signing-secret`,
  `/v1/projects/${ids.projectId}/views`,
]

describe('a key that only reads', () => {
  it('gets no member’s e-mail from any read, and sees that there was somebody', async () => {
    const token = await key('board', 'viewer')
    const shown: string[] = []
    const refused: string[] = []
    for (const { path, query, type } of reads()) {
      const { status, headers, text } = await world.call('GET', path + query, {
        token,
        headers: { accept: type },
      })
      expect(text, path).not.toContain(email)
      if (text.includes('"a…@example.org"')) shown.push(path + query)
      if (status === 403) refused.push(path)
      else expect([status, headers.get('content-type')?.split(';')[0]], path).toEqual([200, type])
    }
    expect(shown.sort()).toEqual(NAMING().sort())
    expect(refused.sort()).toEqual(OF_MEMBERS().sort())
    expect((await world.call('GET', '/v2/runs', { token })).text).toContain(CALLED)
  })

  it('gets none from what others follow at the same time', async () => {
    const token = await key('follower', 'viewer')
    const path = `/v2/runs/${ids.runId}/events`
    const [whole, masked] = await Promise.all([owner, token].map(token => world.call('GET', path, { token })))
    expect([whole!.text.includes(email), masked!.text.includes(email)]).toEqual([true, false])
  })
})

it.each(['a member', 'a key that writes'])('%s gets it, to ask whoever decided', async who => {
  const token = who === 'a member' ? owner : await key('worker', 'operator')
  for (const path of NAMING()) expect((await world.call('GET', path, { token })).text, path).toContain(email)
})
