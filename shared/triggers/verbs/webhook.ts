// Starts runs for external senders. Guarantee: one run for each fire that proves who sent it, or for all fires of one
// idempotency key within LIMITS.idempotency_window_hours; none through a URL that is gone when the run commits.

import { unseal } from '../../accounts/verbs/sealing.ts'
import type { Context, Sql } from '../../context.ts'
import { ApiError, type ApiErrorCode } from '../../kernel/errors.ts'
import { LIMITS } from '../../kernel/limits.ts'
import { sameBytes, sha256 } from '../../kernel/secrets.ts'
import { DEFAULT_ZONE } from '../../prices/rules/budgets.ts'
import { isBody } from '../../sources/rules/source.ts'
import { startNow } from '../../sources/verbs/start-from-source.ts'
import type { NewItem } from '../../submission/rules/chunks.ts'
import { type RunOrder, type Submitted, submitRun } from '../../submission/verbs/submit.ts'
import { orderOfStart } from '../../submission/wire/start-settings.ts'
import { findWebhook, holdWebhook, touchTrigger, type Webhook } from '../queries/triggers.ts'
import { eventIdOf, type SigningScheme, signsTime, verifySignature } from '../rules/webhook-signatures.ts'
import { type Posted, postedItems } from './posted-items.ts'

const WEBHOOK_ID = /^whk_[A-Za-z0-9_-]{22}$/

/** The trigger at a URL; one index lookup shows that there is none. @throws ApiError `not_found` */
export async function webhookAt(ctx: Context, webhook_id: string): Promise<Webhook> {
  const webhook = WEBHOOK_ID.test(webhook_id) ? await findWebhook(ctx, webhook_id) : undefined
  if (webhook === undefined) throw webhookGone()
  return webhook
}

const webhookGone = () =>
  new ApiError(
    'not_found',
    'There is no trigger at this URL.',
    'A trigger that is renamed gets another URL; GET /v1/triggers lists them.',
  )

/**
 * The signature that holds, however the header spells it; undefined for a bearer. @throws ApiError `unauthenticated`
 * unless the sender knows the trigger's secret
 */
export async function verifySender(
  ctx: Context,
  { id, project_id, scheme, secret_hash, signing_secret_sealed }: Webhook,
  headers: Headers,
  body: Uint8Array,
): Promise<string | undefined> {
  if (scheme === 'bearer') {
    await verifyBearer(secret_hash!, headers)
    return undefined
  }
  if (signing_secret_sealed === null) {
    throw new ApiError(
      'unauthenticated',
      'The trigger does not know the signing secret of its sender yet.',
      'Give it with PATCH /v1/triggers/{triggerId}, as signing_secret.',
    )
  }
  const secret = await unseal(ctx, 'trigger', { project_id, row: [id] }, signing_secret_sealed)
  return verifySignature(scheme, secret, headers, body, ctx.now())
}

async function verifyBearer(hash: Uint8Array, headers: Headers): Promise<void> {
  const secret = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (secret !== undefined && sameBytes(await sha256(secret), hash)) return
  throw new ApiError(
    'unauthenticated',
    secret === undefined
      ? 'The Authorization header is not "Bearer <trigger secret>".'
      : 'This is not the secret of the trigger.',
    'Send "Authorization: Bearer whk_secret_…", the secret that was shown when the trigger was made or renamed.',
  )
}

export interface Fire {
  /** The body as it was sent: the input, or the items. */
  posted: Posted
  headers: Headers
  /** Replaces the trigger's own. */
  callback_url: string | undefined
  idempotency_key: string | undefined
  /** The signature that holds; undefined for a bearer. */
  signature: string | undefined
}

/** @throws ApiError `not_found` when the URL has just gone, and whatever submitRun and a source throw */
export async function fireWebhook(ctx: Context, webhook: Webhook, fire: Fire): Promise<Submitted> {
  const { webhook_id, scheme } = webhook
  const { callback_url = webhook.callback_url, idempotency_key } = fire
  const key = scheme === 'bearer' ? idempotency_key : signedKeyOf(scheme, fire)
  async function together(sql: Sql): Promise<void> {
    if (!(await holdWebhook(sql, webhook))) throw webhookGone()
  }
  const started = await startRun(ctx, { ...webhook, callback_url }, fire.posted, {
    // The key is scoped to this URL: a key from a caller never contains a newline. A sender may sign or order a body
    // again when it retries, so the key alone says that it is the same fire.
    idempotency: key === undefined ? null : { key: `${webhook_id}\n${key}`, fingerprint: async () => 'fire' },
    together,
  })
  if (!started.repeated) ctx.waitUntil(touchTrigger(ctx.sql, webhook, LIMITS.trigger_touch_ms))
  return started
}

type HowStarted = Pick<RunOrder, 'idempotency'> & Required<Pick<RunOrder, 'together'>>

/** Starts a run over the body, over its items, or over the trigger's source, whose errors the sender does not see. */
function startRun(ctx: Context, webhook: Webhook, posted: Posted, how: HowStarted): Promise<Submitted> {
  const { id, project_id, agent_id, name, source, settings } = webhook
  const started_by = { kind: 'trigger' as const, id, name }
  const order = { ...orderOfStart(webhook), project_id, agent_id, name, started_by, ...how }
  if (isBody(source)) return submitRun(ctx, order, postedItems(source, posted))
  const body = 'text' in posted ? posted.text : 'null'
  if (source === null) return submitRun(ctx, { ...order, pilot_items: null }, pileOf(body))
  const start = { ...webhook, source, timezone: settings.timezone ?? DEFAULT_ZONE }
  return startNow(ctx, start, { ...how, started_by, body }).catch(error => {
    if (!(error instanceof ApiError) || !FROM_SOURCE.includes(error.code)) throw error
    ctx.log('warn', 'trigger_source_failed', { project_id, trigger_id: id, error: error.message })
    throw new ApiError(
      'source_failed',
      'The source of this trigger could not be read; its owner sees why.',
      'Whoever may act for the project sees it with POST /v1/sources/preview.',
    )
  })
}

/** Errors whose text comes from the source, which the sender must not see. */
const FROM_SOURCE: readonly ApiErrorCode[] = ['source_failed', 'duplicate_item_id']

/**
 * The key of a signed fire. No signature covers `X-Idempotency-Key`, so whoever recorded a request could send it with
 * any: the sender's id of the event wins. Where a scheme signs the time, its senders sign each try anew, so a signature
 * that comes again is a request that was recorded.
 */
function signedKeyOf(
  scheme: SigningScheme,
  { headers, posted, idempotency_key, signature }: Fire,
): string | undefined {
  const event = usableKey(eventIdOf(scheme, headers, 'text' in posted ? posted.text : ''))
  if (event !== undefined) return event
  return (signsTime(scheme) ? undefined : idempotency_key) ?? signature
}

const usableKey = (id: string | undefined) =>
  id !== undefined && /^[\x20-\x7e]+$/.test(id) && id.length <= LIMITS.idempotency_key_characters
    ? id
    : undefined

async function* pileOf(input: string): AsyncGenerator<NewItem[]> {
  yield [{ line: 1, item_id: null, partition_key: null, input }]
}
