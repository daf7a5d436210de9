// Replays a cohort, wherever it was chosen: first what of it can be replayed, what not and why, what is asked again
// and what that costs; then the replay itself.

import { z } from 'zod'
import { reasonMeaning } from '../../../shared/domain/outcome-meanings.ts'
import { DEPLOYMENT_CHOICES, REUSE_CHOICES, TRIAGE_LANES } from '../../../shared/domain/vocabulary.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { sayForecast } from '../../../shared/view/recovery.ts'
import { ofProject, ofRecovery, ofRun } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { dollars } from '../frame/form-values.ts'
import { action, page } from '../frame/page.ts'
import { Field } from '../parts/form.tsx'
import { ReuseField } from '../parts/reuse-field.tsx'
import { shellOptions } from '../parts/shell-word.ts'
import { counted } from '../parts/text.tsx'
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
    const { data } = await api.POST('/v1/recoveries', { body: { project_id, filter, dry_run: true } })
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
              <Told plan={plan} />
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

const Told = ({ plan }: { plan: Plan }) => {
  if (plan.eligible + plan.ineligible.length === 0)
    return (
      <p class="lead">
        Nothing here waits for a replay: everything was decided about, or the run has not ended.
      </p>
    )
  const [first, ...rest] = sayForecast(plan)
  return (
    <>
      <p class="lead">{first}. Nothing has been done yet.</p>
      <ul>
        {rest.map(line => (
          <li>{line}</li>
        ))}
        {plan.eligible > 0 && <li>the verdicts of the originals stay</li>}
      </ul>
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
    <ReuseField />
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
    reuse: z.enum(REUSE_CHOICES).optional(),
    from_step: z.string().optional(),
    deployment: z.enum(DEPLOYMENT_CHOICES),
    dollars: dollars.optional(),
  }),
  async act({ api, params }, { first, reuse, from_step, deployment, dollars, ...filter }) {
    const budget_cents = dollars ?? undefined
    const { data } = await api.POST('/v1/recoveries', {
      body: {
        project_id: params.projectId,
        filter: defined(filter),
        deployment,
        ...defined({ first, budget_cents, reuse, from_step }),
      },
    })
    const { id } = data as Schemas['Recovery']
    return { to: ofRecovery(id), said: 'The recovery has begun.' }
  },
})
