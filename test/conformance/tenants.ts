import { describe, expect, it } from 'vitest'
import { makeAgent, makeRun } from './make.ts'
import type { Given } from './suite.ts'

const UNKNOWN = '01900000-0000-7000-8000-000000000001'
const NO_UUID = 'not-an-id'

/** Who may see what: 403 for another project of the account, 404 for what is another account's. */
export function tenantsPart(given: Given): void {
  describe('what is not yours', () => {
    it('is forbidden to a sibling key and unknown to a stranger, like an id that does not exist', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1 }])
      const item = `${run.slice(0, 28)}00000001`
      const deployed = await world.call('POST', `/v1/agents/${agent.id}/deployments`, {
        body: { kind: 'url', url: 'http://127.0.0.1:9/', declaration: { name: 'x' } },
      })
      const project = world.first.project_id
      const body = { input: 1 }
      const operations: [string, (id: string) => string, string, unknown?][] = [
        ['GET', id => `/v1/projects/${id}/api-keys`, project],
        ['POST', id => `/v1/projects/${id}/api-keys`, project, { name: 'k' }],
        ['DELETE', id => `/v1/projects/${id}/api-keys/${UNKNOWN}`, project],
        ['GET', id => `/v1/agents/${id}`, agent.id],
        ['PATCH', id => `/v1/agents/${id}`, agent.id, { name: 'n' }],
        ['GET', id => `/v1/agents/${id}/deployments`, agent.id],
        [
          'POST',
          id => `/v1/agents/${id}/deployments`,
          agent.id,
          { kind: 'url', url: 'http://a/', declaration: { name: 'x' } },
        ],
        ['POST', id => `/v1/agents/${id}/deployments/${deployed.json.id}/promote`, agent.id],
        ['POST', id => `/v1/agents/${id}/runs`, agent.id, body],
        ['GET', id => `/v2/runs/${id}`, run],
        ['GET', id => `/v2/runs/${id}/items`, run],
        ['GET', id => `/v2/runs/${id}/verify`, run],
        ['POST', id => `/v2/runs/${id}/cancel`, run],
        ['GET', id => `/v1/durable/runs/${id}`, item],
      ]
      for (const [method, path, id, body] of operations) {
        const name = `${method} ${path('{id}')}`
        const ask = (id: string, token: string) => world.call(method, path(id), { token, body })
        const forbidden = await ask(id, world.sibling.key)
        expect([name, forbidden.status, forbidden.json.error.code]).toEqual([name, 403, 'forbidden'])
        const strange = await ask(id, world.stranger.key)
        const unknown = await ask(UNKNOWN, world.first.api_key)
        const malformed = await ask(NO_UUID, world.first.api_key)
        expect([name, strange.status]).toEqual([name, 404])
        expect([name, strange.text]).toEqual([name, unknown.text])
        expect([name, malformed.text]).toEqual([name, unknown.text])
      }
    })

    it('is not reached by filters and bodies either', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const run = await makeRun(world, agent.id, [{ input: 1, item_id: 'tenant-item' }])
      const asked: [string, string, unknown?][] = [
        ['GET', `/v1/agents?project_id=${world.first.project_id}`],
        ['GET', `/v2/runs?project_id=${world.first.project_id}`],
        ['GET', `/v1/steps?run_id=${run}`],
        ['GET', `/v1/steps?record_id=${run.slice(0, 28)}00000001`],
        ['POST', '/v1/agents', { project_id: world.first.project_id, name: 'x' }],
        ['POST', '/v1/batches', { agent_id: agent.id, items: [{ input: 1 }] }],
      ]
      for (const [method, path, body] of asked) {
        expect([path, (await world.call(method, path, { token: world.sibling.key, body })).status]).toEqual([
          path,
          403,
        ])
        expect([path, (await world.call(method, path, { token: world.stranger.key, body })).status]).toEqual([
          path,
          404,
        ])
      }
      for (const token of [world.sibling.key, world.stranger.key]) {
        expect((await world.call('GET', '/v2/runs?item_id=tenant-item', { token })).json).toEqual([])
        expect((await world.call('GET', `/v2/runs?agent=${agent.slug}`, { token })).json).toEqual([])
        expect((await world.call('GET', '/v1/steps?item_id=tenant-item', { token })).json.steps).toEqual([])
      }
      expect((await world.call('GET', '/v1/durable/runs', { token: world.stranger.key })).json).toEqual([])
    })
  })
}
