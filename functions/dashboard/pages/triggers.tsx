// Addresses that start an agent when somebody posts to them.

import * as z from 'zod'
import { SIGNATURE_SCHEMES } from '../../../shared/domain/vocabulary.ts'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { sampleBody } from '../../../shared/starts/rules/sample-body.ts'
import { ofProject, ofTrigger } from '../frame/addresses.ts'
import { defined } from '../frame/defined.ts'
import { action, type Entered, page, type View, type Visit } from '../frame/page.ts'
import { AgentField, Field, Sure } from '../parts/form.tsx'
import { List, Pager } from '../parts/list.tsx'
import { SourceFields, sourceForm, sourceOrder } from '../parts/source-fields.tsx'
import { When } from '../parts/text.tsx'

type Trigger = Schemas['Trigger']

const TriggersQuery = z.strictObject({ agent_id: z.string().optional(), cursor: z.string().optional() })

export const triggersPage = page({
  path: '/dashboard/projects/{projectId}/triggers',
  query: TriggersQuery,
  show: visit => triggersView(visit),
})

/** With the form for a new one as it was filled in; a secret is entered anew. */
async function triggersView(
  { api, params, query, request, member, ctx }: Visit<{ projectId: string }, z.output<typeof TriggersQuery>>,
  entered: Entered = {},
): Promise<View> {
  const project_id = params.projectId
  const [{ data }, { data: agents = [] }] = await Promise.all([
    api.GET('/v1/triggers', { params: { query: { project_id, ...defined(query) } } }),
    api.GET('/v1/agents', { params: { query: { project_id } } }),
  ])
  const now = ctx.now()
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
        <List
          id="triggers"
          rows={data!.triggers}
          href={one => ofTrigger(one.id)}
          columns={[
            { label: 'Name', cell: one => <a href={ofTrigger(one.id)}>{one.name}</a> },
            { label: 'Starts', cell: one => one.agent_slug },
            { label: 'Items', cell: one => itemsWords(one) },
            { label: 'Proved by', cell: one => one.scheme.replaceAll('_', ' ') },
            {
              label: 'Ready',
              cell: one => (one.ready ? 'yes' : <b>no: it waits for the sender's secret</b>),
            },
            { label: 'Declared', cell: one => (one.declared ? 'in code' : 'by hand') },
            { label: 'Last fired', cell: one => <When at={one.last_fired_at} now={now} /> },
          ]}
          empty={<p>No trigger yet. Make one below, or declare it above an agent: @trigger.</p>}
        />
        {query.agent_id && (
          <p>
            Only those of one agent. <a href={ofProject(project_id, 'triggers')}>Show all</a>
          </p>
        )}
        <Pager request={request} next={data!.next_cursor} />
        {member.role !== 'viewer' && <NewTrigger project_id={project_id} agents={agents} entered={entered} />}
      </>
    ),
  }
}

function itemsWords({ items, source }: Trigger): string {
  if (source === null) return items ? 'many: its body' : 'one: its body'
  return source.url ?? `made by ${source.generator}`
}

/** The part of the form that is not about a source. */
const itemsForm = { items: z.literal('on').optional(), ...sourceForm }

/** As the API takes it; undefined where the form says nothing about items. */
function itemsBody(filled: z.output<z.ZodObject<typeof itemsForm>>) {
  const { item_id, partition_key } = filled
  if (filled.items) return { items: true, item_id: item_id || null, partition_key: partition_key || null }
  return { items: false, source: sourceOrder(filled) }
}

const ItemsFields = ({ trigger }: { trigger: Pick<Trigger, 'items' | 'source'> & Partial<Trigger> }) => {
  const { items, source, item_id = null, partition_key = null } = trigger
  return (
    <SourceFields source={source ?? { item_id, partition_key }} open={items || source !== null}>
      <label>
        <input type="checkbox" name="items" checked={items} /> The body is many items: a JSON array, or a
        value a line
      </label>
    </SourceFields>
  )
}

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
    <form class="stack" method="post" action={ofProject(project_id, 'triggers')}>
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
      <Field label="Who sends" hint="bearer: your own code, with a secret that is made here.">
        <select name="scheme">
          {SIGNATURE_SCHEMES.map(scheme => (
            <option value={scheme} selected={scheme === entered.scheme}>
              {scheme.replaceAll('_', ' ')}
            </option>
          ))}
        </select>
      </Field>
      <Field
        label="The sender's signing secret"
        hint="Of Stripe, Slack and Shopify, which make it themselves; else empty."
      >
        <input name="signing_secret" type="password" autocomplete="off" />
      </Field>
      <ItemsFields trigger={{ items: entered.items !== undefined, source: null }} />
      <div>
        <button class="primary">Make a trigger</button>
      </div>
    </form>
  </>
)

const curlOf = (trigger: Trigger, secret: string, input_schema: unknown) =>
  trigger.scheme === 'bearer'
    ? `curl ${trigger.url} \\\n  -H 'authorization: Bearer ${secret}' \\\n  -H 'content-type: application/json' \\\n  -H 'x-idempotency-key: example-1' \\\n  -d ${sampleBody(trigger, input_schema)}`
    : undefined

/** Of what the trigger's agent takes, as it is deployed now. */
async function inputSchema(api: Client, { agent_id }: Trigger): Promise<unknown> {
  const params = { path: { agentId: agent_id } }
  const { data = [] } = await api.GET('/v1/agents/{agentId}/deployments', { params })
  return data.find(one => one.is_current)?.declaration.input_schema
}

