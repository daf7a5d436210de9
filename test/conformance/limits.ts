import { describe, expect, it } from 'vitest'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { openAccount } from './account-of-own.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'
import type { Call } from './world.ts'

const NDJSON = { 'content-type': 'application/x-ndjson' }

/** Rates, open runs and plans; and one-off starts, which they bind too. */
export function limitsPart(given: Given): void {
  async function limited(settings: object) {
    const world = given()
    const account = await openAccount(world)
    const path = `/v1/projects/${account.project_id}`
    await world.call('PATCH', path, { token: account.token, body: settings })
    const { key } = await mintKey(world.ctx, account.project_id, 'limited')
    return { ...account, key }
  }

  describe('limits', () => {
    it('answer 429 with Retry-After to a key that calls too often, and to no other [errors.429]', async () => {
      const world = given()
      const { key, token } = await limited({ requests_per_second: 1 })
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => world.call('GET', '/v1/agents', { token: key })),
      )
      const refused = answers.filter(answer => answer.status === 429)
      expect(answers.filter(answer => answer.status === 200).length).toBeGreaterThanOrEqual(2)
      expect(refused.length).toBeGreaterThanOrEqual(3)
      expect(refused[0]!.json.error.code).toBe('rate_limited')
      expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect((await world.call('GET', '/v1/agents', { token })).status).toBe(200)
    })

    it('answer 429 to a run too many, however it is started, and repeat an earlier answer [errors.429]', async () => {
      const world = given()
      const { key } = await limited({ open_runs: 1 })
      const agent = await makeAgent(world, key)
      const start = (body: object) => world.call('POST', '/v1/runs', { token: key, body })
      const first = { agent: agent.slug, input: 1, idempotency_key: 'first' }
      const started = await start(first)
      expect(started.status).toBe(202)
      const batch = { agent_id: agent.id, items: [{ input: 1 }] }
      for (const answer of [
        await start({ agent: agent.slug, input: 2 }),
        await world.call('POST', `/v1/agents/${agent.id}/runs`, { token: key, body: { input: 2 } }),
        await world.call('POST', '/v1/batches', { token: key, body: batch }),
        await world.call('POST', `/v1/batches?agent_id=${agent.id}`, {
          token: key,
          raw: '{"input":2}\n',
          headers: NDJSON,
        }),
      ]) {
        expect([answer.status, answer.json.error.code]).toEqual([429, 'too_many_open_runs'])
        expect(answer.headers.get('retry-after')).toBe('5')
      }
      const again = await start(first)
      expect([again.status, again.json]).toEqual([202, { ...started.json, duplicate: true }])
      await world.call('POST', `/v2/runs/${started.json.run_id}/cancel`, { token: key })
      expect((await start({ agent: agent.slug, input: 2 })).status).toBe(202)
    })

    it('answer 402 to a run beyond the plan of the account [errors.402]', async () => {
      const world = given()
      const { ctx } = world
      const { key, account_id } = await openAccount(world)
      await ctx.sql`update accounts set plan = '{"open_runs": 1}' where id = ${account_id}`
      const agent = await makeAgent(world, key)
      const body = { agent_id: agent.id, items: [{ input: 1 }] }
      expect((await world.call('POST', '/v1/batches', { token: key, body })).status).toBe(202)
      const refused = await world.call('POST', '/v1/batches', { token: key, body })
      expect([refused.status, refused.json.error.code]).toEqual([402, 'plan_limit'])
    })
  })

  describe('a one-off start', () => {
    it('names its agent by slug or by id [starts.one-off]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      for (const name of [{ agent: agent.slug }, { agent_id: agent.id }]) {
        const body = { ...name, input: { n: 1 }, item_id: 'one' }
        const { status, json } = await world.call('POST', '/v1/runs', { body })
        expect(status).toBe(202)
        const run = await world.call('GET', `/v2/runs/${json.run_id}`)
        expect(run.json).toMatchObject({ agent_id: agent.id, total_items: 1 })
      }
    })

    it.each([
      ['no agent', {}, 400],
      ['an agent named twice', { agent: 'a', agent_id: '01900000-0000-7000-8000-000000000001' }, 400],
      ['a slug that does not exist', { agent: 'nobody' }, 404],
      ['a bad slug', { agent: 'No Slug' }, 400],
      ['an id that does not exist', { agent_id: '01900000-0000-7000-8000-000000000001' }, 404],
    ])('is refused with %s', async (_, name, status) => {
      const answer = await given().call('POST', '/v1/runs', { body: { ...name, input: 1 } })
      expect(answer.status).toBe(status)
    })

    it('by slug in a session needs the project', async () => {
      const world = given()
      const { token, key, project_id } = await openAccount(world)
      const { slug: agent } = await makeAgent(world, key)
      const ask = (body: object) => world.call('POST', '/v1/runs', { token, body })
      expect((await ask({ agent, input: 1 })).status).toBe(400)
      expect((await ask({ agent, project_id, input: 1 })).status).toBe(202)
    })
  })

  describe('one idempotency key under fifty parallel callers', () => {
    const lines = { raw: '{"input":1}\n', headers: NDJSON }
    const shapes: [string, (agent_id: string, idempotency_key: string) => [string, Call]][] = [
      [
        'a run by its path',
        (id, idempotency_key) => [`/v1/agents/${id}/runs`, { body: { input: 1, idempotency_key } }],
      ],
      [
        'a one-off start',
        (agent_id, idempotency_key) => ['/v1/runs', { body: { agent_id, input: 1, idempotency_key } }],
      ],
      [
        'a batch as JSON',
        (agent_id, idempotency_key) => [
          '/v1/batches',
          { body: { agent_id, items: [{ input: 1 }], idempotency_key } },
        ],
      ],
      ['a batch as lines', (id, key) => [`/v1/batches?agent_id=${id}&idempotency_key=${key}`, lines]],
    ]
    it.each(shapes)('starts one run: %s [runs.idempotent]', async (_, shape) => {
      const world = given()
      const agent = await makeAgent(world)
      const [path, call] = shape(agent.id, `fifty-${agent.id}`)
      const answers = await Promise.all(Array.from({ length: 50 }, () => world.call('POST', path, call)))
      expect(new Set(answers.map(({ status, json }) => `${status} ${json.run_id}`)).size).toBe(1)
      expect(answers.filter(({ json }) => !json.duplicate)).toHaveLength(1)
      expect(answers[0]!.status).toBe(202)
      const [row] = await world.ctx.sql`
        select count(*)::int as runs from runs where agent_id = ${agent.id}`
      expect(row!.runs).toBe(1)
    })
  })
}
