// A session that ends while somebody fills in a form costs nothing: in a browser, over real stores.

import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openAccount, PASSWORD } from '../conformance/account-of-own.ts'
import { makeAgent } from '../conformance/make.ts'
import { fails, ran } from '../conformance/play.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

const KEPT = 'What you had entered is here'

describe.skipIf(CHROMIUM === undefined)('a session that ends in a form (needs Chromium)', () => {
  const browser = browserWorld()

  const endSession = async (page: Page) => {
    await page.context().clearCookies()
  }
  const signInAgain = async (page: Page, { email, password } = browser.world.first.account) => {
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const ofProject = (path: string) => `/dashboard/projects/${browser.world.first.project_id}/${path}`

  it('says why, and leads back to the form as it was filled in; nothing was sent', async () => {
    const page = await browser.open(ofProject('keys'))
    await page.getByLabel('Display name').fill('nightly import')
    await page.getByLabel('Role').selectOption('viewer')
    await page.getByLabel('Expires after days').fill('30')
    await endSession(page)
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByText('Your session has ended, so nothing was changed.').waitFor()
    expect(await axeProblems(page)).toEqual([])
    await signInAgain(page, { email: browser.world.first.account.email, password: 'wrong' })
    await page.getByText('The e-mail or the password is wrong.').waitFor()
    browser.complaints.length = 0 // the browser's line about the refusal
    await signInAgain(page)
    await page.getByText(KEPT).waitFor()
    expect(page.url()).toContain(ofProject('keys'))
    expect(await page.getByLabel('Display name').inputValue()).toBe('nightly import')
    expect(await page.getByLabel('Role').inputValue()).toBe('viewer')
    expect(await page.getByLabel('Expires after days').inputValue()).toBe('30')
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByRole('heading', { name: 'Key nightly import' }).waitFor()
    await page.goto(ofProject('keys'))
    expect(await page.getByText(KEPT).count()).toBe(0)
    expect(await page.getByLabel('Display name').inputValue()).toBe('')
  })

  it('keeps no password or secret, and what else was entered', async () => {
    await makeAgent(browser.world)
    const page = await browser.open(ofProject('triggers'))
    const form = page.locator('form', { has: page.locator('[name=signing_secret]') })
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true
    })
    await form.locator('[name=name]').fill('orders')
    await form.locator('[name=signing_secret]').fill('whsec_of-the-sender')
    await endSession(page)
    await form.getByRole('button').last().click()
    await page.getByText('Your session has ended').waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('whsec_')
    await signInAgain(page)
    await page.getByText(KEPT).waitFor()
    expect(await form.locator('[name=name]').inputValue()).toBe('orders')
    expect(await form.locator('[name=signing_secret]').inputValue()).toBe('')
  })

  it('keeps the names of headers, and leads to what has to be entered again', async () => {
    const agent = await makeAgent(browser.world)
    const page = await browser.open(`${ofProject('schedules/new')}?agent_id=${agent.id}`)
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) one.open = true
    })
    await page.getByLabel('Cron').first().fill('0 6 * * *')
    const headers = page.locator('[name=headers]')
    await headers.fill('Authorization: Bearer abc-secret\nX-Team: day')
    await endSession(page)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Your session has ended').waitFor()
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/abc-secret|day"/)
    await signInAgain(page)
    await page.getByText('Not kept, to be entered again: Headers.').waitFor()
    expect(await headers.inputValue()).toBe('Authorization: \nX-Team: ')
    expect(await page.getByLabel('Cron').first().inputValue()).toBe('0 6 * * *')
    const { focused, top, bottom, height } = await headers.evaluate(one => {
      const { top, bottom } = one.getBoundingClientRect()
      return { focused: document.activeElement === one, top, bottom, height: innerHeight }
    })
    expect(focused).toBe(true)
    expect([top >= 0, bottom <= height]).toEqual([true, true])
    expect(await axeProblems(page)).toEqual([])
  })

  it('leads to the field that was last in use', async () => {
    const page = await browser.open(ofProject('settings'), { viewport: { width: 390, height: 500 } })
    const field = page.locator('main form[method=post] input:not([type=hidden], [type=checkbox])').last()
    await field.focus()
    const name = (await field.getAttribute('name'))!
    await field.evaluate((one: HTMLInputElement) => (one.value = 'typed'))
    await endSession(page)
    await field.evaluate((one: HTMLInputElement) => {
      one.form!.noValidate = true
      one.form!.requestSubmit()
    })
    await page.getByText('Your session has ended').waitFor()
    await signInAgain(page)
    await page.getByText(KEPT).waitFor()
    const at = await page.evaluate(() => {
      const { top, bottom } = document.activeElement!.getBoundingClientRect()
      return {
        name: (document.activeElement as HTMLInputElement).name,
        isSeen: top >= 0 && bottom <= innerHeight,
      }
    })
    expect(at).toEqual({ name, isSeen: true })
  })

  it('keeps a selection in triage', async () => {
    const { run } = await ran(browser.world, fails('code_of_session'), [{ input: 1 }, { input: 2 }])
    const page = await browser.open(ofProject(`triage?run_id=${run}`))
    await page.locator('input[name=items]').first().check()
    await endSession(page)
    await page.locator('button[data-bulk=acknowledge]').click()
    await page.getByText('Your session has ended').waitFor()
    await signInAgain(page)
    await page.getByText(KEPT).waitFor()
    expect(page.url()).toContain(`run_id=${run}`)
    expect(await page.locator('input[name=items]:checked').count()).toBe(1)
    await page.getByText('1 selected').waitFor()
  })

  it('keeps what was entered on a page that answered a form', async () => {
    const agent = await makeAgent(browser.world)
    const page = await browser.open(`${ofProject('schedules/new')}?agent_id=${agent.id}`)
    await page.getByLabel('Starts').selectOption(agent.id)
    await page.getByLabel('Cron').first().fill('0 6 * * *')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('heading', { name: 'Next runs' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(ofProject('schedules/new'))
    await page.getByLabel('Cron').first().fill('30 6 * * *')
    await endSession(page)
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Your session has ended').waitFor()
    await signInAgain(page)
    await page.getByText(KEPT).waitFor()
    expect(await page.getByLabel('Cron').first().inputValue()).toBe('30 6 * * *')
  })

  it('keeps what was changed and not sent, in each form of the page', async () => {
    const page = await browser.open(ofProject('keys'))
    const link = page.locator('#connection').getByRole('link', { name: 'Sign in again' })
    await page.getByLabel('Display name').fill('half a name')
    await endSession(page)
    await page.evaluate(() => dispatchEvent(new Event('online'))) // asks whether it is signed in
    await link.click()
    await signInAgain(page)
    await page.getByText(KEPT).waitFor()
    expect(await page.getByLabel('Display name').inputValue()).toBe('half a name')
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  it('shows nobody else what was entered', async () => {
    const other = await openAccount(browser.world)
    const page = await browser.open('/dashboard/projects')
    await page.getByLabel('Name').fill('a secret plan')
    await endSession(page)
    await page.locator('main form button').last().click()
    await page.getByText('Your session has ended').waitFor()
    await signInAgain(page, { email: other.email, password: PASSWORD })
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    expect(await page.getByText(KEPT).count()).toBe(0)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  it('says why without a script too, and leads back to the page of the form', async () => {
    const page = await browser.open(ofProject('keys'), { javaScriptEnabled: false })
    await page.getByLabel('Display name').fill('nightly import')
    await endSession(page)
    await page.getByRole('button', { name: 'Make a key' }).click()
    await page.getByText('nothing was changed').waitFor()
    await signInAgain(page)
    await page.getByRole('heading', { name: 'Keys' }).waitFor()
  })
})
