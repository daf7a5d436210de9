// The page of all causes, and lists that show their first rows: in a browser, over real stores.

import { beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { makeRun } from '../conformance/make.ts'
import { type Play, ran, workOff } from '../conformance/play.ts'
import { axeProblems } from '../support/axe.ts'
import { CHROMIUM } from '../support/browser.ts'
import { browserWorld } from '../support/browser-world.ts'

const CAUSES = LIMITS.causes_page + 3

/** Each item fails in its own way, the first ones more often. */
const failsInItsOwnWay: Play = ({ seq, attempt }) => {
  const code = `code_${String.fromCharCode(97 + (seq % 26))}${String.fromCharCode(97 + Math.floor(seq / 26))}`
  return [{ type: 'error', seq, attempt, error: { code, message: 'no answer' } }]
}

describe.skipIf(CHROMIUM === undefined)('causes (needs Chromium)', () => {
  const browser = browserWorld()
  let project: string
  let run: string
  beforeAll(async () => {
    const items = Array.from({ length: CAUSES }, (_, n) => ({ input: n }))
    const made = await ran(browser.world, failsInItsOwnWay, items, { name: 'the night' })
    run = made.run
    await makeRun(browser.world, made.agent.id, [{ input: 0 }])
    await workOff(browser.world, failsInItsOwnWay)
    project = `/dashboard/projects/${browser.world.first.project_id}`
  })

  it.each([
    ['', 5],
    ['/triage', LIMITS.causes_shown],
  ])('of which %s shows the first say of how many, and lead to all', async (path, shown) => {
    const page = await browser.open(`${project}${path}`)
    await page.getByText(`${shown} of ${CAUSES}`).waitFor()
    await page.getByRole('link', { name: 'All causes' }).click()
    await page.getByRole('heading', { level: 1, name: 'Causes' }).waitFor()
    expect(await page.locator('#causes tbody tr').count()).toBe(LIMITS.causes_page)
    await page.getByText(`${CAUSES} causes`).waitFor()
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(() => page.locator('#causes tbody tr').count()).toBe(3)
    expect(await page.getByRole('link', { name: 'Next page' }).count()).toBe(0)
    await page.goBack()
    await expect.poll(() => page.locator('#causes tbody tr').count()).toBe(LIMITS.causes_page)
  })

  it('of a run lead to those of the run', async () => {
    const page = await browser.open(`/dashboard/runs/${run}`)
    await page.getByText(`${LIMITS.failure_groups} of ${CAUSES}`, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'All causes' }).click()
    await page.locator('#causes-total').getByRole('link', { name: 'the night' }).waitFor()
    expect(await page.getByLabel('Run, by its id').inputValue()).toBe(run)
    await page.locator('#causes-total').getByRole('link', { name: 'Show all' }).click()
    await expect.poll(() => page.url()).toMatch(/\/causes$/)
  })

  it('are filtered by agent and by what waits, in the link', async () => {
    const page = await browser.open('/dashboard/causes?state=waiting')
    await expect.poll(() => page.url()).toContain(`${project}/causes?state=waiting`)
    await page.getByLabel('Which').selectOption('all')
    await page.getByRole('button', { name: 'Show' }).click()
    await expect.poll(() => page.url()).toContain('state=&')
    await page.goto(`${project}/causes?agent=nobody`)
    await page.getByText('No item that fits has a cause.').waitFor()
    await page.getByText('0 causes').waitFor()
  })

  it.each([390, 1440, 2560])('fit a window of %i px and have no accessibility problems', async width => {
    const page = await browser.open(`${project}/causes`, { viewport: { width, height: 900 } })
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    expect(await axeProblems(page)).toEqual([])
  })
})
