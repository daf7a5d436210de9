// Decisions as people see them: who took them, and how they are taken back. In a browser, over real stores.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { fails, holds, ran, recordId } from '../conformance/play.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

describe.skipIf(CHROMIUM === undefined)('decisions (need Chromium)', () => {
  const browser = browserWorld()

  const failed = (count: number, code: string) =>
    ran(
      browser.world,
      fails(code),
      Array.from({ length: count }, (_, n) => ({ item_id: `${code} ${n}`, input: n })),
    )

  it('name their author on the item, and to whoever comes later', async () => {
    const { run } = await failed(1, 'code_of_one')
    const { email } = browser.world.first.account
    const page = await browser.open(`/dashboard/items/${recordId(run)}`)
    const late = await page.context().newPage()
    await late.goto(`/dashboard/items/${recordId(run)}`)
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.locator('#state').getByText(`dismissed by ${email}`).waitFor()
    await late.getByRole('button', { name: 'Dismiss' }).click()
    await late.getByText(`it was dismissed by ${email}`).waitFor()
  })

  it('about a cause name their author on its page', async () => {
    const { run } = await failed(2, 'code_of_cause')
    const { call, first } = browser.world
    const { json } = await call('GET', `/v1/causes?run_id=${run}`)
    const { id } = json.rows[0]
    const order = { project_id: first.project_id, action: 'dismiss', filter: { cause_id: id } }
    await call('POST', '/v1/recoveries', { body: order })
    const page = await browser.open(`/dashboard/projects/${first.project_id}/causes/${id}`)
    const decisions = page.getByRole('list', { name: 'Decisions about all of its items' })
    await decisions.getByRole('link', { name: 'Dismissed all 2' }).waitFor()
    expect(await decisions.textContent()).toMatch(/by key /)
  })

  it('by key deep in a list are said, and taken back, where one is', async () => {
    await failed(14, 'code_of_list')
    const { first, call } = browser.world
    const waiting = async () =>
      (await call('GET', '/v1/triage?limit=200')).json.rows.filter(
        (row: { error_code: string }) => row.error_code === 'code_of_list',
      ).length
    const page = await browser.open(`/dashboard/projects/${first.project_id}/triage`, {
      viewport: { width: 900, height: 500 },
    })
    for (let n = 0; n < 12; n++) await page.keyboard.press('j')
    const before = await waiting()
    await page.keyboard.press('d')
    const toast = page.locator('.toast')
    await toast.getByText('1 item is dismissed.').waitFor()
    expect(await isOnScreen(page, '.toast')).toBe(true)
    expect(await isOnScreen(page, 'tr[data-here]')).toBe(true)
    expect(await page.evaluate(() => document.activeElement?.closest('tr') !== null)).toBe(true)
    expect(await waiting()).toBe(before - 1)
    expect(await axeProblems(page)).toEqual([])
    await page.keyboard.press('z')
    await toast.getByText('1 item waits for a decision again.').waitFor()
    expect(await waiting()).toBe(before)
    await page.keyboard.press('Escape')
    expect(await toast.count()).toBe(0)
  })

  it('that start something ask by key, on a row, a selection and an item', async () => {
    const { run } = await failed(3, 'code_of_asking')
    const { first, call } = browser.world
    const runs = async () => (await call('GET', `/v2/runs?item_id=code_of_asking 1`)).json.length
    const page = await browser.open(`/dashboard/projects/${first.project_id}/triage?run_id=${run}`)
    const toast = page.locator('.toast')
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    for (const other of ['Escape', 'j']) {
      await page.keyboard.press('r')
      await toast.getByText('Replay code_of_asking').waitFor()
      await page.keyboard.press(other)
      expect(await toast.count()).toBe(0)
      if (other === 'j') await page.keyboard.press('k')
    }
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('r')
    await toast.getByText('Replay 1 item? Press r again').waitFor()
    expect(await isOnScreen(page, '.toast')).toBe(true)
    await page.keyboard.press('Escape')
    await page.goto(`/dashboard/items/${recordId(run, 2)}`)
    expect(await runs()).toBe(1)
    await page.keyboard.press('r')
    await toast.getByText('Replay? Press r again').waitFor()
    expect(await runs()).toBe(1)
    await page.keyboard.press('r')
    await expect.poll(runs).toBe(2)
  })

  it('by a key that is held down are taken once: it answers no question, and none of the next page', async () => {
    const { run } = await failed(2, 'code_of_held_key')
    const { first, call } = browser.world
    const runs = async () => (await call('GET', '/v2/runs?item_id=code_of_held_key 1')).json.length
    const triage = `/dashboard/projects/${first.project_id}/triage?run_id=${run}`
    const page = await browser.open(triage)
    const hold = async (key: string) => {
      for (let n = 0; n < 5; n++) await page.keyboard.down(key) // after the first, as a held key repeats
    }
    await hold('j')
    await page.keyboard.up('j')
    expect(await page.locator('[data-rows] > :last-child[data-here]').count()).toBeGreaterThan(0)
    await hold('r')
    await page.locator('.toast').getByText('Press r again').waitFor()
    await hold('r')
    await page.keyboard.up('r')
    expect(await runs()).toBe(1)
    await page.goto(`/dashboard/projects/${first.project_id}/recover?run_id=${run}`)
    await page.getByRole('button', { name: 'Replay 2 items' }).waitFor()
    await page.keyboard.press('r')
    await page.locator('.toast').getByText('Replay 2 items? Press r again').waitFor()
    await page.keyboard.press('Escape')
    expect(await runs()).toBe(1)
  })

  it('asked about by key keep the way to undo the last one beside the question', async () => {
    const { run } = await failed(3, 'code_of_undo')
    const { first } = browser.world
    const page = await browser.open(`/dashboard/projects/${first.project_id}/triage?run_id=${run}`)
    await page.keyboard.press('j')
    await page.keyboard.press('d')
    const toast = page.locator('.toast')
    await toast.getByText('1 item is dismissed.').waitFor()
    await page.keyboard.press('r')
    await toast.getByText('Press r again').waitFor()
    expect(await toast.getByRole('button', { name: 'Undo' }).isVisible()).toBe(true)
    expect(await isOnScreen(page, '.toast')).toBe(true)
    expect(await axeProblems(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await toast.getByText('Press r again').count()).toBe(0)
    await page.keyboard.press('r')
    await toast.getByText('Press r again').waitFor()
    await page.keyboard.press('z')
    await toast.getByText('1 item waits for a decision again.').waitFor()
    await page.keyboard.press('?')
    await page.locator('dialog#keys').getByText('Leave a question, close a notice').waitFor()
    await page.locator('dialog#keys').getByText('Yes, where one asks').waitFor()
  })

  it('asked about are taken by the button that a refresh has put in place of the first', async () => {
    const { run } = await failed(1, 'code_of_refresh')
    const page = await browser.open(`/dashboard/items/${recordId(run)}`)
    await page.keyboard.press('r')
    const yes = page.locator('.toast').getByRole('button', { name: 'Yes' })
    await yes.waitFor()
    await page.evaluate(() => {
      const button = document.querySelector('[data-key=r]')!
      const form = button.closest('form')!
      form.replaceWith(form.cloneNode(true))
    })
    await yes.click()
    const { call } = browser.world
    await expect
      .poll(async () => (await call('GET', '/v2/runs?item_id=code_of_refresh 0')).json.length)
      .toBe(2)
  })

  it('that end a held item ask once more on its page', async () => {
    const { run } = await ran(browser.world, holds, [{ item_id: 'held', input: 1 }])
    const page = await browser.open(
      `/dashboard/projects/${browser.world.first.project_id}/triage?run_id=${run}`,
    )
    await page.keyboard.press('j')
    await page.keyboard.down('d')
    await page.getByRole('heading', { name: 'Dismiss 1 item?' }).waitFor()
    for (let n = 0; n < 3; n++) await page.keyboard.down('d')
    await page.keyboard.up('d')
    await page.keyboard.press('d')
    await page.locator('.toast').getByText('Press d again').waitFor()
    await page.keyboard.press('d')
    await page.getByText('1 item is dismissed.').waitFor()
  })
})

const isOnScreen = (page: Page, selector: string) =>
  page.locator(selector).evaluate(one => {
    const { top, bottom } = one.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })
