import { expect, it } from 'vitest'
import { answering, printed } from '../../test/support/cli-session.ts'
import { overview } from './overview.ts'

const EMPTY = {
  'GET /v2/runs': [],
  'GET /v1/triage': { rows: [], next_cursor: null },
  'GET /v1/projects': [],
  'GET /v1/schedules': [],
  'GET /v1/deliveries': { deliveries: [], next_cursor: null },
  'GET /v1/alerts': { alerts: [], next_cursor: null },
  'GET /v1/agents': [],
  'GET /v1/causes': { rows: [], next_cursor: null },
  'GET /v1/upstreams': [],
}
const notReady = (code: string) =>
  Response.json(
    { status: 'unavailable', error: { code, message: 'redis cannot be reached (ECONNREFUSED)' } },
    { status: 503, headers: { 'assay-version': '0.1.0' } },
  )

it.each(['dependency_unreachable', 'dependency_unusable', 'process_restarting'])(
  'while the server is not ready (%s) and serves callers, the overview is shown, with the reason',
  async code => {
    await overview(answering({ ...EMPTY, 'GET /health/ready': notReady(code) })(100))
    expect(printed('notes')).toBe('redis cannot be reached (ECONNREFUSED)\n')
    expect(printed()).not.toBe('')
  },
)
