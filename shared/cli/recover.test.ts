import { expect, it } from 'vitest'
import { answering, given, told } from '../../test/support/cli-session.ts'
import { EXIT } from './failure.ts'
import { recover } from './recover.ts'

const recovery = {
  id: 'the-recovery',
  name: 'after the outage',
  status: 'stopped',
  eligible: 30,
  replayed: 7,
  ended: 7,
  ok: 0,
  degraded: 0,
  failed: 7,
  cancelled: 0,
  paused: 0,
  cost_usd: 0.5,
  finished_at: '2026-01-01T00:00:00.000Z',
}

it('a dry run tells what would be replayed, in how many runs, and what not', async () => {
  const plan = {
    eligible: 30,
    ineligible: [{ reason: 'dismissed', count: 1 }],
    agent_ids: ['a', 'b'],
    runs: 2,
  }
  await recover(answering({ 'POST /v1/recoveries': plan })(80), given({ 'dry-run': 'yes' }))
  expect(told()).toBe('30 of 31 items can be replayed; 1 cannot: dismissed\nin 2 runs\n')
})

it('a recovery that stopped says why, and its exit code that not all of it worked', async () => {
  const session = answering({ 'GET /v1/recoveries/the-recovery': recovery })(80)
  expect(await recover(session, given({ watch: 'yes' }, ['the-recovery']))).toBe(EXIT.failed)
  expect(told().trim().split('\n')).toEqual([
    'the-recovery  after the outage',
    'stopped: 7 of 30 items replayed',
    '0 ok, 7 failed, $0.50',
    'the first ones did no better than before; the others wait in triage',
  ])
})

it.each([
  [{ abort: 'yes' }, '--abort needs the id of a recovery'],
  [{ cancelled: 'yes' }, '--cancelled needs --run RUN'],
])('%j alone is a usage error', async (options, message) => {
  await expect(recover(answering({})(80), given(options as Record<string, string>))).rejects.toThrow(message)
})
