// Replays a cohort, wherever it was chosen: first what of it can be replayed, what not and why, and about what it costs;
// then the replay itself.

import { z } from 'zod'
import { LIMITS } from '../../../shared/domain/limits.ts'
import { reasonMeaning } from '../../../shared/domain/outcome-meanings.ts'
import { sayPlan } from '../../../shared/domain/recovery.ts'
import { DEPLOYMENT_CHOICES, TRIAGE_LANES } from '../../../shared/domain/vocabulary.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { ofProject, ofRun } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { dollars } from '../frame/form-values.ts'
import { action, page } from '../frame/page.ts'
import { Field } from '../parts/form.tsx'
import { shellOptions } from '../parts/shell-word.ts'
import { counted, money } from '../parts/text.tsx'
import { runOf } from './run-reads.ts'

const cohort = {
  run_id: z.string().optional(),
  agent_id: z.string().optional(),
  cause_id: z.string().optional(),
  cluster_key: z.string().optional(),
  reason: z.string().optional(),
  partition_key: z.string().optional(),
  status: z.literal('cancelled').optional(),
}
type Cohort = { [Name in keyof typeof cohort]?: z.output<(typeof cohort)[Name]> }
type Run = Schemas['Run']
type Plan = Schemas['RecoveryPlan']

/** Of items that are held; whoever looks at what did not work does not mean them. */
const OF_HELD: readonly string[] = ['held', 'resumed']

export const recoveryPage = page({
  path: '/dashboard/projects/{projectId}/recover',
  least: 'operator',
  query: z.strictObject({ ...cohort, kind: z.enum(TRIAGE_LANES).or(z.literal('')).optional() }),
  async show({ api, params, query: { kind, ...query } }) {
    const project_id = params.projectId
    const filter = defined(query)
    const run = filter.run_id === undefined ? undefined : await runOf(api, filter.run_id)
    const [{ data }, cost] = await Promise.all([
      api.POST('/v1/recoveries', { body: { project_id, filter, dry_run: true } }),
      usualCost(api, project_id, filter, run),
    ])
    const all = data as Plan
    const ineligible = all.ineligible.filter(({ reason }) => kind !== 'dlq' || !OF_HELD.includes(reason))
    const plan = { ...all, ineligible }
    const triage = ofProject(project_id, `triage?${new URLSearchParams(defined({ ...filter, kind }))}`)
    const back = run === undefined ? triage : ofRun(run.id)
    return {
      title: 'Replay',
      project_id,
      menu: run === undefined ? 'triage' : 'runs',
      cli: `assay recover${optionsOf(filter)} --dry-run`,
      body: (
        <>
          <p class="crumbs">
            <a href={back}>{run === undefined ? 'Triage' : nameOf(run)}</a>
          </p>
          <h1>Replay {words(filter, run)}</h1>
          {kind === 'quarantine' ? (
            <p class="lead">
              Held items are not replayed: resume or dismiss them in <a href={triage}>triage</a>.
            </p>
          ) : (
            <>
              <Told plan={plan} cost={cost} />
              {plan.eligible > 0 && <Order project_id={project_id} filter={filter} plan={plan} back={back} />}
            </>
          )}
        </>
      ),
    }
  },
})

const nameOf = (run: Run) => run.name ?? run.agent_slug

function optionsOf(filter: Cohort): string {
  const options = shellOptions({
    run: filter.run_id,
    agent: filter.agent_id,
    reason: filter.reason,
    cause: filter.cause_id,
    cluster: filter.cluster_key,
    partition: filter.partition_key,
  })
  return `${options || ' --all'}${filter.status === undefined ? '' : ' --cancelled'}`
}

function words(filter: Cohort, run: Run | undefined): string {
  const of =
    (filter.partition_key === undefined ? '' : ` of partition ${filter.partition_key}`) +
    (run === undefined ? '' : ` in ${nameOf(run)}`)
  if (filter.status === 'cancelled') return `what was left over${of}`
  if (filter.cause_id !== undefined) return `all with one cause${of}`
  if (filter.cluster_key !== undefined)
    return `what failed alike with ${filter.cluster_key.replace(/:[^:]*$/, '')}${of}`
  if (filter.reason !== undefined) return `where ${reasonMeaning(filter.reason)}${of}`
  return `what did not work${of}`
}

