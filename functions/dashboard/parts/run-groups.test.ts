import { expect, it } from 'vitest'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { groupsOf } from './run-groups.ts'

let ids = 0
const run = (values: Partial<Schemas['Run']>) =>
  ({
    id: String(++ids),
    agent_id: 'a',
    name: 'nightly',
    replay_of: null,
    degraded_count: 0,
    failed: 0,
    ...values,
  }) as Schemas['Run']

it('nightly runs of a schedule form one group, with the run before the newest', () => {
  const nights = [run({}), run({ failed: 3 }), run({})]
  expect(groupsOf(nights)).toEqual([{ newest: nights[0], before: nights[1], earlier: 2 }])
})

it('runs of another agent, runs without a name and replays are groups of their own', () => {
  const runs = [
    run({}),
    run({ agent_id: 'b' }),
    run({ name: null }),
    run({ name: null }),
    run({ replay_of: '1' }),
  ]
  expect(groupsOf(runs).map(group => [group.newest.id, group.earlier])).toEqual(runs.map(one => [one.id, 0]))
})

it('groups whose newest run has the most items not ok come first, and the others stay newest first', () => {
  const [well, other, bad, worse] = [
    run({ name: 'a' }),
    run({ name: 'b' }),
    run({ name: 'c', failed: 1 }),
    run({ name: 'd', degraded_count: 2 }),
  ]
  expect(groupsOf([well!, other!, bad!, worse!]).map(group => group.newest)).toEqual([
    worse,
    bad,
    well,
    other,
  ])
})
