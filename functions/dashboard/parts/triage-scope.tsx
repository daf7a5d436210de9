// The scope of the triage page: its filters, the number of matching items, and the actions on all of them, also beyond
// this page. Guarantee: every filter in effect is shown here or in the form.

import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import type { TriageAction, TriageLane } from '../../../shared/triage/vocabulary.ts'
import { runName } from '../../../shared/view/run.ts'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { ACTION_VERBS } from './action-words.ts'
import { agentsOf } from './agents-of.ts'
import { anyAmong, Choice } from './choice.tsx'
import { Field } from './form.tsx'
import { linkWith } from './list.tsx'
import { runOf } from './run-reads.ts'
import { count, counted } from './text.tsx'
import type { TriageQuery } from './triage-query.ts'

const KINDS = { '': 'all', dlq: 'did not work', quarantine: 'held', review: 'may not have worked' }

interface FiltersProps {
  query: TriageQuery
  agents: readonly Schemas['Agent'][]
  causes: readonly Schemas['Cause'][]
}

export const TriageFilters = ({ query, agents, causes }: FiltersProps) => {
  const reasons = new Set([...causes.map(one => one.reason), ...(query.reason ? [query.reason] : [])])
  const hidden = defined({
    run_id: query.run_id,
    cause_id: query.cause_id,
    cluster_key: query.cluster_key,
  })
  return (
    <form class="filters" method="get">
      <Choice name="kind" label="What" options={KINDS} chosen={query.kind} />
      <Choice
        name="agent_id"
        label="Agent"
        options={{ '': 'any', ...Object.fromEntries(agents.map(one => [one.id, one.slug])) }}
        chosen={query.agent_id}
      />
      <Field label="Partition">
        <input name="partition_key" value={query.partition_key ?? ''} />
      </Field>
      <Choice
        name="reason"
        label="Reason"
        options={anyAmong([...reasons].sort(), words)}
        chosen={query.reason}
      />
      {Object.entries(hidden).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button>Show</button>
    </form>
  )
}

const words = (token: string) => token.replaceAll('_', ' ')

/** The actions on a whole lane, the most usual first. Questions about items that worked are answered one by one. */
const ACTIONS: Record<TriageLane | '', readonly TriageAction[]> = {
  '': ['replay', 'resume'],
  dlq: ['replay', 'acknowledge', 'dismiss'],
  quarantine: ['resume', 'acknowledge', 'dismiss'],
  review: [],
}
const VERBS: Record<TriageAction, string> = {
  ...ACTION_VERBS,
  replay: 'Replay what did not work',
  resume: 'Resume what is held',
}

interface ScopeProps {
  query: TriageQuery
  run: Schemas['Run'] | undefined
  causes: readonly Schemas['Cause'][]
  total: number
  project_id: string
  request: Request
  mayDecide: boolean
}

export const TriageScope = ({ query, run, causes, total, project_id, request, mayDecide }: ScopeProps) => {
  const cause = causes.find(one => one.id === query.cause_id)
  const filter = defined({ ...query }) as Record<string, string>
  const chips = {
    run_id: run && (
      <>
        run <a href={ofRun(run.id)}>{runName(run)}</a>
      </>
    ),
    cause_id: query.cause_id && (
      <>
        cause{' '}
        <a href={ofProject(project_id, `causes/${query.cause_id}`)}>
          <bdi>{cause?.title ?? query.cause_id}</bdi>
        </a>
      </>
    ),
    cluster_key: query.cluster_key && <>similar failures</>,
  }
  return (
    <section class="scope" aria-label="Scope">
      <p>
        <b>{total < LIMITS.activity_counted ? counted(total, 'item') : `${count(total)} items or more`}</b>
        {total === 1 ? ' waits' : ' wait'}
        {Object.keys(filter).length > 0 && ' here'}
        {Object.entries(chips).map(
          ([name, said]) =>
            said && (
              <span class="chip">
                {said} <a href={linkWith(request, { [name]: undefined, cursor: undefined })}>any</a>
              </span>
            ),
        )}
        {Object.keys(filter).length > 0 && (
          <>
            {' · '}
            <a href={ofProject(project_id, 'triage')}>Show all</a>
          </>
        )}
      </p>
      {mayDecide && total > 0 && <OfAll filter={filter} project_id={project_id} />}
    </section>
  )
}

/** Each links to a page that says what the action would do, and asks for confirmation. */
const OfAll = ({ filter, project_id }: { filter: Record<string, string>; project_id: string }) => {
  const actions = ACTIONS[(filter.kind ?? '') as TriageLane | '']
  return actions.length === 0 ? (
    ''
  ) : (
    <p class="actions">
      <span>All of them:</span>
      {actions.map(action => (
        <a
          class="button"
          href={ofProject(project_id, `recover?${new URLSearchParams({ ...filter, action })}`)}
        >
          {VERBS[action]}…
        </a>
      ))}
    </p>
  )
}

/** Reads everything that the triage page shows. */
export async function readTriage(api: Client, project_id: string, query: TriageQuery, cursor?: string) {
  const { kind, ...narrower } = query
  const filter = defined({ ...narrower, kind: kind || undefined })
  const ofRun = defined({ run_id: query.run_id })
  const [found, known, agents, judged, run] = await Promise.all([
    api.GET('/v1/triage', {
      params: {
        query: {
          project_id,
          kind: 'all',
          ...filter,
          ...defined({ cursor }),
          count: 'true',
          limit: LIMITS.inbox_page,
        },
      },
    }),
    api.GET('/v1/causes', {
      params: { query: { project_id, ...ofRun, waiting: 'true', limit: LIMITS.triage_page.max } },
    }),
    agentsOf(api, project_id),
    api.GET('/v1/verdicts', { params: { query: { project_id, limit: LIMITS.verdicts_page.max } } }),
    query.run_id ? runOf(api, query.run_id) : undefined,
  ])
  return {
    rows: found.data!.rows,
    next: found.data!.next_cursor,
    total: found.data!.total ?? 0,
    causes: known.data!.rows,
    causes_total: known.data!.total,
    agents: agents.data ?? [],
    judged: judged.data!.rows,
    run,
    filter,
  }
}
