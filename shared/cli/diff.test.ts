import { expect, it } from 'vitest'
import { sampleItem, sampleRun } from '../../test/support/cli-samples.ts'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import type { RunItem } from './api.ts'
import { diff } from './diff.ts'

const [BEFORE, AFTER] = ['019c2b1e-0000-7000-8000-000000000000', '019c2b1f-0000-7000-8000-000000000000']

/** What `assay diff` says of two runs of one item. */
async function said(before: Partial<RunItem>, after: Partial<RunItem>): Promise<string> {
  const item = { item_id: 'T-1', output: 'the same' }
  const session = answering({
    [`GET /v2/runs/${BEFORE}`]: sampleRun({ id: BEFORE }),
    [`GET /v2/runs/${AFTER}`]: sampleRun({ id: AFTER }),
    [`GET /v2/runs/${BEFORE}/items`]: [sampleItem({ ...item, ...before })],
    [`GET /v2/runs/${AFTER}/items`]: [sampleItem({ ...item, ...after })],
  })
  await diff(session(80), given({}, [BEFORE, AFTER]))
  return printed()
}

it('two runs are compared by the verdicts that people corrected, and the summary says how many these are', async () => {
  const wrong = { worst_outcome_status: 'degraded', corrected_outcome_status: 'ok' } as const
  const same = await said(wrong, { worst_outcome_status: 'ok' })
  expect(same).toContain('verdicts  all as before (corrected by people: 1 in the first, 0 in the second)\n')
  const worse = await said(wrong, { worst_outcome_status: 'degraded' })
  expect(worse).toContain('verdicts  1 ok → degraded (corrected by people: 1 in the first, 0 in the second)')
})

it('without corrections the summary does not mention any', async () => {
  expect(await said({}, {})).toContain('verdicts  all as before\n')
})

it('an item that waits for a person or for money is called held, as by the API', async () => {
  const held = await said({ worst_outcome_status: 'ok' }, { worst_outcome_status: null, status: 'paused' })
  expect(held).toContain('verdicts  1 ok → held\n')
})

it('two runs without a common item are not said to be as before', async () => {
  const text = await said({ item_id: 'T-1' }, { item_id: 'T-2' })
  expect(text).toMatch(
    /^no item in common.*: 1 only in the first run, 1 only in the second\n.*--item-id FIELD/,
  )
  expect(text).not.toContain('as before')
})

it('outputs that differ deep inside are shown where they differ, the path first', async () => {
  const of = (label: string) => ({
    pages: [{ id: 1, label: 'same', text: 'x'.repeat(300) }, { label }],
    note: 'long '.repeat(60),
  })
  const text = await said({ output: of('theft') }, { output: of('water') })
  expect(text).toContain('pages.1.label: theft')
  expect(text).toContain('pages.1.label: water')
  const more = await said({ output: { a: 1, b: 2 } }, { output: { a: 2, b: 3 } })
  expect(more).toContain('a: 2 (and 1 more)')
  expect(await said({ output: [1] }, { output: { 0: 1, a: 2 } })).toContain('[1]')
})
