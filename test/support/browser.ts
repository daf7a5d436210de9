// A browser for the tests of the dashboard. Guarantee: a page that logs an error, or breaks the content security
// policy, fails the test that opened it.

import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, type Cookie, chromium, type Page } from 'playwright-core'

/** The shell without windows is first: the same engine for a third of the processor time (15 s a file, and 43 with windows). */
const PATHS = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The path of Chromium: CHROMIUM or the system's; undefined if there is none. */
export const CHROMIUM = process.env.CHROMIUM ?? PATHS.find(existsSync)

export interface Visitor extends AsyncDisposable {
  page: Page
  /** Errors of the page; a test that expects some removes them. */
  complaints: string[]
}

let browser: Promise<Browser> | undefined

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

/** A page in a browser context of its own, with a window of 1280 × 900 by default. */
export async function visitor(base_url: string, options: BrowserContextOptions = {}): Promise<Visitor> {
  browser ??= chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] })
  const context = await (await browser).newContext({
    baseURL: base_url,
    viewport: { width: 1280, height: 900 },
    ...options,
  })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', error => complaints.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  return {
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      await context.close()
      if (complaints.length > 0) throw new Error(`the page complained: ${complaints.join('\n')}`)
    },
  }
}

const sessions = new WeakMap<object, Cookie[]>()

/** Signs in: the first time through the form, which leads to another page; later by the cookie of that time. */
export async function signIn(page: Page, account: { email: string; password: string }): Promise<void> {
  const session = sessions.get(account)
  if (session !== undefined) return page.context().addCookies(session)
  await page.goto('/dashboard/sign-in')
  await page.getByLabel('E-mail').fill(account.email)
  await page.getByLabel('Password').fill(account.password)
  await Promise.all([
    page.waitForURL(url => !url.pathname.endsWith('/sign-in')),
    page.getByRole('button', { name: 'Sign in' }).click(),
  ])
  sessions.set(account, await page.context().cookies())
}