interface Cost {
  /** Of an item, on average. */
  each_usd: number
  /** Of which items: those to be replayed, or others of the same run. */
  of: string
  is_least: boolean
}

/** What those cost that wait, the latest of them standing for all; of what never ran, what the run's others cost. */
async function usualCost(
  api: Client,
  project_id: string,
  { status, ...filter }: Cohort,
  run: Run | undefined,
): Promise<Cost> {
  if (status !== undefined && run !== undefined) {
    const ended = run.completed + run.failed
    const each_usd = run.cost_usd / Math.max(1, ended)
    return { each_usd, of: 'others of this run', is_least: run.unpriced_item_count > 0 }
  }
  const query = { project_id, kind: 'dlq' as const, ...defined(filter), limit: LIMITS.inbox_page }
  const { data } = await api.GET('/v1/triage', { params: { query } })
  const rows = data?.rows ?? []
  const each_usd = rows.reduce((sum, row) => sum + row.cost_usd, 0) / Math.max(1, rows.length)
  return { each_usd, of: 'they', is_least: rows.some(row => row.unpriced) }
}

const Told = ({ plan, cost }: { plan: Plan; cost: Cost }) => {
  if (plan.eligible + plan.ineligible.length === 0)
    return (
      <p class="lead">
        Nothing here waits for a replay: everything was decided about, or the run has not ended.
      </p>
    )
  const { each_usd, of, is_least } = cost
  return (
    <>
      <p class="lead">{sayPlan(plan)}. Nothing has been done yet.</p>
      {plan.eligible > 0 && (
        <p>
          {each_usd === 0
            ? `What it costs is not known: ${of} have cost nothing so far.`
            : `It costs about ${money(each_usd * plan.eligible)}, at the ${money(each_usd)} that ${of} cost on average; steps that worked are taken over and not paid again.`}
          {is_least && ' Some have no known price, so this is a lower bound.'} The items are copied into{' '}
          {plan.runs === 1 ? 'a new run' : counted(plan.runs, 'new run')}; the verdicts of the originals stay.
        </p>
      )}
    </>
  )
}

interface OrderProps {
  project_id: string
  filter: Cohort
  plan: Plan
  back: string
}

const Order = ({ project_id, filter, plan, back }: OrderProps) => (
  <form class="stack" method="post" action={ofProject(project_id, 'recover')}>
    {Object.entries(filter).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {plan.eligible > 1 && (
      <Field
        label="Try this many first"
        hint="The rest follows only if at least one of them works and no more fail than before. Empty: all at once."
      >
        <input name="first" type="number" min="1" max={plan.eligible} />
      </Field>
    )}
    <Field label="Code">
      <select name="deployment">
        <option value="current">what is deployed now</option>
        <option value="original">what each item ran with</option>
      </select>
    </Field>
    {plan.runs === 1 && (
      <Field label="Budget in dollars" hint="Empty: no bound.">
        <input name="dollars" inputmode="decimal" />
      </Field>
    )}
    <div class="actions">
      <button class="primary" data-key="r">
        Replay {counted(plan.eligible, 'item')}
      </button>
      <a class="button" href={back}>
        Not now
      </a>
    </div>
  </form>
)

export const startRecovery = action({
  path: '/dashboard/projects/{projectId}/recover',
  form: z.strictObject({
    ...cohort,
    first: z.literal('').or(z.coerce.number().int().min(1)).optional(),
    deployment: z.enum(DEPLOYMENT_CHOICES),
    dollars: dollars.optional(),
  }),
  async act({ api, params }, { first, deployment, dollars, ...filter }) {
    const budget_cents = dollars ?? undefined
    const { data } = await api.POST('/v1/recoveries', {
      body: {
        project_id: params.projectId,
        filter: defined(filter),
        deployment,
        ...defined({ first, budget_cents }),
      },
    })
    const { eligible, run_ids, pilot_run_ids } = data as Schemas['Recovery']
    const [run] = [...run_ids, ...pilot_run_ids]
    return {
      to: run === undefined ? ofProject(params.projectId, 'runs') : ofRun(run),
      said: `${counted(eligible, 'item')} ${eligible === 1 ? 'is' : 'are'} being replayed${first ? `, ${counted(first, 'item')} first` : ''}. This is the run.`,
    }
  },
})
