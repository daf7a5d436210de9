import { describe, expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { ApiFailure } from '../sdk/client.ts'
import { asFailure, unreachable } from './api.ts'
import { search } from './search.ts'

const refusedWith = (message: string, hint?: string) =>
  asFailure(new ApiFailure(new Response(null, { status: 404 }), { code: 'not_found', message, hint }))!

describe('a not_found error of the server', () => {
  it('about an item explains which id is meant, and how to find it by your own item id', () => {
    const { hint, next } = refusedWith('There is no such item in this account.')
    expect(hint).toMatch(/by the ID in the first column.*your own id of it.*assay item RUN ID/)
    expect(next).toBe('assay items RUN')
  })

  it('about anything else keeps its hint', () => {
    expect(refusedWith('There is no such run in this account.', 'Look.')).toMatchObject({
      hint: 'Look.',
      next: 'assay runs',
    })
  })
})

it.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
  ['EPIPE', /a proxy before the server/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /http:\/\//],
  ['ENOTFOUND', /is ASSAY_BASE_URL right/],
])('an unreachable server (%s) is reported with what to do', (code, hint) => {
  const error = new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
  expect(unreachable('https://assay.test', error)).toMatchObject({
    code: 'unreachable',
    hint: expect.stringMatching(hint),
    next: undefined,
  })
})

describe('a search for suspected refusals', () => {
  it('shows the words for which each call is suspected', async () => {
    const step = {
      record_id: 'r',
      run_id: 'r',
      item_id: 'T-1',
      step_no: 1,
      attempt: 1,
      key: 'k',
      name: 'ask',
      outcome_status: 'ok',
      outcome_reason: 'suspected_refusal',
      cost_usd: 0,
      unpriced: false,
      started_at: '2026-01-01T00:00:00.000Z',
      snippet: null,
      error_message: null,
      output: "I'm afraid that is not something I can help with today.",
    }
    await search(answering({ 'GET /v1/steps': { steps: [step], next_cursor: null } })(120), given())
    expect(printed()).toMatch(/T-1 .* ok .*not something I can help/)
  })
})
