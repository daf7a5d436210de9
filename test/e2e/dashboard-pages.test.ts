// What holds for every page and every action, taken from the dashboard's own list of them.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { actions, open, pages } from '../../functions/dashboard/index.ts'
import { startNodeHost } from '../conformance/hosts.ts'
import { MASTER_KEY, openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { badNight, type Night } from '../support/bad-night.ts'
import { startBehind } from '../support/behind.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'
import { UNCLEAR } from '../support/unclear-phrases.ts'

const XSS = ` <img src=x onerror=alert(1)>"'</pre></textarea><script>alert(2)</script>`
const VIEWER = { email: 'viewer@example.org', password: 'only here to look' }
const OPERATOR = { email: 'operator@example.org', password: 'here to keep it going' }

let world: World
let night: Night
let strange: Record<string, string>
let owner: Record<string, string>
beforeAll(async () => {
  world = await openWorld(startNodeHost)
  const { json: session } = await world.call('POST', '/v1/sessions', {
    token: null,
    body: world.first.account,
  })
  const token = session.access_token
  const member = await world.call('POST', '/v1/members', { token, body: { ...VIEWER, role: 'viewer' } })
  await world.call('POST', '/v1/members', { token, body: { ...OPERATOR, role: 'operator' } })
  night = await badNight(world, { mark: XSS })
  const { key, project_id } = world.stranger
  strange = await badNight(world, { token: key, project_id })
  const sessions = (await world.call('GET', '/v1/sessions', { token })).json
  const recoveryId = await recovered(world.first.api_key, night)
  owner = { ...night, recoveryId, memberId: member.json.id, sessionId: sessions[0].id, part: 'input' }
  owner.viewId = await savedView(owner.projectId!)
  strange = { ...strange, recoveryId: await recovered(key, strange), viewId: await savedView(project_id) }
})
afterAll(async () => {
  await closeBrowser()
  await world.end()
})

/** A recovery that was aborted before any item of it ran, so that its items await a decision again. */
async function recovered(token: string, { projectId, runId }: Record<string, string>): Promise<string> {
  const body = { project_id: projectId, filter: { run_id: runId } }
  const { json } = await world.call('POST', '/v1/recoveries', { token, body })
  await world.call('POST', `/v1/recoveries/${json.id}/abort`, { token })
  return json.id
}

/** A view of the list of runs that the project shares. */
async function savedView(project_id: string): Promise<string> {
  const id = world.ctx.newId()
  const view = { id, project_id, list: 'runs' as const, name: `view${XSS}`, query: 'state=open' }
  await world.ctx.sql`insert into saved_views ${world.ctx.sql(view)}`
  return id
}

const filled = (path: string, ids: Record<string, string>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (ids[name] === undefined)
      throw new Error(`${path} has {${name}}, of which test/support/bad-night.ts makes none`)
    return ids[name]
  })

/** Paths that answer with something other than a page. */
const RAW = [
  '/dashboard/causes',
  '/dashboard',
  '/dashboard/runs/{runId}/events',
  '/dashboard/runs/{runId}/results/file',
  '/dashboard/items/{itemId}/raw/{part}',
  '/dashboard/projects/{projectId}/submit/wanted',
  '/dashboard/projects/{projectId}/submit/faults',
]
/** The query that a page needs. */
const QUERIES: Record<string, (ids: Record<string, string>) => string> = {
  '/dashboard/runs/{runId}/results/file': () => '?format=csv',
  '/dashboard/projects/{projectId}/submit/wanted': () => '?agent=ticket-triage',
}
const addresses = (ids: Record<string, string>, role = 'owner') =>
  [...open.pages, ...pages]
    .filter(({ path, least }) => !RAW.includes(path) && (role === 'owner' || least === undefined))
    .map(({ path }) => filled(path, ids) + (QUERIES[path]?.(ids) ?? ''))

