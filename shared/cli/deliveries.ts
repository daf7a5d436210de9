// The commands about callbacks and alerts that were sent.

import { defined } from '../kernel/defined.ts'
import { LIMITS } from '../kernel/limits.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { type ExitCode, usageFailure } from './failure.ts'
import { ago, ahead, brief, clean, duration, pad } from './format.ts'
import { printList } from './listing.ts'
import type { Screen, Style } from './output.ts'
import { BY_ID, bodyPageOf } from './pages.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'
import { table } from './table.ts'

type Delivery = Schemas['Delivery']
type DeliveryRecord = Schemas['DeliveryRecord']

const STYLES: Record<Delivery['state'], Style> = { pending: 'yellow', delivered: 'green', failed: 'red' }

export async function deliveries(session: Session, given: Given): Promise<ExitCode> {
  const { api, now } = session
  const filter = defined({ run_id: given.text('run'), state: stateOf(given) })
  return printList<Delivery>(session, given, {
    event: 'delivery',
    noun: 'message',
    empty: Object.keys(filter).length === 0 ? 'nothing was sent' : 'nothing that was sent fits',
    page: LIMITS.deliveries_page.max,
    read: page =>
      bodyPageOf(
        api.GET('/v1/deliveries', { params: { query: { ...filter, ...page } } }),
        found => found.deliveries,
      ),
    ...BY_ID,
    text: (rows, screen) => deliveriesTable(rows, now(), screen),
  })
}

function stateOf(given: Given): 'failed' | 'pending' | undefined {
  if (given.flag('failed') && given.flag('pending'))
    throw usageFailure('--failed and --pending are two states; give one')
  return given.flag('failed') ? 'failed' : given.flag('pending') ? 'pending' : undefined
}

export const deliveriesTable = (rows: readonly Delivery[], now: number, screen: Screen) =>
  table<Delivery>(
    [
      { title: 'DELIVERY', value: row => row.id },
      { title: 'EVENT', value: row => row.kind, optional: 3 },
      { title: 'STATE', value: row => row.state, style: row => STYLES[row.state] },
      { title: 'TRIES', value: row => String(row.try_count), align: 'right', optional: 2 },
      { title: 'LAST', value: row => row.last_error ?? String(row.last_status ?? ''), least: 24 },
      { title: 'NEXT', value: row => (row.due_at === null ? '' : ahead(row.due_at, now)), optional: 4 },
      { title: 'TO', value: row => row.url, least: 12, optional: 1 },
      { title: 'SINCE', value: row => ago(row.created_at, now), align: 'right', optional: 5 },
    ],
    rows,
    screen,
  )

export async function show({ api, output, now }: Session, given: Given): Promise<void> {
  const path = { deliveryId: given.arg(0) }
  const found = await answered(api.GET('/v1/deliveries/{deliveryId}', { params: { path } }))
  output.emit('delivery', found, screen => deliveryText(found, now(), screen))
}

export function deliveryText(found: DeliveryRecord, now: number, screen: Screen): string {
  const { paint, program } = screen
  const label = (text: string) => paint('dim', pad(text, 9))
  const about = found.run_id === null ? `alert ${found.alert_id}` : `run ${found.run_id}`
  const next = found.due_at === null ? '' : `, tried next ${ahead(found.due_at, now)}`
  const tries = found.tries.map(one => {
    const took = one.duration_ms === null ? '' : duration(one.duration_ms)
    return `  ${one.try}  ${paint('dim', `${one.started_at}  ${pad(took, 8, 'right')}`)}  ${outcomeOf(one)}`
  })
  return [
    `${label('delivery')}${paint('bold', found.id)}`,
    `${label('event')}${found.kind} of ${about}`,
    `${label('to')}${clean(found.url)}`,
    `${label('state')}${paint(STYLES[found.state], found.state)}${next}`,
    `${label('body')}${found.body === null ? paint('dim', 'none') : brief(found.body, screen.columns - 10)}`,
    ...(tries.length > 0 ? ['', ...tries] : []),
    ...(found.state === 'failed'
      ? ['', `${paint('dim', 'try ')}  ${program} deliveries resend ${found.id}`]
      : []),
  ].join('\n')
}

function outcomeOf({ duration_ms, error, status }: DeliveryRecord['tries'][number]): string {
  if (duration_ms === null) return 'no answer yet, or its sender died'
  return clean(error ?? (status === null ? 'taken' : `answered ${status}`))
}

export async function resend({ api, output }: Session, given: Given): Promise<void> {
  const path = { deliveryId: given.arg(0) }
  const again = await answered(api.POST('/v1/deliveries/{deliveryId}/resend', { params: { path } }))
  output.emit('resent', again, ({ paint, program }) =>
    [
      `${again.id} is being sent again to ${clean(again.url)}`,
      `${paint('dim', 'try ')}  ${program} deliveries show ${again.id}`,
    ].join('\n'),
  )
}

export async function secret({ api, output }: Session, given: Given): Promise<void> {
  const params = { path: await projectOf({ api }, given) }
  const found = await answered(
    given.flag('roll')
      ? api.POST('/v1/projects/{projectId}/signing-secret/roll', { params })
      : api.GET('/v1/projects/{projectId}/signing-secret', { params }),
  )
  const { previous } = found
  output.emit('signing_secret', found, ({ paint }) =>
    [
      found.secret,
      ...(previous ? [paint('dim', `until ${previous.valid_until} also ${previous.secret}`)] : []),
    ].join('\n'),
  )
}
