import { expect, it } from 'vitest'
import { OCCURRENCE_REASONS } from '../../schedules/vocabulary.ts'
import { type MissedOccurrence, problemText, scheduleMissed } from './alerts.ts'

const moment: MissedOccurrence = {
  project_id: 'p',
  agent_id: 'a',
  agent_slug: 'tickets',
  schedule_id: 's',
  name: 'nightly',
  cron: '0 2 * * *',
  timezone: 'Europe/Berlin',
  scheduled_for: new Date('2026-03-02T02:00:00Z'),
  reason: 'overdue',
  detail: null,
  run_id: 'r',
}

const REPORTED = OCCURRENCE_REASONS.filter(reason => reason !== 'manual' && reason !== 'source_empty')

it.each(REPORTED)(
  'an occurrence missed as %s raises an alert with its time, advice and a command',
  reason => {
    const alert = scheduleMissed({ ...moment, reason })!
    expect(alert).toMatchObject({ reason, subject_id: 's', since: moment.scheduled_for })
    expect(alert.message).toContain('nightly ("0 2 * * *", Europe/Berlin) of agent tickets: 2026-03-02 03:00')
    expect(alert.advice).toMatch(/\.$/)
    expect(alert.command).toMatch(/^assay /)
    expect(alert.command).not.toContain('{')
  },
)

it('an alert about a failed source names the line and the error, and says that the source is read again', () => {
  const detail = { line: 7, text: 'Unexpected end of JSON input.' }
  const { message, advice } = scheduleMissed({ ...moment, reason: 'source_failed', detail })!
  expect(message).toMatch(/could not be read: Line 7 of the source: Unexpected end of JSON input\.$/)
  expect(advice).toContain('is read again')
  const twice = { line: 1, text: 'line 1: names no field "id"' }
  expect(problemText(twice)).toBe('Line 1 of the source: names no field "id"')
})

it('names the agent: by its slug, as deleted, or by its id if the slug could not be read', () => {
  const named = (agent_slug: string | null | undefined) => scheduleMissed({ ...moment, agent_slug })!.message
  expect(named('tickets')).toContain(' of agent tickets: ')
  expect(named(null)).toContain(' of a deleted agent: ')
  expect(named(undefined)).toContain(' of agent a: ')
})

it('an occurrence in an unknown timezone is reported in UTC', () => {
  const { message } = scheduleMissed({ ...moment, timezone: 'Mars/Olympus', reason: 'invalid_timezone' })!
  expect(message).toContain('2026-03-02T02:00:00.000Z')
})

it('a manual start and an empty source raise no alert about a missed occurrence', () => {
  expect(scheduleMissed({ ...moment, reason: 'manual' })).toBeNull()
  expect(scheduleMissed({ ...moment, reason: 'source_empty' })).toBeNull()
})
