// The commands that look and change nothing, and cancel.

import { LIMITS } from '../domain/limits.ts'
import { type Agent, answered, asFailure, paged, type Step } from './api.ts'
import type { Given } from './arguments.ts'
import { EXIT, type ExitCode, Failure } from './failure.ts'
import { plural } from './format.ts'
import { itemText } from './item-view.ts'
import type { Output, Screen } from './output.ts'
import { itemsTable, runSummary, runsTable, verificationText } from './run-view.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

const DEFAULT_ROWS = 50

export async function runs({ api, output, now }: Session, given: Given): Promise<ExitCode> {
  const limit = given.whole('limit') ?? DEFAULT_ROWS
  const agent = given.text('agent')
  const { rows, more } = await paged(limit, LIMITS.runs_page.max, (limit, cursor) =>
    api.GET('/v2/runs', { params: { query: { limit, ...(agent && { agent }), ...(cursor && { cursor }) } } }),
  )
  const empty = 'no runs yet'
  return list(output, 'run', rows, more, limit, empty, screen => runsTable(rows, now(), screen))
}

const AGENTS: Column<Agent>[] = [
  { title: 'SLUG', value: agent => agent.slug, least: 8 },
  { title: 'NAME', value: agent => agent.name, least: 8, optional: 2 },
  {
    title: 'DEPLOYED',
    value: agent => (agent.deployed_version === null ? 'nothing yet' : `version ${agent.deployed_version}`),
    style: agent => (agent.deployed_version === null ? 'dim' : undefined),
  },
  { title: 'DESCRIPTION', value: agent => agent.description, least: 12, optional: 3 },
  { title: 'ID', value: agent => agent.id, optional: 1 },
]

export async function agents({ api, output }: Session): Promise<ExitCode> {
  const rows = await answered(api.GET('/v1/agents'))
  output.rows('agent', rows, screen =>
    rows.length === 0 ? screen.paint('dim', 'nothing has been deployed yet') : table(AGENTS, rows, screen),
  )
  return EXIT.ok
}

export async function items({ api, output }: Session, given: Given): Promise<ExitCode> {
  const runId = given.arg(0)
  const limit = given.whole('limit') ?? DEFAULT_ROWS
  const outcome = given.text('outcome') as 'ok' | 'degraded' | 'failed' | 'not_ok' | undefined
  const { rows, more } = await paged(limit, LIMITS.items_page.max, (limit, cursor) =>
    api.GET('/v2/runs/{runId}/items', {
      params: { path: { runId }, query: { limit, ...(outcome && { outcome }), ...(cursor && { cursor }) } },
    }),
  )
  const empty = outcome === undefined ? 'no items' : `no items with outcome ${outcome}`
  return list(output, 'item', rows, more, limit, empty, screen => itemsTable(rows, screen))
}

function list(
  output: Output,
  event: string,
  rows: object[],
  more: boolean,
  limit: number,
  empty: string,
  text: (screen: Screen) => string,
): ExitCode {
  output.rows(event, rows, screen => (rows.length === 0 ? screen.paint('dim', empty) : text(screen)))
  if (more) output.note(`the first ${plural(limit, event)}; there are more: --limit N shows more`)
  return EXIT.ok
}

export async function item({ api, output }: Session, given: Given): Promise<ExitCode> {
  const itemId = given.arg(0)
  const record = await answered(api.GET('/v1/durable/runs/{itemId}', { params: { path: { itemId } } })).catch(
    error => {
      const failure = asFailure(error)
      if (failure?.code !== 'not_found') throw error
      const hint = 'ID is the first column of a list of items, not your own identifier'
      throw new Failure(failure.exit, failure.code, failure.message, { hint, next: 'assay items RUN' })
    },
  )
  const steps: Step[] = []
  let cursor: string | undefined
  do {
    const query = { record_id: itemId, limit: LIMITS.steps_page.max, ...(cursor && { cursor }) }
    const page = await answered(api.GET('/v1/steps', { params: { query } }))
    steps.push(...page.steps)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  output.emit('item', { ...record, steps }, screen => itemText(record, steps, screen))
  return EXIT.ok
}

export async function cancel({ api, output }: Session, given: Given): Promise<ExitCode> {
  const run = await answered(
    api.POST('/v2/runs/{runId}/cancel', { params: { path: { runId: given.arg(0) } } }),
  )
  output.emit('cancelled', { run }, screen => runSummary(run, screen))
  return EXIT.ok
}

export async function verify({ api, output }: Session, given: Given): Promise<ExitCode> {
  const verification = await answered(
    api.GET('/v2/runs/{runId}/verify', { params: { path: { runId: given.arg(0) } } }),
  )
  output.emit('verified', verification, screen => verificationText(verification, screen))
  return verification.balanced ? EXIT.ok : EXIT.failed
}
