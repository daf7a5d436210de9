// The inbox of items that need a decision, grouped by cause: decided one by one, as a selection, or all at once.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { reasonWords } from '../../../shared/view/reason.ts'
import { doubtOf } from '../../../shared/view/verdict.ts'
import { Causes, type CausesProps } from '../parts/causes.tsx'
import { Inbox } from '../parts/inbox.tsx'
import { LaterOn } from '../parts/later-on.tsx'
import { FirstOf, Pager } from '../parts/list.tsx'
import { readSavedViews, SavedViews } from '../parts/saved-views.tsx'
import { shellOptions } from '../parts/shell-options.ts'
import { stoppedLines, stoppedShort } from '../parts/stopped-runs.tsx'
import { counted } from '../parts/text.tsx'
import { triageFilter } from '../parts/triage-query.ts'
import { readTriage, TriageFilters, TriageScope } from '../parts/triage-scope.tsx'
import { ofProject } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

export const triagePage = page({
  path: '/dashboard/projects/{projectId}/triage',
  query: z.strictObject({ ...triageFilter, cursor: z.string().optional() }),
  async show({ api, params: { projectId: project_id }, query, request, ctx, member, mayChange: mayDecide }) {
    const { cursor, ...shown } = query
    const found = await readTriage(api, project_id, shown, cursor)
    const { rows, causes, filter: given } = found
    const doubt = doubtOf(found.judged)
    const isFiltered = Object.keys(given).length > 0
    const [suspicions, views, latest] = await Promise.all([
      suspicionsOf(api, project_id, rows),
      readSavedViews(api, project_id, 'triage'),
      isFiltered || cursor !== undefined ? undefined : latestRuns(api, project_id),
    ])
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
          <div class="triage-top">
            <LaterOn label="Filter">
              <About project_id={project_id} />
              <SavedViews list="triage" {...{ views, project_id, request, member }} />
              <TriageFilters query={shown} agents={found.agents} causes={causes} />
            </LaterOn>
            <TriageScope {...found} query={shown} {...{ project_id, request, mayDecide }} />
            {stoppedLines(stoppedShort(latest?.data ?? []), mayDecide).map(line => (
              <div class="notes">{line}</div>
            ))}
            {!isFiltered && cursor === undefined && causes.length > 0 && (
              <Why
                causes={causes.slice(0, LIMITS.causes_shown)}
                isWhole={found.causes_total <= LIMITS.causes_shown}
                total={found.causes_total}
                project_id={project_id}
                doubt={doubt}
                now={ctx.now()}
                mayAct={mayDecide}
              />
            )}
          </div>
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
          <Pager request={request} next={found.next} />
        </>
      ),
    }
  },
})

const About = ({ project_id }: { project_id: string }) => (
  <p class="dim">
    What did not work, is held, was called wrong or is asked about, until somebody decides. Newest first.{' '}
    <a href={ofProject(project_id, 'verdicts')}>How good verdicts are</a>
  </p>
)

/** What a stopped run did not get to is in no triage, so the page names such runs. */
const latestRuns = (api: Client, project_id: string) =>
  api.GET('/v2/runs', { params: { query: { project_id, limit: LIMITS.runs_page.default } } })

const Why = ({ total, ...shown }: CausesProps & { total: number }) => (
  <LaterOn label={counted(total, 'cause')}>
    <section aria-label="Why items wait">
      <h2>Why items wait</h2>
      <Causes {...shown} />
      <FirstOf
        shown={shown.causes.length}
        total={total}
        noun="causes"
        href={ofProject(shown.project_id, 'causes?state=waiting')}
      />
    </section>
  </LaterOn>
)

/** The words for which an answer is suspected to be a refusal, by record id; for the newest such steps only. */
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
