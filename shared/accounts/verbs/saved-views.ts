// Saves and deletes views of lists. Guarantee: a member has a bounded number of own views, and a project of shared
// ones.

import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import * as store from '../queries/saved-views.ts'
import type { ViewList } from '../vocabulary.ts'

export interface ViewOrder {
  project_id: string
  /** Null for a shared view. */
  member_id: string | null
  list: ViewList
  name: string
  query: string
}

/** @throws ApiError `too_many_saved_views` */
export async function saveView(ctx: Context, order: ViewOrder) {
  const saved = await store.countOtherViews(ctx.db, order)
  if (saved >= LIMITS.saved_views)
    throw new ApiError(
      'too_many_saved_views',
      `There are ${saved} ${order.member_id === null ? 'shared views in this project' : 'views of yours in this project'}, as many as there may be.`,
      'Delete one that is not needed any more.',
    )
  return store.putSavedView(ctx.db, { ...order, id: ctx.newId() })
}

export const deleteView = (ctx: Context, project_id: string, id: string): Promise<void> =>
  store.deleteSavedView(ctx.db, project_id, id)
