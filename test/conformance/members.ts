import { describe, expect, it } from 'vitest'
import { openAccount, PASSWORD, signIn } from './account-of-own.ts'
import type { Given } from './suite.ts'

const SOON = { timeout: 5000, interval: 100 }

/** Members, their roles, passwords and sessions. */
export function membersPart(given: Given): void {
  async function openWithMember(role: string) {
    const world = given()
    const account = await openAccount(world)
    const body = { email: `${role}-of-${account.email}`, role, password: PASSWORD }
    const member = await world.call('POST', '/v1/members', { token: account.token, body })
    expect(member.status).toBe(201)
    const session = await signIn(world, body.email)
    return { ...account, member: member.json, email: body.email, session }
  }

  describe('members', () => {
    it('are listed in pages, never with a password, and the account says who is calling [members.manage, account.get]', async () => {
      const { token, member, email } = await openWithMember('viewer')
      const list = await given().call('GET', '/v1/members', { token })
      expect(list.json.map((one: { role: string }) => one.role)).toEqual(['owner', 'viewer'])
      expect(list.text).not.toContain('scrypt')
      const first = await given().call('GET', '/v1/members?limit=1', { token })
      const cursor = first.headers.get('x-next-cursor')
      const second = await given().call('GET', `/v1/members?limit=1&cursor=${cursor}`, { token })
      expect([...first.json, ...second.json]).toEqual(list.json)
      expect(second.headers.get('x-next-cursor')).toBeNull()
      expect(member).toMatchObject({ email, role: 'viewer' })
      const account = await given().call('GET', '/v1/account', { token })
      expect(account.json.member.role).toBe('owner')
    })

    it('who are viewers change nothing: every operation that writes refuses them', async () => {
      const world = given()
      const { session } = await openWithMember('viewer')
      const own = [
        ...['deleteCurrentSession', 'revokeSession', 'changePassword'],
        ...['saveView', 'deleteSavedView'],
      ]
      for (const [path, operations] of Object.entries(world.contract.document.paths)) {
        for (const [method, operation] of Object.entries(operations)) {
          const { operationId, security } = operation
          if (method === 'get' || security !== undefined || own.includes(operationId)) continue
          const filled = path.replaceAll(/\{\w+\}/g, '01900000-0000-7000-8000-000000000001')
          const answer = await world.call(method.toUpperCase(), filled, {
            token: session.access_token,
            body: method === 'delete' ? undefined : {},
          })
          expect([operationId, answer.status]).toEqual([operationId, 403])
        }
      }
      expect((await world.call('GET', '/v1/agents', { token: session.access_token })).status).toBe(200)
    })

    it('save views of lists for themselves, and share them unless they are viewers [projects.views]', async () => {
      const world = given()
      const { token: owner, session, project_id } = await openWithMember('viewer')
      const viewer = session.access_token
      const views = (method: string, token: string, body?: object, id = '') =>
        world.call(method, `/v1/projects/${project_id}/views${id}`, { token, body })
      const view = { list: 'runs', name: 'bad nights', query: 'outcome=failed&agent=a%20b' }
      const own = await views('POST', viewer, view)
      expect([own.status, own.json]).toMatchObject([201, { ...view, shared: false }])
      const again = await views('POST', viewer, { ...view, query: 'outcome=degraded' })
      expect(again.json).toEqual({ ...own.json, query: 'outcome=degraded' })
      expect((await views('POST', viewer, { ...view, shared: true })).status).toBe(403)
      const shared = await views('POST', owner, { ...view, name: 'a', shared: true })
      const names = async (token: string) =>
        (await views('GET', token)).json.map((one: { name: string }) => one.name)
      expect(await names(viewer)).toEqual(['a', 'bad nights'])
      expect(await names(owner)).toEqual(['a'])

      expect((await views('DELETE', viewer, undefined, `/${shared.json.id}`)).status).toBe(403)
      expect((await views('DELETE', owner, undefined, `/${own.json.id}`)).status).toBe(404)
      expect((await views('DELETE', viewer, undefined, `/${own.json.id}`)).status).toBe(200)
      expect(await names(viewer)).toEqual(['a'])

      for (const wrong of [
        { list: 'nothing' },
        { name: '' },
        { query: 'a b' },
        { query: 'a\nb' },
        { query: 'cursor=x' },
      ])
        expect([wrong, (await views('POST', viewer, { ...view, ...wrong })).status]).toEqual([wrong, 400])
      const row = { project_id, member_id: null, list: 'runs' as const, query: '' }
      const rows = Array.from({ length: 19 }, (_, n) => ({ ...row, id: world.ctx.newId(), name: `${n}` }))
      await world.ctx.sql`insert into saved_views ${world.ctx.sql(rows as never)}`
      const full = await views('POST', owner, { ...view, shared: true })
      expect([full.status, full.json.error.code]).toEqual([409, 'too_many_saved_views'])
      expect((await views('POST', owner, { ...view, name: '7', shared: true })).status).toBe(201)
    })

    it('who are operators change agents and keys, but neither projects nor members', async () => {
      const world = given()
      const { session, project_id, owner_id } = await openWithMember('operator')
      const token = session.access_token
      const agent = await world.call('POST', '/v1/agents', { token, body: { name: 'a', project_id } })
      expect(agent.status).toBe(201)
      const keys = `/v1/projects/${project_id}/api-keys`
      expect((await world.call('POST', keys, { token, body: { name: 'k' } })).status).toBe(201)
      for (const [method, path, body] of [
        ['POST', '/v1/projects', { name: 'p' }],
        ['PATCH', `/v1/projects/${project_id}`, { credit_cents: null }],
        ['DELETE', `/v1/projects/${project_id}?confirm=main`, undefined],
        ['POST', '/v1/members', { email: 'x@y', role: 'owner', password: PASSWORD }],
        ['PATCH', `/v1/members/${owner_id}`, { role: 'viewer' }],
      ] as const) {
        const answer = await world.call(method, path, { token, body })
        expect([path, answer.status, answer.json.error.code]).toEqual([path, 403, 'forbidden'])
      }
    })

    it('get another role within five seconds [members.manage]', async () => {
      const world = given()
      const { token, member, session } = await openWithMember('viewer')
      const path = `/v1/members/${member.id}`
      expect((await world.call('PATCH', path, { token, body: { role: 'owner' } })).json.role).toBe('owner')
      const body = { name: 'theirs' }
      await expect
        .poll(
          async () =>
            (await world.call('POST', '/v1/projects', { token: session.access_token, body })).status,
          SOON,
        )
        .toBe(201)
    })

    it('are signed out within five seconds of their removal [members.manage, auth.revoked]', async () => {
      const world = given()
      const { token, member, session } = await openWithMember('operator')
      expect((await world.call('DELETE', `/v1/members/${member.id}`, { token })).json.id).toBe(member.id)
      const asked = () => world.call('GET', '/v1/agents', { token: session.access_token })
      await expect.poll(async () => (await asked()).status, SOON).toBe(401)
      expect((await world.call('DELETE', `/v1/members/${member.id}`, { token })).status).toBe(404)
    })

    it('never lose their last owner, and share no e-mail [members.manage]', async () => {
      const world = given()
      const { token, owner_id, email } = await openWithMember('viewer')
      const path = `/v1/members/${owner_id}`
      const demoted = await world.call('PATCH', path, { token, body: { role: 'viewer' } })
      const removed = await world.call('DELETE', path, { token })
      expect([demoted.json.error.code, removed.json.error.code]).toEqual(['last_owner', 'last_owner'])
      const body = { email: email.toUpperCase(), role: 'viewer', password: PASSWORD }
      const again = await world.call('POST', '/v1/members', { token, body })
      expect([again.status, again.json.error.code]).toEqual([409, 'email_taken'])
    })

    it.each([
      ['a short password', { email: 'a@b', role: 'viewer', password: 'short' }],
      ['no e-mail', { email: 'a', role: 'viewer', password: PASSWORD }],
      ['an unknown role', { email: 'a@b', role: 'root', password: PASSWORD }],
      ['a newline in the e-mail', { email: 'a\n@b', role: 'viewer', password: PASSWORD }],
    ])('are refused with %s', async (_, body) => {
      const { token } = await openAccount(given())
      const { status, json } = await given().call('POST', '/v1/members', { token, body })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    })
  })

  describe('a password', () => {
    it('that changes ends every session except the current one [account.password]', async () => {
      const world = given()
      const { token, email } = await openAccount(world)
      const other = await signIn(world, email)
      const body = { current_password: PASSWORD, new_password: 'another good password' }
      const wrong = { ...body, current_password: 'wrong' }
      const path = '/v1/account/password'
      expect((await world.call('POST', path, { token, body: wrong })).status).toBe(401)
      expect((await world.call('POST', path, { token, body })).status).toBe(200)
      const asked = () => world.call('GET', '/v1/account', { token: other.access_token })
      await expect.poll(async () => (await asked()).status, SOON).toBe(401)
      expect((await world.call('GET', '/v1/account', { token })).status).toBe(200)
      await signIn(world, email, 'another good password')
    })

    it('is changed by nobody who only has a session of its member or of an owner [account.password]', async () => {
      const world = given()
      const { token, owner_id, member, session } = await openWithMember('operator')
      const body = { password: 'a password of a thief' }
      for (const id of [owner_id, member.id]) {
        const answer = await world.call('PATCH', `/v1/members/${id}`, { token, body })
        expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
        const both = { ...body, role: 'operator' }
        expect((await world.call('PATCH', `/v1/members/${id}`, { token, body: both })).status).toBe(400)
      }
      const without = { new_password: 'a password of a thief' }
      const own = await world.call('POST', '/v1/account/password', { token, body: without })
      expect([own.status, own.json.error.code]).toEqual([400, 'invalid_request'])
      const link = (id: string, by: string) =>
        world.call('POST', `/v1/members/${id}/password-link`, { token: by })
      expect((await link(owner_id, token)).json.error.code).toBe('invalid_request')
      expect((await link(owner_id, session.access_token)).json.error.code).toBe('forbidden')
    })

    it('is set by a link of an owner, once, and ends the sessions of its member [account.password-link]', async () => {
      const world = given()
      const { token, member, email, session } = await openWithMember('operator')
      const made = await world.call('POST', `/v1/members/${member.id}/password-link`, { token })
      expect(made.status).toBe(201)
      const url = new URL(made.json.url)
      expect([url.pathname, Date.parse(made.json.expires_at) > Date.now()]).toEqual([
        '/dashboard/password',
        true,
      ])
      const word = url.searchParams.get('token')!
      const use = (over: object = {}) =>
        world.call('POST', '/v1/account/password/by-link', {
          token: null,
          body: { token: word, new_password: 'another good password', ...over },
        })
      const [of, maker, until, seal] = word.split('.')
      const later = String(Number(until) + 1000)
      for (const wrong of [
        'x',
        `${word}x`,
        [maker, of, until, seal].join('.'),
        [of, maker, later, seal].join('.'),
        [of, of, until, seal].join('.'),
      ])
        expect([wrong, (await use({ token: wrong })).status]).toEqual([wrong, 401])
      expect((await use({ new_password: 'short' })).status).toBe(400)
      const raced = await Promise.all([use(), use({ new_password: 'a third good password' })])
      expect(raced.map(({ status }) => status).sort()).toEqual([200, 401])
      expect((await use()).status).toBe(401)
      const next = raced[0]!.status === 200 ? 'another good password' : 'a third good password'
      await signIn(world, email, next)
      const asked = () => world.call('GET', '/v1/account', { token: session.access_token })
      await expect.poll(async () => (await asked()).status, SOON).toBe(401)
    })

    it('is set by no link of somebody who is no owner any more [account.password-link]', async () => {
      const world = given()
      const { token, owner_id, member, session } = await openWithMember('owner')
      const other = session.access_token
      const made = await world.call('POST', `/v1/members/${member.id}/password-link`, { token })
      const body = {
        token: new URL(made.json.url).searchParams.get('token'),
        new_password: 'another good password',
      }
      const demoted = await world.call('PATCH', `/v1/members/${owner_id}`, {
        token: other,
        body: { role: 'viewer' },
      })
      expect(demoted.status).toBe(200)
      const used = await world.call('POST', '/v1/account/password/by-link', { token: null, body })
      expect([used.status, used.json.error.code]).toEqual([401, 'unauthenticated'])
    })

    it('is refused for a while after too many wrong ones, for that e-mail only [limits.sign-in, errors.429]', async () => {
      const world = given()
      const [one, other] = [await openAccount(world), await openAccount(world)]
      const attempt = (password: string) =>
        world.call('POST', '/v1/sessions', { token: null, body: { email: one.email, password } })
      for (let n = 0; n < 10; n++) expect((await attempt('wrong')).status).toBe(401)
      const refused = await attempt(PASSWORD)
      expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      await signIn(world, other.email)
    }, 60_000)
  })

  describe('sessions', () => {
    it('are listed and revoked one by one [sessions.list, auth.revoked]', async () => {
      const world = given()
      const { token, email } = await openAccount(world)
      const other = await signIn(world, email)
      const list = await world.call('GET', '/v1/sessions', { token })
      expect(list.json.map((one: { is_current: boolean }) => one.is_current)).toEqual([false, true])
      expect(list.json[0]).toMatchObject({ id: other.session_id, user_agent: expect.stringMatching(/./) })
      const first = await world.call('GET', '/v1/sessions?limit=1', { token })
      const cursor = first.headers.get('x-next-cursor')
      const second = await world.call('GET', `/v1/sessions?limit=1&cursor=${cursor}`, { token })
      expect([...first.json, ...second.json]).toEqual(list.json)
      const elsewhere = await world.call('GET', `/v1/members?cursor=${cursor}`, { token })
      expect([elsewhere.status, elsewhere.json.error.code]).toEqual([400, 'invalid_cursor'])
      const path = `/v1/sessions/${other.session_id}`
      expect((await world.call('DELETE', path, { token })).status).toBe(200)
      expect((await world.call('DELETE', path, { token })).status).toBe(404)
      const asked = () => world.call('GET', '/v1/account', { token: other.access_token })
      await expect.poll(async () => (await asked()).status, SOON).toBe(401)
    })

    it('of another member answer 404', async () => {
      const world = given()
      const { token, session } = await openWithMember('viewer')
      expect((await world.call('DELETE', `/v1/sessions/${session.session_id}`, { token })).status).toBe(404)
    })
  })
}
