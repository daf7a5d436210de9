// The commands about limits of providers and agents.

import { defined } from '../kernel/defined.ts'
import { limitsText } from '../pacing/rules/declared-limits.ts'
import { upstreamName } from '../upstreams/rules/upstream-words.ts'
import { declaredText, hostOf, reportedText, shownName } from '../view/upstream.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, usageFailure } from './failure.ts'
import { clean, count } from './format.ts'
import { printList } from './listing.ts'
import type { Screen } from './output.ts'
import { inFull } from './pages.ts'
import type { Session } from './session.ts'
import { table } from './table.ts'

type Upstream = Schemas['Upstream']

const listOf = ({ api }: Pick<Session, 'api'>, given: Given) =>
  answered(api.GET('/v1/upstreams', { params: { query: defined({ project_id: given.text('project') }) } }))

export const limits = (session: Session, given: Given): Promise<ExitCode> =>
  printList<Upstream>(session, given, {
    event: 'upstream',
    empty: 'no limit was set, and none was reported by what was called lately',
    ...inFull(async () =>
      (await listOf(session, given)).filter(
        row => row.declared_limits.length + row.reported_limits.length > 0 || row.items_per_minute !== null,
      ),
    ),
    keyOf: row => row.id,
    cameAt: row => row.since,
    text: (rows, screen) => limitsTable(rows, screen),
  })

/** What people set, the ones for the host in brackets where another is for this credential. */
const declaredOf = ({ declared_limits }: Upstream): string =>
  declared_limits.map(declaredText).join('; ') || '-'

const reportedOf = ({ reported_limits }: Upstream): string =>
  reported_limits.map(reportedText).join(', ') || '-'

export const limitsTable = (rows: readonly Upstream[], screen: Screen): string =>
  table<Upstream>(
    [
      {
        title: 'UPSTREAM',
        value: shownName,
        least: 16,
      },
      { title: 'SET', value: declaredOf, least: 34 },
      { title: 'REPORTED', value: reportedOf, least: 10 },
      {
        title: 'ITEMS/MIN',
        value: row => (row.items_per_minute === null ? '-' : count(row.items_per_minute)),
        align: 'right',
      },
      {
        title: 'CALLS IN 10 MIN',
        value: row => count(row.calls_used.reduce((sum, calls) => sum + calls, 0)),
        align: 'right',
        optional: 1,
      },
    ],
    rows,
    screen,
  )

export async function setLimits(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const wanted = defined({
    requests: given.text('requests'),
    tokens: given.text('tokens'),
    in_flight: given.whole('in-flight'),
  })
  if (Object.keys(wanted).length === 0)
    throw usageFailure('nothing to set', {
      hint: 'give at least one of --requests, --tokens and --in-flight, such as --requests 500/min',
      next: 'assay help limits set',
    })
  const body = {
    host: hostOf(given.arg(0)),
    ...defined({ label: given.text('credential'), project_id: given.text('project') }),
    ...wanted,
  }
  const set = await answered(api.PUT('/v1/upstreams', { body }))
  const uncalled = sayUncalled(body.host, await listOf(session, given))
  if (uncalled !== undefined) output.note(uncalled)
  output.emit(
    'limits_set',
    set,
    ({ paint, program }) =>
      `${clean(upstreamName(set))}: ${limitsText(set)}, for each key and model, from the next call on\n${paint('dim', 'see ')}  ${program} limits`,
  )
  return EXIT.ok
}

/** A limit for a host that nobody calls is mostly a host without its port, or one that is misspelt. */
export function sayUncalled(host: string, known: readonly Pick<Upstream, 'host'>[]): string | undefined {
  if (known.some(row => row.host === host)) return undefined
  const hosts = [...new Set(known.map(row => row.host))].map(clean)
  const shown = hosts.slice(0, HOSTS_SHOWN).join(', ')
  const called = hosts.length === 0 ? 'nothing was called yet' : `called lately: ${shown}`
  return `no agent called ${clean(host)} lately, so the limit waits for the first call to it; a host has its port, unless that is 443 or 80 (${called})`
}

const HOSTS_SHOWN = 5

export async function unsetLimits(session: Session, given: Given): Promise<ExitCode> {
  const { api, output } = session
  const host = hostOf(given.arg(0))
  const label = given.text('credential')
  const known = await listOf(session, given)
  const limited = known.filter(
    row => row.host === host && ofProject(row).some(limit => label === undefined || limit.label === label),
  )
  if (limited.length === 0) throw nothingSet(host, label, known)
  for (const { id } of limited)
    await answered(
      api.DELETE('/v1/upstreams/{upstreamId}/limits', {
        params: { path: { upstreamId: id }, query: defined({ label }) },
      }),
    )
  output.emit(
    'limits_unset',
    { host, label: label ?? null },
    () => `${clean(host)} has no limit of yours any more`,
  )
  return EXIT.ok
}

/** Those that can be unset: a schedule's and an agent's are theirs. */
const ofProject = ({ declared_limits }: Upstream) =>
  declared_limits.filter(({ set_in }) => set_in === 'project')

function nothingSet(host: string, label: string | undefined, known: readonly Upstream[]) {
  const set = known.filter(row => ofProject(row).length > 0)
  const names = [
    ...new Set(
      set.flatMap(row => ofProject(row).map(({ label }) => upstreamName({ host: row.host, label }))),
    ),
  ]
  return usageFailure(`no limit is set for ${upstreamName({ host, label: label ?? null })}`, {
    hint: names.length === 0 ? 'none is set at all' : `set for: ${names.join(', ')}`,
    next: 'assay limits',
  })
}