async function cookieOf(account: { email: string; password: string }): Promise<string> {
  const response = await fetch(`${world.url}/dashboard/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(account),
  })
  return response.headers.getSetCookie()[0]!.split(';')[0]!
}

/** Every page is opened once, and most of the time goes into checking it. */
const WALK = { timeout: 300_000 }

async function walk(
  account: { email: string; password: string },
  options: object,
  look: (visit: Visitor, address: string) => Promise<void>,
) {
  await using visit = await visitor(world.url, options)
  await signIn(visit.page, account)
  for (const address of addresses(owner, account === world.first.account ? 'owner' : 'viewer')) {
    const response = await visit.page.goto(address)
    expect([address, response!.status()]).toEqual([address, 200])
    await look(visit, address)
    expect([address, visit.complaints]).toEqual([address, []])
  }
}

describe.skipIf(CHROMIUM === undefined)('every page (needs Chromium)', WALK, () => {
  it('never has two numbers with only a comma between them, which would read as one, nor a phrase that people did not understand', async () => {
    const misread: unknown[] = []
    await walk(world.first.account, {}, async ({ page }, address) => {
      for (const text of await page.evaluate(commaJoined)) misread.push([address, text])
      const text = ((await page.locator('body').textContent()) ?? '').replaceAll(/\s+/g, ' ')
      for (const phrase of UNCLEAR) if (phrase.test(text)) misread.push([address, String(phrase)])
    })
    expect(misread).toEqual([])
  })

  it('opens for an owner, with one heading and a title, and shows what people, agents and models wrote as text', async () => {
    const marked: string[] = []
    await walk(world.first.account, {}, async ({ page }, address) => {
      expect([address, await page.locator('h1').count()]).toEqual([address, 1])
      expect(await page.title()).toMatch(/\S · Assay$/)
      expect([address, await page.locator('main img, main script, [onerror]').count()]).toEqual([address, 0])
      if ((await page.content()).includes('&lt;img src=x onerror')) marked.push(address)
    })
    expect(marked.length).toBeGreaterThan(8)
  })

  it('opens for a viewer, without a form that changes anything', async () => {
    await walk(VIEWER, {}, async ({ page }, address) => {
      const posts = await page
        .locator('main form[method=post]:has(:enabled)')
        .evaluateAll(forms => forms.map(form => new URL((form as HTMLFormElement).action).pathname))
      const own = posts.filter(
        path => !/^\/dashboard\/(account|password|sign-in|projects\/[^/]+\/views$)/.test(path),
      )
      expect([address, own]).toEqual([address, []])
    })
  })

  it('leads a viewer to no page that refuses them', async () => {
    const links = new Map<string, string>()
    await walk(VIEWER, {}, async ({ page }, address) => {
      const found = await page
        .locator('main a[href]')
        .evaluateAll(all => all.map(one => one.getAttribute('href')!))
      for (const href of found) {
        const { origin, pathname, search } = new URL(href, world.url + address)
        if (origin !== world.url || !pathname.startsWith('/dashboard')) continue
        // One of each kind: ids make no difference to who may see a page.
        links.set(pathname.replaceAll(/[0-9a-f-]{36}/g, '{id}'), `${address} ${pathname}${search}`)
      }
    })
    const cookie = await cookieOf(VIEWER)
    const refused: string[] = []
    for (const link of links.values()) {
      const response = await fetch(world.url + link.split(' ')[1], {
        headers: { cookie },
        redirect: 'manual',
      })
      await response.body?.cancel()
      if (response.status === 403) refused.push(link)
    }
    expect(links.size).toBeGreaterThan(20)
    expect(refused).toEqual([])
  })

  it('has no accessibility problems, in light and in dark', async () => {
    const problems: string[] = []
    await walk(world.first.account, {}, async ({ page }, address) => {
      for (const problem of await axeProblems(page)) problems.push(`${address}: ${problem}`)
    })
    expect(problems).toEqual([])
  })

  it('fits every window from 320 to 2,560 pixels, which at 200 % are 640 to 5,120', async () => {
    const wide: unknown[] = []
    await walk(world.first.account, {}, async ({ page }, address) => {
      for (const width of [320, 390, 512, 700, 768, 900, 1024, 1280, 1440, 2560]) {
        await page.setViewportSize({ width, height: 800 })
        const needed = await page.evaluate(() => document.scrollingElement!.scrollWidth)
        if (needed > width) wide.push([address, width, needed])
      }
    })
    expect(wide).toEqual([])
  })

  it('has its links, its lists and its forms without a script', async () => {
    await walk(world.first.account, { javaScriptEnabled: false }, async ({ page }, address) => {
      const here = page.locator('main')
      const count = await here.locator('a, form, table, dl, li').count()
      expect([address, count > 0]).toEqual([address, true])
      if (address.includes('/projects/') || address.includes('/runs/'))
        expect(await page.getByRole('navigation').getByRole('link', { name: 'Runs' }).count()).toBe(1)
    })
  })
})

const endsIt = (path: string) => Number(/delete|sign-out|revoke|stop|cancel|password|sessions/.test(path))

/** The forms that may be sent, with what a browser sends for them untouched. */
function formsOfMain() {
  const all = document.querySelectorAll<HTMLFormElement>('main form[method=post]:has(:enabled)')
  return [...all].map(form => ({
    action: new URL(form.getAttribute('action') ?? '', location.href).pathname,
    fields: [...new FormData(form)].map(([name, value]): [string, string] => [name, String(value)]),
  }))
}

/** Texts of elements in which a number follows a number and a comma; what people wrote, and times, are left out. */
function commaJoined(): string[] {
  const main = document.querySelector('main')!.cloneNode(true) as HTMLElement
  for (const one of main.querySelectorAll('pre, code, bdi, time, textarea, script, select')) one.remove()
  const holders = [
    ...main.querySelectorAll('p, li, dd, td, th, summary, h1, h2, h3, figcaption, label, title'),
  ]
  return holders.flatMap(one => {
    const text = (one.textContent ?? '').replace(/\s+/g, ' ')
    return /\d,\s[$≥]?\d/.test(text) ? [text.slice(0, 200)] : []
  })
}

describe('a page', () => {
  it('of another account answers 404, whichever of its ids is from there', async () => {
    const cookie = await cookieOf(world.first.account)
    for (const { path } of pages.filter(({ path }) => path.includes('{'))) {
      const ids = { ...owner, ...strange }
      const address = filled(path, ids) + (QUERIES[path]?.(ids) ?? '')
      const response = await fetch(world.url + address, { redirect: 'manual', headers: { cookie } })
      await response.body?.cancel()
      expect([address, response.status]).toEqual([address, 404])
    }
  })
})

describe('below a path of a host', () => {
  it('no page has an address that leaves the path', async () => {
    const options = { ...world.urls, masterKey: MASTER_KEY }
    const below = await startBehind(options, 'https://assay.example.com/assay')
    try {
      const signedIn = await fetch(`${below.url}/dashboard/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams(world.first.account),
      })
      const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
      for (const address of [...addresses(owner), '/docs', '/dashboard/nowhere']) {
        const response = await fetch(below.url + address, { headers: { cookie }, redirect: 'manual' })
        const html = await response.text()
        // In any attribute but `value`, which a form sends back and which holds addresses within the path.
        const rooted = [...html.matchAll(/ ([\w-]+)="(\/[^"]*)"/g)].filter(([, name]) => name !== 'value')
        const leaving = rooted.filter(([, , to]) => !to!.startsWith('/assay/')).map(([text]) => text)
        expect([address, response.status < 300 || response.status === 404, leaving]).toEqual([
          address,
          true,
          [],
        ])
        expect([address, address === '/docs' || rooted.length > 3]).toEqual([address, true])
      }
    } finally {
      await below.close()
    }
  })
})

