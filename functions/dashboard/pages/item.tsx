// One item: whether it ran, whether it worked and why not, what to do, its input and output, and every step.

import * as z from 'zod'
import type { MemberRole } from '../../../shared/accounts/vocabulary.ts'
import { sayAuthor, sayDisposition } from '../../../shared/recovery/rules/recovery.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { failsAgain } from '../../../shared/triage/rules/outcome-meanings.ts'
import { runName, sayUnchanged } from '../../../shared/view/run.ts'
import { cameFrom, listAt, type OuterList } from '../parts/came-from.ts'
import { ItemActions } from '../parts/item-actions.tsx'
import { Figures, InAndOut, Reason } from '../parts/item-facts.tsx'
import { Became, Difference, LineageTable, replayOf } from '../parts/lineage.tsx'
import { linkWith } from '../parts/list.tsx'
import { readable } from '../parts/payload.tsx'
import { findTrace, type Item, type Payloads, readItem, type TraceStep } from '../parts/record.ts'
import {
  findNeighbours,
  ITEM_FILTERS,
  type ItemFilters,
  listOf,
  Neighbours,
  neighboursIn,
  searchOf,
} from '../parts/run-items.tsx'
import { count, counted, Status, Verdict, When } from '../parts/text.tsx'
import { Trace } from '../parts/trace.tsx'
import { VIEWS, type View, type Viewing } from '../parts/views.tsx'
import { ofProject } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'
import { unlessGone } from '../shell/unless-gone.ts'

const WAITS = new Set(['queued', 'running', 'paused'])
const GOES_ON = new Set<string | undefined>(['queued', 'running'])

