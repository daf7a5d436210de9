// The items of a project that need a decision, and what went wrong in it: deliveries, scheduled starts, alerts.

import type { Child } from 'hono/jsx'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { sayItemsWait } from '../../../shared/upstreams/rules/upstream-words.ts'
import type { ItemsWait } from '../../../shared/view/upstream.ts'
import { ofProject } from '../shell/addresses.ts'
import { RecoveryLine } from './recovery-lines.tsx'
import { stoppedLines } from './stopped-runs.tsx'
import { count, counted, many, When } from './text.tsx'

type Activity = Schemas['Activity']

const COUNTED = 10_000 // the API counts no further

/** Upstreams with a line of their own. */
const UPSTREAMS_SHOWN = 3

/** Lists only counts above zero; where there are none, says that nothing waits. */
export const Attention = ({
  activity: { waiting, last_24_hours: day },
  alerts,
  hasMoreAlerts,
  itemsWait,
  stopped,
  recoveries,
  project_id,
  now,
  mayAct,
}: {
  activity: Activity
  alerts: readonly Schemas['Alert'][]
  /** Whether more of them are open. */
  hasMoreAlerts: boolean
  itemsWait: readonly ItemsWait[]
  /** Runs that were stopped, with items left that are in no triage. */
  stopped: readonly Schemas['Run'][]
  recoveries: readonly Schemas['Recovery'][]
  project_id: string
  now: number
  mayAct: boolean
}) => {
  const to = (page: string) => ofProject(project_id, page)
  const lines: Child[] = []
  if (waiting.dlq > 0) lines.push(<NotWorked items={waiting.dlq} to={to} mayAct={mayAct} />)
  if (waiting.quarantine > 0)
    lines.push(
      <a href={to('triage?kind=quarantine')}>
        {many(waiting.quarantine, 'item', COUNTED)} held until somebody decides
      </a>,
    )
  lines.push(...stoppedLines(stopped, mayAct))
  lines.push(...waitLines(itemsWait, project_id))
  if (day.given_up_deliveries > 0)
    lines.push(
      <a href={to('deliveries?state=failed')}>
        {many(day.given_up_deliveries, 'message', COUNTED)} given up since yesterday
      </a>,
    )
  if (day.unfired_moments > 0)
    lines.push(
      <>
        <a href={to('schedules')}>
          {many(day.unfired_moments, 'scheduled start', COUNTED)} did not happen since yesterday
        </a>
        {': '}
        <Unfired unfired={day.unfired} isAll={day.unfired.length === day.unfired_moments} now={now} />
      </>,
    )
  for (const recovery of recoveries) lines.push(<RecoveryLine recovery={recovery} now={now} />)
  for (const alert of alerts)
    lines.push(
      <>
        <a href={to('alerts')}>{alert.message}</a> <When at={alert.created_at} now={now} />
      </>,
    )
  if (hasMoreAlerts) lines.push(<a href={to('alerts?state=open')}>Further alerts are open</a>)
  return (
    <section class="attention" id="attention" data-live aria-label="What needs somebody">
      {lines.length === 0 ? (
        <p>Nothing waits for a decision, and nothing went wrong since yesterday.</p>
      ) : (
        <ul>
          {lines.map(line => (
            <li>{line}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

const NotWorked = ({
  items,
  to,
  mayAct,
}: {
  items: number
  to: (page: string) => string
  mayAct: boolean
}) => (
  <>
    <a href={to('triage?kind=dlq')}>{many(items, 'item', COUNTED)} did not work and wait for a decision</a>
    {mayAct && (
      <>
        {' · '}
        <a href={to('recover?kind=dlq')}>Replay all…</a>
      </>
    )}
  </>
)

function waitLines(itemsWait: readonly ItemsWait[], project_id: string): Child[] {
  const lines: Child[] = itemsWait.slice(0, UPSTREAMS_SHOWN).map(one => (
    <a href={ofProject(project_id, `upstreams/${one.upstream.id}`)}>
      <bdi>{sayItemsWait(one.items, one.upstream, one.more)}</bdi>
    </a>
  ))
  if (itemsWait.length > UPSTREAMS_SHOWN)
    lines.push(
      <a href={ofProject(project_id, 'upstreams')}>
        Items wait for {counted(itemsWait.length - UPSTREAMS_SHOWN, 'more upstream')}
      </a>,
    )
  return lines
}

const Unfired = ({
  unfired,
  isAll,
  now,
}: {
  unfired: Activity['last_24_hours']['unfired']
  isAll: boolean
  now: number
}) => (
  <>
    {unfiredGroups(unfired)
      .slice(0, UNFIRED_SHOWN)
      .map(([what, all], at) => (
        <>
          {at > 0 && ', '}
          {what} {isAll && all.length > 1 && `${count(all.length)} times, the last`}{' '}
          <When at={all[0]!.scheduled_for} now={now} />
        </>
      ))}
    {unfiredGroups(unfired).length > UNFIRED_SHOWN && ' and others'}
  </>
)

const UNFIRED_SHOWN = 3

const unfiredGroups = (unfired: Activity['last_24_hours']['unfired']) => [
  ...Map.groupBy(unfired, one => `${one.agent_slug} (${(one.reason ?? one.outcome).replaceAll('_', ' ')})`),
]
