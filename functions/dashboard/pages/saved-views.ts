// The actions of the saved views' forms: save and delete a view.

import * as z from 'zod'
import { VIEW_LISTS } from '../../../shared/accounts/vocabulary.ts'
import { ofProject } from '../shell/addresses.ts'
import { action } from '../shell/page.ts'

const list = z.enum(VIEW_LISTS)

export const saveView = action({
  path: '/dashboard/projects/{projectId}/views',
  form: z.strictObject({ list, name: z.string(), query: z.string(), shared: z.literal('true').optional() }),
  async act({ api, params }, { shared, ...view }) {
    const body = { ...view, shared: shared !== undefined }
    const { data } = await api.POST('/v1/projects/{projectId}/views', { params: { path: params }, body })
    return {
      to: ofProject(params.projectId, `${view.list}?${view.query}`),
      said: `Saved as ${data!.name}${data!.shared ? ', for everybody in the project' : ''}.`,
    }
  },
})

export const deleteView = action({
  path: '/dashboard/projects/{projectId}/views/{viewId}/delete',
  form: z.strictObject({ list }),
  async act({ api, params }, form) {
    await api.DELETE('/v1/projects/{projectId}/views/{viewId}', { params: { path: params } })
    return { to: ofProject(params.projectId, form.list), said: 'The view is gone.' }
  },
})
