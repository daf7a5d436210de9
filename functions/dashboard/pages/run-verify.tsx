// Counts the items of a run again and shows both counts.

import { List } from '../parts/list.tsx'
import { runOf } from '../parts/run-reads.ts'
import { count, counted, money } from '../parts/text.tsx'
import { ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

export const verifyRunPage = page({
  path: '/dashboard/runs/{runId}/verify',
  async show({ api, params }) {
    const path = { runId: params.runId }
    const [run, { data }] = await Promise.all([
      runOf(api, params.runId),
      api.GET('/v2/runs/{runId}/verify', { params: { path } }),
    ])
    const { counted: items, counters, totals, cost_micro, balanced, differences, total_items } = data!
    const names = Object.keys(counters) as (keyof typeof counters)[]
    const usd = (micro: number) => money(micro / 1e6)
    const rows: [string, string, string][] = [
      ...names.map(
        name =>
          [name.replaceAll('_', ' '), count(counters[name]), count(items[name])] as [string, string, string],
      ),
      ['submitted', count(total_items), count(totals.counted.items)],
      ['to decide', count(totals.counters.undecided), count(totals.counted.undecided)],
      ['input tokens', count(totals.counters.input_tokens), count(totals.counted.input_tokens)],
      ['output tokens', count(totals.counters.output_tokens), count(totals.counted.output_tokens)],
      ['cost over items', usd(cost_micro.counter), usd(cost_micro.recount_items)],
      ['cost over steps', usd(cost_micro.counter), usd(cost_micro.recount_steps)],
    ]
    return {
      title: `Recount of ${run.name ?? run.agent_slug}`,
      project_id: run.project_id,
      menu: 'runs',
      cli: `assay verify ${run.id}`,
      body: (
        <>
          <h1>
            Recount of <a href={ofRun(run.id)}>{run.name ?? run.agent_slug}</a>
          </h1>
          <p class="lead">
            {balanced
              ? `Everything agrees: ${counted(total_items, 'item')} submitted, each in one place, none lost and none counted twice.`
              : 'The counts differ:'}
          </p>
          {!balanced && (
            <ul>
              {differences.map(one => (
                <li>{one}</li>
              ))}
            </ul>
          )}
          <List
            id="recount"
            rows={rows}
            columns={[
              { label: 'What', cell: ([name]) => name },
              { label: 'As the run keeps it', numeric: true, cell: row => row[1] },
              { label: 'Counted now', numeric: true, cell: row => row[2] },
            ]}
            empty=""
          />
        </>
      ),
    }
  },
})
