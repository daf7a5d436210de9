// Makes and reads the address at which an agent may answer later. Guarantee: it names one request of one claim and
// reveals nothing about its items except their seqs; without the master key nobody can make an address for another
// claim. PostgreSQL decides whether the items are still awaited.

import { seal, unseal } from '../../accounts/verbs/sealing.ts'
import type { Claim } from '../../claims/verbs/claim.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../kernel/errors.ts'
import { isUuid } from '../../kernel/ids.ts'
import type { SentRequest } from '../queries/later-answers.ts'

export const ANSWERS_PATH = '/v1/answers'

/** Sealed once a claim: if each item is a request, sealing took more CPU than signing. */
const sealed = new WeakMap<Claim, Promise<string>>()

/** The URL at which the agent may answer a request for the items of a claim from `first_seq` to `last_seq`. */
export async function answerAddress(
  ctx: Context,
  claim: Claim,
  first_seq: number,
  last_seq: number,
): Promise<string> {
  let word = sealed.get(claim)
  if (word === undefined) {
    word = seal(ctx, 'answer', null, [claim.run_id, claim.id, ctx.now()].join(' '))
    sealed.set(claim, word)
  }
  // The seqs are not sealed: an agent with this address has all items of the claim, so other seqs name only its own.
  return `${ctx.config.base_url}${ANSWERS_PATH}?to=${first_seq}-${last_seq}.${await word}`
}

/** The request that `to` of an address names. @throws ApiError `unauthenticated` */
export async function requestAt(ctx: Context, to: string): Promise<SentRequest> {
  const [, first_seq, last_seq, word] = ADDRESS.exec(to) ?? []
  const text = word === undefined ? '' : await unseal(ctx, 'answer', null, word).catch(() => '')
  const [run_id, ...figures] = text.split(' ')
  const [claim_id, started_ms] = figures.map(Number)
  if (run_id !== undefined && isUuid(run_id) && started_ms !== undefined)
    return {
      run_id,
      claim_id: claim_id!,
      first_seq: Number(first_seq),
      last_seq: Number(last_seq),
      started_ms,
    }
  throw new ApiError(
    'unauthenticated',
    'This is no answer address of this installation.',
    'Send the lines to the assay-answer-url that came with the request, as it came.',
  )
}

const ADDRESS = /^(\d{1,9})-(\d{1,9})\.([A-Za-z0-9_-]{16}\.[A-Za-z0-9_-]{22,200})$/
