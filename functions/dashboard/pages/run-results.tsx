// The results of a run and of its replays: the first of them, and all of them as a file.

import * as z from 'zod'
import { RESULT_FORMATS } from '../../../shared/recovery/vocabulary.ts'
import { RESULTS_ONLY } from '../../../shared/recovery/wire/results.ts'
import { RESULT_TYPES } from '../../../shared/recovery/wire/results-text.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { Choice } from '../parts/choice.tsx'
import { List } from '../parts/list.tsx'
import { brief, money, Verdict, When } from '../parts/text.tsx'
import { ofItem, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'
import { runOf } from './run-reads.ts'

type Result = Required<Schemas['Result']>

const SHOWN = 20
const ONLY = { all: 'every item', ok: 'what worked', not_ok: 'what did not work' }

const only = z.enum(RESULTS_ONLY).optional()

export const runResultsPage = page({
  path: '/dashboard/runs/{runId}/results',
  query: z.strictObject({ only }),
  async show({ api, params, query, ctx }) {
    const run = await runOf(api, params.runId)
    const chosen = query.only ?? 'all'
    const stream = await api.results({ run_id: run.id, only: chosen, format: 'ndjson' })
    const { rows, more } = await firstLines<Result>(stream, SHOWN)
    return {
      title: `Results of ${run.name ?? run.agent_slug}`,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay results ${run.id} --csv --only ${chosen}`,
      body: (
        <>
          <div class="head">
            <div>
              <h1>Results</h1>
              <p>
                Of <a href={ofRun(run.id)}>{run.name ?? run.agent_slug}</a> and its replays: each item once,
                its newest try that worked, else its newest.
              </p>
            </div>
            <Files run_id={run.id} chosen={chosen} />
          </div>
          <form class="filters" method="get">
            <Choice name="only" label="Items" chosen={chosen} options={ONLY} />
            <button type="submit">Show</button>
          </form>
          <List
            id="results"
            href={row => ofItem(row.record_id)}
            rows={rows}
            empty="No results."
            columns={[
              { label: 'Item', cell: row => <a href={ofItem(row.record_id)}>{row.item_id}</a> },
              { label: 'Partition', cell: row => row.partition_key ?? '' },
              {
                label: 'Worked',
                cell: row => (
                  <>
                    <Verdict of={row.outcome_status} />
                    {row.corrected && <span class="dim"> corrected</span>}
                  </>
                ),
              },
              { label: 'Output', cell: row => <code>{brief(row.output)}</code> },
              { label: 'Tries', cell: row => row.tries, numeric: true },
              { label: 'Cost', cell: row => money(row.total_cost_usd), numeric: true },
              {
                label: 'Ended',
                cell: row => row.completed_at && <When at={row.completed_at} now={ctx.now()} />,
              },
            ]}
          />
          {more && <p class="dim">The first {SHOWN}. There are more: the files hold all of them.</p>}
        </>
      ),
    }
  },
})

const Files = ({ run_id, chosen }: { run_id: string; chosen: (typeof RESULTS_ONLY)[number] }) => {
  const file = (format: string, only: string = chosen) =>
    ofRun(run_id, `results/file?format=${format}&only=${only}`)
  return (
    <div class="actions">
      <a class="button primary" href={file('csv')} download>
        Download CSV
      </a>
      {chosen === 'all' && (
        <a class="button" href={file('csv', 'ok')} download>
          CSV of what worked
        </a>
      )}
      <a class="button" href={file('ndjson')} download>
        NDJSON
      </a>
    </div>
  )
}

/** Passed on as it comes. */
export const runResultsFile = page({
  path: '/dashboard/runs/{runId}/results/file',
  query: z.strictObject({ format: z.enum(RESULT_FORMATS), only }),
  async show({ api, params, query, request }) {
    const { format, only = 'all' } = query
    const body = await api.results({ run_id: params.runId, format, only }, request.signal)
    return new Response(body, {
      headers: {
        'content-type': RESULT_TYPES[format],
        'content-disposition': `attachment; filename="results-${params.runId}.${format}"`,
      },
    })
  },
})

/** So many values of a stream of lines, and whether there are more; the rest is not read. */
async function firstLines<T>(stream: ReadableStream<Uint8Array>, count: number) {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader()
  let text = ''
  try {
    while (text.split('\n').length <= count + 1) {
      const { done, value } = await reader.read()
      if (done) break
      text += value
    }
  } finally {
    await reader.cancel()
  }
  const lines = text.split('\n').filter(Boolean)
  return { rows: lines.slice(0, count).map(line => JSON.parse(line) as T), more: lines.length > count }
}
