import { expect, it } from 'vitest'
import type { Claim } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { HeldLeases } from './held-leases.ts'

const claimOf = (id: number, items: number) =>
  ({ id, run_id: `run ${id}`, project_id: 'p', items: Array.from({ length: items }) }) as unknown as Claim

it('keeps a lease while items of it are open, and lets go of it, with what listens to it, at the next claim', () => {
  const leases = new HeldLeases({ now: () => 0 } as Context)
  const first = leases.begin(claimOf(1, 2))
  first.open = 1
  leases.begin(claimOf(2, 1))
  expect(leases.isOfRun('run 1')).toBe(true)
  first.open = 0
  leases.begin(claimOf(3, 1))
  expect([1, 2, 3].map(id => leases.isOfRun(`run ${id}`))).toEqual([false, true, true])
})
