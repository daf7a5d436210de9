// The jump: from any page to what an id or a name means, in a browser, over real stores; only the agent is played.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { badNight, type Night } from '../support/bad-night.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'

describe.skipIf(CHROMIUM === undefined)('the jump (needs Chromium)', () => {
  let world: World
  let night: Night
  let ownId: string
  let visit: Visitor | undefined
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    night = await badNight(world)
    ownId = (await world.call('GET', `/v1/durable/runs/${night.refusedId}`)).json.item_id
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  async function opened(options: object = {}) {
    visit = await visitor(world.url, options)
    const { page } = visit
    await signIn(page, world.first.account)
    await page.goto(`/dashboard/projects/${night.projectId}/runs`)
    return page
  }

  it('opens an item by the id that a customer gave it: Ctrl-K, paste, Enter', async () => {
    const page = await opened()
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText(ownId)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/dashboard\/items\//)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(ownId)
  })

  it('follows Enter right after a paste, however slowly the answer comes', async () => {
    const page = await opened()
    await page.route(/\/jump\?q=/, async route => {
      await new Promise(resolve => setTimeout(resolve, 600)) // longer than the delay before typed text is sent
      await route.continue().catch(() => {}) // the page may have aborted it by now
    })
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText(ownId)
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/dashboard\/items\//)
  })

  it.for([
    ['runId', /\/runs\//],
    ['itemId', /\/items\//],
    ['agentId', /\/agents\//],
    ['scheduleId', /\/schedules\//],
    ['triggerId', /\/triggers\//],
    ['deliveryId', /\/deliveries\//],
    ['causeId', /\/causes\//],
  ] as const)('opens what %s names by the id alone, without a script too', async ([name, path]) => {
    const page = await opened({ javaScriptEnabled: false })
    await page.getByRole('link', { name: 'Jump' }).click()
    await page.getByLabel('a part of a name').fill(night[name])
    await page.getByRole('button', { name: 'Jump' }).click()
    await page.waitForURL(path)
    expect(page.url()).toContain(night[name])
  })

  it('finds a page by a part of its name, chosen by arrows', async () => {
    const page = await opened()
    await page.keyboard.press('/')
    const dialog = page.getByRole('dialog', { name: 'Jump' })
    await dialog.getByRole('searchbox').pressSequentially('triag')
    await dialog.getByText('Page Triage').waitFor()
    expect(await axeProblems(page)).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/triage$/)
  })

  it('says if nothing has the id, and finds nothing of another account', async () => {
    const page = await opened()
    const { json: agent } = await world.call('POST', '/v1/agents', {
      token: world.stranger.key,
      body: { slug: 'of-a-stranger', name: 'Of a stranger' },
    })
    for (const text of ['no such thing', agent.id, 'of-a-stranger']) {
      await page.goto(`/dashboard/projects/${night.projectId}/jump?q=${encodeURIComponent(text)}`)
      await page.getByText('Nothing has that id').waitFor()
    }
  })
})
