// Creates, changes and deletes triggers, in the transaction of `ctx.db`. Guarantee: a secret made here exists only in
// the answer; the database holds its SHA-256 or, if it must be used again, its ciphertext.

import { keptStart } from '../../accounts/verbs/kept-url.ts'
import { seal } from '../../accounts/verbs/sealing.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { randomWord, sha256 } from '../../kernel/secrets.ts'
import { withinQuota } from '../../quotas/verbs/quotas.ts'
import type { TriggerSource } from '../../sources/rules/source.ts'
import { type KeptSource, keptTriggerSource } from '../../sources/verbs/kept-source.ts'
import { type TriggerItems, triggerSourceOrder } from '../../sources/wire/sources.ts'
import { type SaidStart, type StartSettings, startSaid } from '../../submission/wire/start-settings.ts'
import * as store from '../queries/triggers.ts'
import { newTriggerSecret, signingSecretProblem } from '../rules/webhook-signatures.ts'
import type { SignatureScheme } from '../vocabulary.ts'
import type { TriggerRow } from '../wire/triggers.ts'

export interface NewTrigger {
  project_id: string
  agent_id: string
  name: string
  scheme: SignatureScheme
  secret_env: string | null
  /** The sender's own secret; null if there is none yet or it is made here. */
  signing_secret: string | null
  declared: boolean
  /** The settings that its runs start with. */
  start: StartSettings
  /** Where the items of its fires come from. */
  items: KeptSource<TriggerSource>
}

const WEBHOOK_ID_BYTES = 16

/**
 * Creates a trigger with its own URL; `secret` is null if the sender makes it.
 *
 * @throws ApiError `trigger_name_taken`, or `invalid_request` for a signing secret that does not fit the scheme
 */
export async function createTrigger(
  ctx: Context,
  order: NewTrigger,
  id = ctx.newId(),
): Promise<{ id: string; webhook_id: string; secret: string | null }> {
  const { signing_secret, items, start, ...fields } = order
  checkSigningSecret(order.scheme, signing_secret)
  const secret = signing_secret === null ? newTriggerSecret(order.scheme, ctx.random) : null
  const webhook_id = `whk_${randomWord(ctx.random, WEBHOOK_ID_BYTES)}`
  const { project_id } = fields
  const kept_start = await keptStart(ctx, project_id, start)
  const kept = await keptSecret(ctx, { project_id, id }, order.scheme, signing_secret ?? secret)
  const row = { id, ...fields, webhook_id, ...kept_start, ...kept, ...items }
  if (!(await withinQuota(ctx, { project_id }, 'triggers', ctx => store.insertTrigger(ctx.db, row)))) {
    throw new ApiError('trigger_name_taken', `The agent already has a trigger named "${order.name}".`)
  }
  return { id, webhook_id, secret }
}

export interface TriggerChanges extends SaidStart, TriggerItems {
  name?: string | undefined
  secret_env?: string | null | undefined
  signing_secret?: string | undefined
}

/** Returns the new secret, or null. A new name makes a new URL and a new secret; the old ones stop working at once. */
export async function changeTrigger(
  ctx: Context,
  trigger: TriggerRow,
  changes: TriggerChanges,
): Promise<string | null> {
  const { id, project_id, agent_id, scheme, declared } = trigger
  const { name = trigger.name, secret_env = trigger.secret_env, signing_secret = null } = changes
  const said = await keptStart(ctx, project_id, startSaid(changes), trigger.callback_url)
  const known = await store.lockTriggerItems(ctx.db, trigger)
  if (known === undefined) throw triggerGone()
  const source = triggerSourceOrder(changes, known.source)
  const items =
    source === undefined ? known : await keptTriggerSource(ctx, { project_id, start_id: id }, source, known)
  if (name !== trigger.name) {
    const start = { ...(await deleteTrigger(ctx, trigger)), ...said }
    const kept = { scheme, secret_env, signing_secret, declared, start, items }
    const order = { project_id, agent_id, name, ...kept }
    return (await createTrigger(ctx, order, id)).secret
  }
  checkSigningSecret(scheme, signing_secret)
  const { signing_secret_sealed } = await keptSecret(ctx, { project_id, id }, scheme, signing_secret)
  await store.updateTrigger(ctx.db, trigger, { secret_env, signing_secret_sealed, ...said, ...items })
  return null
}

/**
 * Deletes a trigger: its URL answers 404 from the commit on. Returns its start settings, for a trigger that replaces
 * it.
 *
 * @throws ApiError `not_found` if it was gone
 */
export async function deleteTrigger(ctx: Context, key: store.TriggerKey): Promise<StartSettings> {
  const start = await store.deleteTrigger(ctx.db, key)
  if (start === undefined) throw triggerGone()
  return start
}

const triggerGone = () => new ApiError('not_found', 'There is no such trigger in this account.')

function checkSigningSecret(scheme: SignatureScheme, secret: string | null): void {
  const problem = secret === null ? undefined : signingSecretProblem(scheme, secret)
  if (problem !== undefined) throw new ApiError('invalid_request', `Field "signing_secret": ${problem}.`)
}

/** The column that stores a secret: as a hash for bearer, else encrypted. */
async function keptSecret(
  ctx: Context,
  { project_id, id }: store.TriggerKey,
  scheme: SignatureScheme,
  secret: string | null,
) {
  if (secret === null) return {}
  if (scheme === 'bearer') return { secret_hash: await sha256(secret) }
  return { signing_secret_sealed: await seal(ctx, 'trigger', { project_id, row: [id] }, secret) }
}
