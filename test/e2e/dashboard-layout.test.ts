// What surrounds the pages, and how their lists look on a desktop and on a phone.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { badNight, type Night } from '../support/bad-night.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

const DESK = { viewport: { width: 1440, height: 900 } }
const PHONE = { viewport: { width: 390, height: 844 } }
const LISTS = ['', '/alerts', '/audit', '/runs', '/agents', '/schedules', '/recoveries', '/search?q=refund']

describe.skipIf(CHROMIUM === undefined)('the layout of the dashboard (needs Chromium)', () => {
  let world: World
  let night: Night
  let visit: Visitor | undefined
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    night = await badNight(world)
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  async function open(path: string, options: object = {}): Promise<Page> {
    visit = await visitor(world.url, options)
    await signIn(visit.page, world.first.account)
    await visit.page.goto(`/dashboard${path}`)
    return visit.page
  }

  it('keeps words in lists whole where there is room', async () => {
    const page = await open('', DESK)
    const broken: unknown[] = []
    for (const list of LISTS) {
      await page.goto(`/dashboard/projects/${night.projectId}${list}`)
      const words = await page.evaluate(brokenWords)
      broken.push(...words.map(word => [list, word]))
    }
    expect(broken).toEqual([])
  })

  it('shows a row on a phone as a title and a few lines of labels and values', async () => {
    const page = await open(`/projects/${night.projectId}/prices`, PHONE)
    const row = page.locator('#checked-models tbody tr').first()
    const title = (await row.locator('td').first().boundingBox())!
    const calls = (await row.locator('[data-label=Calls]').boundingBox())!
    const unpriced = (await row.locator('[data-label="Calls without a price"]').boundingBox())!
    expect(title.width).toBeGreaterThan(300)
    expect(calls.y).toBeGreaterThanOrEqual(title.y + title.height)
    expect(unpriced.x).toBeGreaterThan(calls.x + calls.width)
    const lines = ((await row.boundingBox())!.height - 20) / 22
    expect(lines).toBeLessThan((await row.locator('td').count()) - 1)
    await page.goto(`/dashboard/projects/${night.projectId}/search`)
    await page.locator('#what-goes-wrong [data-label=Steps]').first().waitFor()
  })

  it('links an alert to the page where it can be fixed, and an audit entry to what was changed', async () => {
    const page = await open(`/projects/${night.projectId}/alerts`)
    await page.locator('#alerts').getByRole('link', { name: 'Open the schedule' }).first().waitFor()
    await page.goto(`/dashboard/projects/${night.projectId}/audit`)
    await page.locator('#audit').getByRole('link', { name: 'ticket-triage' }).first().waitFor()
    await page.locator('#audit').getByText('Deployed a version of an agent').first().waitFor()
    const before = await page.locator('#audit tbody tr').count()
    const body = { project_id: night.projectId, filter: { run_id: night.runId }, dry_run: true }
    expect((await world.call('POST', '/v1/recoveries', { body })).status).toBe(200)
    await page.getByLabel('What').selectOption('Decided about many items at once')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.getByText('Nothing was changed that fits.').waitFor()
    expect(before).toBeGreaterThan(0)
  })

  it('names the prices only where costs are shown', async () => {
    const page = await open('')
    const saysSo = async (path: string) => {
      await page.goto(`/dashboard${path}`)
      return page.locator('.prices-line').count()
    }
    const project = `/projects/${night.projectId}`
    expect(await saysSo(project)).toBe(1)
    expect(await saysSo(`/runs/${night.runId}`)).toBe(1)
    for (const path of ['keys', 'alerts', 'audit', 'settings', 'prices', 'submit', 'schedules/new'])
      expect([path, await saysSo(`${project}/${path}`)]).toEqual([path, 0])
  })

  it('keeps the menu of the last project on pages of the account', async () => {
    const page = await open('')
    const runs = page.getByRole('navigation').getByRole('link', { name: 'Runs' })
    await page.goto('/dashboard/members')
    expect(await runs.getAttribute('href')).toBe(`/dashboard/projects/${night.projectId}/runs`)
    await page.goto('/dashboard/projects')
    await page.getByLabel('Name').fill('staging')
    await page.getByRole('button', { name: 'Make a project' }).click()
    await page.waitForURL(/\/projects\/[0-9a-f-]{36}$/)
    const staging = new URL(page.url()).pathname
    for (const path of ['members', 'quotas', 'account', 'projects']) {
      await page.goto(`/dashboard/${path}`)
      expect([path, await runs.getAttribute('href')]).toEqual([path, `${staging}/runs`])
    }
  })
})

/** Words of cells that break over several lines; ids and code may. */
function brokenWords(): string[] {
  const broken: string[] = []
  for (const cell of document.querySelectorAll('td')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement!.closest('code, bdi, .off-screen') !== null) continue
      for (const { 0: word, index } of text.textContent!.matchAll(/[\w.]+/g)) {
        const range = document.createRange()
        range.setStart(text, index)
        range.setEnd(text, index + word.length)
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word)
      }
    }
  }
  return broken
}
