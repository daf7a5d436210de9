// Decisions about one item.

import * as z from 'zod'
import { ApiError } from '../../../shared/kernel/errors.ts'
import { WRONG_OF } from '../../../shared/triage/vocabulary.ts'
import { ofItem } from '../shell/addresses.ts'
import { centsOfDollars } from '../shell/dollars.ts'
import { action } from '../shell/page.ts'

export const resumeItem = action({
  path: '/dashboard/items/{itemId}/resume',
  form: z.strictObject({ dollars: z.string().optional() }),
  async act({ api, params }, { dollars }) {
    const budget_cents = centsOfDollars(dollars)
    if (budget_cents === null)
      throw new ApiError('invalid_request', 'That is no amount, such as 0.50, $2 or 50c.')
    await api.POST('/v1/durable/runs/{itemId}/resume', {
      params: { path: { itemId: params.itemId } },
      body: budget_cents === undefined ? {} : { budget_cents },
    })
    return { to: ofItem(params.itemId), said: 'The item goes on after its last step.' }
  },
})

export const acknowledgeItem = action({
  path: '/dashboard/items/{itemId}/acknowledge',
  async act({ api, params }) {
    await api.POST('/v1/durable/runs/{itemId}/acknowledge', { params: { path: { itemId: params.itemId } } })
    return {
      to: ofItem(params.itemId),
      said: 'The item has left triage, undecided.',
      undo: undoOf(params.itemId),
    }
  },
})

export const dismissItem = action({
  path: '/dashboard/items/{itemId}/dismiss',
  async act({ api, params }) {
    const path = { itemId: params.itemId }
    await api.POST('/v1/durable/runs/{itemId}/dismiss', { params: { path } })
    const { data: item } = await api.GET('/v1/durable/runs/{itemId}', { params: { path } })
    const undo = item?.available_actions.includes('reopen') ? { undo: undoOf(params.itemId) } : {}
    return { to: ofItem(params.itemId), said: 'The item is dismissed.', ...undo }
  },
})

export const callItemWrong = action({
  path: '/dashboard/items/{itemId}/wrong',
  form: z.strictObject({ of: z.enum(WRONG_OF) }),
  async act({ api, params }, { of }) {
    const path = { itemId: params.itemId }
    await api.POST('/v1/durable/runs/{itemId}/wrong', { params: { path }, body: { of } })
    const { data: item } = await api.GET('/v1/durable/runs/{itemId}', { params: { path } })
    const undo = item?.available_actions.includes('reopen') ? { undo: undoOf(params.itemId) } : {}
    const said =
      item?.corrected_outcome_status === 'degraded'
        ? 'The item is called wrong, and waits in triage.'
        : 'What was said of the item is called wrong.'
    return { to: ofItem(params.itemId), said, ...undo }
  },
})

export const confirmItem = action({
  path: '/dashboard/items/{itemId}/confirm',
  async act({ api, params }) {
    await api.POST('/v1/durable/runs/{itemId}/confirm', { params: { path: { itemId: params.itemId } } })
    return {
      to: ofItem(params.itemId),
      said: 'The item is confirmed not to have worked.',
      undo: undoOf(params.itemId),
    }
  },
})

export const reopenItem = action({
  path: '/dashboard/items/{itemId}/reopen',
  async act({ api, params }) {
    await api.POST('/v1/durable/runs/{itemId}/reopen', { params: { path: { itemId: params.itemId } } })
    return { to: ofItem(params.itemId), said: 'The item waits for a decision again.' }
  },
})

const undoOf = (itemId: string) => ({ action: ofItem(itemId, 'reopen'), fields: {} })
