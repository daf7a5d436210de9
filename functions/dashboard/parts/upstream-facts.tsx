// What upstreams let through and what waits for them, in words with a colour.

import type { Schemas } from '../../../shared/sdk/client.ts'
import { stateText } from '../../../shared/view/upstream.ts'
import { ofRun } from '../shell/addresses.ts'
import { count, When } from './text.tsx'

type Upstream = Schemas['Upstream']

/** The status whose colour each state has. */
const COLOURS: Record<Upstream['state'], string> = {
  open: 'completed',
  cooling: 'partial',
  away: 'partial',
  out_of_credit: 'failed',
  refused: 'failed',
}

export const UpstreamState = ({ of: upstream }: { of: Upstream }) => (
  <span class={`status s-${upstream.opening ? 'running' : COLOURS[upstream.state]}`}>
    {stateText(upstream)}
  </span>
)

/** When a closed one is tried next. */
export const NextTry = ({ of: { state, next_at }, now }: { of: Upstream; now: number }) => (
  <>{state !== 'open' && next_at !== null && <When at={next_at} now={now} />}</>
)

/** The moment of a run's id: its end is the same for all, since items of the run are counted there. */
const MOMENT_CHARACTERS = 13

export const RunLinks = ({ ids }: { ids: readonly string[] }) => (
  <>
    {ids.map((id, at) => (
      <>
        {at > 0 && ', '}
        <a href={ofRun(id)} title={id}>
          <code class="id">{id.slice(0, MOMENT_CHARACTERS)}</code>
        </a>
      </>
    ))}
  </>
)

/** How many items begin in a minute; empty if nothing holds them back. */
export const perMinute = ({ items_per_minute }: Upstream): string =>
  items_per_minute === null ? '' : items_per_minute < 10 ? String(items_per_minute) : count(items_per_minute)
