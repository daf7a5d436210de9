// What an endpoint is: a value that describes one operation completely. The server, the OpenAPI document, the client's
// types and the function table are made from it.
// Guarantee: a handler runs only for a known caller, with parameters and body that fit their schemas, unless the
// endpoint says that it checks the caller or the body itself.

import type { z } from 'zod'
import type { MemberRole } from '../accounts/vocabulary.ts'
import type { Context } from '../context.ts'
import { toJson } from '../json/raw-json.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { ApiError, type ApiErrorCode } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import { onceMore } from '../kernel/unreachable.ts'
import { type Subject, subjectOf } from './access-log.ts'
import { type Change, recordChange, recordRead } from './audit.ts'
import {
  authenticate,
  authenticateOperator,
  callerOf,
  checkRole,
  failedFor,
  forgetCallers,
  keptCaller,
  mayStillRead,
  type Principal,
  refuseSuspended,
  type SessionPrincipal,
} from './auth.ts'
import { readJson, readListed } from './body.ts'
import { textAnswer, withSecret } from './compression.ts'
import { roomFor } from './large-bodies.ts'
import { checkRate } from './rate.ts'
import type { Noun } from './scope.ts'
import { shownTo } from './shown-names.ts'
import { inTenantScope, outsideTenantScope, type Reading } from './tenant-scope.ts'
import { checkedIds, headersOf, queryOf } from './validation.ts'

/**
 * `none` needs no credentials, `any` takes a project key or a session, `session` only a signed-in member; `trigger`
 * takes a trigger's secret or its sender's signature, which the handler verifies; `operator` takes only the operator's
 * credential, and sees every account.
 */
export type Auth = 'none' | 'any' | 'session' | 'trigger' | 'operator'
type PrincipalOf<A extends Auth> = A extends 'none' | 'trigger' | 'operator'
  ? null
  : A extends 'session'
    ? SessionPrincipal
    : Principal

export type Tag = 'Health' | 'Projects' | 'Agents' | 'Runs' | 'Items' | 'Recovery' | 'Schedules' | 'Account'

export interface Answer {
  description: string
  /** Absent when the answer has no body. */
  schema?: z.ZodType
  /** Also sent as one JSON value a line to callers that accept it. */
  ndjson?: z.ZodType
  /** Also sent as a table to callers that accept text/csv; describes its columns. */
  csv?: string
  /** The data of a server-sent event, where the answer is an event stream. */
  events?: z.ZodType
  headers?: Record<string, string>
}

export interface Endpoint {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With parameters in braces, as OpenAPI writes it. */
  path: string
  tag: Tag
  operation_id: string
  summary: string
  description?: string
  /** The operation makes work: a consumer may be notified as soon as the request arrives. */
  makes_work?: true
  auth: Auth
  /** The least role required: a viewer for a read and an operator for everything else, unless given. */
  role?: MemberRole
  /** The handler changes things only through `ctx.db`: the change and its log entry are one transaction. */
  atomic?: true
  /** A read that may take seconds: it takes turns with other heavy reads, and leaves connections to plain ones. */
  heavy?: true
  /** The answer is sent in pieces, each read on demand; so is every answer sent as lines or events. */
  streams?: true
  /** Writes no log entry although it is no read. */
  unlogged?: true
  /** A read that is logged as well: it shows a secret, or takes much away at once. */
  logged?: true
  /** The answer shows a secret, so it is never compressed. */
  shows_secret?: true
  params: Record<string, Noun>
  query?: z.ZodType
  /** By their lower-case names; other headers are ignored. */
  headers?: z.ZodObject
  body?: z.ZodType
  /** The longest body: LIMITS.body_bytes unless given, and less without authentication. */
  body_bytes?: number
  /** The member of the body that is a long list: the handler reads its elements, and `body` has none of them. */
  list?: string
  /** The handler reads the body itself: its bytes are signed. */
  raw_body?: true
  /** A further content type of the request that the handler reads itself, line by line. */
  lines?: { query: z.ZodType; line: z.ZodType; description: string }
  /** By status; the lowest is the usual one. */
  answers: Record<number, Answer>
  errors: readonly ApiErrorCode[]
  /** Notes in `subject` the caller and the record, as soon as they are known. */
  answer(ctx: Context, request: Request, params: Record<string, string>, subject: Subject): Promise<Response>
}

