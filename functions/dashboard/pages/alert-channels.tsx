// Where alerts and digests go: the part of the page of alerts that lists channels, and what its forms do.

import * as z from 'zod'
import { CHANNEL_DIGESTS, CHANNEL_FORMATS } from '../../../shared/outbox/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Field, Press } from '../parts/form.tsx'
import { List } from '../parts/list.tsx'
import { ofDelivery, ofProject } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { action } from '../shell/page.ts'

export const Channels = ({
  project_id,
  channels,
  mayChange,
}: {
  project_id: string
  channels: readonly Schemas['AlertChannel'][]
  mayChange: boolean
}) => (
  <>
    <List
      id="channels"
      rows={channels}
      columns={[
        { label: 'To', cell: one => one.url },
        { label: 'Format', cell: one => one.format },
        { label: 'Digests of runs', cell: one => one.digest },
        {
          label: '',
          cell: one =>
            mayChange && (
              <Press label="Send a test" action={ofProject(project_id, `alert-channels/${one.id}/test`)} />
            ),
        },
        {
          label: '',
          numeric: true,
          cell: one =>
            mayChange && (
              <Press label="Remove" action={ofProject(project_id, `alert-channels/${one.id}/delete`)} />
            ),
        },
      ]}
      empty={<p>Nowhere but here. Add a webhook or an address, so that nobody has to look.</p>}
    />
    {mayChange && (
      <form class="filters" method="post" action={ofProject(project_id, 'alert-channels')}>
        <Field label="Webhook, or mailto: and an address">
          <input name="url" required placeholder="https://example.com/alerts" />
        </Field>
        <Field label="Format">
          <select name="format">
            <option value="">as the URL tells</option>
            {CHANNEL_FORMATS.map(format => (
              <option value={format}>{format}</option>
            ))}
          </select>
        </Field>
        <Field label="Digests of runs">
          <select name="digest">
            {CHANNEL_DIGESTS.map(digest => (
              <option value={digest} selected={digest === 'scheduled'}>
                {digest}
              </option>
            ))}
          </select>
        </Field>
        <button class="primary">Add</button>
      </form>
    )}
  </>
)

export const addAlertChannel = action({
  path: '/dashboard/projects/{projectId}/alert-channels',
  form: z.strictObject({
    url: z.string(),
    format: z.enum([...CHANNEL_FORMATS, '']).optional(),
    digest: z.enum(CHANNEL_DIGESTS).optional(),
  }),
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
