import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { METRICS } from '../../shared/upkeep/verbs/metrics.ts'

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
const known = [...Object.keys(METRICS), 'assay_info'].sort()
const namesIn = (expressions: string[]) => [...new Set(expressions.join(' ').match(/\bassay_\w+/g))].sort()

interface Rule {
  alert: string
  expr: string
  for: string
  annotations: { summary: string; description: string }
}

it('the alert rules use only existing metrics, and say what to do', () => {
  const { groups } = parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }
  const rules = groups.flatMap(group => group.rules)
  expect(rules.length).toBeGreaterThan(0)
  for (const rule of rules) {
    const [...names] = namesIn([rule.expr])
    expect(names, rule.alert).not.toEqual([])
    expect(known, rule.alert).toEqual(expect.arrayContaining(names))
    expect(rule.for, rule.alert).toMatch(/^\d+m$/)
    expect(Object.keys(rule.annotations), rule.alert).toEqual(['summary', 'description'])
  }
})

it('the dashboard shows exactly the existing metrics, without assay_info', () => {
  const { panels } = JSON.parse(read('dashboard.json')) as { panels: { targets: { expr: string }[] }[] }
  const shown = namesIn(panels.flatMap(panel => panel.targets.map(target => target.expr)))
  expect(shown).toEqual(known.filter(name => name !== 'assay_info'))
})
