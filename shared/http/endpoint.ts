// What an endpoint is: a value that describes one operation completely. The server, the OpenAPI document, the client's
// types and the function table are made from it.
// Guarantee: a handler runs only for a known caller, with parameters and body that fit their schemas, unless the
// endpoint says that it checks the caller or the body itself.

import type { z } from 'zod'
import type { Context } from '../context.ts'
import { toJson } from '../json/raw-json.ts'
import { sinceMs } from '../kernel/elapsed.ts'
import { LIMITS } from '../kernel/limits.ts'
import { subjectOf } from './access-log.ts'
import { admitCaller, handledFor, knownCaller, lookUpsOf, noteRead } from './admission.ts'
import { readJson, readListed } from './body.ts'
import { textAnswer, withSecret } from './compression.ts'
import { roomFor } from './large-bodies.ts'
import type { Auth, Defined, Endpoint, Reply } from './operation.ts'
import type { Principal, SessionPrincipal } from './principal.ts'
import type { Noun } from './scope.ts'
import { shownTo } from './shown-names.ts'
import type { Reading } from './tenant-scope.ts'
import { checkedIds, headersOf, queryOf } from './validation.ts'

type PrincipalOf<A extends Auth> = A extends 'none' | 'trigger' | 'operator'
  ? null
  : A extends 'session'
    ? SessionPrincipal
    : Principal

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

const noReply = (): Reply => ({ status: 0, headers: new Headers() })

const bodyBytesOf = ({ body_bytes, auth }: Defined): number =>
  body_bytes ?? (auth === 'none' ? LIMITS.open_body_bytes : LIMITS.body_bytes)

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
