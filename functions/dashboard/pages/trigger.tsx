// One trigger: its address, how to call it, and its settings.

import * as z from 'zod'
import { defined } from '../../../shared/kernel/defined.ts'
import type { Schemas } from '../../../shared/sdk/client.ts'
import { checkBudget } from '../parts/agent-budget.ts'
import { inputSchema } from '../parts/agent-input.ts'
import { Facts } from '../parts/facts.tsx'
import { Field, RoleRequired, Sure } from '../parts/form.tsx'
import { StartFields, startAsItIs, startBody, startFacts, startForm } from '../parts/start-fields.tsx'
import { Code, When } from '../parts/text.tsx'
import { ItemsFields, itemsBody, itemsForm, itemsWords } from '../parts/trigger-items.tsx'
import { curlOf, secretView } from '../parts/trigger-secret.tsx'
import { ofProject, ofTrigger } from '../shell/addresses.ts'
import { action, page } from '../shell/page.ts'

type Trigger = Schemas['Trigger']

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
            Starts {trigger.agent_slug}; items: {itemsWords(trigger)}; authentication:{' '}
            {trigger.scheme.replaceAll('_', ' ')}; last fired{' '}
            <When at={trigger.last_fired_at} now={ctx.now()} />.
          </p>
          {!trigger.ready && (
            <p>
              <b>Fires are refused</b> until it has the sender's signing secret.
            </p>
          )}
          <Code wrap secret>
            {trigger.url}
          </Code>
          {curl && <Code>{curl}</Code>}
          {member.role === 'viewer' ? (
            <>
              <RoleRequired least="operator" />
              <Facts of={startFacts(trigger)} />
            </>
          ) : (
            <Changes trigger={trigger} />
          )}
        </>
      ),
    }
  },
})

const Changes = ({ trigger }: { trigger: Trigger }) => (
  <>
    <h2>Change</h2>
    {trigger.declared && (
      <p class="dim">It is declared in the agent's code: the next deploy sets back its name and its items.</p>
    )}
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
    <h3>Where its items come from</h3>
    <form class="stack" method="post" action={ofTrigger(trigger.id, 'items')}>
      <ItemsFields trigger={trigger} />
      <div>
        <button>Save</button>
      </div>
    </form>
    <h3>What its runs are started with</h3>
    <form class="stack" method="post" action={ofTrigger(trigger.id, 'start')}>
      <StartFields entered={startAsItIs(trigger)} />
      <div>
        <button>Save</button>
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

export const changeTriggerStart = action({
  path: '/dashboard/triggers/{triggerId}/start',
  form: z.strictObject(startForm),
  async act({ api, params }, filled) {
    const { data } = await api.GET('/v1/triggers/{triggerId}', { params: { path: params } })
    const body = startBody(filled)
    await checkBudget(api, { agent_id: data!.agent_id, ...body })
    await api.PATCH('/v1/triggers/{triggerId}', { params: { path: params }, body })
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
