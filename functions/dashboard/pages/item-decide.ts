// Decisions about one item.

import * as z from 'zod'
import { ApiError } from '../../../shared/kernel/errors.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { WRONG_OF } from '../../../shared/triage/vocabulary.ts'
import { sayWarnings } from '../../../shared/view/recovery.ts'
import { ofItem } from '../shell/addresses.ts'
import { centsOfDollars } from '../shell/dollars.ts'
import { action, type Done } from '../shell/page.ts'

export const resumeItem = action({
  path: '/dashboard/items/{itemId}/resume',
  form: z.strictObject({ dollars: z.string().optional() }),
  async act({ api, params }, { dollars }) {
    const budget_cents = centsOfDollars(dollars)
    if (budget_cents === null)
      throw new ApiError('invalid_request', 'That is no amount, such as 0.50, $2 or 50c.')
    const { data } = await api.POST('/v1/durable/runs/{itemId}/resume', {
      params: { path: { itemId: params.itemId } },
      body: budget_cents === undefined ? {} : { budget_cents },
    })
    const words = ['The item goes on after its last step.', ...sayWarnings(data!)]
    return { to: ofItem(params.itemId), said: words.join(' ') }
  },
})

export const acknowledgeItem = decision('acknowledge', 'The item left triage; nothing was decided about it.')

export const dismissItem = decision('dismiss', 'The item is dismissed.')

export const callItemWrong = action({
  path: '/dashboard/items/{itemId}/wrong',
  form: z.strictObject({ of: z.enum(WRONG_OF) }),
  async act({ api, params }, { of }) {
    const path = { itemId: params.itemId }
    await api.POST('/v1/durable/runs/{itemId}/wrong', { params: { path }, body: { of } })
    const { item, undo } = await undoOf(api, params.itemId)
    const said =
      item?.corrected_outcome_status === 'degraded'
        ? 'The item is marked as wrong, and waits in triage.'
        : 'What was said of the item is marked as wrong.'
    return { to: ofItem(params.itemId), said, ...undo }
  },
})

export const confirmItem = decision('confirm', 'The item is confirmed not to have worked.')

export const reopenItem = action({
  path: '/dashboard/items/{itemId}/reopen',
  async act({ api, params }) {
    await api.POST('/v1/durable/runs/{itemId}/reopen', { params: { path: { itemId: params.itemId } } })
    return { to: ofItem(params.itemId), said: 'The item waits for a decision again.' }
  },
})

/** The item as it is now, and how the decision is taken back, where it can be. */
async function undoOf(
  api: Client,
  itemId: string,
): Promise<{ item: Schemas['ItemWithDecision']; undo: Pick<Done, 'undo'> }> {
  const { data: item } = await api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId } } })
  const undo = item!.available_actions.includes('reopen')
    ? { undo: { action: ofItem(itemId, 'reopen'), fields: {} } }
    : {}
  return { item: item!, undo }
}

function decision(verb: 'acknowledge' | 'dismiss' | 'confirm', said: string) {
  return action({
    path: `/dashboard/items/{itemId}/${verb}`,
    async act({ api, params: { itemId } }) {
      await api.POST(`/v1/durable/runs/{itemId}/${verb}`, { params: { path: { itemId } } })
      const { undo } = await undoOf(api, itemId)
      return { to: ofItem(itemId), said, ...undo }
    },
  })
}
