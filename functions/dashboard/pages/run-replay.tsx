// Replays a cohort of a run: first what could be replayed and what not, with what it may cost; then the replay itself.

import { z } from 'zod'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { ofRun } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { action, page } from '../frame/page.ts'
import { count, counted, money } from '../parts/text.tsx'
import { runOf } from './run-reads.ts'

const Cohort = z.strictObject({
  cluster_key: z.string().optional(),
  reason: z.string().optional(),
  partition_key: z.string().optional(),
  status: z.literal('cancelled').optional(),
})
type Cohort = z.output<typeof Cohort>

const filterOf = (run_id: string, cohort: Cohort) => ({ run_id, ...defined(cohort) })

const OPTIONS: Record<keyof Cohort, string> = {
  cluster_key: '--cluster',
  reason: '--reason',
  partition_key: '--partition',
  status: '--cancelled',
}

const WHY_NOT: Record<Schemas['RecoveryPlan']['ineligible'][number]['reason'], string> = {
  held: 'held: resume or dismiss them instead',
  acknowledged: 'acknowledged',
  dismissed: 'dismissed',
  replayed: 'replayed already',
  resumed: 'resumed',
  purged: 'their inputs are kept no longer',
}

const sayCohort = (cohort: Cohort): string => {
  if (cohort.status === 'cancelled') return 'what was left over'
  if (cohort.cluster_key !== undefined) return 'one cluster of failures'
  if (cohort.reason !== undefined) return `items with “${cohort.reason.replaceAll('_', ' ')}”`
  return cohort.partition_key === undefined
    ? 'what did not work'
    : `what did not work of “${cohort.partition_key}”`
}

export const replayRunPage = page({
  path: '/dashboard/runs/{runId}/replay',
  query: Cohort,
  async show({ api, params, query }) {
    const run = await runOf(api, params.runId)
    const { project_id } = run
    const filter = filterOf(run.id, query)
    const { data } = await api.POST('/v1/recoveries', { body: { project_id, filter, dry_run: true } })
    const plan = data as Schemas['RecoveryPlan']
    const words = Object.entries(query).map(([name, value]) => `${OPTIONS[name as keyof Cohort]} '${value}'`)
    return {
      title: `Replay of ${run.name ?? run.agent_slug}`,
      project_id,
      menu: 'runs',
      cli: `assay recover --run ${run.id} ${query.status ? '--cancelled' : words.join(' ')} --dry-run`,
      body: (
        <>
          <h1>Replay {sayCohort(query)}</h1>
          <p class="dim">
            A dry run of <a href={ofRun(run.id)}>{run.name ?? run.agent_slug}</a>: nothing has happened yet.
          </p>
          <Plan run={run} plan={plan} />
          {plan.eligible > 0 && <Order run={run} cohort={query} plan={plan} />}
        </>
      ),
    }
  },
})

const Plan = ({ run, plan }: { run: Schemas['Run']; plan: Schemas['RecoveryPlan'] }) => {
  const not = plan.ineligible.reduce((sum, one) => sum + one.count, 0)
  const ended = run.completed + run.failed
  const each = ended === 0 ? 0 : run.cost_usd / ended
  return (
    <>
      <p class="lead">
        {not === 0
          ? plan.eligible === 0
            ? 'Nothing here waits for a replay: everything was decided about, or the run has not ended.'
            : `${counted(plan.eligible, 'item')} can be replayed.`
          : `${count(plan.eligible)} of ${counted(plan.eligible + not, 'item')} can be replayed; ${count(not)} cannot:`}
      </p>
      {not > 0 && (
        <ul>
          {plan.ineligible.map(one => (
            <li>
              {count(one.count)} {WHY_NOT[one.reason]}
            </li>
          ))}
        </ul>
      )}
      {plan.eligible > 0 && (
        <p>
          Steps that succeeded are taken over and not paid again, so it costs{' '}
          {each === 0
            ? 'little: this run has cost nothing so far.'
            : `at most about ${money(each * plan.eligible)}, at the ${money(each)} an item of this run cost on average.`}
          {run.unpriced_item_count > 0 && ' Some items have no known price, so this is a lower bound.'}{' '}
          Original verdicts stay; the replay is {plan.runs === 1 ? 'a run' : counted(plan.runs, 'run')} of its
          own.
        </p>
      )}
    </>
  )
}

const Order = ({
  run,
  cohort,
  plan,
}: {
  run: Schemas['Run']
  cohort: Cohort
  plan: Schemas['RecoveryPlan']
}) => (
  <form class="stack" method="post" action={ofRun(run.id, 'replay')}>
    {Object.entries(cohort).map(
      ([name, value]) => value !== undefined && <input type="hidden" name={name} value={value} />,
    )}
    <label>
      <span class="label">Code</span>
      <select name="deployment">
        <option value="current">the version that is current now</option>
        <option value="original">the version each item ran with</option>
      </select>
    </label>
    <label>
      <span class="label">
        Try some first: the rest follows only if at least one works and no more fail than before (empty: all
        at once)
      </span>
      <input name="first" type="number" min="1" max={plan.eligible} />
    </label>
    <label>
      <span class="label">Budget in dollars (empty: no bound)</span>
      <input name="budget" type="number" min="0" step="0.01" inputmode="decimal" />
    </label>
    <div class="actions">
      <button class="primary" data-key="r">
        Replay {counted(plan.eligible, 'item')}
      </button>
      <a class="button" href={ofRun(run.id)}>
        Not now
      </a>
    </div>
  </form>
)

const ReplayForm = Cohort.extend({
  deployment: z.enum(['current', 'original']),
  first: z.literal('').or(z.coerce.number().int()).optional(),
  budget: z.literal('').or(z.coerce.number()).optional(),
})

export const replayRun = action({
  path: '/dashboard/runs/{runId}/replay',
  form: ReplayForm,
  async act({ api, params }, { deployment, first, budget, ...cohort }) {
    const { project_id } = await runOf(api, params.runId)
    const { data } = await api.POST('/v1/recoveries', {
      body: {
        project_id,
        filter: filterOf(params.runId, cohort),
        deployment,
        ...(typeof first === 'number' ? { first } : {}),
        ...(typeof budget === 'number' ? { budget_cents: Math.round(budget * 100) } : {}),
      },
    })
    const recovery = data as Schemas['Recovery']
    const [started] = [...recovery.run_ids, ...recovery.pilot_run_ids]
    return {
      to: ofRun(started ?? params.runId),
      said: `${counted(recovery.eligible, 'item')} to be replayed${recovery.first === null ? '' : `, ${count(recovery.first)} of them first`}. This is the run that does it.`,
    }
  },
})