describe('an action', () => {
  /** Actions on one's own account or one's own view, which everybody may take. */
  const OWN = [
    '/dashboard/projects/{projectId}/views',
    '/dashboard/sign-out',
    '/dashboard/account/password',
    '/dashboard/account/sessions/{sessionId}/revoke',
  ]
  const others = actions.filter(({ path }) => !OWN.includes(path))

  /** A form that its action can parse, so that it is refused for its content, not for its format. */
  function formFor(form: z.ZodType | undefined): URLSearchParams {
    const schema =
      form === undefined ? {} : (z.toJSONSchema(form, { io: 'input', unrepresentable: 'any' }) as Schema)
    const fields = Object.entries(schema.properties ?? {}).filter(([name]) => schema.required?.includes(name))
    return new URLSearchParams(
      fields.map(([name, field]) => [name, String(field.const ?? field.enum?.[0] ?? '1')]),
    )
  }
  interface Schema {
    properties?: Record<string, { const?: unknown; enum?: unknown[] }>
    required?: string[]
  }

  const post = (address: string, form: URLSearchParams, cookie: string) =>
    fetch(world.url + address, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
      body: form,
    })

  /** Forms whose schema does not say what they need. */
  const FORMS: Record<string, () => Record<string, string>> = {
    '/dashboard/projects/{projectId}/triage/decide': () => ({ items: owner.itemId!, action: 'dismiss' }),
    '/dashboard/projects/{projectId}/triage/reopen': () => ({ items: owner.itemId! }),
  }
  const formOf = ({ path, form }: (typeof actions)[number]) =>
    FORMS[path] ? new URLSearchParams(FORMS[path]()) : formFor(form)

  /** What the audit log holds of an account, or by a member. */
  const changes = async (of: { account_id: string } | { actor_name: string }) => {
    const { sql } = world.ctx
    const [[name, value]] = Object.entries(of) as [[string, string]]
    return (await sql`select action from audit_log where ${sql(name)} = ${value}`).map(({ action }) => action)
  }

  it('is refused with a page if a viewer sends its form by hand', async () => {
    const cookie = await cookieOf(VIEWER)
    for (const action of others) {
      const response = await post(filled(action.path, owner), formOf(action), cookie)
      expect([action.path, response.status]).toEqual([action.path, 403])
      expect(await response.text()).toContain('Your role does not allow this')
    }
    expect(new Set(await changes({ actor_name: VIEWER.email }))).toEqual(
      new Set(['createSession', 'exportResults']),
    )
  })

  it('with a page of its own answers a viewer 403 there', async () => {
    const cookie = await cookieOf(VIEWER)
    for (const { path } of pages.filter(({ least }) => least !== undefined)) {
      const response = await fetch(world.url + filled(path, owner), { headers: { cookie } })
      expect([path, response.status]).toEqual([path, 403])
    }
  })

  it('of another account finds nothing to act on, and changes nothing', async () => {
    const cookie = await cookieOf(world.first.account)
    const { account_id } = world.stranger
    const before = await changes({ account_id })
    for (const action of others.filter(({ path }) => path.includes('{'))) {
      if (!Object.keys(strange).some(name => action.path.includes(`{${name}}`))) continue
      const form = FORMS[action.path]
        ? new URLSearchParams({ items: strange.itemId!, action: 'dismiss' })
        : formOf(action)
      const response = await post(filled(action.path, { ...owner, ...strange }), form, cookie)
      expect([action.path, response.status]).toEqual([action.path, expect.toBeOneOf([400, 404])])
    }
    expect(await changes({ account_id })).toEqual(before)
  })
})

