// What waits for a decision, as an inbox: what has the same cause together, decided one by one, selected, or all at once.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { TRIAGE_LANES } from '../../../shared/recovery/vocabulary.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { reasonWords } from '../../../shared/view/reason.ts'
import { doubtOf } from '../../../shared/view/verdict.ts'
import { Causes, type CausesProps } from '../parts/causes.tsx'
import { Inbox } from '../parts/inbox.tsx'
import { Pager } from '../parts/list.tsx'
import { shellOptions } from '../parts/shell-word.ts'
import { ofProject } from '../shell/addresses.ts'
import { defined } from '../shell/defined.ts'
import { page } from '../shell/page.ts'

export const triageFilter = {
  kind: z.enum(TRIAGE_LANES).or(z.literal('')).optional(),
  agent_id: z.string().optional(),
  run_id: z.string().optional(),
  reason: z.string().optional(),
  cause_id: z.string().optional(),
  cluster_key: z.string().optional(),
  partition_key: z.string().optional(),
}

export const triagePage = page({
  path: '/dashboard/projects/{projectId}/triage',
  query: z.strictObject({ ...triageFilter, cursor: z.string().optional() }),
  async show({ api, params, query, request, ctx, member }) {
    const project_id = params.projectId
    const { cursor, ...filter } = query
    const given = defined(filter)
    const ofRun = defined({ run_id: query.run_id })
    const [{ data: found }, { data: known }, { data: agents = [] }, { data: judged }] = await Promise.all([
      api.GET('/v1/triage', {
        params: {
          query: { project_id, kind: 'all', ...given, ...defined({ cursor }), limit: LIMITS.inbox_page },
        },
      }),
      api.GET('/v1/causes', {
        params: { query: { project_id, ...ofRun, waiting: 'true', limit: LIMITS.triage_page.max } },
      }),
      api.GET('/v1/agents', { params: { query: { project_id } } }),
      api.GET('/v1/verdicts', { params: { query: { project_id, limit: LIMITS.verdicts_page.max } } }),
    ])
    const { rows = [], next_cursor = null } = found ?? {}
    const causes = known?.rows ?? []
    const doubt = doubtOf(judged?.rows ?? [])
    const suspicions = await suspicionsOf(api, project_id, rows)
    const isFiltered = Object.keys(given).length > 0
    const options = shellOptions({
      kind: query.kind,
      run: query.run_id,
      agent: query.agent_id,
      reason: query.reason,
      cause: query.cause_id,
      cluster: query.cluster_key,
      partition: query.partition_key,
    })
    return {
      title: 'Triage',
      project_id,
      menu: 'triage',
      cli: `assay triage${options}`,
      body: (
        <>
          <h1>Triage</h1>
          <p class="dim">
            What did not work, is held, was called wrong or is asked about, until somebody decides. Newest
            first. <a href={ofProject(project_id, 'verdicts')}>How good verdicts are</a>
          </p>
          <Filters query={query} agents={agents} isFiltered={isFiltered} project_id={project_id} />
          {!isFiltered && cursor === undefined && (
            <Why
              causes={causes.slice(0, LIMITS.causes_shown)}
              project_id={project_id}
              doubt={doubt}
              now={ctx.now()}
              mayAct={member.role !== 'viewer'}
            />
          )}
          {rows.length === 0 ? (
            <Empty isFiltered={isFiltered} project_id={project_id} />
          ) : (
            <Inbox
              rows={rows}
              causes={causes}
              doubt={doubt}
              suspicions={suspicions}
              project_id={project_id}
              filter={given}
              back={request.url}
              now={ctx.now()}
              role={member.role}
            />
          )}
          <Pager request={request} next={next_cursor} />
        </>
      ),
    }
  },
})

const Filters = ({
  query,
  agents,
  isFiltered,
  project_id,
}: {
  query: { [Name in keyof typeof triageFilter]?: string | undefined }
  agents: readonly Schemas['Agent'][]
  isFiltered: boolean
  project_id: string
}) => (
  <form class="filters" method="get">
    <label>
      <span class="label">What</span>
      <select name="kind">
        <option value="">all</option>
        <option value="dlq" selected={query.kind === 'dlq'}>
          did not work
        </option>
        <option value="quarantine" selected={query.kind === 'quarantine'}>
          held
        </option>
        <option value="review" selected={query.kind === 'review'}>
          may not have worked
        </option>
      </select>
    </label>
    <label>
      <span class="label">Agent</span>
      <select name="agent_id">
        <option value="">any</option>
        {agents.map(one => (
          <option value={one.id} selected={one.id === query.agent_id}>
            {one.slug}
          </option>
        ))}
      </select>
    </label>
    <label>
      <span class="label">Partition</span>
      <input name="partition_key" value={query.partition_key ?? ''} />
    </label>
    <label>
      <span class="label">Reason</span>
      <input name="reason" value={query.reason ?? ''} placeholder="refusal" />
    </label>
    {query.run_id && <input type="hidden" name="run_id" value={query.run_id} />}
    {query.cause_id && <input type="hidden" name="cause_id" value={query.cause_id} />}
    {query.cluster_key && <input type="hidden" name="cluster_key" value={query.cluster_key} />}
    <button>Show</button>
    {isFiltered && <a href={ofProject(project_id, 'triage')}>Show all</a>}
  </form>
)

const Why = (shown: CausesProps) =>
  shown.causes.length === 0 ? (
    ''
  ) : (
    <section aria-label="Why items wait">
      <h2>Why items wait</h2>
      <Causes {...shown} />
    </section>
  )

/** By which words the answers that are asked about may be refusals, by record id; the newest are known. */
async function suspicionsOf(api: Client, project_id: string, rows: readonly Schemas['TriageRow'][]) {
  if (!rows.some(row => row.question !== null)) return new Map<string, string>()
  const query = { project_id, outcome_reason: 'suspected_refusal', limit: LIMITS.steps_page.max } as const
  const { data } = await api.GET('/v1/steps', { params: { query } })
  return new Map((data?.steps ?? []).map(step => [step.record_id, reasonWords(step) ?? '']))
}

const Empty = ({ isFiltered, project_id }: { isFiltered: boolean; project_id: string }) => (
  <div class="empty">
    {isFiltered ? (
      <p>
        Nothing that fits waits for a decision. <a href={ofProject(project_id, 'triage')}>Show all</a>
      </p>
    ) : (
      <>
        <p>Nothing waits for a decision.</p>
        <p class="dim">
          Items come here when they fail, when the grader finds that they ran and did not work (a refusal, an
          empty or a cut answer, an output of another shape), and when an agent holds them for a person; and
          when somebody calls an ok item wrong, or its answer may be a refusal and a person is asked.
        </p>
      </>
    )}
  </div>
)
