// Admits the caller of an endpoint, and handles its request in the caller's scope. Guarantee: whoever is refused causes nothing;
// a change is made by a caller who may still make it as it commits.

import type { Context } from '../context.ts'
import { ApiError } from '../kernel/errors.ts'
import { onceMore } from '../kernel/unreachable.ts'
import type { Subject } from './access-log.ts'
import { type Change, recordChange, recordRead } from './audit.ts'
import { authenticate, authenticateOperator, failedFor, keptCaller, mayStillRead } from './auth.ts'
import { forgetCallers } from './caller-cache.ts'
import type { Defined, Reply } from './operation.ts'
import { callerOf, checkRole, type Principal, refuseSuspended } from './principal.ts'
import { checkRate } from './rate.ts'
import { inTenantScope, outsideTenantScope, type Reading } from './tenant-scope.ts'

const isOfMembers = ({ auth }: Pick<Defined, 'auth'>) => auth === 'any' || auth === 'session'

const isWrite = ({ method }: Pick<Defined, 'method'>) => method !== 'get'

/** The parameter of the operator's paths. */
const ACCOUNT = 'accountId'

/** What changes accounts and projects may change who may do what. */
function forgetChanged(definition: Defined, account_id = ''): void {
  if (isWrite(definition) && (definition.tag === 'Account' || definition.tag === 'Projects'))
    forgetCallers(account_id)
}

/**
 * Only reads of what is no secret are admitted from memory: whatever a caller makes or learns outlives its credential.
 * @throws ApiError `unauthenticated`, and `forbidden` for the wrong kind of caller
 */
export async function knownCaller(ctx: Context, request: Request, definition: Defined) {
  const anew = isWrite(definition) || definition.logged === true
  const principal = isOfMembers(definition) ? await onceMore(() => authenticate(ctx, request, anew)) : null
  const operator =
    definition.auth === 'operator' ? await onceMore(() => authenticateOperator(ctx, request)) : null
  if (definition.auth === 'session' && principal?.kind !== 'session') throw sessionOnly()
  return { principal, operator }
}

/** @throws ApiError where the caller's rate, account or role does not allow it */
export async function admitCaller(
  ctx: Context,
  principal: Principal | null,
  definition: Defined,
  subject: Subject,
): Promise<void> {
  if (principal === null) return
  subject.account_id = principal.account_id
  await checkRate(ctx, principal)
  checkGrant(principal, definition)
}

function checkGrant(principal: Principal, definition: Defined): void {
  refuseSuspended(principal, definition)
  checkRole(principal, definition.role ?? (isWrite(definition) ? 'operator' : 'viewer'))
}

/** Handles it in its scope, and looks up why it failed for a member. */
export async function handledFor(
  ctx: Context,
  definition: Defined,
  invocation: Parameters<typeof inItsScope>[2] & {
    principal: Principal | null
    request: Request
    reply: Reply
  },
  caller: Change['principal'] | null,
  call: (reading: Reading) => Promise<unknown>,
): Promise<unknown> {
  try {
    const value = await inItsScope(ctx, definition, invocation, caller, call)
    forgetChanged(definition, invocation.principal?.account_id ?? invocation.params[ACCOUNT])
    const { after } = invocation.reply
    return after === undefined ? value : { ...(value as object), ...(await after(ctx)) }
  } catch (error) {
    if (invocation.principal === null) throw error
    return failedFor(ctx, invocation.request, error)
  }
}

/** A member's read sees only the rows of its account; a change and its log entry are one transaction. */
function inItsScope(
  ctx: Context,
  definition: Defined,
  invocation: Omit<Change, 'operation_id' | 'atomic' | 'unlogged' | 'principal'> & {
    principal: Principal | null
    admitAgain(): Promise<void>
    mayStill(): Promise<boolean>
  },
  caller: Change['principal'] | null,
  call: (reading: Reading) => Promise<unknown>,
): Promise<unknown> {
  const { method, unlogged, operation_id, atomic } = definition
  if (method === 'get' && isOfMembers(definition)) {
    const answers = Object.values(definition.answers)
    const isStream = definition.streams ?? answers.some(answer => answer.ndjson ?? answer.events)
    // Events are read once for all who follow the same thing, and each follower is looked up by itself.
    const mayStill = answers.some(answer => answer.events) ? async () => true : invocation.mayStill
    const form = { isStream, isHeavy: definition.heavy === true, mayStill }
    return inTenantScope(ctx, caller as Principal, form, call)
  }
  if (method === 'get' || caller === null) return call(outsideTenantScope(ctx))
  return recordChange(
    ctx,
    { ...invocation, operation_id, atomic, unlogged, principal: caller },
    within => call(outsideTenantScope(atomic ? within : askedBy(within, invocation))),
    async within => {
      if (caller.kind === 'operator') return
      invocation.principal = await keptCaller(within, caller, operation_id)
      checkGrant(invocation.principal, definition)
    },
  )
}

/** What is not atomic looks its caller up once more as it commits. */
function askedBy(
  ctx: Context,
  { principal, admitAgain }: { principal: Principal | null; admitAgain(): Promise<void> },
): Context {
  if (principal === null) return ctx
  const refuse = async () => {
    await admitAgain()
    throw new ApiError('unauthenticated', 'The key or session changed while this was made.', 'Send it again.')
  }
  return { ...ctx, caller: { kind: principal.kind, id: callerOf(principal), refuse } }
}

/** How the caller is looked up again while its request goes on. */
export function lookUpsOf(ctx: Context, request: Request, definition: Defined, principal: Principal | null) {
  return {
    async admitAgain() {
      if (principal !== null) checkGrant(await authenticate(ctx, request, true), definition)
    },
    mayStill: async () => principal === null || mayStillRead(ctx, principal, request),
  }
}

/** What a logged read shows is known by now: it is shown to whoever may still see it. @throws ApiError */
export async function noteRead(
  ctx: Context,
  definition: Defined,
  invocation: Omit<Change, 'operation_id'> & { admitAgain(): Promise<void> },
  value: unknown,
): Promise<void> {
  if (!definition.logged) return
  await invocation.admitAgain()
  await recordRead(ctx, { ...definition, ...invocation }, value)
}

const sessionOnly = () =>
  new ApiError(
    'forbidden',
    'A project key cannot do this; it acts on the whole account.',
    'Sign in: assay login, or POST /v1/sessions, whose access_token you send.',
  )
