import { expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import { setPrice } from './prices.ts'

it('setting a price reports that items waiting for this price alone continue soon', async () => {
  const price = {
    model: 'ours',
    input_per_mtok: 1,
    output_per_mtok: 2,
    effective_from: '2026-01-01T00:00:00Z',
  }
  const session = answering({ 'POST /v1/projects/p/prices': price })
  await setPrice(session(80), given({ project: 'p', input: '1', output: '2' }, ['ours']))
  expect(printed()).toMatch(/^ours: \$1.*items that wait for this price alone continue within a minute\.$/ms)
})
