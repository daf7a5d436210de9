// Changes the tags of a run.

import * as z from 'zod'
import { tagsOf } from '../parts/submit-order.ts'
import { ofRun } from '../shell/addresses.ts'
import { action } from '../shell/page.ts'

export const tagRun = action({
  path: '/dashboard/runs/{runId}/tags',
  least: 'operator',
  form: z.strictObject({ tags: z.string() }),
  async act({ api, params }, form) {
    const tags = tagsOf(form.tags)
    await api.PATCH('/v2/runs/{runId}', { params: { path: { runId: params.runId } }, body: { tags } })
    return {
      to: ofRun(params.runId),
      said: tags.length === 0 ? 'The run has no tags.' : 'The tags are saved.',
    }
  },
})
