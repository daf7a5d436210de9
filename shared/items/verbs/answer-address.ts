// The address at which an agent may answer later. Guarantee: it names one claim of one run, tells nothing about them
// and cannot be made without the master key; whether the claim still waits is for PostgreSQL to say.

import type { Context } from '../../context.ts'
import { ApiError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/ids.ts'
import { seal, unseal } from '../../engine/sealing.ts'
import type { SentClaim } from '../queries/answers.ts'

export const ANSWERS_PATH = '/v1/answers'

/** Undefined where nobody knows how callers reach this installation. */
export async function answerAddress(ctx: Context, claim: SentClaim): Promise<string | undefined> {
  const { base_url } = ctx.config
  if (base_url === '') return undefined
  const sealed = await seal(ctx, 'answer', `${claim.run_id} ${claim.claim_id}`)
  return `${base_url}${ANSWERS_PATH}?to=${sealed}`
}

/** What `to` of an address names. @throws ApiError `unauthenticated` */
export async function claimAt(ctx: Context, to: string): Promise<SentClaim> {
  const text = SEALED.test(to) ? await unseal(ctx, 'answer', to).catch(() => '') : ''
  const [run_id, claim_id] = text.split(' ')
  if (run_id !== undefined && isUuid(run_id)) return { run_id, claim_id: Number(claim_id) }
  throw new ApiError(
    'unauthenticated',
    'This is no answer address of this installation.',
    'Send the lines to the assay-answer-url that came with the request, as it came.',
  )
}

const SEALED = /^[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22,200}$/
