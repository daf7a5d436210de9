// The triggers of a project: addresses that start an agent when somebody posts to them.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { SIGNATURE_SCHEMES } from '../../../shared/triggers/vocabulary.ts'
import { checkBudget } from '../parts/agent-budget.ts'
import { agentsOf } from '../parts/agents-of.ts'
import { AgentField, among, Choice } from '../parts/choice.tsx'
import { Field, RoleRequired } from '../parts/form.tsx'
import { List, Pager } from '../parts/list.tsx'
import { StartFields, startBody, startForm } from '../parts/start-fields.tsx'
import { When } from '../parts/text.tsx'
import { ItemsFields, itemsBody, itemsForm, itemsWords } from '../parts/trigger-items.tsx'
import { secretView } from '../parts/trigger-secret.tsx'
import { ofProject, ofTrigger } from '../shell/addresses.ts'
import { action, type Entered, page, type View, type Visit } from '../shell/page.ts'

const TriggersQuery = z.strictObject({ agent_id: z.string().optional(), cursor: z.string().optional() })

export const triggersPage = page({
  path: '/dashboard/projects/{projectId}/triggers',
  query: TriggersQuery,
  show: visit => triggersView(visit),
})

/** The triggers page; a refused form keeps what was entered, except the secret. */
async function triggersView(
  {
    api,
    params: { projectId: project_id },
    query,
    request,
    member,
    now,
  }: Visit<{ projectId: string }, z.output<typeof TriggersQuery>>,
  entered: Entered = {},
): Promise<View> {
  const [{ data }, { data: agents = [] }] = await Promise.all([
    api.GET('/v1/triggers', { params: { query: { project_id, ...defined(query) } } }),
    agentsOf(api, project_id),
  ])
  return {
    title: 'Triggers',
    project_id,
    menu: 'triggers',
    cli: 'assay triggers',
    body: (
      <>
        <h1>Triggers</h1>
        <p class="dim">
          A POST to a trigger's address starts a run: over one item, its body, unless the trigger says
          otherwise.
        </p>
        <TriggerList triggers={data!.triggers} now={now} />
        {query.agent_id && (
          <p>
            Only those of one agent. <a href={ofProject(project_id, 'triggers')}>Show all</a>
          </p>
        )}
        <Pager request={request} next={data!.next_cursor} />
        {member.role === 'viewer' ? (
          <RoleRequired least="operator" />
        ) : (
          <NewTrigger project_id={project_id} agents={agents} entered={entered} />
        )}
      </>
    ),
  }
}

const TriggerList = ({ triggers, now }: { triggers: readonly Schemas['Trigger'][]; now: number }) => (
  <List
    id="triggers"
    rows={triggers}
    columns={[
      { label: 'Name', cell: one => <a href={ofTrigger(one.id)}>{one.name}</a> },
      { label: 'Starts', cell: one => one.agent_slug },
      { label: 'Items', cell: one => itemsWords(one) },
      { label: 'Authentication', cell: one => one.scheme.replaceAll('_', ' ') },
      {
        label: 'Ready',
        cell: one => (one.ready ? 'yes' : <b>no: it waits for the sender's secret</b>),
      },
      { label: 'Declared', cell: one => (one.declared ? 'in code' : 'by hand') },
      { label: 'Last fired', cell: one => <When at={one.last_fired_at} now={now} /> },
    ]}
    empty={<p>No trigger yet. Make one below, or declare it above an agent: @trigger.</p>}
  />
)

const NewTrigger = ({
  project_id,
  agents,
  entered,
}: {
  project_id: string
  agents: readonly Schemas['Agent'][]
  entered: Entered
}) => (
  <>
    <h2>New trigger</h2>
    <form class="stack" method="post" action={ofProject(project_id, 'triggers')} novalidate>
      <AgentField agents={agents} chosen={entered.agent_id} />
      <Field label="Name" hint="Letters, digits, underscores and dashes.">
        <input
          name="name"
          required
          pattern="[a-zA-Z0-9_\-]{1,64}"
          placeholder="new-ticket"
          value={entered.name ?? ''}
        />
      </Field>
      <Choice
        name="scheme"
        label="Who sends"
        hint="bearer: your own code, with a secret that is made here."
        options={among(SIGNATURE_SCHEMES, scheme => scheme.replaceAll('_', ' '))}
        chosen={entered.scheme}
      />
      <Field
        label="The sender's signing secret"
        hint="Of Stripe, Slack and Shopify, which make it themselves; else empty."
      >
        <input name="signing_secret" type="password" autocomplete="off" />
      </Field>
      <ItemsFields trigger={{ items: entered.items !== undefined, source: null }} />
      <StartFields entered={entered} />
      <div>
        <button class="primary">Make a trigger</button>
      </div>
    </form>
  </>
)

export const createTrigger = action({
  path: '/dashboard/projects/{projectId}/triggers',
  least: 'operator',
  form: z.strictObject({
    agent_id: z.string(),
    name: z.string(),
    scheme: z.enum(SIGNATURE_SCHEMES),
    signing_secret: z.string().optional(),
    ...itemsForm,
    ...startForm,
  }),
  again: (visit, entered) => triggersView({ ...visit, query: {} }, entered),
  async act({ api }, { agent_id, name, scheme, signing_secret, ...filled }) {
    const body = {
      agent_id,
      name,
      scheme,
      ...defined({ signing_secret }),
      ...itemsBody(filled),
      ...startBody(filled),
    }
    await checkBudget(api, body)
    return secretView(api, (await api.POST('/v1/triggers', { body })).data!)
  },
})