export const itemPage = page({
  path: '/dashboard/items/{itemId}',
  query: z.strictObject({
    ...ITEM_FILTERS,
    /** The triage or search page that the user came from. */
    list: z.string().optional(),
    step: z.coerce.number().int().optional(),
    with: z.uuid().optional(),
    steps: z.string().optional(),
    view: z.enum(VIEWS).optional(),
  }),
  async show({ api, params, query, request, ctx, member }) {
    const came = query.list === undefined ? cameFrom(ctx, request) : undefined
    if (came !== undefined) return redirected(linkWith(request, { list: came }))
    const list = listAt(query.list)
    const path = { itemId: params.itemId }
    const [{ item, texts }, trace, { data: lineage = [] }] = await Promise.all([
      readItem(api, params.itemId),
      findTrace(api, params.itemId, query.steps, query.step),
      api.GET('/v1/durable/runs/{itemId}/lineage', { params: { path } }),
    ])
    const waits = WAITS.has(item.status)
    const replay = replayOf(item.id, lineage)
    const [{ data: run }, why, neighbours, difference, cause, agent] = await Promise.all([
      api.GET('/v2/runs/{runId}', { params: { path: { runId: item.run_id } } }),
      waits ? api.GET('/v1/durable/runs/{itemId}/why', { params: { path } }) : undefined,
      list ? neighboursIn(api, list, item) : findNeighbours(api, item, query),
      query.with && outputsOf(api, item, texts, query.with),
      causeOf(api, item),
      failsAgain(item) && agentOf(api, item),
    ])
    const viewingAt = (anchor: string): Viewing => ({
      view: query.view,
      link: view => `${linkWith(request, { view })}#${anchor}`,
    })
    return {
      title: item.item_id,
      project_id: item.project_id,
      menu: 'runs',
      cli: `assay item ${item.id}`,
      live: [item, replay].some(one => GOES_ON.has(one?.status)) ? { every_s: 3 } : undefined,
      body: (
        <>
          <Crumbs {...{ item, run, list, query, neighbours }} />
          <h1>
            <bdi>{item.item_id}</bdi>
          </h1>
          <State of={item} now={ctx.now()} />
          {replay && <Became of={replay} />}
          <Reason item={item} why={why?.data?.message} cause={cause} />
          <ItemActions item={item} role={member.role} expected={expectedOf(item, run, agent || undefined)} />
          <Figures item={item} steps={trace.steps} now={ctx.now()} />
          <InAndOut item={item} texts={texts} viewingAt={viewingAt} />
          <ItemTrace item={item} run={run} trace={trace} query={query} request={request} role={member.role} />
          {lineage.length > 1 && <Replays of={item} lineage={lineage} />}
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

const Replays = ({ of, lineage }: { of: Item; lineage: Parameters<typeof LineageTable>[0]['of'] }) => (
  <section id="replays" data-live aria-label="Replays">
    <h2>Replays</h2>
    {of.unchanged && <p>This one is {sayUnchanged()}.</p>}
    <LineageTable of={lineage} itemId={of.id} />
  </section>
)

/** Undefined where it has none, or where that is forgotten by now. */
async function causeOf(api: Client, { cause_id }: Item): Promise<Schemas['Cause'] | undefined> {
  if (cause_id === null) return undefined
  const found = api.GET('/v1/causes/{causeId}', { params: { path: { causeId: cause_id } } })
  return unlessGone(found.then(({ data }) => data))
}

/** Undefined where it was deleted. */
const agentOf = (api: Client, { agent_id }: Item) =>
  unlessGone(
    api.GET('/v1/agents/{agentId}', { params: { path: { agentId: agent_id } } }).then(({ data }) => data),
  )

/** Says only of the code of now that it fails again: of any other nothing is known. */
function expectedOf(
  item: Item,
  run: Schemas['Run'] | undefined,
  agent: Schemas['AgentRead'] | undefined,
): string | undefined {
  if (run === undefined || agent === undefined) return undefined
  const { deployed_version, code_versions } = agent
  const isDeployed = run.deployment_version !== null && run.deployment_version === deployed_version
  const isOfNow = item.code_version === null || item.code_version === code_versions[0]?.version
  return isDeployed && isOfNow ? failsAgain(item) : undefined
}

/** Redirects to the same page with another query; linkWith keeps the link's other parameters. */
const redirected = (location: string) => new Response(null, { status: 303, headers: { location } })

interface CrumbsProps {
  item: Item
  run: Schemas['Run'] | undefined
  list: OuterList | undefined
  query: ItemFilters
  neighbours: Awaited<ReturnType<typeof findNeighbours>>
}

const Crumbs = ({ item, run, list, query, neighbours }: CrumbsProps) => (
  <p class="crumbs">
    {list ? <a href={list.link}>{list.name}</a> : <a href={ofProject(item.project_id, 'runs')}>Runs</a>} ›{' '}
    <a href={listOf(item, query)}>{run ? runName(run) : item.agent_slug}</a>
    <Neighbours
      of={neighbours}
      search={list ? `?${new URLSearchParams({ list: list.link })}` : searchOf(query)}
    />
  </p>
)

const State = ({ of, now }: { of: Item; now: number }) => (
  <p id="state" data-live>
    <span class="dim">ran</span> <Status of={of.status} /> · <span class="dim">worked</span>{' '}
    <Verdict of={of.outcome_status} />
    {of.corrected_outcome_status !== null && <Corrected of={of} now={now} />}
    {of.disposition !== null && <Decided of={of} disposition={of.disposition} now={now} />} · {of.agent_slug}{' '}
    · line {count(of.line)}
    {of.partition_key !== null && (
      <>
        {' '}
        · partition <bdi>{of.partition_key}</bdi>
      </>
    )}
  </p>
)

/** What people say instead, and while that waits for a decision, who said so and when. */
const Corrected = ({ of, now }: { of: Item; now: number }) => (
  <>
    {` (people say ${of.corrected_outcome_status}`}
    {of.disposition === null && of.decided_by !== null && (
      <>
        : <bdi>{of.decided_by}</bdi>
      </>
    )}
    {of.disposition === null && of.decided_at !== null && (
      <>
        , <When at={of.decided_at} now={now} />
      </>
    )}
    )
  </>
)

/** What was decided, by whom and when. */
const Decided = ({
  of: { decided_by, decided_at },
  disposition,
  now,
}: {
  of: Item
  disposition: NonNullable<Item['disposition']>
  now: number
}) => (
  <>
    {` · ${sayDisposition(disposition)}`}
    <bdi>{sayAuthor(disposition, decided_by)}</bdi>
    {decided_at !== null && (
      <>
        {' '}
        <When at={decided_at} now={now} />
      </>
    )}
  </>
)

interface ItemTraceProps {
  item: Item
  run: Schemas['Run'] | undefined
  trace: Awaited<ReturnType<typeof findTrace>>
  query: { step?: number | undefined; view?: View | undefined }
  request: Request
  role: MemberRole
}

const ItemTrace = ({ item, run, trace, query, request, role }: ItemTraceProps) => (
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
    <Trace
      steps={trace.steps}
      asked={query.step}
      open={atFault(item, trace.steps)}
      canReplay={item.available_actions.includes('replay') && role !== 'viewer'}
      view={query.view}
      link={(step_no, view) => `${linkWith(request, { view, step: String(step_no) })}#step-${step_no}`}
    />
  </section>
)

/** The number of the first step in the item's last attempt that did not work. */
const atFault = (item: Item, steps: readonly TraceStep[]) =>
  steps.find(({ attempt, outcome_status }) => attempt === item.attempt && outcome_status !== 'ok')?.step_no

/** The outputs of this item and of another; the earlier item's output is `before`. */
async function outputsOf(api: Client, item: Item, texts: Payloads, otherId: string) {
  const other = await readItem(api, otherId)
  const [one, two] = [texts.output, other.texts.output].map(text => readable(text ?? 'null')) as [
    string,
    string,
  ]
  return other.item.id < item.id ? { before: two, after: one } : { before: one, after: two }
}
