// One run: whether it ran and whether it worked, its cost and time next to what is usual, its failures by cause with
// the actions on them, and its items.

import { canBeCancelled, isPaused } from '../../../shared/items/rules/lifecycle.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { isOfHeld } from '../../../shared/view/cause.ts'
import { isStoppedShort, recoveryOf } from '../../../shared/view/left-over.ts'
import { ranAndWorked } from '../../../shared/view/run.ts'
import { doubtOf } from '../../../shared/view/verdict.ts'
import { ranItems } from '../../../shared/view/worked-share.ts'
import { Bar, ranParts, workedParts } from '../parts/bar.tsx'
import { Causes } from '../parts/causes.tsx'
import { VersionsOfRun } from '../parts/code-versions.tsx'
import { FirstOf } from '../parts/list.tsx'
import { paceOf, usualOf } from '../parts/pace.ts'
import { RecoveryLine, standingRecoveries } from '../parts/recovery-lines.tsx'
import { Conservation, RunFacts, RunNotes } from '../parts/run-facts.tsx'
import { RunFailures } from '../parts/run-failures.tsx'
import { findItems, ItemsQuery, RunItems } from '../parts/run-items.tsx'
import { earlierRuns, judgedOf, lastHeldAt, REPLAYS_COUNTED, replaysOf, runOf } from '../parts/run-reads.ts'
import { ShareOk } from '../parts/share-ok.tsx'
import { Starter } from '../parts/starter.tsx'
import { TagsOfRun } from '../parts/tags.tsx'
import { count, counted, RunState, When } from '../parts/text.tsx'
import { ofProject, ofRun } from '../shell/addresses.ts'
import { page } from '../shell/page.ts'

type Run = Schemas['Run']

export const runPage = page({
  path: '/dashboard/runs/{runId}',
  query: ItemsQuery,
  async show({ api, params, query, request, now, mayChange: mayAct }) {
    const run = await runOf(api, params.runId)
    const [earlier, replays, failures, causes, judged, found, recoveries, held_at] = await Promise.all([
      earlierRuns(api, run),
      replaysOf(api, run),
      api.GET('/v2/runs/{runId}/failures', { params: { path: { runId: run.id } } }),
      api.GET('/v1/causes', { params: { query: { run_id: run.id, limit: LIMITS.failure_groups } } }),
      judgedOf(api, run),
      findItems(api, run, query),
      standingRecoveries(api, run.project_id, run.id),
      isPaused(run) ? lastHeldAt(api, run) : undefined,
    ])
    const isOpen = run.finished_at === null
    // Paused items do not prevent a replay of the failed ones.
    const mayReplay = mayAct && (!isOpen || isPaused(run))
    // Items that were held and went on did not fail.
    const shown = causes.data!.rows.filter(cause => !isOfHeld(cause) || cause.waiting > 0)
    const name = run.name ?? run.agent_slug
    const items = ofRun(run.id)
    return {
      title: name,
      project_id: run.project_id,
      menu: 'runs',
      cli: [`assay items ${run.id}`, `assay watch ${run.id}`, recoveryOf(run)?.command]
        .filter(Boolean)
        .join('\n'),
      live: isOpen ? { events: ofRun(run.id, 'events') } : undefined,
      body: (
        <>
          <div class="head">
            <div>
              <h1>{name}</h1>
              <p id="run-state" data-live>
                <RunState of={run} /> · <ShareOk of={run} /> · {counted(run.total_items, 'item')} ·{' '}
                <a href={ofProject(run.project_id, `runs?agent=${run.agent_slug}`)}>{run.agent_slug}</a>
                {run.deployment_version !== null && ` v${run.deployment_version}`} ·{' '}
                {run.started_by !== null && (
                  <>
                    started by <Starter of={run} />{' '}
                  </>
                )}
                <When at={run.created_at} now={now} />
              </p>
            </div>
            <RunActions run={run} mayAct={mayAct} mayReplay={mayReplay} />
          </div>
          <TagsOfRun run={run} mayAct={mayAct} />
          <p id="ran-and-worked" data-live>
            {ranAndWorked(run)}
          </p>
          <div class="bars">
            <Bar id="ran" title="Did it run" parts={ranParts(run, items)} total={run.total_items} />
            <Bar
              id="worked"
              title="Did it work"
              parts={workedParts(run, items)}
              total={run.total_items}
              share_of={ranItems(run)}
            />
          </div>
          <Conservation run={run} />
          <Recoveries recoveries={recoveries} now={now} />
          <RunNotes run={run} failures={failures.data!} mayAct={mayAct} now={now} />
          <RunFacts
            run={run}
            pace={paceOf(run, now)}
            usual={usualOf(run, earlier, now)}
            now={now}
            held_at={held_at}
          />
          <VersionsOfRun run={run} />
          <Replays run={run} replays={replays} />
          <div id="failures" data-live>
            {shown.length > 0 && <h2>Why items did not work</h2>}
            <Causes
              causes={shown}
              isWhole={causes.data!.rows.length === causes.data!.total}
              project_id={run.project_id}
              run={run}
              doubt={doubtOf(judged)}
              now={now}
              mayAct={mayReplay}
            />
            <FirstOf
              shown={causes.data!.rows.length}
              total={causes.data!.total}
              noun="causes"
              href={ofProject(run.project_id, `causes?run_id=${run.id}`)}
            />
            <RunFailures run={run} failures={failures.data!} causes={causes.data!.rows} mayAct={mayReplay} />
          </div>
          <RunItems run={run} query={query} found={found} request={request} />
        </>
      ),
    }
  },
})

