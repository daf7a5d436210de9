// Decisions as people see them: who took them, and how they are taken back. In a browser, over real stores.

import { describe, expect, it } from 'vitest'
import { fails, ran, recordId } from '../conformance/play.ts'
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
})
