// Serves an input or an output as stored. Guarantee: the text is unchanged, and no browser renders it as a page.

import * as z from 'zod'
import { textAnswer } from '../../../shared/http/compression.ts'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { readItem, readTrace } from '../parts/record.ts'
import { page } from '../shell/page.ts'

export const itemRaw = page({
  path: '/dashboard/items/{itemId}/raw/{part}',
  query: z.strictObject({ step: z.coerce.number().int().optional(), at: z.iso.datetime().optional() }),
  async show({ api, params, query }) {
    const { itemId, part } = params
    if (part !== 'input' && part !== 'output') throw missing()
    const { texts } = query.step === undefined ? await readItem(api, itemId) : await findStep()
    return textAnswer(texts[part] ?? 'null', {
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': `inline; filename="${itemId}-${query.step === undefined ? '' : `step-${query.step}-`}${part}.json"`,
        'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
      },
    })

    /** Finds a step by its start time, which a link carries to the millisecond. */
    async function findStep() {
      const at = query.at === undefined ? {} : { from: query.at, to: after(query.at) }
      const { steps } = await readTrace(api, { record_id: itemId, ...at })
      const found = steps.find(step => step.step_no === query.step)
      if (found === undefined) throw missing()
      return found
    }
  },
})

const after = (at: string) => new Date(Date.parse(at) + 1).toISOString()
const missing = () => new ApiError('not_found', 'There is no such part of the item.')
