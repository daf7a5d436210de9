import { expect, it } from 'vitest'
import { settingsOf } from '../../schedules/wire/schedules.ts'
import { NO_SETTINGS } from './start-settings.ts'

/** Settings of a schedule that runs get in another way: as their name, items or source, while they are open, or after their end. */
const OTHERWISE = ['name', 'input', 'source', 'results', 'limits']
/** Settings stored under another name. */
const KEPT: Record<string, string> = { budget_cents: 'budget_micro' }

it('runs get every setting of a schedule', () => {
  const settings = Object.keys(settingsOf({})).filter(name => !OTHERWISE.includes(name))
  expect(settings.map(name => KEPT[name] ?? name).sort()).toEqual(Object.keys(NO_SETTINGS).sort())
})