export interface Invocation<A extends Auth, P extends string, Q, H, B, L> extends Reading {
  principal: PrincipalOf<A>
  params: Record<P, string>
  query: Q
  headers: H
  body: B
  /** The body as it was sent; empty when the endpoint takes none. */
  text: string
  /** The elements of the body's long list, each as its own text; none without a list. */
  elements(): AsyncGenerator<string[]>
  /** Set when the request sends lines, which the handler reads: its parameters. Then `body` is undefined. */
  lines: L | undefined
  request: Request
  /** Whether the caller may still read, while an answer is being sent. */
  mayStill(): Promise<boolean>
  /** Headers, and a status that replaces the usual one unless it stays 0. */
  reply: Reply & { changes?: string[] }
}

type Given<A extends Auth, P extends string, Q, B> = Pick<
  Invocation<A, P, Q, unknown, B, unknown>,
  'principal' | 'params' | 'query' | 'body'
>

type Definition<
  A extends Auth,
  P extends string,
  Q extends z.ZodType,
  H extends z.ZodObject,
  B extends z.ZodType,
  L extends z.ZodType,
  R,
> = Omit<Endpoint, 'auth' | 'params' | 'query' | 'headers' | 'body' | 'lines' | 'answer'> & {
  auth: A
  params?: Record<P, Noun>
  query?: Q
  headers?: H
  body?: B
  lines?: { query: L; line: z.ZodType; description: string }
  /**
   * What comes before, with the engine's rights and outside of the change's transaction: it updates what a read is to show, or
   * checks what takes long. `handle` gets what it returns.
   */
  prepare?(ctx: Context, given: Given<A, P, z.output<Q>, z.output<B>>): Promise<R>
  /** Returns the answer's value, or a Response for a streamed answer. */
  handle(
    invocation: Invocation<A, P, z.output<Q>, z.output<H>, z.output<B>, z.output<L>> & { prepared: R },
  ): Promise<unknown>
}

const NEEDS_BODY = new Set(['post', 'put', 'patch'])

export function endpoint<
  A extends Auth,
  P extends string = never,
  Q extends z.ZodType = z.ZodUndefined,
  H extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodUndefined,
  L extends z.ZodType = z.ZodUndefined,
  R = void,
>({ handle, prepare, ...definition }: Definition<A, P, Q, H, B, L, R>): Endpoint {
  const params = (definition.params ?? {}) as Record<P, Noun>
  const status = Number(Object.keys(definition.answers)[0])
  return {
    ...definition,
    params,
    async answer(ctx, request, given, subject) {
      const { principal, operator } = await knownCaller(ctx, request, definition)
      await admitCaller(ctx, principal, definition, subject)
      const ids = checkedIds(params, given)
      const reply = noReply()
      Object.assign(subject, subjectOf({ principal, params: ids, reply }, null))
      const lines = definition.lines !== undefined && isNdjson(request) ? definition.lines : undefined
      const query = queryOf(request, lines?.query ?? definition.query)
      const takesBody = NEEDS_BODY.has(definition.method) && lines === undefined && !definition.raw_body
      using _room = takesBody && principal ? await roomIn(ctx, definition, request, principal) : undefined
      const lookUps = lookUpsOf(ctx, request, definition, principal)
      const { text, body, elements } = takesBody ? await readSent(ctx, definition, request, lookUps) : NO_BODY
      const invocation = {
        principal: principal as PrincipalOf<A>,
        params: ids,
        query: (lines === undefined ? query : undefined) as z.output<Q>,
        headers: headersOf(request, definition.headers) as z.output<H>,
        body: body as z.output<B>,
        text,
        elements,
        lines: (lines === undefined ? undefined : query) as z.output<L> | undefined,
        request,
        ...lookUps,
        reply,
      }
      const prepared = (await prepare?.(ctx, invocation)) as R
      const call = (reading: Reading) => handle({ ...reading, ...invocation, prepared })
      const value = await handledFor(ctx, definition, invocation, principal ?? operator, call)
      if (principal) await noteRead(ctx, definition, { ...invocation, principal }, value)
      Object.assign(subject, subjectOf(invocation, value))
      const response = responseOf(definition.answers, reply, status, shownTo(principal, value))
      return definition.shows_secret ? withSecret(response) : response
    },
  }
}

type Defined = Omit<Endpoint, 'answer' | 'params'>

