import { expect, it } from 'vitest'
import { alertText } from './alerts.ts'

const NOW = Date.parse('2026-03-02T09:30:00Z')
const alert = {
  id: '019c2b1e-7a40-7c3d-9f21-5be000000000',
  project_id: '019c2b1e-7a40-7c3d-9f21-5be000000000',
  rule: 'schedule_missed' as const,
  reason: 'overdue',
  message:
    'Schedule "0 2 * * *" (UTC) of agent nightly: 2026-03-02T02:00:00.000Z passed while no tick was running.',
  advice: 'Make sure that the tick is called every minute; start by hand what is still needed.',
  command: 'assay schedules trigger 019c2b1e && assay runs',
  agent_id: null,
  schedule_id: null,
  run_id: null,
  since: '2026-03-02T02:00:00.000Z',
  resolved_at: null,
  created_at: '2026-03-02T09:25:00.000Z',
}
const screen = (columns: number) => ({
  columns,
  paint: (_style: string, text: string) => text,
  program: 'npx --no assay',
})

it('an alert shows what happened, what to do, and the command as the user types it', () => {
  expect(alertText(alert, NOW, screen(64)).split('\n')).toEqual([
    'schedule_missed  5m ago',
    '  Schedule "0 2 * * *" (UTC) of agent nightly:',
    '  2026-03-02T02:00:00.000Z passed while no tick was running.',
    '  Make sure that the tick is called every minute; start by hand',
    '  what is still needed.',
    '  npx --no assay schedules trigger 019c2b1e && npx --no assay runs',
  ])
})
