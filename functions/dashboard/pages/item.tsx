// One item: whether it ran and whether it worked, why not, what to do, what went in and came out, and every step.

import * as z from 'zod'
import { itemErrorMeaning, nextOf, reasonMeaning } from '../../../shared/recovery/rules/outcome-meanings.ts'
import { sayDisposition } from '../../../shared/recovery/rules/recovery.ts'
import type { Client } from '../../../shared/sdk/client.ts'
import { sayGraded, saySuspected, sayUnchanged } from '../../../shared/view/run.ts'
import { ItemActions } from '../parts/item-actions.tsx'
import { Difference, LineageTable } from '../parts/lineage.tsx'
import { linkWith } from '../parts/list.tsx'
import { Payload, readable } from '../parts/payload.tsx'
import { findTrace, type Item, type Payloads, readItem } from '../parts/record.ts'
import { count, counted, money, Status, span, Verdict, When } from '../parts/text.tsx'
import { Trace } from '../parts/trace.tsx'
import { ofItem, ofProject, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

const WAITS = new Set(['queued', 'running', 'paused'])

export const itemPage = page({
  path: '/dashboard/items/{itemId}',
  query: z.strictObject({
    step: z.coerce.number().int().optional(),
    with: z.uuid().optional(),
    steps: z.string().optional(),
  }),
  async show({ api, params, query, request, ctx, member }) {
    const path = { itemId: params.itemId }
    const [{ item, texts }, trace, { data: lineage = [] }] = await Promise.all([
      readItem(api, params.itemId),
      findTrace(api, params.itemId, query.steps, query.step),
      api.GET('/v1/durable/runs/{itemId}/lineage', { params: { path } }),
    ])
    const waits = WAITS.has(item.status)
    const [{ data: run }, why, difference] = await Promise.all([
      api.GET('/v2/runs/{runId}', { params: { path: { runId: item.run_id } } }),
      waits ? api.GET('/v1/durable/runs/{itemId}/why', { params: { path } }) : undefined,
      query.with && outputsOf(api, item, texts, query.with),
    ])
    const canReplay = item.available_actions.includes('replay') && member.role !== 'viewer'
    const now = ctx.now()
    return {
      title: item.item_id,
      project_id: item.project_id,
      menu: 'runs',
      cli: `assay item ${item.id}`,
      live: waits && item.status !== 'paused' ? { every_s: 3 } : undefined,
      body: (
        <>
          <p class="crumbs">
            <a href={ofProject(item.project_id, 'runs')}>Runs</a> ›{' '}
            <a href={ofRun(item.run_id)}>{run?.name ?? item.agent_slug}</a>
          </p>
          <h1>
            <bdi>{item.item_id}</bdi>
          </h1>
          <p id="state" data-live>
            <span class="dim">ran</span> <Status of={item.status} /> · <span class="dim">worked</span>{' '}
            <Verdict of={item.outcome_status} />
            {item.corrected_outcome_status !== null && ` (people say ${item.corrected_outcome_status})`}
            {item.disposition !== null && ` · ${sayDisposition(item.disposition)}`} · {item.agent_slug} · line{' '}
            {count(item.line)}
            {item.partition_key !== null && (
              <>
                {' '}
                · partition <bdi>{item.partition_key}</bdi>
              </>
            )}
          </p>
          <Reason item={item} why={why?.data?.message} />
          <ItemActions item={item} role={member.role} />
          <Figures item={item} now={now} />
          <div class="cards">
            <section class="card" aria-label="Input">
              <h2>Input</h2>
              <Payload text={texts.input} raw={ofItem(item.id, 'raw/input')} empty={absence(item, 'input')} />
            </section>
            <section class="card" aria-label="Output" id="output" data-live>
              <h2>Output</h2>
              <Payload
                text={texts.output}
                raw={ofItem(item.id, 'raw/output')}
                empty={absence(item, 'output')}
              />
            </section>
          </div>
          <section id="trace" data-live aria-label="Trace">
            <h2>Trace</h2>
            {trace.steps.length === 0 && (
              <p class="dim">
                {run?.steps_purged_at
                  ? 'The steps are kept no longer: the retention of the project took them.'
                  : 'No step was recorded. An agent records steps where it calls ctx.step, ctx.llm or ctx.tool.'}
              </p>
            )}
            {trace.next_cursor !== null && (
              <p>
                These are {counted(trace.steps.length, 'step')} of {count(item.step_count)}.{' '}
                <a href={linkWith(request, { steps: trace.next_cursor, step: undefined })}>Earlier steps</a>
              </p>
            )}
            <Trace steps={trace.steps} open={query.step} canReplay={canReplay} />
          </section>
          {lineage.length > 1 && (
            <>
              <h2>Replays</h2>
              {item.unchanged && <p>This one is {sayUnchanged()}.</p>}
              <LineageTable of={lineage} itemId={item.id} />
            </>
          )}
          {difference && (
            <section id="difference" aria-label="Difference">
              <h2>How the outputs differ</h2>
              <Difference {...difference} />
            </section>
          )}
        </>
      ),
    }
  },
})

function okWords({ available_actions, corrected_outcome_status }: Item): string {
  if (corrected_outcome_status !== null)
    return 'It ran, and as recorded it worked; people say that it did not.'
  return available_actions.includes('confirm')
    ? 'It ran, and it worked, unless an answer is a refusal: the trace says which may be one, and by which words.'
    : 'It ran, and it worked.'
}

/** What happened in words, and what to do. */
const Reason = ({ item, why }: { item: Item; why: string | undefined }) => {
  if (why !== undefined)
    return (
      <p class="reason" id="reason" data-live>
        {why}
      </p>
    )
  if (item.outcome_status === 'ok')
    return (
      <p class="reason" id="reason" data-live>
        {okWords(item)}
      </p>
    )
  const meaning = item.error_code !== null ? itemErrorMeaning(item.error_code) : undefined
  const reason = item.outcome_reason === null ? undefined : reasonMeaning(item.outcome_reason)
  const next = nextOf(item)
  return (
    <div class="reason" id="reason" data-live>
      <p>
        <b>
          {meaning ??
            (reason === undefined ? 'It was cancelled before it had a verdict.' : `${capital(reason)}.`)}
        </b>
      </p>
      {item.error_message !== null && (
        <p>
          <code>{item.error_code}</code> <bdi>{item.error_message}</bdi>
        </p>
      )}
      {item.degraded_reason !== null && (
        <p>
          <bdi>{item.degraded_reason}</bdi>
        </p>
      )}
      {next !== undefined && <p class="dim">{next}</p>}
    </div>
  )
}

const Figures = ({ item, now }: { item: Item; now: number }) => {
  const end = item.completed_at === null ? now : Date.parse(item.completed_at)
  return (
    <dl class="facts" id="figures" data-live>
      <div>
        <dt>Cost</dt>
        <dd>
          {item.unpriced && 'at least '}
          {money(item.cost_usd)}
          {item.unpriced && <span class="dim"> (a model has no known price)</span>}
        </dd>
      </div>
      <div>
        <dt>Model calls</dt>
        <dd>
          {item.unread_call_count > 0 ? sayGraded(item) : count(item.model_call_count)}
          {item.suspected_call_count > 0 && `, ${saySuspected(item)}`}
        </dd>
      </div>
      <div>
        <dt>Tokens in, out</dt>
        <dd>
          {count(item.total_input_tokens)}, {count(item.total_output_tokens)}
        </dd>
      </div>
      <div>
        <dt>Took</dt>
        <dd>{item.started_at === null ? 'not started' : span(end - Date.parse(item.started_at))}</dd>
      </div>
      <div>
        <dt>Attempts</dt>
        <dd>{count(item.attempt)}</dd>
      </div>
      <div>
        <dt>Submitted</dt>
        <dd>
          <When at={item.created_at} now={now} />
        </dd>
      </div>
    </dl>
  )
}

function absence(item: Item, what: 'input' | 'output'): string {
  if (item.payloads_purged_at !== null)
    return `Kept no longer: the retention of the project took it on ${item.payloads_purged_at.slice(0, 10)}.`
  return what === 'output' && item.completed_at === null ? 'none yet' : 'none'
}

/** The outputs of this item and of another, the earlier one first. */
async function outputsOf(api: Client, item: Item, texts: Payloads, otherId: string) {
  const other = await readItem(api, otherId)
  const [one, two] = [texts.output, other.texts.output].map(text => readable(text ?? 'null')) as [
    string,
    string,
  ]
  return other.item.id < item.id ? { before: two, after: one } : { before: one, after: two }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
