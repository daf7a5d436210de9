// What nobody may do to the dashboard or through it, over plain HTTP as an attacker sends it.

import { request as ask } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { startNodeHost } from '../../conformance/hosts.ts'
import { fails, ran, recordId } from '../../conformance/play.ts'
import { openWorld, type World } from '../../conformance/world.ts'

const OWN = { 'sec-fetch-site': 'same-origin' }
let world: World
let cookie: string
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  cookie = await signIn()
})
afterAll(() => world.end())

const read = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.url}${path}`, { redirect: 'manual', headers: { cookie, ...headers } })

const send = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${world.url}${path}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...OWN, cookie, ...headers },
    body,
  })

async function signIn(account = world.first.account): Promise<string> {
  const form = new URLSearchParams(account)
  const response = await send('/dashboard/sign-in', form, { cookie: '' })
  expect(response.status).toBe(303)
  return response.headers.getSetCookie()[0]!.split(';')[0]!
}

/** Requests the path as it is; fetch would normalise it. */
function readAsTyped(path: string): Promise<{ status: number; text: string; location: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = ask(world.url, { path, headers: { cookie }, agent: false }, async answer => {
      let text = ''
      for await (const part of answer) text += part
      resolve({ status: answer.statusCode!, text, location: answer.headers.location })
    })
    asked.once('error', reject)
    asked.end()
  })
}

describe('a redirect', () => {
  it.each([
    ['/dashboard/search?q=a+b&at=2026-01-01T00:00:00Z', '/dashboard/search?q=a+b&at=2026-01-01T00:00:00Z'],
    ['https://elsewhere.test/dashboard', '/dashboard'],
    ['//elsewhere.test/dashboard', '/dashboard'],
    ['/\\elsewhere.test/dashboard', '/dashboard'],
    ['/dashboard/..//elsewhere.test', '/dashboard'],
    ['/dashboard/../docs', '/dashboard'],
    ['/dashboardelsewhere', '/dashboard'],
    ['javascript:alert(1)', '/dashboard'],
    ['/dashboard/\r\nset-cookie: a=b', '/dashboard/set-cookie:%20a=b'],
  ])('after signing in with next=%j leads to %s', async (next, to) => {
    const form = new URLSearchParams({ ...world.first.account, next })
    const response = await send('/dashboard/sign-in', form, { cookie: '' })
    expect([response.status, response.headers.get('location')]).toEqual([303, to])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it.each(['https://elsewhere.test/dashboard/runs', 'https://elsewhere.test//dashboard/runs', 'no address'])(
    'from a refused form with the referer %s stays on this host',
    async referer => {
      const response = await send('/dashboard/projects', new URLSearchParams({ nonsense: '1' }), { referer })
      const to = response.headers.get('location')
      if (to === null) expect(response.status).toBe(400)
      else expect(to).toBe('/dashboard') // the nearest page above
    },
  )
})

describe('an address longer or deeper than that of any page', () => {
  // Each of these stopped the process for 0.3 to 9 s, whoever sent it.
  it('is no page of a form, in a referer', async () => {
    const referer = `http://a/dashboard/projects/${'a'.repeat(7000)}${'/'.repeat(7900)}`
    const { status, headers } = await send('/dashboard/account', '', { referer, cookie: '' })
    expect([status, headers.get('location')]).toEqual([303, '/dashboard/sign-in?ended=form'])
  })

  it('has no page above it', async () => {
    const answer = await readAsTyped(`/dashboard/${'/'.repeat(15_000)}a/`)
    expect(answer.status).toBe(404)
    expect((await readAsTyped('/dashboard/projects//')).location).toBe('/dashboard/projects')
  })

  it('is refused with too many orders of lists', async () => {
    const orders = Array.from({ length: 1700 }, (_, n) => `sort.${n}`).join('&')
    expect((await read(`/dashboard/sign-in?${orders}`)).status).toBe(400)
  })
})

