// The commands about a project's work: queued items and what they wait for, and what models cost and how they answer.

import { defined } from '../kernel/defined.ts'
import { counted } from '../prices/rules/amounts.ts'
import { span } from '../view/time.ts'
import { answered, type Schemas } from './api.ts'
import type { Given } from './arguments.ts'
import { count, spend } from './format.ts'
import { projectOf } from './projects.ts'
import type { Session } from './session.ts'
import { type Column, table } from './table.ts'

type Run = Schemas['Queue']['waiting_runs'][number]
type Retry = Schemas['Queue']['next_retries'][number]
type Usage = Schemas['ModelUsage']

const RUNS: Column<Run>[] = [
  { title: 'RUN', value: row => row.name ?? row.agent_slug, least: 8 },
  { title: 'WAITING', value: row => count(row.queued), align: 'right' },
  { title: 'AT WORK', value: row => count(row.running), align: 'right' },
  { title: 'SINCE', value: row => span(row.waited_ms), align: 'right' },
  { title: 'WAITS FOR', value: row => row.message ?? 'its turn', least: 40 },
]

const RETRIES: Column<Retry>[] = [
  { title: 'ITEM', value: row => row.item_id, least: 8 },
  { title: 'NEXT TRY', value: row => row.due_at.slice(0, 19).replace('T', ' ') },
  { title: 'TRIES', value: row => count(row.attempt), align: 'right' },
  { title: 'AFTER', value: row => [row.error_code, row.message].filter(Boolean).join(': '), least: 32 },
]

const MODELS: Column<Usage>[] = [
  { title: 'MODEL', value: row => row.model ?? 'not named', least: 20 },
  { title: 'AGENT', value: row => row.agent_slug, least: 13 },
  { title: 'COST', value: row => spend(row.cost_usd, row.unpriced > 0), align: 'right' },
  { title: 'CALLS', value: row => count(row.calls), align: 'right' },
  { title: 'FAILED', value: row => count(row.failed), align: 'right' },
  { title: 'DEGRADED', value: row => count(row.degraded), align: 'right', optional: 2 },
  { title: 'P50', value: row => span(row.p50_ms), align: 'right' },
  { title: 'P95', value: row => span(row.p95_ms), align: 'right' },
  { title: 'TOKENS IN', value: row => count(row.input_tokens), align: 'right', optional: 1 },
  { title: 'OUT', value: row => count(row.output_tokens), align: 'right', optional: 1 },
]

export async function queue(session: Session, given: Given): Promise<void> {
  const path = await projectOf(session, given)
  const found = await answered(session.api.GET('/v1/projects/{projectId}/queue', { params: { path } }))
  session.output.emit('queue', found, screen =>
    [
      `${count(found.running)} at work, ${count(found.queued)} waiting in ${counted(found.runs, 'open run')}, ${count(found.retries)} to be tried again, ${count(found.paused)} held${found.upstream_waits > 0 ? `, ${count(found.upstream_waits)} stopped by providers` : ''}`,
      ...(found.waiting_runs.length > 0 ? [table(RUNS, found.waiting_runs, screen)] : []),
      ...(found.next_retries.length > 0 ? [table(RETRIES, found.next_retries, screen)] : []),
    ].join('\n\n'),
  )
}

export async function models(session: Session, given: Given): Promise<void> {
  const path = await projectOf(session, given)
  const query = defined({ days: given.whole('days') })
  const found = await answered(
    session.api.GET('/v1/projects/{projectId}/models', { params: { path, query } }),
  )
  session.output.emit('models', found, screen =>
    found.models.length === 0
      ? `no call of a model since ${found.since}`
      : table(MODELS, found.models, screen),
  )
}
