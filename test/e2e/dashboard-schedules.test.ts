// Schedules as people make, read and change them: in a browser, over real stores; only the agent is played.

import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startNodeHost } from '../conformance/hosts.ts'
import { makeAgent } from '../conformance/make.ts'
import { called, deploy, type Play, workOff } from '../conformance/play.ts'
import { openWorld, type World } from '../conformance/world.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM, closeBrowser, signIn, type Visitor, visitor } from '../support/browser.ts'
import { body, startSource } from '../support/source.ts'

const VIEWER = { email: 'reads@example.test', password: 'only reads, nothing else' }

const fails: Play = item => [
  called(item, 'gpt-4o', 400),
  { type: 'error', seq: item.seq, attempt: item.attempt, error: { code: 'x', message: 'cannot read it' } },
]

describe.skipIf(CHROMIUM === undefined)('schedules (needs Chromium)', () => {
  let world: World
  let visit: Visitor | undefined
  let agent: { id: string; slug: string }
  let schedules: string
  beforeAll(async () => {
    world = await openWorld(startNodeHost)
    agent = await makeAgent(world)
    const input_schema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
    await deploy(world, agent.id, { input_schema })
    schedules = `/dashboard/projects/${world.first.project_id}/schedules`
    const { json } = await world.call('POST', '/v1/sessions', { body: world.first.account, token: null })
    await world.call('POST', '/v1/members', {
      body: { ...VIEWER, role: 'viewer' },
      token: json.access_token,
    })
  })
  afterEach(async () => {
    await visit?.[Symbol.asyncDispose]()
    visit = undefined
  })
  afterAll(async () => {
    await closeBrowser()
    await world.end()
  })

  async function open(path: string, account = world.first.account): Promise<Page> {
    visit = await visitor(world.url, { timezoneId: 'America/New_York' })
    await signIn(visit.page, account)
    visit.complaints.length = 0 // other tests check the overview
    await visit.page.goto(path)
    return visit.page
  }

  const make = async (more: object) =>
    (
      await world.call('POST', '/v1/schedules', {
        body: { agent_id: agent.id, input: { text: 'a' }, ...more },
      })
    ).json as { id: string }

  it('show whether runs worked below whether they fired, in the time zone of the schedule', async () => {
    const made = await make({ cron: '0 2 * * *', timezone: 'Europe/Berlin', name: 'Nightly tickets' })
    for (let fired = 0; fired < 3; fired++) {
      await world.call('POST', `/v1/schedules/${made.id}/trigger`)
      await workOff(world, fails)
    }
    const page = await open(`/dashboard/schedules/${made.id}`)
    await page.getByRole('heading', { name: 'Nightly tickets', exact: true }).waitFor()
    await page.getByRole('img', { name: 'Fired: 3 fired' }).waitFor()
    await page.getByRole('img', { name: 'Worked: 3 too many not ok' }).waitFor()
    await page.getByRole('columnheader', { name: 'Scheduled for (Europe/Berlin)' }).waitFor()
    await page.getByRole('columnheader', { name: 'Local time (Europe/Berlin)' }).waitFor()
    const event = page.locator('#events tbody tr').first()
    const at = (await event.locator('time').first().getAttribute('datetime'))!
    const berlin = new Date(at).toLocaleTimeString('de-DE', { timeZone: 'Europe/Berlin', timeStyle: 'short' })
    expect(await event.locator('time').first().textContent()).toContain(` ${berlin}`)
    expect(await event.locator('.verdict').textContent()).toBe('0 % ok')
    expect(await axeProblems(page)).toEqual([])
    await page.goto(schedules)
    const line = page.locator('#schedules tbody tr').first()
    await line.getByRole('link', { name: 'Nightly tickets' }).waitFor()
    expect(await line.locator('.verdict').textContent()).toBe('0 % ok')
    expect(await line.locator('[data-label=Cost]').textContent()).toMatch(/^\$0\.00\d+$/)
    await page.locator('#coming').getByRole('link', { name: 'Nightly tickets' }).first().waitFor()
  })

  it('refuse a wrong cron and a wrong time zone at once, each at its field, also when one is changed', async () => {
    const made = await make({ cron: '7 7 * * *', timezone: 'Europe/Berlin', name: 'To be changed' })
    const page = await open(`${schedules}/new?agent_id=${agent.id}`)
    const pages: [path: string, press: string][] = [
      [`${schedules}/new?agent_id=${agent.id}`, 'Make the schedule'],
      [`${schedules}/new?agent_id=${agent.id}`, 'Preview'],
      [`/dashboard/schedules/${made.id}`, 'Save'],
    ]
    for (const [path, press] of pages) {
      await page.goto(path)
      if (press === 'Save') await page.getByText('Change it').first().click()
      await page.locator('[name=cron]').fill('61 * * * *')
      await page.locator('[name=timezone]').fill('Mars/Olympus')
      await page.getByRole('button', { name: press }).first().click()
      await page.locator('#wrong-cron').waitFor()
      await page.locator('#wrong-timezone').waitFor()
    }
    visit!.complaints.length = 0 // the refusals of the forms
  })

  it('refuse an input that the agent refuses, at its field, and save nothing', async () => {
    const before = (await world.call('GET', '/v1/schedules')).json.length
    const page = await open(`${schedules}/new?agent_id=${agent.id}&cron=0%203%20*%20*%20*`)
    for (const press of ['Preview', 'Make the schedule']) {
      await page.getByRole('button', { name: press }).click()
      const input = page.getByLabel('Input')
      await page.getByText(/^The agent takes no null; what it takes is such as \{"text":/).waitFor()
      expect(await input.getAttribute('aria-invalid')).toBe('true')
      expect(await page.locator(`#${await input.getAttribute('aria-describedby')}`).textContent()).toMatch(
        /takes no null/,
      )
      expect(await input.evaluate(control => control === document.activeElement)).toBe(true)
    }
    visit!.complaints.length = 0 // Chromium logs the 400
    expect(await axeProblems(page)).toEqual([])
    expect((await world.call('GET', '/v1/schedules')).json).toHaveLength(before)
    await page.getByLabel('Input').fill('{"text":"hello"}')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('columnheader', { name: 'Local time (UTC)' }).waitFor()
    expect(await page.locator('#moments tbody tr').count()).toBe(5)
    expect((await world.call('GET', '/v1/schedules')).json).toHaveLength(before)
    await page.getByRole('button', { name: 'Make the schedule' }).click()
    await page.getByText('The schedule is made.').waitFor()
  })

  it('guess from a source which field is the id and which the partition, and show what was saved', async () => {
    const rows = [9000, 9001].map(n => `{"reference":"CASE-${n}","tenant":"north","text":"a"}\n`)
    await using source = new AsyncDisposableStack()
    const { url, close } = await startSource(body(rows.join('')))
    source.defer(close)
    const page = await open(`${schedules}/new?agent_id=${agent.id}&cron=0%206%20*%20*%20*`)
    await page.locator('[name=source_url]').fill(url)
    await page.getByRole('button', { name: 'Preview' }).click()
    const first = page.locator('#first-items tbody tr').first()
    expect(await first.locator('td').allTextContents()).toEqual([
      'CASE-9000',
      'north',
      '{"reference":"CASE-9000","tenant":"north","text":"a"}',
    ])
    expect(await page.locator('[name=item_id]').inputValue()).toBe('reference')
    expect(await page.getByText('Guessed from the first rows.').count()).toBe(2)
    await page.getByRole('button', { name: 'Make the schedule' }).click()
    await page.getByText('The schedule is made.').waitFor()
    await page.getByText('item ids from field reference, partitions from field tenant').waitFor()
    await page.getByText('It has not fired yet.').waitFor()
    expect(await page.locator('.strip').count()).toBe(0)
  })

  it('say once, by status and a short line, that a source returns no rows', async () => {
    await using source = new AsyncDisposableStack()
    const { url, close } = await startSource(response => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end(`No such\nexport. ${'x'.repeat(400)}`)
    })
    source.defer(close)
    const page = await open(`${schedules}/new?agent_id=${agent.id}&cron=0%206%20*%20*%20*`)
    await page.locator('[name=source_url]').fill(url)
    await page.getByRole('button', { name: 'Preview' }).click()
    const said = page.getByText(/The source 127\.0\.0\.1:\d+ answered 404: No such export\./)
    await said.waitFor() // strict mode: it is there once
    expect((await said.textContent())!.length).toBeLessThan(300)
    visit!.complaints.length = 0 // Chromium logs the 400
  })

  it('show what is wrong with a changed field at that field, which keeps what was typed', async () => {
    const made = await make({ cron: '0 4 * * *' })
    const page = await open(`/dashboard/schedules/${made.id}`)
    await page.getByText('Change it').click()
    await page.getByLabel('Cron').fill('every day')
    await page.getByLabel('Budget of each run').fill('1.50')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('#wrong-cron').waitFor()
    visit!.complaints.length = 0 // Chromium logs the 400
    expect(await page.getByLabel('Cron').getAttribute('aria-describedby')).toBe('wrong-cron')
    expect(await page.getByLabel('Cron').inputValue()).toBe('every day')
    expect(await page.getByLabel('Budget of each run').inputValue()).toBe('1.50')
    expect(await page.locator('[aria-invalid]').count()).toBe(1)
  })

  it('show a viewer their settings as text, and say once which role may change them', async () => {
    const settings = { pilot_items: 7, concurrency: 3, callback_url: 'https://example.com/done' }
    const made = await make({ cron: '0 5 * * *', ...settings })
    const page = await open(`/dashboard/schedules/${made.id}`, VIEWER)
    expect(await page.getByText('Operator role required').count()).toBe(1)
    await page.getByText('https://example.com/done').waitFor()
    expect(await page.getByText('Items at work at once').count()).toBe(1)
    expect(await page.locator('main :is(input, select, textarea, form)').count()).toBe(0)
  })
})