const RunActions = ({ run, mayAct, mayReplay }: { run: Run; mayAct: boolean; mayReplay: boolean }) => {
  const isOpen = run.finished_at === null
  return (
    <div class="actions" id="run-actions" data-live>
      <a class="button" href={ofRun(run.id, 'results')} data-key="o">
        Results
      </a>
      <a class="button" href={ofRun(run.id, 'compare')} data-key="d">
        Compare
      </a>
      {!isOpen && (
        <a class="button" href={ofRun(run.id, 'grade')}>
          Grade again
        </a>
      )}
      {mayReplay && run.left_over_count > 0 && (
        <a
          class="button primary"
          href={ofProject(
            run.project_id,
            `recover?run_id=${run.id}&${isStoppedShort(run) ? 'status=not_ok' : 'kind=dlq'}`,
          )}
          data-key="p"
        >
          Replay {counted(run.left_over_count, 'item')} that did not end well…
        </a>
      )}
      {mayAct && canBeCancelled(run) && (
        <a class="button danger" href={ofRun(run.id, 'cancel')} data-key="c">
          {run.status === 'cancelled' ? 'Abort what is in flight…' : 'Cancel run…'}
        </a>
      )}
    </div>
  )
}

const REPLAYS_SHOWN = 10

const Replays = ({ run, replays }: { run: Run; replays: readonly Run[] }) =>
  run.replay_of === null && replays.length === 0 ? (
    ''
  ) : (
    <div id="replays" data-live>
      {run.replay_of !== null && (
        <>
          Replays items of <a href={ofRun(run.replay_of)}>an earlier run</a>.{' '}
        </>
      )}
      {replays.length > 0 && (
        <>
          Replayed by{' '}
          {replays.slice(0, REPLAYS_SHOWN).map((one, at) => (
            <>
              {at > 0 && ', '}
              <a href={ofRun(one.id)}>{counted(one.total_items, 'item')}</a> ({ranAndWorked(one)})
            </>
          ))}
          {replays.length > REPLAYS_SHOWN && <AllReplays run={run} of={replays.length} />}
        </>
      )}
    </div>
  )

const AllReplays = ({ run, of }: { run: Run; of: number }) => (
  <FirstOf
    shown={REPLAYS_SHOWN}
    total={of < REPLAYS_COUNTED ? of : `${count(of)} or more`}
    noun="replays"
    href={ofProject(run.project_id, `runs?replay_of=${run.id}`)}
  />
)

const Recoveries = ({ recoveries, now }: { recoveries: readonly Schemas['Recovery'][]; now: number }) => (
  <div id="recoveries" class="notes" data-live>
    {recoveries.map(recovery => (
      <p>
        <RecoveryLine recovery={recovery} now={now} />
      </p>
    ))}
  </div>
)

/** Passes on the run's event stream to the page's script. */
export const runEvents = page({
  path: '/dashboard/runs/{runId}/events',
  show: ({ fetch, params, request }) =>
    fetch(`/v2/runs/${params.runId}/events`, {
      headers: { 'last-event-id': request.headers.get('last-event-id') ?? '' },
      signal: request.signal,
    }),
})
