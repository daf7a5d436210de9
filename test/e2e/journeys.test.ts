// How people use the dashboard on the morning after a bad night. Pilots and large files are in dashboard-submit, traces
// and replays with another input in dashboard-items, the rights of viewers and hostile texts in dashboard-pages.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { workOff, works } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { badNight, type Night } from '../support/bad-night.ts'
import { CHROMIUM, closeBrowser, signIn, visitor } from '../support/browser.ts'

describe.skipIf(CHROMIUM === undefined)('a person (needs Chromium)', () => {
  let world: World
  let night: Night
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    night = await badNight(world)
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  it('signs in: a wrong password says so and keeps the e-mail, the right one leads to the requested page', async () => {
    await using visit = await visitor(world.url)
    const { page } = visit
    await page.goto(`/dashboard/runs/${night.runId}`)
    await page.getByLabel('E-mail').fill(world.first.account.email)
    await page.getByLabel('Password').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The e-mail or the password is wrong.').waitFor()
    expect(await page.getByLabel('E-mail').inputValue()).toBe(world.first.account.email)
    visit.complaints.length = 0 // Chromium logs the 400
    await page.getByLabel('Password').fill(world.first.account.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Tickets of the day' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.goto(`/dashboard/runs/${night.runId}`)
    await page.getByLabel('Password').waitFor()
  })

  it('sees a bad night on the overview and replays all items of one cause, without a script', async () => {
    await using visit = await visitor(world.url, { javaScriptEnabled: false })
    const { page } = visit
    page.setDefaultTimeout(6000)
    await signIn(page, world.first.account)
    await page.goto(`/dashboard/projects/${night.projectId}`)
    await page.getByText(/\d+ items did not work and wait for a decision/).waitFor()
    await page.getByText('given up').first().waitFor()
    await page.goto(`/dashboard/runs/${night.runId}`)
    await page.getByRole('region', { name: 'causes' }).waitFor()
    expect(await page.getByRole('region', { name: 'reasons' }).count()).toBe(0) // which would say the same again
    await page.goBack()
    const causes = page.getByRole('region', { name: 'causes' }).getByRole('row')
    const cause = causes.filter({ hasText: 'Replay all…' }).first()
    const items = Number(await cause.getByRole('cell').nth(2).textContent())
    expect(items).toBeGreaterThan(1)
    await cause.getByRole('link', { name: 'Replay all…' }).click()
    expect(items).toBeGreaterThan(5)
    await page.getByRole('button', { name: `Replay all ${items}` }).click()
    await page.getByText(`0 of ${items} items ended.`).waitFor()
    expect(await page.getByRole('button', { name: 'Abort' }).count()).toBe(1)
    await workOff(world, works)
    await page.reload()
    await page
      .getByText(new RegExp(`${items} worked`))
      .first()
      .waitFor()
  })

  it('pauses a schedule and sees the strip of its occurrences', async () => {
    await using visit = await visitor(world.url)
    const { page } = visit
    await signIn(page, world.first.account)
    await page.goto(`/dashboard/projects/${night.projectId}/schedules`)
    await page.getByRole('region', { name: 'schedules' }).getByRole('link').first().waitFor()
    await page.goto(`/dashboard/schedules/${night.scheduleId}`)
    const events = page.getByRole('region', { name: 'events' })
    expect(await events.getByText('missed', { exact: true }).count()).toBeGreaterThanOrEqual(2)
    expect(await events.getByText('fired', { exact: true }).count()).toBe(1)
    expect(await page.locator('#strip').textContent()).toMatch(/missed/)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('status').waitFor()
    await page.locator('#schedule-state').getByText('paused').waitFor()
    const read = async () => (await world.call('GET', `/v1/schedules/${night.scheduleId}`)).json
    expect(await read()).toMatchObject({ enabled: false, next_fires: [] })
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.locator('#schedule-state').getByText('next').waitFor()
    expect((await read()).enabled).toBe(true)
  })

  it('makes a key, uses it, revokes it, and sees it refused', async () => {
    await using visit = await visitor(world.url)
    const { page } = visit
    await signIn(page, world.first.account)
    await page.goto(`/dashboard/projects/${night.projectId}/keys`)
    await page.getByLabel('Display name').fill('for one evening')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByRole('heading', { level: 1, name: 'Key for one evening' }).waitFor()
    const key = (await page.locator('.secret').textContent())!
    const use = async () => (await world.call('GET', '/v2/runs', { token: key })).status
    expect(await use()).toBe(200)
    await page.getByRole('link', { name: 'Done' }).click()
    expect(await page.content()).not.toContain(key)
    const row = page.getByRole('row', { name: 'for one evening' })
    await row.locator('summary').click()
    await page.getByText('Whoever uses for one evening is refused within five seconds.').waitFor()
    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('status').getByText('The key is revoked.').waitFor()
    expect(await page.getByRole('row', { name: 'for one evening' }).count()).toBe(0)
    await expect.poll(use).toBe(401)
  })
})