describe('a cookie', () => {
  const noticed = (notice: unknown) =>
    read('/dashboard/projects', {
      cookie: `${cookie}; __Host-assay-notice=${encodeURIComponent(JSON.stringify(notice))}`,
    })

  it('shows a notice once, as text', async () => {
    const response = await noticed({ kind: 'done', text: '<img src=x onerror=alert(1)>' })
    const html = await response.text()
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(response.headers.getSetCookie().join()).toContain('__Host-assay-notice=; Max-Age=0')
  })

  it.each(['https://elsewhere.test/', '//elsewhere.test', 'javascript:alert(1)', '/v1/projects'])(
    'offers no form to %s',
    async action => {
      const response = await noticed({ kind: 'done', text: 'See', undo: { action, fields: { a: 'b' } } })
      expect(response.status).toBe(200)
      expect(await response.text()).not.toContain(`action="${action}"`)
    },
  )

  it.each([
    ['broken percent', '__Host-assay-notice=%E0%A4%A'],
    ['not JSON', '__Host-assay-notice=%7B'],
    ['another shape', '__Host-assay-notice=%5B1%5D'],
    ['deeply nested', `__Host-assay-notice=${'%5B'.repeat(3000)}`],
    ['an invalid session', '__Host-assay-session=a.b.c'],
    ['a session of alg none', `__Host-assay-session=${btoa('{"alg":"none"}')}.${btoa('{"sub":"x"}')}.`],
    ['many cookies', Array.from({ length: 300 }, (_, n) => `c${n}=${n}`).join('; ')],
  ])('breaks no page: %s', async (_, more) => {
    const response = await read('/dashboard/projects', { cookie: `${more}; ${cookie}` })
    expect(response.status).toBe(more.includes('session') ? 303 : 200)
  })

  it('holds a long notice cut to the size that browsers keep, whatever its letters', async () => {
    const referer = `${world.url}/dashboard/projects`
    const form = new URLSearchParams(Array.from({ length: 9 }, (_, n) => [`${'€'.repeat(200)}${n}`, '']))
    const response = await send('/dashboard/projects', form, { referer })
    expect(response.status).toBe(303)
    const [set] = response.headers.getSetCookie()
    expect(set!.length).toBeLessThan(4096)
    const page = await read('/dashboard/projects', { cookie: `${cookie}; ${set!.split(';')[0]}` })
    expect(await page.text()).toContain('Unknown field')
  })
})

