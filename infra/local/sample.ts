// Runs the sample in a process of its own that ends with it, so that the stack does not keep the code for deploying and
// reading files. Guarantee: when the stack dies, it ends as if asked to stop.

import { join } from 'node:path'
import { type Api, connect, type Run, type RunItem } from '../../shared/cli/api.ts'
import { deployAgent, orderOfFile } from '../../shared/cli/deploy.ts'
import { clean } from '../../shared/cli/format.ts'
import { createOutput, type Output, type Screen } from '../../shared/cli/output.ts'
import { Retrying, retried } from '../../shared/cli/retrying.ts'
import { runSummary } from '../../shared/cli/run-view.ts'
import { submitSource } from '../../shared/cli/submit-file.ts'
import { table } from '../../shared/cli/table.ts'
import { outcomeStyle, whyInList } from '../../shared/cli/verdict.ts'
import { followRun } from '../../shared/cli/watch.ts'

const EXAMPLE = join(import.meta.dirname, '../../examples/ticket-triage')
const ITEMS_SHOWN = 12

/** The first message from the stack. */
export interface SampleOrder {
  base_url: string
  api_key: string
  /** The command's name in the printed text. */
  program: string
  /** The agent's environment. */
  env: Record<string, string>
  note?: string | undefined
  color: boolean
  columns?: number | undefined
}

/** The last message of the sample; `done` is false when it was asked to stop before the run had ended. */
export type SampleEnd = { done: boolean } | { failed: string }

const stop = new AbortController()
process.on('disconnect', () => stop.abort())
process.on('message', message => {
  if (message === 'stop') return stop.abort()
  void run(message as SampleOrder)
    .catch(error => ({ failed: (error as Error).message }))
    .then(end => process.send?.(end, () => process.connected && process.disconnect()))
})

async function run({ base_url, api_key, env, note, ...screen }: SampleOrder): Promise<SampleEnd> {
  const out = { write: (text: string | Uint8Array) => process.stdout.write(text), columns: screen.columns }
  const output = createOutput({ out, err: out, json: false, color: screen.color, program: screen.program })
  const retrying = new Retrying(output, Date.now)
  const api = retried(connect({ base_url, api_key }), retrying)
  const session = { api, output, retrying, now: Date.now }
  if (note !== undefined) output.note(note)
  const { agent, version } = await deployAgent(
    session.api,
    await orderOfFile(join(EXAMPLE, 'agent.ts'), { env }),
  )
  output.note(
    `a sample: examples/ticket-triage is deployed as ${agent.slug}, version ${version}, and gets its tickets.jsonl`,
  )
  if (stop.signal.aborted) return { done: false }
  const { run_id } = await submitSource(
    session,
    {
      path: join(EXAMPLE, 'tickets.jsonl'),
      fields: { item_id: 'ticket_id', partition_key: 'tenant' },
    },
    { agent_id: agent.id, name: 'sample', idempotency_key: 'the sample of the first start' },
  )
  const ended = await followRun(session, run_id, stop.signal)
  if (ended !== undefined) await printEnded(session.api, output, ended)
  return { done: ended !== undefined }
}

async function printEnded(api: Api, output: Output, run: Run): Promise<void> {
  const { data: items = [] } = await api.GET('/v2/runs/{runId}/items', {
    params: { path: { runId: run.id }, query: { outcome: 'not_ok', limit: 500 } },
  })
  output.emit('ended', { run }, screen =>
    ['', runSummary(run, screen), '', decisions(items, screen), '', whereNext(run, items[0], screen)].join(
      '\n',
    ),
  )
}

function decisions(items: RunItem[], screen: Screen): string {
  if (items.length === 0) return 'every item worked'
  // Failed and held items come first; the sort is stable, so the rest keeps its order.
  const rank = (item: RunItem) => (item.status === 'completed' ? 1 : 0)
  const shown = items.toSorted((a, b) => rank(a) - rank(b)).slice(0, ITEMS_SHOWN)
  const text = table<RunItem>(
    [
      { title: 'NEEDS A DECISION', value: item => item.item_id },
      { title: 'RAN', value: item => item.status },
      {
        title: 'WORKED',
        value: item => item.worst_outcome_status ?? '–',
        style: item => outcomeStyle(item.worst_outcome_status),
      },
      { title: 'WHY', value: whyInList, least: 32 },
    ],
    shown,
    screen,
  )
  const more = items.length - shown.length
  return more === 0 ? text : `${text}\n${screen.paint('dim', `and ${more} more`)}`
}

function whereNext(run: Run, item: RunItem | undefined, { paint, program }: Screen): string {
  const lines = [
    paint('bold', 'where to look'),
    `  ${program} items ${run.id} --outcome not_ok`,
    ...(item === undefined ? [] : [`  ${program} item ${item.id}`]),
    `  ${program} verify ${run.id}`,
    paint('bold', 'your own file, and your own agent'),
    `  ${program} submit FILE.jsonl --agent ${clean(run.agent_slug)} --item-id FIELD --watch`,
    `  ${program} deploy agent.ts    ${paint('dim', '(begin with a copy of examples/ticket-triage/agent.ts)')}`,
  ]
  return lines.join('\n')
}
