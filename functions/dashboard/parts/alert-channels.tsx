// The channels that alerts and digests go to, the form for a new channel, and the messages that were given up.

import { CHANNEL_DIGESTS } from '../../../shared/alerts/vocabulary.ts'
import { CHANNEL_FORMATS } from '../../../shared/outbox/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofProject } from '../shell/addresses.ts'
import type { Entered } from '../shell/page.ts'
import { among, Choice } from './choice.tsx'
import { Field, Press } from './form.tsx'
import { List } from './list.tsx'
import { counted } from './text.tsx'

interface Props {
  project_id: string
  channels: readonly Schemas['AlertChannel'][]
  mayChange: boolean
  entered: Entered
}

export const Channels = ({ project_id, channels, mayChange, entered }: Props) => {
  const acts = [
    { does: 'test', label: 'Send a test' },
    { does: 'delete', label: 'Remove' },
  ]
  return (
    <>
      <List
        id="channels"
        rows={channels}
        columns={[
          { label: 'To', cell: one => one.url },
          { label: 'Format', cell: one => one.format },
          { label: 'Digests of runs', cell: one => one.digest },
          ...(mayChange ? acts : []).map(({ does, label }) => ({
            label: '',
            cell: (one: Schemas['AlertChannel']) => (
              <Press label={label} action={ofProject(project_id, `alert-channels/${one.id}/${does}`)} />
            ),
          })),
        ]}
        empty={<p>Nowhere but here. Add a webhook or an address, so that nobody has to look.</p>}
      />
      {mayChange && <NewChannel project_id={project_id} entered={entered} />}
    </>
  )
}

const NewChannel = ({ project_id, entered }: Pick<Props, 'project_id' | 'entered'>) => (
  <form class="filters" method="post" action={ofProject(project_id, 'alert-channels')} novalidate>
    <Field label="Webhook, or mailto: and an address">
      <input
        name="url"
        data-secret
        required
        placeholder="https://example.com/alerts"
        value={entered.url ?? ''}
      />
    </Field>
    <Choice
      name="format"
      label="Format"
      options={{ '': 'as the URL says', ...among(CHANNEL_FORMATS) }}
      chosen={entered.format}
    />
    <Choice
      name="digest"
      label="Digests of runs"
      options={among(CHANNEL_DIGESTS)}
      chosen={entered.digest ?? 'scheduled'}
    />
    <button class="primary">Add</button>
  </form>
)

/** Kinds of messages that go to a run's own callback URL; all others go to channels. */
const OF_RUNS = ['run.finished', 'run.results']
const DAY_MS = 86_400_000

interface GivenUpProps {
  project_id: string
  /** The latest deliveries that were given up. */
  deliveries: readonly Schemas['Delivery'][]
  now: number
}

/** Counts the messages given up in the last 24 hours, with alerts and callbacks counted separately. */
export const GivenUp = ({ project_id, deliveries, now }: GivenUpProps) => {
  const lately = deliveries.filter(one => Date.parse(one.created_at) > now - DAY_MS)
  const callbacks = lately.filter(one => OF_RUNS.includes(one.kind)).length
  const own = lately.length - callbacks
  if (own === 0) return ''
  return (
    <p id="given-up" data-live>
      <a class="v-failed" href={ofProject(project_id, 'deliveries?state=failed')}>
        {counted(own, 'message')} to these addresses given up since yesterday
      </a>
      {callbacks > 0 && `, besides ${counted(callbacks, 'callback')} of runs`}.
    </p>
  )
}
