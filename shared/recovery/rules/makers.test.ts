import { expect, it } from 'vitest'
import { LIMITS } from '../../kernel/limits.ts'
import { addMade, type NamedSteps, warningsOf as warningsOfAction } from './makers.ts'

const warningsOf = (made: readonly NamedSteps[]) => warningsOfAction(made, 'replay')

const steps = (
  count: number,
  [version, code]: [number | null, string | null],
  [now, ...codes]: [number | null, ...string[]],
): NamedSteps => ({
  steps: count,
  deployment_version: version,
  code_version: code,
  unnamed: false,
  runs_on: { deployment_version: now, code_versions: codes },
})

it('warns of steps that another version made, by the code where both name it, else by the deployment', () => {
  expect(warningsOf([])).toEqual([])
  expect(warningsOf([steps(3, [1, null], [1])])).toEqual([])
  expect(warningsOf([steps(3, [null, null], [2])])).toEqual([])
  expect(warningsOf([steps(3, [1, null], [null])])).toEqual([])
  // A deploy that left the code as it was.
  expect(warningsOf([steps(3, [1, 'a3f'], [2, 'a3f'])])).toEqual([])
  expect(warningsOf([steps(3, [1, 'a3f'], [1, 'a3f', 'b7c'])])).toEqual([])
  expect(warningsOf([steps(1, [1, null], [2])])).toEqual([
    {
      code: 'other_version',
      message:
        '1 reused step was made by version 1, and version 2 runs: what changed since is not in them; "reuse": "none" (--reuse none) runs every step again',
      steps: 1,
    },
  ])
  expect(warningsOf([steps(800, [1, 'a3f'], [1, 'b7c']), steps(100, [1, 'b7c'], [1, 'b7c'])])).toEqual([
    {
      code: 'other_version',
      message: expect.stringContaining('800 of 900 reused steps were made by code a3f, and code b7c runs:'),
      steps: 800,
    },
  ])
  // Of code that named itself first after a deploy, the deployments decide.
  expect(warningsOf([steps(2, [1, null], [2, 'b7c'])])[0]?.message).toContain(
    'by version 1, and version 2 runs',
  )
})

it('names code that has named itself only since, and the way out of a resume', () => {
  const before = { ...steps(2, [1, null], [1, 'b7c']), unnamed: true }
  expect(warningsOf([before])[0]?.message).toContain('made by code that named no version, and code b7c runs')
  expect(warningsOf([{ ...before, runs_on: { deployment_version: 1, code_versions: [] } }])).toEqual([])
  expect(
    warningsOf([{ ...before, runs_on: { ...before.runs_on, deployment_version: 2 } }])[0]?.message,
  ).toContain('by version 1, and version 2 runs')
  const held = steps(1, [1, 'a3f'], [1, 'b7c'])
  expect(warningsOfAction([held], 'resume')[0]?.message).toContain(
    'code b7c runs: what changed since is not in them; to run every step again, dismiss it and replay it with "reuse": "none"',
  )
  expect(warningsOfAction([held], 'dismiss')).toEqual([])
})

it('adds up the steps of each maker, and keeps no more makers than its bound', () => {
  const of = (no: number, steps: number) => ({ agent_id: 'a', deployment_id: 'd', code_version: no, steps })
  expect(addMade([of(1, 2)], [of(2, 1), of(1, 3), of(3, 0)])).toEqual([of(1, 5), of(2, 1)])
  const many = Array.from({ length: LIMITS.recovery_makers + 5 }, (_, no) => of(no, 1))
  const sums = addMade([], many)
  expect(sums).toHaveLength(LIMITS.recovery_makers)
  expect(sums.at(-1)!.steps).toBe(6)
})
