import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { openAccount } from './account-of-own.ts'
import type { Given } from './suite.ts'

/** Sessions, projects and keys. */
export function accountPart(given: Given): void {
  async function signIn() {
    const { email, password } = given().first.account
    const { status, json } = await given().call('POST', '/v1/sessions', {
      token: null,
      body: { email, password },
    })
    expect(status).toBe(201)
    return json as { access_token: string; refresh_token: string }
  }

  describe('sessions', () => {
    it('act on every project of the account [projects.list, auth.session]', async () => {
      const { access_token: token } = await signIn()
      const { json } = await given().call('GET', '/v1/projects', { token })
      const { first, sibling } = given()
      expect(json.map((project: { id: string }) => project.id)).toEqual([
        first.project_id,
        sibling.project_id,
      ])
    })

    it('do not open for a wrong password or an unknown e-mail, with the same answer', async () => {
      const { email } = given().first.account
      const wrong = await given().call('POST', '/v1/sessions', {
        token: null,
        body: { email, password: 'wrong' },
      })
      const body = { email: 'nobody@localhost', password: 'wrong' }
      const unknown = await given().call('POST', '/v1/sessions', { token: null, body })
      expect([wrong.status, unknown.status]).toEqual([401, 401])
      expect(wrong.text).toBe(unknown.text)
    })

    it('exchange a refresh token for new tokens once [sessions.open]', async () => {
      const { refresh_token } = await signIn()
      const call = { token: null, body: { refresh_token } }
      const refreshed = await given().call('POST', '/v1/sessions/refresh', call)
      expect(refreshed.status).toBe(200)
      expect((await given().call('GET', '/v1/projects', { token: refreshed.json.access_token })).status).toBe(
        200,
      )
      expect((await given().call('POST', '/v1/sessions/refresh', call)).status).toBe(401)
    })

    it('end when signing out [sessions.open, auth.revoked]', async () => {
      const { access_token: token, refresh_token } = await signIn()
      expect((await given().call('DELETE', '/v1/sessions/current', { token })).status).toBe(200)
      const refresh = await given().call('POST', '/v1/sessions/refresh', {
        token: null,
        body: { refresh_token },
      })
      expect(refresh.status).toBe(401)
      await expect
        .poll(async () => (await given().call('GET', '/v1/projects', { token })).status, wait)
        .toBe(401)
    })

    it('refuse a token whose signature was changed [auth.forged]', async () => {
      const { access_token } = await signIn()
      const [head, payload, signature] = access_token.split('.') as [string, string, string]
      const other = signature.startsWith('A') ? 'B' : 'A'
      const token = `${head}.${payload}.${other}${signature.slice(1)}`
      expect((await given().call('GET', '/v1/projects', { token })).status).toBe(401)
    })
  })

  describe('projects', () => {
    it('are made by members, not by keys [projects.change]', async () => {
      const { access_token: token } = await signIn()
      const body = { name: 'third', concurrency: 7, credit_cents: 500 }
      const made = await given().call('POST', '/v1/projects', { token, body })
      expect(made.status).toBe(201)
      expect(made.json).toMatchObject({
        name: 'third',
        concurrency: 7,
        credit_cents: 500,
        spent_cents: 0,
        running: 0,
      })
      expect((await given().call('POST', '/v1/projects', { body })).status).toBe(403)
      await given().ctx.sql`delete from projects where id = ${made.json.id}`
    })

    it('are listed to a key with its own project only [projects.list]', async () => {
      const { json } = await given().call('GET', '/v1/projects')
      expect(json.map((project: { id: string }) => project.id)).toEqual([given().first.project_id])
    })
  })

  describe('API keys', () => {
    it('are shown once, listed by their prefix, and refused within five seconds of their revocation [keys.create, keys.list, keys.prefix, keys.shown-once, keys.revoke, auth.revoked]', async () => {
      const path = `/v1/projects/${given().first.project_id}/api-keys`
      const made = await given().call('POST', path, { body: { name: 'ci' } })
      expect(made.status).toBe(201)
      const { id, key, prefix } = made.json
      expect(key).toMatch(/^pk_[A-Za-z0-9_-]{43}$/)
      expect(key.startsWith(prefix)).toBe(true)
      expect((await given().call('GET', '/v1/agents', { token: key })).status).toBe(200)

      const listed = await given().call('GET', path)
      expect(listed.json[0]).toMatchObject({ id, name: 'ci', prefix, created_at: made.json.created_at })
      expect(made.json.created_at).toMatch(/^\d{4}-\d{2}-\d{2}T/)
      expect(listed.text).not.toContain(key)

      expect((await given().call('DELETE', `${path}/${id}`)).json.id).toBe(id)
      await expect
        .poll(async () => (await given().call('GET', '/v1/agents', { token: key })).status, wait)
        .toBe(401)
      expect((await given().call('DELETE', `${path}/${id}`)).status).toBe(404)
      expect((await given().call('GET', path)).text).not.toContain(id)
    })

    it('are listed in one answer, newest first, also where they are more than are read at once, or in pages [keys.list]', async () => {
      const world = given()
      const { project_id, key } = await openAccount(world)
      const made = LIMITS.keys_chunk + 2
      await world.ctx.sql`
        insert into api_keys (id, project_id, name, prefix, hash)
        select gen_random_uuid(), ${project_id}, 'key ' || n, 'pk_00000000', sha256(convert_to(${project_id}::text || n, 'UTF8'))
        from generate_series(1, ${made}) n`
      const { status, json } = await world.call('GET', `/v1/projects/${project_id}/api-keys`, { token: key })
      const ids = json.map((one: { id: string }) => one.id)
      expect([status, ids.length]).toEqual([200, made + 1])
      expect(ids).toEqual([...new Set(ids)].sort().reverse())

      const page = async (query: string) => {
        const list = await world.call('GET', `/v1/projects/${project_id}/api-keys?${query}`, { token: key })
        const next = list.headers.get('x-next-cursor')
        return { ids: list.json.map((one: { id: string }) => one.id), next: next && `cursor=${next}` }
      }
      const { default: usual, max } = LIMITS.keys_page
      const first = await page('limit=999999')
      expect(first.ids).toEqual(ids.slice(0, max))
      const second = await page(first.next!)
      expect(second.ids).toEqual(ids.slice(max, max + usual))
      let last = await page(`${second.next}&limit=${max}`)
      for (let pages = 1; last.next !== null; pages++) {
        expect(pages).toBeLessThan(made / max)
        last = await page(`${last.next}&limit=${max}`)
      }
      expect(last.ids.at(-1)).toBe(ids.at(-1))
      const other = await world.call('GET', `/v1/projects/${project_id}/api-keys?cursor=abc`, { token: key })
      expect([other.status, other.json.error.code]).toEqual([400, 'invalid_cursor'])
    })

    it('have a name of at most 128 characters [keys.name]', async () => {
      const path = `/v1/projects/${given().first.project_id}/api-keys`
      expect((await given().call('POST', path, { body: { name: 'n'.repeat(128) } })).status).toBe(201)
      expect((await given().call('POST', path, { body: { name: 'n'.repeat(129) } })).status).toBe(400)
      expect((await given().call('POST', path, { body: {} })).status).toBe(400)
    })

    it('make no other keys if the project forbids it', async () => {
      const { ctx, sibling } = given()
      await ctx.sql`update projects set settings = '{"keys_may_mint": false}' where id = ${sibling.project_id}`
      const call = { token: sibling.key, body: { name: 'more' } }
      expect((await given().call('POST', `/v1/projects/${sibling.project_id}/api-keys`, call)).status).toBe(
        403,
      )
    })
  })
}

const wait = { timeout: 5000, interval: 100 }
