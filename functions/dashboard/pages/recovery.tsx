// Acts on a cohort of items, from whichever page it was chosen. It first shows how many items the action covers, which
// are left out and why, and for a replay what is called again and what that costs.

import type { Child } from 'hono/jsx'
import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import { DEPLOYMENT_CHOICES, FILTER_STATUSES, REUSE_CHOICES } from '../../../shared/recovery/vocabulary.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { RECORDED_LANES, TRIAGE_ACTIONS, type TriageAction } from '../../../shared/triage/vocabulary.ts'
import { sayForecast } from '../../../shared/view/recovery.ts'
import { runName } from '../../../shared/view/run.ts'
import { ACTION_VERBS, actionOn } from '../parts/action-words.ts'
import { Choice } from '../parts/choice.tsx'
import { namesOfCohorts } from '../parts/cohort-names.ts'
import { Field } from '../parts/form.tsx'
import { Later } from '../parts/later.tsx'
import { linkWith } from '../parts/list.tsx'
import { ReuseField } from '../parts/reuse-field.tsx'
import { shellOptions } from '../parts/shell-options.ts'
import { Crumb, count, counted } from '../parts/text.tsx'
import { triageFilter } from '../parts/triage-query.ts'
import { ofProject, ofRecovery, ofRun } from '../shell/addresses.ts'
import { dollars } from '../shell/form-values.ts'
import { action, page } from '../shell/page.ts'

const cohort = {
  ...triageFilter,
  kind: z.literal('').or(z.enum(RECORDED_LANES)).optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  status: z.enum(FILTER_STATUSES).optional(),
}
type Cohort = { [Name in keyof typeof cohort]?: z.output<(typeof cohort)[Name]> }
type Plan = Schemas['RecoveryPlan']

/** The filter without its empty fields, which match every item. */
const chosen = ({ kind, ...filter }: Cohort) => defined({ kind: kind || undefined, ...filter })

export const recoveryPage = page({
  path: '/dashboard/projects/{projectId}/recover',
  least: 'operator',
  query: z.strictObject({
    ...cohort,
    action: z.enum(TRIAGE_ACTIONS).default('replay'),
    /** Set by the later request for the plan of a large cohort, which the page itself does not wait for. */
    plan: z.literal('now').optional(),
  }),
  async show({ api, params, query: { action, plan: asked, ...query }, request }) {
    const project_id = params.projectId
    const filter = chosen(query)
    const { kind } = filter
    const { runs, words } = await namesOfCohorts(api, [filter])
    const run = filter.run_id === undefined ? undefined : runs.get(filter.run_id)
    const isNow = asked === 'now' || (await isSmall(api, project_id, filter, run))
    const plan = isNow ? await planOf(api, { project_id, action, filter }) : undefined
    const triage = ofProject(project_id, `triage?${new URLSearchParams(filter)}`)
    const back = run === undefined ? triage : ofRun(run.id)
    return {
      title: ACTION_VERBS[action],
      project_id,
      menu: run === undefined ? 'triage' : 'runs',
      cli: `assay recover${action === 'replay' ? '' : ` --action ${action}`}${optionsOf(filter)} --dry-run`,
      body: (
        <>
          <Crumb href={back}>{run === undefined ? 'Triage' : runName(run)}</Crumb>
          <h1>{actionOn(action, words(filter))}</h1>
          {filter.cause_id && (
            <p>
              <a href={ofProject(project_id, `causes/${filter.cause_id}`)}>The cause</a>
            </p>
          )}
          {kind === 'quarantine' && action === 'replay' ? (
            <p class="lead">
              Held items are not replayed: resume or dismiss them in <a href={triage}>triage</a>.
            </p>
          ) : plan === undefined ? (
            <Later id="plan" href={linkWith(request, { plan: 'now' })} label="What it comes to">
              Looks at {count(LIMITS.activity_counted)} items or more. Nothing has been done yet.
            </Later>
          ) : (
            <section id="plan">
              <Forecast plan={plan} />
              {plan.eligible > 0 && (
                <Order project_id={project_id} plan={plan} back={back}>
                  {action === 'replay' && <ReplayFields plan={plan} />}
                </Order>
              )}
            </section>
          )}
        </>
      ),
    }
  },
})

async function planOf(api: Client, order: { project_id: string; action: TriageAction; filter: Cohort }) {
  const filter = chosen(order.filter)
  return (await api.POST('/v1/recoveries', { body: { ...order, filter, dry_run: true } })).data as Plan
}

/**
 * Whether the cohort is small enough to plan within the page, by its number of waiting (or cancelled) items of any day.
 */
async function isSmall(api: Client, project_id: string, filter: Cohort, run: Schemas['Run'] | undefined) {
  if (filter.status !== undefined)
    return run !== undefined && run.cancelled + run.left_over_count < LIMITS.activity_counted
  const { from: _, to: __, status: ___, kind = 'all', ...given } = chosen(filter)
  const query = { project_id, ...given, kind, count: 'true', limit: 1 } as const
  const { data } = await api.GET('/v1/triage', { params: { query } })
  return data!.total! < LIMITS.activity_counted
}

