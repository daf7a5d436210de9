import { expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { clusters } from './clusters.ts'

const RECORD = '01a1fab9-81a7-7eca-a25c-32a500000001'
const found = {
  cluster_key: '9f86d081884c7d65',
  error_code: 'tool_call_error',
  sample_prompt: 'Where is my order?',
  count: 1200,
  item_ids: ['a'],
  record_ids: [RECORD],
}

it('a cluster is listed with its count, its sample prompt and the record id of one item', async () => {
  const session = answering({ 'GET /v1/durable/runs/clusters': { clusters: [found], total_failures: 1200 } })
  await clusters(session(120), given())
  expect(printed()).toContain(`1,200  ${found.cluster_key}  Where is my order?  ${RECORD}`)
})

it('clusters with --since are counted from the rows in triage, and say what went wrong', async () => {
  const row = {
    record_id: RECORD,
    cluster_key: null,
    reason: 'refusal',
    error_code: null,
    message: null,
    created_at: '2026-01-01T00:04:00.000Z',
  }
  const failed = { ...row, cluster_key: 'c1', error_code: 'tool_call_error', message: 'no answer' }
  const old = { ...failed, created_at: '2025-12-30T00:00:00.000Z' }
  const session = answering({
    'GET /v1/triage': { rows: [row, failed, failed, old], next_cursor: null },
  })
  await clusters(session(120), given({ since: '1d' }))
  const [, first, second] = printed().split('\n')
  expect(first).toMatch(/^ +2 +tool_call_error: no answer +c1/)
  expect(second).toMatch(/^ +1 +the model refused/)
})
