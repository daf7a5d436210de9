// Providers and agents that items need, as people see and limit them: in a browser, over real stores.

import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { paceTurn, startPacing } from '../../shared/pacing/rules/pacing.ts'
import { limitedUpstream } from '../../shared/upstreams/rules/upstream.ts'
import { makeAgent, makeRun } from '../conformance/make.ts'
import type { World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'
import { letWait, shut } from '../support/upstreams.ts'

const VIEWER = { email: 'reads@example.test', password: 'only reads, nothing else' }
const WIDTHS = [390, 1440, 2560]
/** As long as providers write. */
const WORDS =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.example.com/docs/guides/error-codes/api-errors. '
const GATEWAY =
  'https://functions.eu-central-1.northwind-traders.example/function/classify-refund-requests-of-customers'

describe.skipIf(CHROMIUM === undefined)('upstreams (needs Chromium)', () => {
  const browser = browserWorld()
  let world: World
  let list: string
  let broke: string
  let run_id: string
  let own: string
  let schedule: string
  beforeAll(async () => {
    world = browser.world
    const { project_id } = world.first
    list = `/dashboard/projects/${project_id}/upstreams`
    const { json } = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
    const body = { ...VIEWER, role: 'viewer' }
    await world.call('POST', '/v1/members', { body, token: json.access_token })
    const agent = await makeAgent(world)
    run_id = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }, { input: 3 }])
    schedule = await limitedSchedule(agent.id, json.access_token)
    const { sql } = world.ctx
    broke = world.ctx.newId()
    await shut(sql, { project_id, id: broke, words: WORDS })
    await letWait(sql, { project_id, run_id }, broke, 2)
    own = world.ctx.newId()
    const limit = limitedUpstream(project_id, agent.id, { host: 'api.example.com', requests: '30/min' })
    await shut(sql, { ...limit, id: own, label: null, state: 'open', words: '', next_s: null })
    const away = { host: GATEWAY, label: null, state: 'away', words: 'connection refused' } as const
    await shut(sql, { project_id, id: world.ctx.newId(), ...away })
    await shut(sql, { project_id, id: world.ctx.newId(), host: 'api.cooling.test', state: 'cooling' })
  })

  const open = (path: string, { width = 1440, account = world.first.account } = {}): Promise<Page> =>
    browser.open(path, { viewport: { width, height: 900 } }, account)

  /** A schedule with limits, whose run is at work. */
  async function limitedSchedule(agent_id: string, token: string): Promise<string> {
    const limits = [{ host: 'api.example.com', credential: 'MODEL_KEY', requests: '600/min' }]
    const body = { agent_id, cron: '0 2 * * *', name: 'nightly', limits }
    const { json } = await world.call('POST', '/v1/schedules', { body, token })
    await world.call('POST', `/v1/schedules/${json.id}/trigger`)
    return json.id
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const field = (page: Page, name: string) => page.locator(`main [name=${name}]:visible`)
  const setFor = async (page: Page, host: string, requests: string) => {
    await field(page, 'host').fill(host)
    await field(page, 'requests').fill(requests)
    await press(page, 'Set limits')
  }

  it.for(WIDTHS)(
    'fit a window of %i pixels, on the overview, the list, pages of one and of a schedule, without accessibility problems',
    async width => {
      const page = await open(list, { width })
      const overview = `/dashboard/projects/${world.first.project_id}`
      for (const path of [
        overview,
        list,
        `${list}/${broke}`,
        `${list}/${own}`,
        `/dashboard/schedules/${schedule}`,
      ]) {
        await page.goto(path)
        for (const one of await page.locator('details:has([name=limits]) > summary').all()) await one.click()
        const wide = await page.evaluate(() => document.scrollingElement!.scrollWidth)
        expect([path, Math.max(wide, width)]).toEqual([path, width])
        expect([path, await axeProblems(page)]).toEqual([path, []])
      }
    },
  )

  it('are on the overview while items wait for them, and one click from there and from the page of a run', async () => {
    const page = await open(`/dashboard/projects/${world.first.project_id}`)
    const line = page.locator('#attention').getByRole('link', { name: '3 items wait: out of credit' })
    expect(await line.textContent()).toBe('3 items wait: out of credit, api.example.com (MODEL_KEY)')
    await line.click()
    await page.waitForURL(`**${list}/${broke}`)
    await page.goto(`/dashboard/runs/${run_id}`)
    await page.getByRole('link', { name: 'The upstream, and all that waits for it' }).click()
    await page.waitForURL(`**${list}/${broke}`)
  })

  it("show a schedule's limits while it works, and an agent's own, with where each is changed", async () => {
    const page = await open(`${list}/${broke}`)
    expect(await page.locator('#limits').textContent()).toContain(
      "of a schedule whose run is at work, in place of the project's, for MODEL_KEY alone",
    )
    await page.goto(`${list}/${own}`)
    expect(await page.locator('#limits').textContent()).toContain('declared by an agent, for its own items')
    await page.getByText('change its declaration, and deploy it').waitFor()
    expect(await page.locator('main form').count()).toBe(0)
  })

  it('are limited by a schedule in its form; what is no limit is refused at its field and kept', async () => {
    const page = await open(`/dashboard/schedules/${schedule}`)
    const limits = field(page, 'limits')
    await page.locator('summary', { hasText: 'Change it' }).click()
    expect(await limits.inputValue()).toBe('api.example.com credential=MODEL_KEY requests=600/min')
    await limits.fill('api.example.com requests=90rpm')
    await press(page, 'Save')
    expect(await page.locator('#wrong-limits').textContent()).toContain('write 90/min')
    browser.complaints.length = 0 // Chromium logs the 400
    await limits.fill('api.example.com requests=90/min')
    await press(page, 'Save')
    await page.getByText('Saved; it counts from the very next moment on.').waitFor()
    await page.goto(`${list}/${broke}`)
    expect(await page.locator('#limits').textContent()).toContain('90 requests a minuteof a schedule')
  })

  it('are one click from the health of the project, and each has a page of its own', async () => {
    const { sql } = world.ctx
    await sql`update upstreams set pacing = ${sql.json(used(world.ctx.now()) as never)} where id = ${broke}`
    const page = await open(`/dashboard/projects/${world.first.project_id}/health`)
    await page.getByRole('link', { name: 'Upstreams' }).click()
    await page.getByRole('link', { name: 'api.example.com (MODEL_KEY)' }).click()
    await page.waitForURL(`**${list}/${broke}`)
    const standing = await page.locator('#standing').textContent()
    for (const shown of ['out of credit', 'HTTP status429', 'Tries2', WORDS.trim(), 'Next tryin '])
      expect(standing).toContain(shown)
    expect(await page.locator('#use figcaption').textContent()).toContain('190 calls answered well')
    expect(await page.locator('#use polyline').getAttribute('points')).toMatch(/^(\d+,[\d.]+ ?){20}$/)
    expect(await page.locator('#waiting').textContent()).toContain('2 items.')
    const runs = page.locator('#waiting a')
    expect(await runs.allTextContents()).toEqual([run_id.slice(0, 13)])
    expect(await runs.evaluateAll(all => all.map(a => a.getAttribute('href')))).toEqual([
      `/dashboard/runs/${run_id}`,
    ])
    await page.getByText('Behind this page').click()
    await page.getByText('assay limits').waitFor()
  })

  it('are limited by host before the first call; what is no limit is refused at its field and kept', async () => {
    const page = await open(list)
    await setFor(page, 'api.first.test', '60 rpm')
    expect(await page.locator('#wrong-requests').textContent()).toContain('write 60/min')
    for (const [name, value] of [
      ['host', 'api.first.test'],
      ['requests', '60 rpm'],
    ] as const)
      expect(await field(page, name).inputValue()).toBe(value)
    browser.complaints.length = 0 // Chromium logs the 400
    await setFor(page, 'https://api.first.test/', '60/min')
    await page.getByText('api.first.test: 60 requests a minute, from the next call on.').waitFor()
    const row = page.locator('#upstreams tr').filter({ hasText: 'api.first.test' })
    expect(await row.textContent()).toContain('60 requests a minute')
    await row.getByRole('link').click()
    expect(await field(page, 'requests').inputValue()).toBe('60/min')
    expect(await page.locator('#limits').textContent()).toContain('for every credential of api.first.test')
    await field(page, 'in_flight').fill('twenty')
    await press(page, 'Set limits')
    await page.locator('#wrong-in_flight').waitFor()
    expect(await field(page, 'in_flight').inputValue()).toBe('twenty')
    browser.complaints.length = 0
    await field(page, 'in_flight').fill('20')
    await press(page, 'Set limits')
    await page.locator('#limits').getByText('60 requests a minute, 20 in flight').waitFor()
    await page.locator('summary', { hasText: 'Unset' }).click()
    await press(page, 'Unset')
    await page.getByText('api.first.test has no limit of yours any more.').waitFor()
    expect(await row.count()).toBe(0)
  })

  it('are limited for one credential or for all of the host, which are unset apart', async () => {
    const page = await open(`${list}/${broke}`)
    expect(await field(page, 'scope').inputValue()).toBe('label')
    await field(page, 'tokens').fill('200000/min')
    await press(page, 'Set limits')
    await page.locator('#limits').getByText('for MODEL_KEY alone').waitFor()
    await field(page, 'scope').selectOption('host')
    await field(page, 'tokens').fill('500000/min')
    await press(page, 'Set limits')
    const set = page.locator('#limits tr').filter({ hasText: 'set by people' })
    expect((await set.allTextContents()).sort()).toEqual([
      '200,000 tokens a minuteset by people, for MODEL_KEY alone',
      '500,000 tokens a minuteset by people, for every credential of api.example.com',
    ])
    await press(page, 'Unset those of MODEL_KEY alone')
    await page.goto(`${list}/${broke}`)
    expect(await set.count()).toBe(1)
    expect(await field(page, 'scope').inputValue()).toBe('host')
    await page.locator('summary', { hasText: 'Unset' }).click()
    await page.getByText('Those of every credential end for the other ones too.').waitFor()
    await press(page, 'Unset')
    await page.goto(`${list}/${broke}`)
    expect(await set.count()).toBe(0)
  })

  it('are tried by hand from both pages', async () => {
    const page = await open(list)
    await page
      .locator('tr', { hasText: 'MODEL_KEY' })
      .first()
      .getByRole('button', { name: 'Try now' })
      .click()
    await page.getByText('is being tried.').waitFor()
    await press(page, 'Try now')
    await page.getByText('is being tried.').waitFor()
  })

  it('show a viewer their limits as text, and answer 404 for an id that is none', async () => {
    const page = await open(list, { account: VIEWER })
    for (const path of [list, `${list}/${broke}`]) {
      await page.goto(path)
      expect([path, await page.locator('main form').count()]).toEqual([path, 0])
      expect([path, await page.getByText('Owner role required to set limits.').count()]).toEqual([path, 1])
    }
    const nowhere = await page.goto(`${list}/${world.ctx.newId()}`)
    expect(nowhere!.status()).toBe(404)
    await page.getByRole('heading', { name: 'Not found' }).waitFor()
    browser.complaints.length = 0 // Chromium logs the 404
  })
})

/** What is known of an upstream that answered one call more in each of the last twenty half minutes. */
function used(now_ms: number) {
  const pacing = startPacing(now_ms)
  for (let part = 0; part < 20; part++) {
    const at_ms = now_ms - (19 - part) * 30_000
    const report = {
      of: 'requests',
      amount: 500,
      left: 500 - part,
      reset_ms: 60_000,
      window_ms: 60_000,
    } as const
    const reports = [{ ...report, began_ms: at_ms - 1000, at_ms }]
    paceTurn(pacing, {
      now_ms: at_ms,
      started: part,
      served: part,
      ended: part,
      reports,
      wants: 0,
      ahead_ms: 20,
    })
  }
  return pacing
}
