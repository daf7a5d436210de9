// The results of a run and its replays: the first ones on the page, and all of them as a file.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { RESULT_FORMATS } from '../../../shared/results/vocabulary.ts'
import { RESULTS_ONLY } from '../../../shared/results/wire/results.ts'
import { RESULT_TYPES } from '../../../shared/results/wire/results-text.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { runName } from '../../../shared/view/run.ts'
import { Choice } from '../parts/choice.tsx'
import { List } from '../parts/list.tsx'
import { runOf } from '../parts/run-reads.ts'
import { brief, money, Verdict, When } from '../parts/text.tsx'
import { ofItem, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

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
      title: `Results of ${runName(run)}`,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay results ${run.id} --csv --only ${chosen}`,
      body: (
        <>
          <div class="head">
            <div>
              <h1>Results</h1>
              <p>
                Of <a href={ofRun(run.id)}>{runName(run)}</a> and its replays: each item once, its newest try
                that worked, else its newest.
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
            rows={rows}
            empty={
              more
                ? 'None found yet: this takes longer than a page waits. The files hold all.'
                : 'No results.'
            }
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
          {more && (
            <p class="dim">
              {rows.length < SHOWN ? 'Found so far' : `The first ${SHOWN}`}. There{' '}
              {rows.length < SHOWN ? 'may be' : 'are'} more: the files hold all of them.
            </p>
          )}
        </>
      ),
    }
  },
})

const CSV_OF = { all: 'CSV of all', ok: 'CSV of what worked', not_ok: 'CSV of what did not work' }

/** Links to the files: first the selection that is shown, then all results and those that worked. */
const Files = ({ run_id, chosen }: { run_id: string; chosen: (typeof RESULTS_ONLY)[number] }) => {
  const file = (format: string, only: string) => ofRun(run_id, `results/file?format=${format}&only=${only}`)
  return (
    <div class="actions">
      {[...new Set([chosen, 'all', 'ok'] as const)].map(only => (
        <a class={only === chosen ? 'button primary' : 'button'} href={file('csv', only)} download>
          {CSV_OF[only]}
        </a>
      ))}
      <a class="button" href={file('ndjson', chosen)} download>
        NDJSON
      </a>
    </div>
  )
}

/** Streams the results file through without buffering it. */
export const runResultsFile = page({
  path: '/dashboard/runs/{runId}/results/file',
  query: z.strictObject({ format: z.enum(RESULT_FORMATS), only }),
  async show({ api, params, query, request }) {
    const { format, only = 'all' } = query
    const run = await runOf(api, params.runId)
    const body = await api.results({ run_id: run.id, format, only }, request.signal)
    return new Response(body, {
      headers: {
        'content-type': RESULT_TYPES[format],
        'content-disposition': `attachment; filename="${fileName(run, only)}.${format}"`,
      },
    })
  },
})

const NAME_CHARACTERS = 60
const SUFFIX = { all: '', ok: '-worked', not_ok: '-not-worked' }

/**
 * A file name in characters that every file system and header accepts.
 * @example 'Tickets-of-the-day-2026-03-02-worked'
 */
function fileName(run: Schemas['Run'], only: (typeof RESULTS_ONLY)[number]): string {
  const name = runName(run)
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, NAME_CHARACTERS)
  const words = name.replaceAll(/^-|-$/g, '') || run.agent_slug
  return `${words}-${run.created_at.slice(0, 10)}${SUFFIX[only]}`
}

/**
 * Reads the first `count` values of a stream of lines, and whether more follow; the rest is not read. In a large run
 * where few items match, a page that has some is shown after LIMITS.results_looked_ms. A page without any waits up to
 * LIMITS.results_waited_ms, since other requests may be served first.
 */
async function firstLines<T>(stream: ReadableStream<Uint8Array>, count: number) {
  const reader = stream
    .pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader()
  const over = { done: 'over', value: undefined } as const
  const timers: ReturnType<typeof setTimeout>[] = []
  const after = (ms: number) =>
    new Promise<typeof over>(resolve => {
      timers.push(setTimeout(resolve, ms, over))
    })
  const [soon, late] = [after(LIMITS.results_looked_ms), after(LIMITS.results_waited_ms)]
  let text = ''
  let isWhole = false
  try {
    while (text.split('\n').length <= count + 1) {
      const { done, value } = await Promise.race([reader.read(), text === '' ? late : soon])
      isWhole = done === true
      if (done) break
      text += value
    }
  } finally {
    for (const timer of timers) clearTimeout(timer)
    // Nobody waits for the read in progress.
    reader.cancel().catch(() => {})
  }
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
  return {
    rows: lines.slice(0, count).map(line => JSON.parse(line) as T),
    more: !isWhole || lines.length > count,
  }
}
