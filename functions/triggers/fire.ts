import type { Context } from '../../shared/context.ts'
import { jsonTextOf, readBytes } from '../../shared/http/body.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { roomFor } from '../../shared/http/large-bodies.ts'
import { checkFireRate, checkOwnFires } from '../../shared/http/rate.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { noteRefusal } from '../../shared/sessions/verbs/refusals.ts'
import { isBody } from '../../shared/sources/rules/source.ts'
import { startedRunOf } from '../../shared/submission/wire/run-order.ts'
import type { Webhook } from '../../shared/triggers/queries/triggers.ts'
import { challengeOf } from '../../shared/triggers/rules/webhook-signatures.ts'
import type { Posted } from '../../shared/triggers/verbs/posted-items.ts'
import { fireWebhook, verifySender, webhookAt } from '../../shared/triggers/verbs/webhook.ts'
import { Challenge, FireBody, FiredRun, FireHeaders } from '../../shared/triggers/wire/triggers.ts'

export const fireTrigger = endpoint({
  method: 'post',
  path: '/v1/webhooks/{webhookId}/trigger',
  tag: 'Schedules',
  operation_id: 'fireTrigger',
  makes_work: true,
  summary: 'Fire a trigger',
  description:
    "Starts one run over one item, whose input is the body. Fires with one X-Idempotency-Key start one run within 24 hours: the key alone counts, and the rest get that run's id. Of a sender that signs, its own id of the event is the key and that header is not: webhook-id, X-GitHub-Delivery, X-Shopify-Webhook-Id, Stripe's id, Slack's event_id; without one, the signature. GitHub and Shopify sign no time and not that id, so keep recorded requests of theirs to yourself. Only JSON is taken: no form bodies, as of Slack's commands. Of a trigger with items the body is the items of the run, an array or application/x-ndjson; of one with a source it is none of them: the source is read, and the answer comes when all of it is committed.",
  auth: 'trigger',
  params: { webhookId: 'webhook' },
  headers: FireHeaders,
  body: FireBody,
  raw_body: true,
  answers: {
    200: { description: "An answer to Slack's url_verification; starts no run.", schema: Challenge },
    202: { description: 'Accepted and queued.', schema: FiredRun },
  },
  errors: [
    'account_suspended',
    'plan_limit',
    'quota_exceeded',
    'too_many_open_runs',
    'invalid_line',
    'duplicate_item_id',
    'no_items',
    'source_failed',
    'source_empty',
  ],
  async handle({ ctx, params, headers: sent, request, reply }) {
    const webhook = await webhookAt(ctx, params.webhookId)
    // A bearer is verified before its body is read, since that may be long; a signature can be verified only with it.
    const provesFirst = webhook.scheme === 'bearer'
    if (provesFirst) await verify(ctx, webhook, request, NOTHING)
    const { account_id } = webhook
    const max = isBody(webhook.source) ? LIMITS.trigger_items_bytes : LIMITS.item_input_bytes
    using _room = await roomFor(provesFirst ? ctx.bodies : ctx.unprovenBodies, request, account_id, max)
    const bytes = await readBytes(request, max, tooLarge(webhook), provesFirst ? undefined : IN_TIME)
    const signature = provesFirst ? undefined : await verify(ctx, webhook, request, bytes)
    await checkFireRate(ctx, webhook)
    if (request.headers.has('assay-hop')) await checkOwnFires(ctx, webhook)
    const posted = postedTo(webhook, request, bytes)
    const challenge = 'text' in posted ? challengeOf(webhook.scheme, posted.text) : undefined
    if (challenge !== undefined) return { challenge }
    const { 'x-callback-url': callback_url, 'x-idempotency-key': idempotency_key } = sent
    if (callback_url !== undefined && webhook.scheme !== 'bearer')
      throw new ApiError('invalid_request', 'Header "x-callback-url": the signature does not cover it.')
    const { headers } = request
    const run = await fireWebhook(ctx, webhook, { posted, headers, callback_url, idempotency_key, signature })
    reply.status = 202
    return startedRunOf(run)
  },
})

const NOTHING = new Uint8Array()
const LINES = /^application\/(x-ndjson|ndjson|jsonl)\s*(;|$)/i

const tooLarge = ({ source }: Webhook) =>
  isBody(source)
    ? 'Send more items at once to POST /v1/batches, or let a source be read.'
    : 'An input is as large at most.'

/** Time limit for a body that is read before its sender is verified: it takes room that others need. */
const IN_TIME = {
  ms: LIMITS.unproven_body_ms,
  tooSlow: () =>
    new ApiError('invalid_request', `The body did not come within ${LIMITS.unproven_body_ms / 1000} s.`),
}

async function verify(ctx: Context, webhook: Webhook, request: Request, body: Uint8Array) {
  try {
    return await verifySender(ctx, webhook, request.headers, body)
  } catch (error) {
    const { account_id, project_id, id: target_id } = webhook
    const address = ctx.addressOf(request)
    const isRefused = error instanceof ApiError && error.code === 'unauthenticated'
    if (isRefused)
      noteRefusal(ctx, { operation_id: 'fireTrigger', account_id, project_id, target_id, address })
    throw error
  }
}

function postedTo({ source }: Webhook, request: Request, bytes: Uint8Array): Posted {
  if (isBody(source) && LINES.test(request.headers.get('content-type')?.trim() ?? '')) return { lines: bytes }
  const isAsked = source !== null && !isBody(source)
  return { text: isAsked && bytes.length === 0 ? 'null' : jsonTextOf(request, bytes) }
}