/** The secret is shown where it was just made, and nowhere else. */
async function secretView(api: Client, trigger: Schemas['NewTrigger']): Promise<View> {
  const { secret } = trigger
  const curl = secret === null ? undefined : curlOf(trigger, secret, await inputSchema(api, trigger))
  return {
    title: trigger.name,
    project_id: trigger.project_id,
    menu: 'triggers',
    body: (
      <>
        <h1>Trigger {trigger.name}</h1>
        <p>Senders post to this address:</p>
        <pre class="wrap">
          <code class="secret">{trigger.url}</code>
        </pre>
        {trigger.secret !== null && (
          <>
            <p>With this secret. Copy it now; it is shown this once.</p>
            <pre class="wrap">
              <code class="secret">{trigger.secret}</code>
            </pre>
          </>
        )}
        {curl && (
          <>
            <h2>Try it</h2>
            <pre>
              <code>{curl}</code>
            </pre>
          </>
        )}
        <p>
          <a class="button" href={ofTrigger(trigger.id)}>
            I have it
          </a>
        </p>
      </>
    ),
  }
}

export const createTrigger = action({
  path: '/dashboard/projects/{projectId}/triggers',
  least: 'operator',
  form: z.strictObject({
    agent_id: z.string(),
    name: z.string(),
    scheme: z.enum(SIGNATURE_SCHEMES),
    signing_secret: z.string().optional(),
    ...itemsForm,
  }),
  again: (visit, entered) => triggersView({ ...visit, query: {} }, entered),
  async act({ api }, { agent_id, name, scheme, signing_secret, ...filled }) {
    const body = { agent_id, name, scheme, ...defined({ signing_secret }), ...itemsBody(filled) }
    return secretView(api, (await api.POST('/v1/triggers', { body })).data!)
  },
})

export const triggerPage = page({
  path: '/dashboard/triggers/{triggerId}',
  async show({ api, params, member, ctx }) {
    const { data } = await api.GET('/v1/triggers/{triggerId}', { params: { path: params } })
    const trigger = data!
    const secret = trigger.secret_env ? `'"$${trigger.secret_env}"'` : '…'
    const curl = curlOf(trigger, secret, await inputSchema(api, trigger))
    return {
      title: trigger.name,
      project_id: trigger.project_id,
      menu: 'triggers',
      cli: `assay triggers --agent ${trigger.agent_slug}`,
      body: (
        <>
          <h1>{trigger.name}</h1>
          <p>
            Starts {trigger.agent_slug}; items: {itemsWords(trigger)}; proved by{' '}
            {trigger.scheme.replaceAll('_', ' ')}; last fired{' '}
            <When at={trigger.last_fired_at} now={ctx.now()} />.
          </p>
          {!trigger.ready && (
            <p>
              <b>Fires are refused</b> until it has the sender's signing secret.
            </p>
          )}
          <pre class="wrap">
            <code class="secret">{trigger.url}</code>
          </pre>
          {curl && (
            <pre>
              <code>{curl}</code>
            </pre>
          )}
          {member.role !== 'viewer' && <Changes trigger={trigger} />}
        </>
      ),
    }
  },
})

const Changes = ({ trigger }: { trigger: Trigger }) => (
  <>
    <h2>Change</h2>
    {trigger.declared && <p class="dim">It is declared in the agent's code: the next deploy sets it back.</p>}
    <form class="filters" method="post" action={ofTrigger(trigger.id)}>
      <Field label="Name" hint="Another name is another address and another secret.">
        <input name="name" value={trigger.name} required />
      </Field>
      <button>Rename</button>
    </form>
    {trigger.scheme !== 'bearer' && (
      <form class="filters" method="post" action={ofTrigger(trigger.id)}>
        <Field label="The sender's signing secret">
          <input name="signing_secret" type="password" required autocomplete="off" />
        </Field>
        <button>Take it</button>
      </form>
    )}
    <form class="stack" method="post" action={ofTrigger(trigger.id, 'items')}>
      <ItemsFields trigger={trigger} />
      <div>
        <button>Save where its items come from</button>
      </div>
    </form>
    <Sure
      label="Delete"
      consequence="Its address answers 404 at once. Runs it started stay."
      action={ofTrigger(trigger.id, 'delete')}
    />
  </>
)

export const changeTrigger = action({
  path: '/dashboard/triggers/{triggerId}',
  form: z.strictObject({ name: z.string().optional(), signing_secret: z.string().optional() }),
  async act({ api, params }, form) {
    const { data } = await api.PATCH('/v1/triggers/{triggerId}', {
      params: { path: params },
      body: defined(form),
    })
    if (data!.secret !== null) return secretView(api, data!)
    return { to: ofTrigger(params.triggerId), said: 'Changed.' }
  },
})

export const changeTriggerItems = action({
  path: '/dashboard/triggers/{triggerId}/items',
  form: z.strictObject(itemsForm),
  async act({ api, params }, filled) {
    await api.PATCH('/v1/triggers/{triggerId}', { params: { path: params }, body: itemsBody(filled) })
    return { to: ofTrigger(params.triggerId), said: 'Saved; it counts from the next fire on.' }
  },
})

export const deleteTrigger = action({
  path: '/dashboard/triggers/{triggerId}/delete',
  async act({ api, params }) {
    const { data } = await api.GET('/v1/triggers/{triggerId}', { params: { path: params } })
    await api.DELETE('/v1/triggers/{triggerId}', { params: { path: params } })
    return { to: ofProject(data!.project_id, 'triggers'), said: `${data!.name} is deleted.` }
  },
})