function optionsOf(filter: Cohort): string {
  const options = shellOptions({
    kind: filter.kind || undefined,
    run: filter.run_id,
    agent: filter.agent_id,
    reason: filter.reason,
    cause: filter.cause_id,
    cluster: filter.cluster_key,
    partition: filter.partition_key,
    from: filter.from,
    to: filter.status === undefined ? filter.to : undefined,
  })
  const whole = { cancelled: ' --cancelled', not_ok: ' --all' }
  return `${options || ' --all'}${filter.status === undefined ? '' : whole[filter.status]}`
}

const Forecast = ({ plan }: { plan: Plan }) => {
  if (plan.eligible + plan.ineligible.length === 0)
    return <p class="lead">Nothing here waits: everything was decided about, or the run has not ended.</p>
  const [first, ...rest] = sayForecast(plan)
  return (
    <>
      <p class="lead">{first}. Nothing has been done yet.</p>
      <ul>
        {rest.map(line => (
          <li>{line}</li>
        ))}
        {plan.eligible > 0 && plan.action === 'replay' && <li>the verdicts of the originals stay</li>}
      </ul>
    </>
  )
}

interface OrderProps {
  project_id: string
  plan: Plan
  back: string
  children: Child
}

const Order = ({ project_id, plan, back, children }: OrderProps) => (
  <form class="stack" method="post" action={ofProject(project_id, 'recover')}>
    {Object.entries({ ...plan.filter, action: plan.action }).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
    {children}
    <div class="actions">
      <Buttons plan={plan} />
      <a class="button" href={back}>
        Not now
      </a>
    </div>
  </form>
)

/** Up to this many items, all are replayed at once unless the user types a number. */
const FEW = 5

/** How many items are replayed before the others; undefined where there are too few of them. */
const firstOf = ({ action, eligible }: Plan) =>
  action === 'replay' && eligible > FEW ? Math.min(LIMITS.pilot_items, Math.ceil(eligible / FEW)) : undefined

const Buttons = ({ plan }: { plan: Plan }) => {
  const first = firstOf(plan)
  if (first === undefined)
    return (
      <button class={plan.action === 'dismiss' ? 'danger' : 'primary'} data-key="r" data-asks="key">
        {actionOn(plan.action, counted(plan.eligible, 'item'))}
      </button>
    )
  return (
    <>
      <button class="primary" name="go" value={first} data-key="r" data-asks="key">
        Try {count(first)} first, the rest if they do better
      </button>
      <button name="go" value="all">
        Replay all {count(plan.eligible)}
      </button>
    </>
  )
}

const ReplayFields = ({ plan }: { plan: Plan }) => (
  <>
    {plan.eligible > 1 && (
      <details>
        <summary>Try another number first</summary>
        <Field
          label="Try this many first"
          hint={`The rest follows only if at least one of them works and no more fail than before. Empty: ${firstOf(plan) ?? 'all at once'}.`}
        >
          <input name="first" type="number" min="1" max={plan.eligible} value={firstOf(plan) ?? ''} />
        </Field>
      </details>
    )}
    <ReuseField />
    <Choice
      name="deployment"
      label="Code"
      options={{ current: 'what is deployed now', original: 'what each item ran with' }}
      chosen={undefined}
    />
    {plan.runs === 1 && (
      <Field label="Budget in dollars" hint="Empty: no bound.">
        <input name="dollars" inputmode="decimal" />
      </Field>
    )}
  </>
)

export const startRecovery = action({
  path: '/dashboard/projects/{projectId}/recover',
  form: z.strictObject({
    ...cohort,
    action: z.enum(TRIAGE_ACTIONS),
    first: z.literal('').or(z.coerce.number().int().min(1)).optional(),
    go: z.literal('all').or(z.coerce.number().int().min(1)).optional(),
    reuse: z.enum(REUSE_CHOICES).optional(),
    from_step: z.string().optional(),
    deployment: z.enum(DEPLOYMENT_CHOICES).optional(),
    dollars: dollars.optional(),
  }),
  async act({ api, params }, { action, go, reuse, from_step, deployment, dollars, ...given }) {
    const budget_cents = dollars ?? undefined
    const { first: typed, ...filter } = given
    const first = go === 'all' ? undefined : typed || go
    const { data } = await api.POST('/v1/recoveries', {
      body: {
        project_id: params.projectId,
        action,
        filter: chosen(filter),
        ...defined({ first, budget_cents, reuse, from_step, deployment }),
      },
    })
    // The recovery's page shows its progress as it changes; a notice would not change.
    return { to: ofRecovery((data as Schemas['Recovery']).id) }
  },
})
