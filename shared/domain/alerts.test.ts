import { expect, it } from 'vitest'
import { type MissedMoment, scheduleMissed } from './alerts.ts'
import { OCCURRENCE_REASONS } from './vocabulary.ts'

const moment: MissedMoment = {
  project_id: 'p',
  agent_id: 'a',
  agent_slug: 'nightly',
  schedule_id: 's',
  cron: '0 2 * * *',
  timezone: 'UTC',
  scheduled_for: new Date('2026-03-02T02:00:00Z'),
  reason: 'overdue',
  run_id: 'r',
}

const TOLD = OCCURRENCE_REASONS.filter(reason => reason !== 'manual' && reason !== 'source_empty')

it.each(TOLD)('a moment that ended %s is told with what, since when, what to do and a command', reason => {
  const alert = scheduleMissed({ ...moment, reason })!
  expect(alert).toMatchObject({ reason, subject_id: 's', since: moment.scheduled_for })
  expect(alert.message).toContain('agent nightly: 2026-03-02T02:00:00.000Z')
  expect(alert.advice).toMatch(/\.$/)
  expect(alert.command).toMatch(/^assay /)
  expect(alert.command).not.toContain('{')
})

it('a start by hand and a source without rows are no missed moments', () => {
  expect(scheduleMissed({ ...moment, reason: 'manual' })).toBeNull()
  expect(scheduleMissed({ ...moment, reason: 'source_empty' })).toBeNull()
})
