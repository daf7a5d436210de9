// Replays all items that pass a filter: first what could be replayed, what not and why, and about what it costs; then
// the replay itself.

import { z } from 'zod'
import { LIMITS } from '../../../shared/domain/limits.ts'
import { reasonMeaning } from '../../../shared/domain/outcome-meanings.ts'
import { DEPLOYMENT_CHOICES } from '../../../shared/domain/vocabulary.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { ofProject, ofRun } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { action, page } from '../frame/page.ts'
import { centsOfDollars } from '../parts/dollars.ts'
import { Field } from '../parts/form.tsx'
import { count, counted, money } from '../parts/text.tsx'

const cohort = {
  run_id: z.string().optional(),
  agent_id: z.string().optional(),
  cluster_key: z.string().optional(),
  reason: z.string().optional(),
  partition_key: z.string().optional(),
  status: z.literal('cancelled').optional(),
}
type Cohort = { [Name in keyof typeof cohort]?: z.output<(typeof cohort)[Name]> }

type Plan = Schemas['RecoveryPlan']

const WHY_NOT: Record<Plan['ineligible'][number]['reason'], string> = {
  held: 'held for a person: resume or dismiss them',
  acknowledged: 'acknowledged: replay them one by one',
  dismissed: 'dismissed',
  replayed: 'replayed already',
  resumed: 'resumed',
  purged: 'too old: their inputs are kept no longer',
}

export const recoveryPage = page({
  path: '/dashboard/projects/{projectId}/recover',
  query: z.strictObject(cohort),
  async show({ api, params, query }) {
    const project_id = params.projectId
    const filter = defined(query)
    const [{ data }, each] = await Promise.all([
      api.POST('/v1/recoveries', { body: { project_id, filter, dry_run: true } }),
      usualCost(api, project_id, filter),
    ])
    const plan = data as Plan
    const left = plan.ineligible.reduce((sum, one) => sum + one.count, 0)
    const options = Object.entries(filter).map(([name, value]) => ` --${name.split('_')[0]} '${value}'`)
    const triage = `triage?${new URLSearchParams(filter)}`
    return {
      title: 'Replay all',
      project_id,
      menu: 'triage',
      cli: `assay recover${options.join('') || ' --all'} --dry-run`,
      body: (
        <>
          <p class="crumbs">
            <a href={ofProject(project_id, triage)}>Triage</a>
          </p>
          <h1>Replay {words(filter)}</h1>
          <p>
            <b>
              {count(plan.eligible)} of {counted(plan.eligible + left, 'item')} can be replayed
            </b>
            {plan.eligible > 0 &&
              each > 0 &&
              `, for about ${money(each * plan.eligible)}: what they cost the first time; steps that worked are not paid again`}
            . Nothing has been done yet.
          </p>
          {left > 0 && (
            <ul>
              {plan.ineligible.map(one => (
                <li>
                  {counted(one.count, 'item')} cannot: {WHY_NOT[one.reason]}.
                </li>
              ))}
            </ul>
          )}
          {plan.eligible > 0 && <Order project_id={project_id} filter={filter} plan={plan} />}
        </>
      ),
    }
  },
})

const words = (filter: Cohort): string => {
  if (filter.status === 'cancelled') return 'what was cancelled of a run'
  const of = filter.partition_key === undefined ? '' : ` of partition ${filter.partition_key}`
  if (filter.cluster_key !== undefined)
    return `what failed alike with ${filter.cluster_key.replace(/:[^:]*$/, '')}${of}`
  if (filter.reason !== undefined) return `where ${reasonMeaning(filter.reason)}${of}`
  return `what did not work${of}`
}

/** What those cost on average that wait; the latest of them stand for all. */
async function usualCost(api: Client, project_id: string, { status, ...filter }: Cohort): Promise<number> {
  if (status !== undefined) return 0
  const query = { project_id, kind: 'dlq' as const, ...defined(filter), limit: LIMITS.triage_page.max }
  const { data } = await api.GET('/v1/triage', { params: { query } })
  const rows = data?.rows ?? []
  return rows.reduce((sum, row) => sum + row.cost_usd, 0) / Math.max(1, rows.length)
}

const Order = ({ project_id, filter, plan }: { project_id: string; filter: Cohort; plan: Plan }) => (
  <form class="stack" method="post" action={ofProject(project_id, 'recover')}>
    {Object.entries(filter).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {plan.eligible > 1 && (
      <Field
        label="Try this many first"
        hint="The rest follows only if at least one of them works and no more fail than before. Empty: all at once."
      >
        <input name="first" inputmode="numeric" pattern="[0-9]*" />
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
    <p class="dim">
      The items are copied into {plan.runs === 1 ? 'a new run' : counted(plan.runs, 'new run')}; the verdicts
      of the originals stay.
    </p>
    <p>
      <button class="primary" data-key="r">
        Replay {counted(plan.eligible, 'item')}
      </button>
    </p>
  </form>
)

export const startRecovery = action({
  path: '/dashboard/projects/{projectId}/recover',
  form: z.strictObject({
    ...cohort,
    first: z.literal('').or(z.coerce.number().int().min(1)).optional(),
    deployment: z.enum(DEPLOYMENT_CHOICES),
    dollars: z
      .string()
      .refine(text => centsOfDollars(text) !== null, 'must be dollars such as 25.00, or empty')
      .optional(),
  }),
  async act({ api, params }, { first, deployment, dollars, ...filter }) {
    const budget_cents = centsOfDollars(dollars) ?? undefined
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
