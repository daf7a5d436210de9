import { expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { search } from './search.ts'

const step = {
  record_id: '01a1fab9-81a7-7eca-a25c-32a500000001',
  item_id: 'ticket 7',
  step_no: 1,
  attempt: 1,
  name: 'draft',
  outcome_status: 'ok',
  cost_usd: 0,
  unpriced: false,
  started_at: '2026-01-01T00:00:00.000Z',
  snippet: { field: 'input', text: 'A «refund», please' },
}

it('a search of messages prints each hit in its sentence, and of how many at least it is', async () => {
  const found = { steps: [step], next_cursor: 'more' }
  const session = answering({
    'GET /v1/steps?q=refund&in=messages&limit=1': found,
    'GET /v1/steps?q=refund&in=messages&limit=1&count=true': {
      ...found,
      total: 1000,
      more_than_total: true,
    },
  })(100)
  await search(session, given({ in: 'messages', limit: '1' }, ['refund']))
  expect(printed()).toContain('A «refund», please')
  expect(printed('notes')).toContain('the first 1 of more than 1,000 steps')
})
