// The commands about what items wait for outside.

import { defined } from '../kernel/defined.ts'
import { shownName, stateText } from '../view/upstream.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { ago, ahead, clean, count, plural } from './format.ts'
import { printList } from './listing.ts'
import type { Screen, Style } from './output.ts'
import { inFull } from './pages.ts'
import type { Session } from './session.ts'
import { table } from './table.ts'

type Upstream = Schemas['Upstream']

export async function upstreams(session: Session, given: Given): Promise<ExitCode> {
  return printList<Upstream>(session, given, {
    event: 'upstream',
    empty: 'nothing outside was closed lately: no provider and no agent that items need',
    ...inFull(() => upstreamsOf(session, given)),
    keyOf: row => `${row.id} ${row.state} ${row.since}`,
    cameAt: row => row.since,
    text: (rows, screen) => upstreamsTable(rows, session.now(), screen),
  })
}

const upstreamsOf = ({ api }: Pick<Session, 'api'>, given: Given) =>
  answered(api.GET('/v1/upstreams', { params: { query: defined({ project_id: given.text('project') }) } }))

const STYLES: Record<Upstream['state'], Style> = {
  open: 'green',
  cooling: 'yellow',
  away: 'yellow',
  out_of_credit: 'red',
  refused: 'red',
}

export const upstreamsTable = (rows: readonly Upstream[], now: number, screen: Screen): string =>
  table<Upstream>(
    [
      { title: 'UPSTREAM', value: shownName, least: 16 },
      { title: 'STATE', value: stateText, style: row => STYLES[row.state] },
      { title: 'SINCE', value: row => ago(row.since, now), align: 'right' },
      {
        title: 'NEXT TRY',
        value: row => (row.state === 'open' || row.next_at === null ? '' : ahead(row.next_at, now)),
        align: 'right',
      },
      { title: 'TRIES', value: row => count(row.probes), align: 'right', optional: 2 },
      { title: 'WAITING', value: row => count(row.waiting_items), align: 'right', optional: 1 },
      { title: 'WHY', value: row => row.reason, least: 32 },
    ],
    rows,
    screen,
  )

export async function retry(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const host = given.arg(0)
  const known = await upstreamsOf(session, given)
  const closed = known.filter(row => row.host === host && row.state !== 'open')
  if (closed.length === 0) throw nothingToTry(host, known)
  const tried: Upstream[] = []
  for (const { id } of closed)
    tried.push(
      await answered(api.POST('/v1/upstreams/{upstreamId}/retry', { params: { path: { upstreamId: id } } })),
    )
  output.emit('upstreams_retried', { upstreams: tried }, ({ paint, program }) =>
    [
      ...tried.map(
        row => `${clean(shownName(row))} is being tried, with ${plural(row.waiting_items, 'item')} waiting`,
      ),
      `${paint('dim', 'try ')}  ${program} upstreams`,
    ].join('\n'),
  )
  return EXIT.ok
}

function nothingToTry(host: string, known: readonly Upstream[]) {
  const closed = [...new Set(known.filter(row => row.state !== 'open').map(row => row.host))]
  const is = known.some(row => row.host === host) ? `${host} is open` : `nothing is known of a host ${host}`
  return usageFailure(`${is}: there is nothing to try`, {
    hint: closed.length === 0 ? 'no upstream is closed' : `closed are: ${closed.join(', ')}`,
    next: 'assay upstreams',
  })
}
