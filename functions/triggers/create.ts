import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, triggerIn } from '../../shared/http/scope.ts'
import { refuseUnpricedStart } from '../../shared/prices/verbs/prices.ts'
import { keptTriggerSource, refuseUnknownGenerator } from '../../shared/sources/verbs/kept-source.ts'
import { triggerSourceOrder } from '../../shared/sources/wire/sources.ts'
import { NO_SETTINGS, startSaid } from '../../shared/submission/wire/start-settings.ts'
import { createTrigger as create } from '../../shared/triggers/verbs/triggers.ts'
import { NewTrigger, TriggerOrder, triggerOf } from '../../shared/triggers/wire/triggers.ts'

export const createTrigger = endpoint({
  method: 'post',
  path: '/v1/triggers',
  tag: 'Schedules',
  operation_id: 'createTrigger',
  summary: 'Create a trigger',
  description:
    'Gives the agent a URL that starts one run at each POST. The secret is in this answer and never again. For bearer, standard_webhooks and github it is made here, to be handed to the sender; a signing_secret that the sender made is taken instead. Stripe, Slack and Shopify always make their own: where it is known only once the sender knows the URL, give it later with PATCH; until then the trigger is not ready and refuses every fire. A fire is one run over one item, its body; with items the body is many items, and with a source they are read from there.',
  auth: 'any',
  shows_secret: true,
  atomic: true,
  body: TriggerOrder,
  answers: { 201: { description: 'The trigger, with its secret.', schema: NewTrigger } },
  errors: ['not_found', 'trigger_name_taken', 'unpriced_model', 'quota_exceeded'],
  async handle({ ctx, principal, body }) {
    const { project_id, id: agent_id } = await agentIn(ctx, principal, body.agent_id)
    const source = triggerSourceOrder(body) ?? null
    await refuseUnknownGenerator(ctx, { project_id, agent_id }, source)
    await refuseUnpricedStart(ctx, { project_id, agent_id }, body)
    const start_id = ctx.newId()
    const items = await keptTriggerSource(ctx, { project_id, start_id }, source)
    const { name, scheme = 'bearer', secret_env = null, signing_secret = null } = body
    const start = { ...NO_SETTINGS, ...startSaid(body) }
    const settings = { name, scheme, secret_env, signing_secret, start, declared: false, items }
    const { id, secret } = await create(ctx, { project_id, agent_id, ...settings }, start_id)
    return { ...triggerOf(await triggerIn(ctx, principal, id), ctx.config.base_url), secret }
  },
})