// Last, since it sends each form, also those that delete.
describe.skipIf(CHROMIUM === undefined)('every button (needs Chromium)', WALK, () => {
  it('has no button for an operator that refuses them for their role', async () => {
    const forms = new Map<string, { action: string; fields: [string, string][] }>()
    await walk(OPERATOR, {}, async ({ page }) => {
      for (const form of await page.evaluate(formsOfMain))
        forms.set(form.action.replaceAll(/[0-9a-f-]{36}/g, '{id}'), form)
    })
    const cookie = await cookieOf(OPERATOR)
    const refused: string[] = []
    // What ends something comes last: the others are still there to be changed then.
    for (const { action, fields } of [...forms.values()].sort(
      (a, b) => endsIt(a.action) - endsIt(b.action),
    )) {
      const response = await fetch(world.url + action, {
        method: 'POST',
        headers: { cookie, 'sec-fetch-site': 'same-origin', referer: `${world.url}/dashboard/account` },
        body: new URLSearchParams(fields),
        redirect: 'manual',
      })
      const said = decodeURIComponent(response.headers.getSetCookie().join(' ')) + (await response.text())
      if (response.status === 403 || /This needs the role/.test(said)) refused.push(action)
    }
    expect(forms.size).toBeGreaterThan(15)
    expect(refused).toEqual([])
  })
})