/** How the caller is looked up again while its request goes on. */
function lookUpsOf(ctx: Context, request: Request, definition: Defined, principal: Principal | null) {
  return {
    async admitAgain() {
      if (principal !== null) checkGrant(await authenticate(ctx, request, true), definition)
    },
    mayStill: async () => principal === null || mayStillRead(ctx, principal, request),
  }
}

/** What a logged read shows is known by now: it is shown to whoever may still see it. @throws ApiError */
async function noteRead(
  ctx: Context,
  definition: Defined,
  invocation: Omit<Change, 'operation_id'> & { admitAgain(): Promise<void> },
  value: unknown,
): Promise<void> {
  if (!definition.logged) return
  await invocation.admitAgain()
  await recordRead(ctx, { ...definition, ...invocation }, value)
}

const roomIn = (ctx: Context, definition: Defined, request: Request, { account_id }: Principal) =>
  roomFor(ctx.bodies, request, account_id, bodyBytesOf(definition))

/** The body; whoever sent it slowly may have lost the right meanwhile. @throws ApiError */
async function readSent(
  ctx: Context,
  definition: Defined,
  request: Request,
  { admitAgain }: ReturnType<typeof lookUpsOf>,
) {
  const began_ms = ctx.now()
  const read = await readBody(definition, request, bodyBytesOf(definition))
  if (sinceMs(ctx.now(), began_ms) >= LIMITS.quick_body_ms) await admitAgain()
  return read
}

interface Reply {
  status: number
  headers: Headers
  project_id?: string
  /** What the answer has besides, read once the change is committed: it stays also if this fails. */
  after?(ctx: Context): Promise<object>
}

const noReply = (): Reply => ({ status: 0, headers: new Headers() })

const isOfMembers = ({ auth }: Pick<Defined, 'auth'>) => auth === 'any' || auth === 'session'

const bodyBytesOf = ({ body_bytes, auth }: Defined): number =>
  body_bytes ?? (auth === 'none' ? LIMITS.open_body_bytes : LIMITS.body_bytes)

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
async function knownCaller(ctx: Context, request: Request, definition: Defined) {
  const anew = isWrite(definition) || definition.logged === true
  const principal = isOfMembers(definition) ? await onceMore(() => authenticate(ctx, request, anew)) : null
  const operator =
    definition.auth === 'operator' ? await onceMore(() => authenticateOperator(ctx, request)) : null
  if (definition.auth === 'session' && principal?.kind !== 'session') throw sessionOnly()
  return { principal, operator }
}

/** @throws ApiError where the caller's rate, account or role does not allow it */
async function admitCaller(
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
async function handledFor(
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
  },
  caller: Change['principal'] | null,
  call: (reading: Reading) => Promise<unknown>,
): Promise<unknown> {
  const { method, unlogged, operation_id, atomic } = definition
  if (method === 'get' && isOfMembers(definition)) {
    const isStream =
      definition.streams ?? Object.values(definition.answers).some(answer => answer.ndjson ?? answer.events)
    return inTenantScope(ctx, caller as Principal, { isStream, isHeavy: definition.heavy === true }, call)
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

function responseOf(answers: Endpoint['answers'], reply: Reply, status: number, value: unknown): Response {
  if (value instanceof Response) return value
  const answer = answers[reply.status || status]
  if (answer?.schema === undefined) return new Response(null, { status: reply.status || status })
  reply.headers.set('content-type', 'application/json')
  return textAnswer(toJson(value), { status: reply.status || status, headers: reply.headers })
}

interface GivenBody {
  text: string
  body: unknown
  elements(): AsyncGenerator<string[]>
}

async function* none(): AsyncGenerator<string[]> {}
const NO_BODY: GivenBody = { text: '', body: undefined, elements: none }

async function readBody(
  { body: schema, list }: Pick<Endpoint, 'body' | 'list'>,
  request: Request,
  max: number,
): Promise<GivenBody> {
  if (schema !== undefined && list !== undefined) return readListed(request, schema, list, max)
  return { ...NO_BODY, ...(await readJson(request, schema, max)) }
}

/** Whether a request sends, or accepts, one JSON value a line. */
export function isNdjson(request: Request, header: 'content-type' | 'accept' = 'content-type'): boolean {
  return /^\s*application\/x-ndjson\s*(;|,|$)/i.test(request.headers.get(header) ?? '')
}

const sessionOnly = () =>
  new ApiError(
    'forbidden',
    'A project key cannot do this; it acts on the whole account.',
    'Sign in: assay login, or POST /v1/sessions, whose access_token you send.',
  )
