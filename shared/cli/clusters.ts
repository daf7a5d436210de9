// The command that lists failures by cluster: all of them, or those since some time, counted from items in triage.

import { LIMITS } from '../kernel/limits.ts'
import { type Api, answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import type { ExitCode } from './failure.ts'
import { clean, count } from './format.ts'
import { printList, sinceOf } from './listing.ts'
import type { Screen } from './output.ts'
import { inFull } from './pages.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'
import { reasonInWords } from './verdict.ts'

type TriageRow = Schemas['TriageRow']

/** Failures of one kind among the items in triage. */
export interface Failures {
  /** Null for items that did not work and share an error or a reason, but are in no cluster. */
  cluster_key: string | null
  what: string
  count: number
  record_id: string
  last_at: string
}

/** Pages of triage that are read to count recent failures. */
const PAGES = 5

export async function clusters(session: Session, given: Given): Promise<ExitCode> {
  const since = sinceOf(given.text('since'), session.now())
  return since === undefined ? allClusters(session, given) : recentClusters(session, given, since)
}

const ALL: Column<Schemas['FailureCluster']>[] = [
  { title: 'ITEMS', value: row => count(row.count), align: 'right' },
  { title: 'CLUSTER', value: row => row.cluster_key },
  { title: 'PROMPT', value: row => row.sample_prompt, least: 32 },
  { title: 'SUCH AS', value: row => row.record_ids[0] ?? '', optional: 1 },
]

const allClusters = (session: Session, given: Given) =>
  printList<Schemas['FailureCluster']>(session, given, {
    event: 'cluster',
    empty: 'nothing has failed',
    ...inFull(async () => (await answered(session.api.GET('/v1/durable/runs/clusters'))).clusters),
    keyOf: row => row.cluster_key,
    cameAt: () => null,
    text: (rows, screen) => table(ALL, rows, screen),
  })

async function recentClusters(session: Session, given: Given, since: number): Promise<ExitCode> {
  let counted = { rows: 0, more: false }
  const exit = await printList<Failures>(session, given, {
    event: 'cluster',
    noun: 'kind of failure',
    empty: 'nothing has failed',
    ...inFull(async () => {
      const { rows, more } = await triageSince(session.api, 'dlq', since)
      counted = { rows: rows.length, more }
      return clusteredOf(rows)
    }),
    keyOf: row => row.cluster_key ?? row.what,
    cameAt: row => row.last_at,
    text: (rows, screen) => failuresTable(rows, screen),
  })
  if (counted.more)
    session.output.note(
      `counted over the newest ${count(counted.rows)} items; assay causes counts all of them`,
    )
  return exit
}

const failuresTable = (rows: readonly Failures[], screen: Screen) =>
  table<Failures>(
    [
      { title: 'ITEMS', value: row => count(row.count), align: 'right' },
      { title: 'WHAT', value: row => row.what, least: 40 },
      { title: 'CLUSTER', value: row => row.cluster_key ?? '', optional: 1 },
      { title: 'SUCH AS', value: row => row.record_id, optional: 2 },
    ],
    rows,
    screen,
  )

/** Items that entered a lane of triage since then and still wait, newest first; `more` if not all were read. */
export async function triageSince(api: Api, kind: TriageRow['kind'], since: number) {
  const rows: TriageRow[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < PAGES; pages++) {
    const query = { kind, limit: LIMITS.triage_page.max, ...(cursor && { cursor }) }
    const page = await answered(api.GET('/v1/triage', { params: { query } }))
    const recent = page.rows.filter(row => Date.parse(row.created_at) >= since)
    rows.push(...recent)
    if (recent.length < page.rows.length || page.next_cursor === null) return { rows, more: false }
    cursor = page.next_cursor
  }
  return { rows, more: true }
}

/** Groups rows by cluster, and rows alone in their cluster or in none by error or reason; the most frequent first. */
export function clusteredOf(rows: readonly TriageRow[]): Failures[] {
  const sizes = Map.groupBy(rows, row => row.cluster_key)
  const clusterOf = ({ cluster_key }: TriageRow) =>
    cluster_key !== null && sizes.get(cluster_key)!.length > 1 ? cluster_key : null
  const kinds = Map.groupBy(rows, row => clusterOf(row) ?? row.error_code ?? row.reason)
  return [...kinds.values()]
    .map(([newest, ...others]) => ({
      cluster_key: clusterOf(newest!),
      what: whatOf(newest!),
      count: 1 + others.length,
      record_id: newest!.record_id,
      last_at: newest!.created_at,
    }))
    .sort((a, b) => b.count - a.count)
}

const whatOf = ({ error_code, reason, message }: TriageRow) =>
  clean([error_code ?? reasonInWords(reason) ?? reason, message].filter(Boolean).join(': '))
