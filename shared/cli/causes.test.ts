import { expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { causes } from './causes.ts'

const cause = {
  id: 'cause_0d62b30ba2c2',
  title: 'classify: refusal: no',
  reason: 'refusal',
  agent_id: 'a',
  record_id: null,
  count: 4,
  waiting: 4,
  cost_usd: 0.1,
  last_seen: '2025-12-31T12:00:00.000Z',
}

it('causes with --since are those whose last item came since then', async () => {
  const old = { ...cause, id: 'cause_8bc666936726', last_seen: '2025-12-30T12:00:00.000Z' }
  const session = answering({
    'GET /v1/causes': { rows: [cause, old], next_cursor: null },
    'GET /v1/verdicts': { rows: [] },
  })
  await causes(session(120), given({ since: '1d' }))
  expect(printed()).toContain(cause.id)
  expect(printed()).not.toContain(old.id)
})
