// Finds accessibility problems of a page. Guarantee: each problem names its element, and colours are checked in light
// and in dark.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Problems by axe's best practices and the rules of WCAG 2.2 AA that a program can check, one line each. */
export async function axeProblems(page: Page): Promise<string[]> {
  await page.evaluate(SOURCE)
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await problems(page, RULES)
  // Only colours differ in dark: the other rules take most of the time, and would report the same again.
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await problems(page, { type: 'rule', values: ['color-contrast'] })
  return [...light, ...dark.map(problem => `in dark: ${problem}`)]
}

function problems(page: Page, runOnly: string[] | { type: 'rule'; values: string[] }): Promise<string[]> {
  return page.evaluate(async runOnly => {
    const axe = (globalThis as unknown as { axe: typeof import('axe-core') }).axe
    const { violations } = await axe.run({ runOnly })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(node => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`),
    )
  }, runOnly)
}