describe('a session', () => {
  it('is not cleared in the browser by a request that came without it', async () => {
    for (const request of [
      fetch(`${world.url}/dashboard/projects`, { redirect: 'manual' }),
      fetch(`${world.url}/dashboard/account`, { method: 'POST', redirect: 'manual' }),
      fetch(`${world.url}/dashboard/sign-out`, { method: 'POST', redirect: 'manual' }),
    ])
      expect((await request).headers.getSetCookie()).toEqual([])
  })

  it('is not ended by a link or by another site', async () => {
    const mine = await signIn()
    await read('/dashboard/sign-out', { cookie: mine })
    for (const site of ['cross-site', 'same-site', 'none'])
      await send('/dashboard/sign-out', '', { cookie: mine, 'sec-fetch-site': site })
    expect((await read('/dashboard/projects', { cookie: mine })).status).toBe(200)
  })

  it('is not started by another site', async () => {
    const form = new URLSearchParams(world.first.account)
    const response = await send('/dashboard/sign-in', form, { 'sec-fetch-site': 'cross-site', cookie: '' })
    expect([response.status, response.headers.getSetCookie()]).toEqual([403, []])
  })

  it('is new after each sign-in, even if the request brings an old one', async () => {
    const [one, other] = [await signIn(), await signIn()]
    expect(one).not.toBe(other)
    const form = new URLSearchParams(world.first.account)
    const third = await send('/dashboard/sign-in', form, { cookie: one })
    expect(third.headers.getSetCookie()[0]).not.toContain(one)
  })

  it('of a browser does not open the API, and an API token opens no page', async () => {
    const token = cookie.split('=')[1]!
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${world.url}/v1/projects`, { headers })).status).toBe(401)
    expect((await fetch(`${world.url}/v1/projects`, { headers: { cookie } })).status).toBe(401)
    const { json } = await world.call('POST', '/v1/sessions', { token: null, body: world.first.account })
    const asCookie = { cookie: `__Host-assay-session=${json.access_token}` }
    expect((await read('/dashboard/projects', asCookie)).status).toBe(303)
  })
})

describe('a form', () => {
  it.each([
    ['no type', ''],
    ['text', 'text/plain'],
    ['JSON', 'application/json'],
    ['parts without a boundary', 'multipart/form-data'],
    ['parts with another boundary', 'multipart/form-data; boundary=other'],
  ])('that cannot be parsed is refused with a page: %s', async (_, type) => {
    const body = new TextEncoder().encode('--x\r\nname=forged')
    const response = await send('/dashboard/projects', body, { 'content-type': type })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('<h1>')
  })

  it('with a file for a text field, a duplicate name or an unknown name is refused', async () => {
    const file = new FormData()
    file.set('name', new File(['forged'], 'forged'))
    for (const form of [
      file,
      new URLSearchParams([
        ['name', 'forged'],
        ['name', 'forged'],
      ]),
      new URLSearchParams({ name: 'forged', __proto__: 'x', role: 'owner' }),
    ]) {
      const response = await send('/dashboard/projects', form)
      expect(response.status).toBe(400)
    }
    const { json } = await world.call('GET', '/v1/projects', {
      token: (await world.call('POST', '/v1/sessions', { token: null, body: world.first.account })).json
        .access_token,
    })
    expect(json.map((one: { name: string }) => one.name)).not.toContain('forged')
  })

  it('over the size limit is refused with a page', async () => {
    const response = await send(
      '/dashboard/projects',
      new URLSearchParams({ name: 'n'.repeat(LIMITS.form_bytes) }),
    )
    expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
  })
})

describe('a path', () => {
  it.each([
    '/dashboard/runs/..%2F..%2Fv1%2Fprojects%23/events',
    '/dashboard/runs/..%2F..%2Fv1%2Fprojects%3F/events',
    '/dashboard/runs/%2e%2e%2fruns%3f/events',
    '/dashboard/runs/x%2F..%2F..%2F..%2Fopenapi.json%23/events',
  ])('with encoded separators reaches no other path of the API: %s', async path => {
    const { status, text } = await readAsTyped(path)
    expect(status).toBe(404)
    expect(text).toContain('<h1>Not found</h1>')
  })

  it.each([
    '/dashboard/../v1/projects',
    '/dashboard/%2e%2e/v1/projects',
    '/dashboard//projects',
    '/dashboard/projects/%00',
    '/dashboard/projects/%E0%A4%A/runs',
    '/dashboard/assets/..%2f..%2fpackage.json',
    '/dashboard/assets/__proto__',
    '/DASHBOARD/projects',
  ])('that is malformed or leaves the dashboard finds nothing: %s', async path => {
    const { status } = await readAsTyped(path)
    expect([400, 401, 404]).toContain(status)
  })

  it.each(['/dashboard/%2e%2e//elsewhere.test/', '/dashboard//elsewhere.test/', '/dashboard/runs/%2e%2e'])(
    'with a trailing slash or dots redirects only within the dashboard: %s',
    async path => {
      const { location = '/dashboard' } = await readAsTyped(path)
      expect(location).toMatch(/^\/dashboard(\/|$)/)
    },
  )

  it('with a very long or malformed query gets 400 with a page', async () => {
    for (const query of [
      `cursor=${'c'.repeat(8000)}`,
      'cursor=a&cursor=b',
      '__proto__=1',
      'cursor=%FF',
      '%',
    ]) {
      const response = await read(`/dashboard/projects/${world.first.project_id}/runs?${query}`)
      expect([query.slice(0, 20), response.status]).toEqual([query.slice(0, 20), 400])
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
  })
})

it('every answer forbids framing, caching and content sniffing', async () => {
  const { run } = await ran(world, fails(), [{ item_id: 'one', input: '<script>alert(1)</script>' }])
  const answers = await Promise.all([
    read('/dashboard/projects'),
    read('/dashboard/nowhere'),
    read('/dashboard'),
    read('/dashboard/projects', { cookie: '' }),
    read('/dashboard/sign-in'),
    read(`/dashboard/items/${recordId(run)}/raw/input`),
    read(`/dashboard/runs/${run}/events`),
    read('/dashboard/runs/nothing/events'),
    read('/dashboard/assets/nothing'),
    send('/dashboard/projects', 'name=forged', { 'sec-fetch-site': 'cross-site' }),
    send('/dashboard/projects', new URLSearchParams({ nonsense: '' })),
  ])
  for (const { url, status, headers, body } of answers) {
    await body?.cancel()
    expect({
      url,
      status,
      cached: headers.get('cache-control'),
      guess: headers.get('x-content-type-options'),
    }).toEqual({ url, status, cached: expect.stringMatching(/^no-store(,|$)/), guess: 'nosniff' })
    expect([url, headers.get('content-security-policy')]).toEqual([
      url,
      expect.stringContaining("frame-ancestors 'none'"),
    ])
  }
})

describe('a member', () => {
  const OWNER = 'rather long password'
  async function member(role: string) {
    const { json } = await world.call('POST', '/v1/sessions', { token: null, body: world.first.account })
    const account = { email: `${role}-${++made}@example.org`, password: OWNER }
    const added = await world.call('POST', '/v1/members', {
      token: json.access_token,
      body: { ...account, role },
    })
    expect(added.status).toBe(201)
    const change = (method: string, body?: object) =>
      world.call(method, `/v1/members/${added.json.id}`, {
        token: json.access_token,
        ...(body ? { body } : {}),
      })
    return { cookie: await signIn(account), change }
  }
  let made = 0

  it('whose role is lowered loses its rights with the next form, and its buttons', async () => {
    const { cookie, change } = await member('owner')
    expect(
      (await send('/dashboard/projects', new URLSearchParams({ name: 'still' }), { cookie })).status,
    ).toBe(303)
    await change('PATCH', { role: 'viewer' })
    await expect
      .poll(async () => (await read('/dashboard/projects', { cookie })).text())
      .not.toContain('New project')
    const refused = await send('/dashboard/projects', new URLSearchParams({ name: 'gone' }), { cookie })
    expect(refused.status).toBe(403)
    expect(await refused.text()).toContain('Your role does not allow this')
  })

  it('who is removed is sent to the sign-in form, from pages and from forms', async () => {
    const { cookie, change } = await member('operator')
    await change('DELETE')
    const at = () => read('/dashboard/projects', { cookie })
    await expect.poll(async () => (await at()).status).toBe(303)
    expect((await at()).headers.getSetCookie().join()).toContain('__Host-assay-session=; Max-Age=0')
    const form = await send('/dashboard/projects', new URLSearchParams({ name: 'ghost' }), { cookie })
    expect(form.headers.get('location')).toBe('/dashboard/sign-in?ended=form')
  })

  it('whose password is guessed wrong too often in the form is refused by e-mail, as in the API', async () => {
    const { cookie: _ } = await member('viewer')
    const email = `viewer-${made}@example.org`
    const guess = () =>
      send('/dashboard/sign-in', new URLSearchParams({ email, password: 'wrong' }), { cookie: '' })
    const texts: string[] = []
    while (texts.length <= LIMITS.sign_ins_per_email.burst && !texts.at(-1)?.includes('Too many'))
      texts.push(await (await guess()).text())
    expect(texts[0]).toContain('The e-mail or the password is wrong.')
    expect(texts.at(-1)).toMatch(/[Tt]oo many/)
    expect(texts.at(-1)).toContain(`value="${email}"`)
  })
})
