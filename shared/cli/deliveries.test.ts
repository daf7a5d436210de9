import { expect, it } from 'vitest'
import { screen } from '../../test/support/cli-samples.ts'
import type { Schemas } from './api.ts'
import { deliveriesTable, deliveryText } from './deliveries.ts'

const NOW = Date.parse('2026-03-02T09:31:00Z')
const RUN = '01a1fab9-81a7-7eca-a25c-32a500000000'

const refused: Schemas['DeliveryRecord'] = {
  id: 'c31b4b82-662e-4b24-845f-8f48c83215e8',
  project_id: RUN,
  kind: 'run.finished',
  run_id: RUN,
  alert_id: null,
  url: 'https://example.com/hook',
  state: 'pending',
  try_count: 2,
  last_status: 503,
  last_error: 'The receiver answered 503.',
  due_at: '2026-03-02T09:32:00Z',
  created_at: '2026-03-02T09:30:00Z',
  delivered_at: null,
  body: { type: 'run.finished' },
  tries: [
    { try: 1, started_at: '2026-03-02T09:30:00.000Z', duration_ms: null, status: null, error: null },
    {
      try: 2,
      started_at: '2026-03-02T09:30:31.000Z',
      duration_ms: 48,
      status: 503,
      error: 'The receiver answered 503.',
    },
  ],
}

it('the list of deliveries shows the last result of each, and when it is tried next', () => {
  const taken: Schemas['Delivery'] = { ...refused, state: 'delivered', due_at: null, last_status: 204 }
  const rows = [refused, { ...taken, last_error: null }]
  expect(deliveriesTable(rows, NOW, screen(140)).split('\n')).toEqual([
    'DELIVERY                              EVENT         STATE      TRIES  LAST                        NEXT   TO                         SINCE',
    'c31b4b82-662e-4b24-845f-8f48c83215e8  run.finished  pending        2  The receiver answered 503.  in 1m  https://example.com/hook  1m ago',
    'c31b4b82-662e-4b24-845f-8f48c83215e8  run.finished  delivered      2  204                                https://example.com/hook  1m ago',
  ])
  for (const line of deliveriesTable(rows, NOW, screen(70)).split('\n')) expect(line.length).toBeLessThan(71)
})

it('a delivery is shown with every attempt, and with the command to resend it once it has failed', () => {
  expect(deliveryText(refused, NOW, screen(80)).split('\n')).toEqual([
    'delivery c31b4b82-662e-4b24-845f-8f48c83215e8',
    `event    run.finished of run ${RUN}`,
    'to       https://example.com/hook',
    'state    pending, tried next in 1m',
    'body     {"type":"run.finished"}',
    '',
    '  1  2026-03-02T09:30:00.000Z            no answer yet, or its sender died',
    '  2  2026-03-02T09:30:31.000Z     48 ms  The receiver answered 503.',
  ])
  const failed = deliveryText({ ...refused, state: 'failed', due_at: null }, NOW, screen(80))
  expect(failed).toContain('assay deliveries resend c31b4b82')
})
