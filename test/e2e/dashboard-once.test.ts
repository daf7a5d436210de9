// A button is pressed twice while the answer is on its way: in a browser, over real stores.

import { describe, expect, it } from 'vitest'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

describe.skipIf(CHROMIUM === undefined)('a form that is sent twice (needs Chromium)', () => {
  const browser = browserWorld()

  it('makes one key', async () => {
    const { world } = browser
    const page = await browser.open(`/dashboard/projects/${world.first.project_id}/keys`)
    const name = page.locator('form:has(input[name=name])').first()
    await name.locator('input[name=name]').fill('tapped twice')
    await Promise.all([
      page.waitForNavigation(),
      name.evaluate((form: HTMLFormElement) => {
        form.requestSubmit()
        form.requestSubmit()
      }),
    ])
    const rows = await world.ctx.sql`select 1 from api_keys where name = 'tapped twice'`
    expect(rows).toHaveLength(1)
  })
})
