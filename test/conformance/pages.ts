import { describe, expect, it } from 'vitest'
import { OPERATOR_KEY } from './hosts.ts'
import { makeAgent } from './make.ts'
import type { Given } from './suite.ts'

/** The dashboard, as a browser without a script uses it. */
export function pagesPart(given: Given): void {
  const send = (path: string, form: Record<string, string>, headers: Record<string, string>) =>
    fetch(`${given().url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new URLSearchParams(form),
    })
  const OWN = { 'sec-fetch-site': 'same-origin' }

  async function cookie(): Promise<string> {
    const response = await send('/dashboard/sign-in', given().first.account, OWN)
    expect([response.status, response.headers.get('location')]).toEqual([303, '/dashboard'])
    return response.headers.getSetCookie()[0]!.split(';')[0]!
  }

  const read = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${given().url}${path}`, { redirect: 'manual', headers })

  describe('the dashboard', () => {
    it('redirects a caller who is not signed in to the form, which keeps the requested page', async () => {
      const response = await read('/dashboard/projects?x=1')
      expect(response.status).toBe(303)
      const to = response.headers.get('location')!
      expect(to).toBe('/dashboard/sign-in?next=%2Fdashboard%2Fprojects%3Fx%3D1')
      expect(await (await read(to)).text()).toContain('value="/dashboard/projects?x=1"')
    })

    it('keeps the session in a cookie that no script and no other site can read', async () => {
      const response = await send('/dashboard/sign-in', given().first.account, OWN)
      const [set] = response.headers.getSetCookie()
      expect(set).toMatch(
        /^__Host-assay-session=[\w.-]+; Max-Age=\d+; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
      )
    })

    it('says if the browser would not keep the cookie', async () => {
      const words = 'This browser keeps no sign-in from here'
      const text = async (headers: Record<string, string>) =>
        (await read('/dashboard/sign-in', headers)).text()
      expect(await text({})).toContain(words)
      expect(await text({ 'sec-fetch-site': 'none' })).not.toContain(words)
    })

    it('says that the password is wrong, and redirects nobody to another site', async () => {
      const { email } = given().first.account
      const wrong = await send('/dashboard/sign-in', { email, password: 'wrong' }, OWN)
      expect([wrong.status, wrong.headers.getSetCookie()]).toEqual([400, []])
      expect(await wrong.text()).toContain('The e-mail or the password is wrong.')
      for (const next of ['https://elsewhere.test/', '//elsewhere.test/', '/dashboard//elsewhere.test@']) {
        const right = await send('/dashboard/sign-in', { ...given().first.account, next }, OWN)
        expect(new URL(right.headers.get('location')!, 'https://assay.test').host).toBe('assay.test')
      }
    })

    it('shows a project to its members, and forbids framing, caching and other scripts', async () => {
      const response = await read(`/dashboard/projects/${given().first.project_id}/runs`, {
        cookie: await cookie(),
      })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ])
      const policy = response.headers.get('content-security-policy')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(response.headers.get('cache-control')).toBe('no-store')
      const html = await response.text()
      expect(html).toContain('<h1>Runs</h1>')
      expect(html).not.toMatch(/ on\w+=| style=|<script(?![^>]* src="\/dashboard\/)/)
      for (const [, path] of html.matchAll(/(?:src|href)="(\/dashboard\/assets\/[^"]+)"/g)) {
        const asset = await read(path!)
        expect([path, asset.status, asset.headers.get('cache-control')]).toEqual([
          path,
          200,
          'public, max-age=31536000, immutable',
        ])
        await asset.body?.cancel()
      }
    })

    it('answers 404 with a page', async () => {
      const headers = { cookie: await cookie() }
      const nowhere = await read('/dashboard/nowhere', headers)
      const nothing = await read('/dashboard/runs/0197f3b1-0000-7000-8000-000000000001', headers)
      expect([nowhere.status, nothing.status]).toEqual([404, 404])
      expect(await nothing.text()).toContain('<h1>Not found</h1>')
    })

    it.each([
      ['another site', { 'sec-fetch-site': 'cross-site' }],
      ['a sibling of this site', { 'sec-fetch-site': 'same-site' }],
      ['another origin, in an older browser', { origin: 'https://elsewhere.test' }],
      ['an unknown origin', {}],
    ])('refuses a form from %s', async (_, from) => {
      const response = await send(
        '/dashboard/projects',
        { name: 'forged' },
        { ...from, cookie: await cookie() },
      )
      expect(response.status).toBe(403)
      const projects = await read('/dashboard/projects', { cookie: await cookie() })
      expect(await projects.text()).not.toContain('forged')
    })

    it('accepts a form of an older browser behind a proxy that replaces Host, by the configured address [sign-in.replaced-host]', async () => {
      const world = given()
      const signIn = (origin: string) => send('/dashboard/sign-in', world.first.account, { origin })
      const signedIn = await signIn('http://assay.test')
      expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/dashboard'])
      const refused = await signIn('https://assay.test')
      expect(refused.status).toBe(403)
      const text = await refused.text()
      expect(text).toContain('on a page of https://assay.test, and this installation is at http://assay.test')
      expect(text).toContain('set BASE_URL to that address, or let the proxy pass the Host header on')
    })

    it('starts one run over one item by hand, with the input as it was typed [starts.dashboard]', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const form = { input: '{"big":12345678901234567890}', item_id: 'by-hand', budget_usd: '0.50' }
      const response = await send(`/dashboard/agents/${agent.id}/run`, form, {
        ...OWN,
        cookie: await cookie(),
      })
      const to = response.headers.get('location')!
      expect([response.status, to]).toEqual([
        303,
        expect.stringMatching(/^\/dashboard\/items\/[0-9a-f-]{36}$/),
      ])
      const { json: runs } = await world.call('GET', `/v2/runs?agent=${agent.slug}`)
      expect(runs).toMatchObject([{ total_items: 1, budget_cents: 50 }])
      const record = await world.call('GET', `/v1/durable/runs/${to.split('/').at(-1)}`)
      expect(record.text).toContain('"input_snapshot":{"big":12345678901234567890}')
      expect(record.json.item_id).toBe('by-hand')
    })

    it('shows the input of a schedule with all its digits', async () => {
      const world = given()
      const agent = await makeAgent(world)
      const raw = `{"agent_id":"${agent.id}","cron":"0 6 * * *","input":{"big":12345678901234567890}}`
      const headers = { 'content-type': 'application/json' }
      const { json } = await world.call('POST', '/v1/schedules', { raw, headers })
      const page = await read(`/dashboard/schedules/${json.id}`, { cookie: await cookie() })
      expect(await page.text()).toContain('&quot;big&quot;: 12345678901234567890')
    })

    it('says in words and numbers how full the quotas are [quotas.page]', async () => {
      const world = given()
      await makeAgent(world)
      const { email } = world.first.account
      const [account] = await world.ctx.sql<{ id: string }[]>`
        select account_id as id from members where email = ${email}`
      const set = async (agents: number | null) => {
        const path = `/v1/admin/accounts/${account!.id}/quotas`
        const { json } = await world.call('PATCH', path, { token: OPERATOR_KEY, body: { agents } })
        return json.find((one: { name: string }) => one.name === 'agents').used as number
      }
      const page = async () => {
        const html = await (await read('/dashboard/quotas', { cookie: await cookie() })).text()
        const figure = /<figure[^>]* id="agents"[^>]*>(.*?)<\/figure>/s.exec(html)![1]!
        return figure.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
      }
      const used = await set(null)
      const words = used.toLocaleString('en')
      expect(await page()).toContain(`${words} of 10,000 agents`)
      expect(await page()).toContain('default')
      await set(used)
      expect(await page()).toContain(`${words} of ${words} agents full set by the operator`)
      await set(used - 1)
      expect(await page()).toContain('over the limit; that stays')
      await set(null)
    })

    it('is left for good by signing out', async () => {
      const headers = { cookie: await cookie() }
      const out = await send('/dashboard/sign-out', {}, { ...OWN, ...headers })
      expect([out.status, out.headers.get('location')]).toEqual([303, '/dashboard/sign-in'])
      await expect.poll(async () => (await read('/dashboard/projects', headers)).status).toBe(303)
    })
  })
}
