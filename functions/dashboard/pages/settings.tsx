// The settings of a project: limits, money and retention, its signing secret, and its deletion.

import * as z from 'zod'
import { LIMITS } from '../../../shared/kernel/limits.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { BudgetFields, limitsOf } from '../parts/budget-lines.tsx'
import { Facts } from '../parts/facts.tsx'
import { Field, RoleRequired, Sure } from '../parts/form.tsx'
import { Code, cents, count, When } from '../parts/text.tsx'
import { ofProject, ROOT } from '../shell/addresses.ts'
import { AMOUNT_HINT } from '../shell/dollars.ts'
import { dollars, whole } from '../shell/form-values.ts'
import { action, type Entered, page, type View } from '../shell/page.ts'

type Project = Schemas['Project']

/** Numbers that fall back to the installation's setting when their field is left empty. */
const NUMBERS = [
  { name: 'concurrency', label: 'Items at work at once', hint: 'In all runs together.' },
  {
    name: 'partition_concurrency',
    label: 'Items of one partition at work at once',
    hint: 'Leave empty for no limit.',
  },
  { name: 'open_runs', label: 'Runs that have not ended', hint: 'More are refused.' },
  { name: 'requests_per_second', label: 'Requests a second of each key', hint: '' },
  { name: 'step_retention_days', label: 'Days to keep steps', hint: 'Leave empty to keep forever.' },
  {
    name: 'payload_retention_days',
    label: 'Days to keep inputs and outputs',
    hint: 'Leave empty to keep forever.',
  },
  {
    name: 'record_retention_days',
    label: 'Days to keep items and runs',
    hint: 'Leave empty to keep forever.',
  },
] as const

const amountOf = (value: number | null | undefined) => (value == null ? '' : (value / 100).toFixed(2))

export const settingsPage = page({
  path: '/dashboard/projects/{projectId}/settings',
  async show({ api, params, member }) {
    const { data } = await api.GET('/v1/projects/{projectId}', { params: { path: params } })
    return settingsView(data!, member.role === 'owner')
  },
})

/** The settings page: a form for owners, which keeps what was entered when refused; text for others. */
const settingsView = (project: Project, isOwner: boolean, entered: Entered = {}): View => ({
  title: 'Settings',
  project_id: project.id,
  menu: 'settings',
  body: (
    <>
      <h1>Settings of {project.name}</h1>
      {isOwner ? (
        <>
          <SettingsForm project={project} entered={entered} />
          <OwnersPart project={project} />
        </>
      ) : (
        <>
          <RoleRequired least="owner" />
          <SettingsAsText project={project} />
        </>
      )}
    </>
  ),
})

const creditWords = ({ credit_cents, spent_cents }: Project) =>
  `${cents(spent_cents)} is spent of ${credit_cents === null ? 'a credit without limit' : cents(credit_cents)}`

const numberWords = (name: string, value: number | null) =>
  value === null ? (name.endsWith('_days') ? 'forever' : 'no limit') : count(value)

const SettingsAsText = ({ project }: { project: Project }) => (
  <Facts
    of={{
      Name: project.name,
      Credit: creditWords(project),
      ...Object.fromEntries(
        project.budgets.map(({ period, left_cents, limit_cents }) => [
          `Budget of a ${period}`,
          `${cents(left_cents)} of ${cents(limit_cents)} left`,
        ]),
      ),
      'Time zone': project.timezone,
      ...Object.fromEntries(NUMBERS.map(({ name, label }) => [label, numberWords(name, project[name])])),
      'A key may make other keys': project.keys_may_mint ? 'yes' : 'no',
    }}
  />
)

const SettingsForm = ({ project, entered }: { project: Project; entered: Entered }) => (
  <form class="stack" method="post" action={ofProject(project.id, 'settings')}>
    <Field label="Name">
      <input name="name" value={entered.name ?? project.name} required maxlength={LIMITS.name_characters} />
    </Field>
    <Field
      label="Credit"
      hint={`${cents(project.spent_cents)} is spent. ${AMOUNT_HINT} Leave empty for no limit; when it is used up, items pause, and continue once there is more.`}
    >
      <input
        name="credit_usd"
        inputmode="decimal"
        value={entered.credit_usd ?? amountOf(project.credit_cents)}
      />
    </Field>
    <BudgetFields budgets={project.budgets} entered={entered} />
    <Field label="Time zone" hint="Whose days and months budgets follow, such as Europe/Berlin.">
      <input name="timezone" value={entered.timezone ?? project.timezone} required />
    </Field>
    {NUMBERS.map(({ name, label, hint }) => (
      <Field label={label} hint={hint || undefined}>
        <input name={name} inputmode="numeric" value={entered[name] ?? String(project[name] ?? '')} />
      </Field>
    ))}
    <label class="inline">
      <input
        type="checkbox"
        name="keys_may_mint"
        checked={entered.name === undefined ? project.keys_may_mint : entered.keys_may_mint === 'on'}
      />{' '}
      A key may make other keys
    </label>
    <div>
      <button class="primary">Save</button>
    </div>
  </form>
)

