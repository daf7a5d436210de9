import { expect, it } from 'vitest'
import { alertMail, consumerStalled, type MissedMoment, runNotOk, scheduleMissed } from './alerts.ts'
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

it.each(OCCURRENCE_REASONS.filter(reason => reason !== 'manual'))(
  'a moment that ended %s is told with what, since when, what to do and a command',
  reason => {
    const alert = scheduleMissed({ ...moment, reason })!
    expect(alert).toMatchObject({ reason, subject_id: 's', since: moment.scheduled_for })
    expect(alert.message).toContain('agent nightly: 2026-03-02T02:00:00.000Z')
    expect(alert.advice).toMatch(/\.$/)
    expect(alert.command).toMatch(/^assay /)
    expect(alert.command).not.toContain('{')
  },
)

it('a start by hand is no missed moment', () => {
  expect(scheduleMissed({ ...moment, reason: 'manual' })).toBeNull()
})

it('a run is told with what did not work of it, and nothing else', () => {
  const run = { project_id: 'p', agent_id: 'a', agent_slug: 'nightly', run_id: 'r', status: 'partial' }
  const counts = { total_items: 10, ok: 7, degraded: 0, failed: 2, budget_exceeded: 1, cancelled: 0 }
  const { message } = runNotOk({ ...run, ...counts, cost_micro: 0, budget_micro: null, since: new Date(0) })
  expect(message).toBe('Run r of agent nightly ended partial: of 10 items 2 failed, 1 over budget.')
})

it('waiting items are told apart by whether anything is deployed for them', () => {
  const project = { project_id: 'p', name: 'production', runs: 2, run_id: 'r', since: new Date(0) }
  expect(consumerStalled({ ...project, deployed: true }).reason).toBe('no_consumer')
  expect(consumerStalled({ ...project, deployed: false }).command).toBe('assay deploy agent.ts')
})

it('a mail has a subject of one short line', () => {
  const { subject, text } = alertMail({ ...scheduleMissed({ ...moment, agent_slug: 'x'.repeat(200) })! })
  expect(subject.length).toBeLessThanOrEqual(150)
  expect(text).toContain('\n    assay schedules trigger s\n')
})
