import { describe, expect, it } from 'vitest'
import { mintKey } from '../../shared/accounts/verbs/keys.ts'
import { createProject } from '../../shared/accounts/verbs/projects.ts'
import { openEnv } from '../../shared/accounts/verbs/sealing.ts'
import { DEFAULT_CHECKS } from '../../shared/grading/rules/checks.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { makeAgent, makeRun } from './make.ts'
import { deploy, fails, holds, workOff, works } from './play.ts'
import type { Given } from './suite.ts'

/** Agents and their deployments. */
export function agentsPart(given: Given): void {
  describe('agents', () => {
    it('say how long a run would take, or why that is not known [agents.estimate]', async () => {
      const agent = await makeAgent(given())
      const path = `/v1/agents/${agent.id}/estimate`
      const { status, json } = await given().call('GET', `${path}?items=500&concurrency=5`)
      expect(status).toBe(200)
      expect(json).toMatchObject({ agent_slug: agent.slug, deployment_version: null, items: 500 })
      expect(json.estimate).toMatchObject({ seconds: null, limited_by: null, message: expect.any(String) })
      for (const query of ['', '?items=0', '?items=many', '?items=5&concurrency=0'])
        expect((await given().call('GET', path + query)).status).toBe(400)
    })

    it('are made, read, listed and updated, which bumps the version of their configuration [agents.create, agents.list, agents.get, agents.update, agents.slug-of-name]', async () => {
      const body = {
        project_id: given().first.project_id,
        name: 'Ticket Triage',
        description: 'Sorts tickets.',
      }
      const made = await given().call('POST', '/v1/agents', { body })
      expect(made.status).toBe(201)
      expect(made.json).toMatchObject({ ...body, slug: 'ticket-triage', config: {}, config_version: 1 })
      expect(made.json.deployed_version).toBeNull()
      const path = `/v1/agents/${made.json.id}`

      const updated = await given().call('PATCH', path, {
        body: { config: { model: 'm', deep: { list: [1] } } },
      })
      expect(updated.status).toBe(200)
      expect(updated.json).toMatchObject({
        config_version: 2,
        config: { model: 'm', deep: { list: [1] } },
        name: body.name,
      })
      expect((await given().call('GET', path)).json).toMatchObject(updated.json)
      const listed = await given().call('GET', `/v1/agents?project_id=${body.project_id}`)
      expect(listed.json).toContainEqual(updated.json)
      const bare = await given().call('GET', `/v1/agents?project_id=${body.project_id}&config=false`)
      expect(bare.json).toContainEqual({ ...updated.json, config: {} })
    })

    it('are listed with their recent activity on request [agents.activity]', async () => {
      const agent = await makeAgent(given())
      await deploy(given(), agent.id)
      const listed = async (query: string) =>
        (await given().call('GET', `/v1/agents?project_id=${given().first.project_id}${query}`)).json.find(
          (one: { id: string }) => one.id === agent.id,
        )
      expect(await listed('')).not.toHaveProperty('activity')
      const none = {
        last_run: null,
        runs: 0,
        ok: 0,
        not_ok: 0,
        over_budget: 0,
        cost_usd: 0,
        open_runs: 0,
        held: 0,
      }
      expect((await listed('&activity=true')).activity).toEqual(none)
      await makeRun(given(), agent.id, [{ input: 1 }, { input: 2 }, { input: 3 }])
      await makeRun(given(), agent.id, [{ input: 1 }])
      await workOff(given(), item => (item.input === 1 ? holds : item.input === 2 ? fails() : works)(item))
      const { json } = await given().call('GET', `/v1/triage?kind=dlq&agent_id=${agent.id}`)
      await given().call('POST', `/v1/durable/runs/${json.rows[0].record_id}/replay`, { body: {} })
      await workOff(given(), fails())
      const { activity } = await listed('&activity=true')
      expect(activity).toMatchObject({
        runs: 2,
        ok: 1,
        not_ok: 1,
        open_runs: 2,
        held: 2,
      })
      expect((await given().call('GET', `/v2/runs/${activity.last_run.id}`)).json.replay_of).not.toBeNull()
    })

    it('are all listed, oldest first, however many there are [agents.list]', async () => {
      const { ctx, stranger } = given()
      const project = await createProject(ctx, { account_id: stranger.account_id, name: 'of many agents' })
      const { key: token } = await mintKey(ctx, project.id, 'many')
      const path = `/v1/agents?project_id=${project.id}`
      const ids: string[] = []
      for (const more of [0, LIMITS.agents_chunk, 1]) {
        for (let n = 0; n < more; n++) ids.push((await makeAgent(given(), token)).id)
        const { json } = await given().call('GET', path, { token })
        expect(json.map((one: { id: string }) => one.id)).toEqual(ids)
      }
    })

    it('have a slug that is unique within their project only [agents.slug-unique, errors.409]', async () => {
      const { slug } = await makeAgent(given())
      const again = await given().call('POST', '/v1/agents', { body: { name: 'again', slug } })
      expect([again.status, again.json.error.code]).toEqual([409, 'agent_slug_taken'])
      const elsewhere = { token: given().sibling.key, body: { name: 'again', slug } }
      expect((await given().call('POST', '/v1/agents', elsewhere)).status).toBe(201)
    })

    it.each([
      ['an empty change', {}],
      ['a slug', { slug: 'other' }],
      ['a configuration with a NUL', { config: { a: ['\0'] } }],
      ['a list as configuration', { config: [] }],
    ])('are not updated by %s', async (_, body) => {
      const { id } = await makeAgent(given())
      expect((await given().call('PATCH', `/v1/agents/${id}`, { body })).status).toBe(400)
    })

    it.each(['Upper', 'with space', '-dash', 'ü', '', 'x'.repeat(65)])('refuse the slug "%s"', async slug => {
      expect((await given().call('POST', '/v1/agents', { body: { name: 'a', slug } })).status).toBe(400)
    })
  })

  describe('deployments', () => {
    const declaration = { name: 'triage', item_budget_cents: 0.07, network: ['api.openai.com'] }
    const bundle = {
      kind: 'bundle',
      code: 'export default { fetch() {} }',
      declaration,
      env: { TOKEN: 'secret-word' },
    }

    it('are versions; the same content is the same version; an older one can be promoted [deployments.versions]', async () => {
      const { id } = await makeAgent(given())
      const path = `/v1/agents/${id}/deployments`
      const one = await given().call('POST', path, { body: bundle })
      expect(one.status).toBe(201)
      expect(one.json).toMatchObject({
        version: 1,
        created: true,
        is_current: true,
        kind: 'bundle',
        declaration,
      })
      const two = await given().call('POST', path, { body: { ...bundle, env: { TOKEN: 'other' } } })
      expect(two.json).toMatchObject({ version: 2, created: true, bundle_hash: one.json.bundle_hash })
      const again = await given().call('POST', path, { body: bundle })
      expect(again.status).toBe(200)
      expect(again.json).toMatchObject({ id: one.json.id, version: 1, created: false, is_current: true })

      const promoted = await given().call('POST', `${path}/${two.json.id}/promote`)
      expect(promoted.status).toBe(200)
      expect((await given().call('GET', `/v1/agents/${id}`)).json.deployed_version).toBe(2)
      const listed = await given().call('GET', path)
      expect(
        listed.json.map((row: { version: number; is_current: boolean }) => [row.version, row.is_current]),
      ).toEqual([
        [2, true],
        [1, false],
      ])
      expect(listed.text).not.toContain('secret-word')
    })

    it('get the default checks if they declare none, and keep the checks that they had [agents.default-checks]', async () => {
      const { id } = await makeAgent(given())
      const path = `/v1/agents/${id}/deployments`
      const deployed = async (more: object, order: object = {}) =>
        (
          await given().call('POST', path, {
            body: { ...bundle, ...order, declaration: { ...declaration, ...more } },
          })
        ).json
      const before = await deployed({})
      expect(before.checks).toEqual([...DEFAULT_CHECKS])
      expect(before.declaration).not.toHaveProperty('default_checks')
      // As a version from before there were default checks.
      await given().ctx.sql`update deployments set default_checks = null where id = ${before.id}`
      expect(await deployed({})).toMatchObject({ id: before.id, created: false, checks: [] })
      expect((await deployed({ checks: ['asks_back'] })).checks).toEqual(['asks_back'])
      expect((await deployed({ checks: [] })).checks).toEqual([])
      await deployed({})
      const next = { env: { TOKEN: 'next' } }
      expect(await deployed({}, { ...next, dry_run: true })).toMatchObject({ changes: ['env', 'checks'] })
      expect(await deployed({}, next)).toMatchObject({ version: 4, checks: [...DEFAULT_CHECKS] })
    })

    it('keep their environment sealed with the master key', async () => {
      const { id } = await makeAgent(given())
      await given().call('POST', `/v1/agents/${id}/deployments`, { body: bundle })
      const { ctx } = given()
      const [row] = await ctx.sql`
        select project_id, id, bundle_hash, env_sealed from deployments where agent_id = ${id}`
      expect(row!.env_sealed).not.toContain('secret-word')
      expect(await openEnv(ctx, row!.project_id, row as never)).toEqual({ TOKEN: 'secret-word' })
    })

    it('can be an HTTP function anywhere, with a key that stays the same at its URL', async () => {
      const { id } = await makeAgent(given())
      const path = `/v1/agents/${id}/deployments`
      const body = { kind: 'url', url: 'http://127.0.0.1:9/agent', protocol: 'json', declaration }
      const made = await given().call('POST', path, { body })
      expect(made.json).toMatchObject({ kind: 'url', url: body.url, protocol: 'json', bundle_hash: null })
      const { agent_key } = made.json
      expect(agent_key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)

      const keyOf = async (change: object, at = path) =>
        (await given().call('POST', at, { body: { ...body, ...change } })).json.agent_key
      expect(await keyOf({ declaration: { name: 'far' } })).toBe(agent_key)
      const promoted = await given().call('POST', `${path}/${made.json.id}/promote`)
      expect(promoted.json.agent_key).toBe(agent_key)
      expect(await keyOf({ url: 'http://127.0.0.1:9/other' })).not.toBe(agent_key)
      const other = await makeAgent(given())
      expect(await keyOf({}, `/v1/agents/${other.id}/deployments`)).not.toBe(agent_key)

      expect((await given().call('POST', path, { body: bundle })).json.agent_key).toBeNull()
      expect((await given().call('GET', path)).text).not.toContain('agent_key')
    })

    it('get one version for each content when many deploy at once', async () => {
      const { id } = await makeAgent(given())
      const bodies = Array.from({ length: 8 }, (_, n) => ({ ...bundle, env: { N: String(n % 4) } }))
      const made = await Promise.all(
        bodies.map(body => given().call('POST', `/v1/agents/${id}/deployments`, { body })),
      )
      expect(new Set(made.map(answer => answer.json.version))).toEqual(new Set([1, 2, 3, 4]))
    })

    it.each([
      ['an unknown kind', { ...bundle, kind: 'image' }],
      ['code and no declaration', { kind: 'bundle', code: 'x' }],
      ['a file URL', { kind: 'url', url: 'file:///etc/passwd', declaration }],
      ['credentials in the URL', { kind: 'url', url: 'http://a:b@c/', declaration }],
      ['an unknown declaration', { ...bundle, declaration: { ...declaration, colour: 'red' } }],
      ['a variable named 1A', { ...bundle, env: { '1A': 'x' } }],
    ])('are refused with %s', async (_, body) => {
      const { id } = await makeAgent(given())
      expect((await given().call('POST', `/v1/agents/${id}/deployments`, { body })).status).toBe(400)
    })
  })
}
