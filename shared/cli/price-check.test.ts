import { describe, expect, it } from 'vitest'
import { answering, given, printed } from '../../test/support/cli-session.ts'
import type { Schemas } from './api.ts'
import { checkPrices } from './price-check.ts'

const model: Schemas['PriceCheck']['models'][number] = {
  model: 'gpt-5-mini',
  state: 'current',
  source: 'list',
  listed_as: 'openai gpt-5-mini',
  effective_from: null,
  nearest: [],
  calls: 1200,
  unpriced_calls: 0,
  cost_usd: 0.5,
}
const check: Schemas['PriceCheck'] = {
  prices_as_of: '2026-09-23',
  source: 'a list',
  since: '2026-10-29T00:00:00.000Z',
  runs: 34,
  is_whole: true,
  models: [model],
}

async function said(change: Partial<Schemas['PriceCheck']>): Promise<string> {
  const session = answering({ 'GET /v1/projects/p/prices/check': { ...check, ...change } })(160)
  await checkPrices(session, given({ project: 'p' }))
  return printed()
}

describe('the check of prices', () => {
  it('says of how many calls its figures are, if these are all', async () => {
    const text = await said({})
    expect(text).toMatch(/ CALLS .* COST\n/)
    expect(text).toContain('\n1,200 calls that named a model, in all of 34 runs since 2026-10-29\n')
  })

  it('says in its titles and below that the figures of a sample are no totals, and where those are', async () => {
    const text = await said({ is_whole: false })
    expect(text).toMatch(/ CALLS READ .* COST OF THESE\n/)
    expect(text.replaceAll('\n', ' ')).toMatch(
      /a sample of 1,200 calls: the first 200 steps of each of 34 runs .* `assay models` has the totals/,
    )
  })

  it('explains the marks that occur, and no others', async () => {
    expect(await said({})).not.toMatch(/≥|\(old\)/)
    const own = {
      ...model,
      state: 'older_than_list',
      source: 'own',
      effective_from: '2026-01-01T00:00:00.000Z',
    } as const
    const text = await said({
      models: [own, { ...model, model: 'ours', state: 'none', source: null, unpriced_calls: 3 }],
    })
    expect(text).toContain('your own, from 2026-01-01 (old)')
    expect(text).toContain('\n≥ at least: calls without a price are not in the cost\n')
    expect(text).toContain(
      '\n(old) the list of 2026-09-23 is newer and has another price; assay prices list has yours\n',
    )
  })
})
