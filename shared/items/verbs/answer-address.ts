// The address at which an agent may answer later. Guarantee: it names one request for items of one claim, tells nothing
// about them and cannot be made without the master key; whether they are still awaited is for PostgreSQL to say.

import type { Context } from '../../context.ts'
import { ApiError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/ids.ts'
import { seal, unseal } from '../../engine/sealing.ts'
import type { SentRequest } from '../queries/answers.ts'

export const ANSWERS_PATH = '/v1/answers'

/** Undefined where nobody knows how callers reach this installation. */
export async function answerAddress(ctx: Context, sent: SentRequest): Promise<string | undefined> {
  const { base_url } = ctx.config
  if (base_url === '') return undefined
  const { run_id, claim_id, first_seq, last_seq, started_ms } = sent
  const sealed = await seal(ctx, 'answer', [run_id, claim_id, first_seq, last_seq, started_ms].join(' '))
  return `${base_url}${ANSWERS_PATH}?to=${sealed}`
}

/** What `to` of an address names. @throws ApiError `unauthenticated` */
export async function requestAt(ctx: Context, to: string): Promise<SentRequest> {
  const text = SEALED.test(to) ? await unseal(ctx, 'answer', to).catch(() => '') : ''
  const [run_id, ...figures] = text.split(' ')
  const [claim_id, first_seq, last_seq, started_ms] = figures.map(Number)
  if (run_id !== undefined && isUuid(run_id) && started_ms !== undefined)
    return { run_id, claim_id: claim_id!, first_seq: first_seq!, last_seq: last_seq!, started_ms }
  throw new ApiError(
    'unauthenticated',
    'This is no answer address of this installation.',
    'Send the lines to the assay-answer-url that came with the request, as it came.',
  )
}

const SEALED = /^[A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22,200}$/
