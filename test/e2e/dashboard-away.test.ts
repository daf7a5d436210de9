// A page whose server cannot be reached says so, and of when its figures are: in a browser, over real stores.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { makeAgent, makeRun } from '../conformance/make.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

const AWAY = /^Reconnecting… These are the figures of \d+:\d\d:\d\d/

describe.skipIf(CHROMIUM === undefined)('a page whose server is away (needs Chromium)', () => {
  const browser = browserWorld()
  const band = (page: Page) => page.locator('#connection')

  async function openRun() {
    const { world } = browser
    const agent = await makeAgent(world)
    const run = await makeRun(world, agent.id, [{ input: 1 }, { input: 2 }])
    const page = await browser.open(`/dashboard/runs/${run}`)
    await page.getByText('0 % ended').or(page.locator('#ran')).first().waitFor()
    const end = () =>
      world.ctx
        .sql`update runs set started_at = now(), ok = 2, next_seq = 3, finished_at = now() where id = ${run}`
    return { page, run, end }
  }
  const isFine = (page: Page) => expect.poll(() => band(page).textContent(), { timeout: 15_000 }).toBe('')
  const saidNothingElse = () => {
    browser.complaints.length = 0 // the browser's lines about what could not be fetched
  }

  it('says so when the network is gone, lets no age go on, and is of now when it is back', async () => {
    const { page, end } = await openRun()
    await page.context().setOffline(true)
    await expect.poll(() => band(page).textContent()).toMatch(AWAY)
    expect(await axeProblems(page)).toEqual([])
    const ages = () => page.locator('time[data-age]').allTextContents()
    await page.clock.install()
    const before = await ages()
    await page.clock.runFor(3000)
    expect(await ages()).toEqual(before)
    await page.clock.resume()
    await end()
    await page.context().setOffline(false)
    await isFine(page)
    await page.locator('#run-state').getByText('completed').waitFor()
    saidNothingElse()
  })

  it.each([
    ['is starting again', { status: 503 }],
    ['has too much to do', { status: 429 }],
    ['answers nothing', undefined],
  ])('says so when the server %s, and is of now when it answers', async (_, answer) => {
    const { page, run, end } = await openRun()
    await page.route(`**/dashboard/runs/${run}`, route => (answer ? route.fulfill(answer) : route.abort()))
    await end()
    await expect.poll(() => band(page).textContent()).toMatch(AWAY)
    await page.unroute(`**/dashboard/runs/${run}`)
    await isFine(page)
    await page.locator('#run-state').getByText('completed').waitFor()
    saidNothingElse()
  })

  it('says so on a page that never refreshes, and no longer when it was hidden meanwhile', async () => {
    const page = await browser.open(`/dashboard/projects/${browser.world.first.project_id}/keys`)
    const hide = (hidden: boolean) =>
      page.evaluate(value => {
        Object.defineProperty(document, 'hidden', { value, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      }, hidden)
    await page.context().setOffline(true)
    await expect.poll(() => band(page).textContent()).toMatch(AWAY)
    await hide(true)
    await page.context().setOffline(false)
    await page.waitForFunction(() => navigator.onLine)
    await hide(false)
    await isFine(page)
    saidNothingElse()
  })

  it('says when the page is not there any more', async () => {
    const { page, run, end } = await openRun()
    await page.route(`**/dashboard/runs/${run}`, route => route.fulfill({ status: 404 }))
    await end()
    await band(page).getByText('This page is not there any more. These are the figures of').waitFor()
    saidNothingElse()
  })

  it('says when the user is signed out, and leads back', async () => {
    const { page, run, end } = await openRun()
    await page.context().clearCookies()
    await end()
    await band(page).getByText('You are signed out.').waitFor()
    await band(page).getByRole('link', { name: 'Sign in again' }).click()
    await page.getByLabel('E-mail').fill(browser.world.first.account.email)
    await page.getByLabel('Password').fill(browser.world.first.account.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`**/dashboard/runs/${run}`)
    saidNothingElse()
  })
})