const OwnersPart = ({ project }: { project: Project }) => (
  <>
    <h2>Signing secret</h2>
    <p class="dim">Receivers of callbacks and alerts check with it that a message comes from here.</p>
    <div class="actions">
      <form method="post" action={ofProject(project.id, 'signing-secret')}>
        <button>Show it</button>
      </form>
      <Sure
        label="Replace it"
        consequence="Messages carry the signatures of both for 24 hours; then only the new one signs."
        action={ofProject(project.id, 'signing-secret/roll')}
      />
    </div>
    <h2>Delete</h2>
    <p class="dim">For good: agents, runs, items and keys.</p>
    <form class="filters" method="post" action={ofProject(project.id, 'delete')}>
      <Field label={`Write "${project.name}" to say that you mean it`}>
        <input name="confirm" required autocomplete="off" />
      </Field>
      <button class="danger">Delete the project</button>
    </form>
  </>
)

const Form = z.strictObject({
  name: z.string(),
  credit_usd: dollars,
  day_budget_cents: dollars,
  month_budget_cents: dollars,
  timezone: z.string().trim(),
  concurrency: whole,
  partition_concurrency: whole,
  open_runs: whole,
  requests_per_second: whole,
  step_retention_days: whole,
  payload_retention_days: whole,
  record_retention_days: whole,
  keys_may_mint: z.literal('on').optional(),
})

export const changeSettings = action({
  path: '/dashboard/projects/{projectId}/settings',
  least: 'owner',
  form: Form,
  async again({ api, params, member }, entered) {
    const { data } = await api.GET('/v1/projects/{projectId}', { params: { path: params } })
    return settingsView(data!, member.role === 'owner', entered)
  },
  async act({ api, params }, { credit_usd, keys_may_mint, ...fields }) {
    const { data } = await api.GET('/v1/projects/{projectId}', { params: { path: params } })
    const wanted = { ...fields, credit_cents: credit_usd, keys_may_mint: keys_may_mint === 'on' }
    const to = ofProject(params.projectId, 'settings')
    const body = changesOf({ ...data!, ...limitsOf(data!.budgets) }, wanted)
    if (Object.keys(body).length === 0) return { to, said: 'Nothing was different.' }
    await api.PATCH('/v1/projects/{projectId}', { params: { path: params }, body })
    return { to, said: 'Saved; it holds within five seconds.' }
  },
})

/** The fields that differ from the project. Unchanged fields are not sent, so they keep following the installation. */
function changesOf<T extends object>(project: object, wanted: T): Partial<T> {
  const known = project as Record<string, unknown>
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name]),
  )
  return Object.fromEntries(changed) as Partial<T>
}

const secretView = (project_id: string, found: Schemas['SigningSecret'], now: number): View => ({
  title: 'Signing secret',
  project_id,
  menu: 'settings',
  body: (
    <>
      <h1>Signing secret</h1>
      <Code wrap secret>
        {found.secret}
      </Code>
      <p class="dim">Standard Webhooks libraries take it as it is.</p>
      {found.previous && (
        <p>
          The one before, <code class="secret">{found.previous.secret}</code>, signs as well until{' '}
          <When at={found.previous.valid_until} now={now} />.
        </p>
      )}
      <p>
        <a class="button" href={ofProject(project_id, 'settings')}>
          Back
        </a>
      </p>
    </>
  ),
})

/** Sent by a form, so that no link, history or log leads to the secret. */
export const showSecret = action({
  path: '/dashboard/projects/{projectId}/signing-secret',
  async act({ api, params, ctx }) {
    const { data } = await api.GET('/v1/projects/{projectId}/signing-secret', { params: { path: params } })
    return secretView(params.projectId, data!, ctx.now())
  },
})

export const rollSecret = action({
  path: '/dashboard/projects/{projectId}/signing-secret/roll',
  async act({ api, params, ctx }) {
    const { data } = await api.POST('/v1/projects/{projectId}/signing-secret/roll', {
      params: { path: params },
    })
    return secretView(params.projectId, data!, ctx.now())
  },
})

export const deleteProject = action({
  path: '/dashboard/projects/{projectId}/delete',
  form: z.strictObject({ confirm: z.string() }),
  async act({ api, params }, query) {
    await api.DELETE('/v1/projects/{projectId}', { params: { path: params, query } })
    return { to: `${ROOT}/projects`, said: 'The project is gone.' }
  },
})
