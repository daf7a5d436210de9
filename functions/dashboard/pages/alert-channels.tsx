// The actions of the alert channels' forms: add, test and remove a channel.

import * as z from 'zod'
import { CHANNEL_DIGESTS } from '../../../shared/alerts/vocabulary.ts'
import { defined } from '../../../shared/kernel/defined.ts'
import { CHANNEL_FORMATS } from '../../../shared/outbox/vocabulary.ts'
import { ofDelivery, ofProject } from '../shell/addresses.ts'
import { action } from '../shell/page.ts'
import { alertsView } from './alerts.tsx'

export const addAlertChannel = action({
  path: '/dashboard/projects/{projectId}/alert-channels',
  form: z.strictObject({
    url: z.string(),
    format: z.enum([...CHANNEL_FORMATS, '']).optional(),
    digest: z.enum(CHANNEL_DIGESTS).optional(),
  }),
  again: (visit, entered) => alertsView(visit, {}, entered),
  async act({ api, params }, { url, ...more }) {
    const body = { url, ...defined(more) }
    await api.POST('/v1/projects/{projectId}/alert-channels', { params: { path: params }, body })
    return { to: ofProject(params.projectId, 'alerts'), said: `Alerts go to ${body.url} from now on.` }
  },
})

export const removeAlertChannel = action({
  path: '/dashboard/projects/{projectId}/alert-channels/{channelId}/delete',
  async act({ api, params }) {
    const { data } = await api.DELETE('/v1/projects/{projectId}/alert-channels/{channelId}', {
      params: { path: params },
    })
    const to = ofProject(params.projectId, 'alerts')
    const undo = { action: ofProject(params.projectId, 'alert-channels'), fields: { url: data!.url } }
    return { to, said: `Nothing goes to ${data!.url} any more.`, undo }
  },
})

export const testAlertChannel = action({
  path: '/dashboard/projects/{projectId}/alert-channels/{channelId}/test',
  async act({ api, params }) {
    const { data } = await api.POST('/v1/projects/{projectId}/alert-channels/{channelId}/test', {
      params: { path: params },
    })
    return { to: ofDelivery(data!.delivery_id), said: 'A test message is on its way.' }
  },
})
