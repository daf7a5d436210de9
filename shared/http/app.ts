// The Hono app that serves a list of endpoints. Guarantee: every answer is JSON with a request id, errors included, and
// an unexpected error shows the caller only that id.

import { Hono } from 'hono'
import type { Context } from '../context.ts'
import { errorText } from '../kernel/error-text.ts'
import { ApiError } from '../kernel/errors.ts'
import { LIMITS } from '../kernel/limits.ts'
import {
  hasFullDisk,
  isFull,
  isUnreachable,
  noteTrouble,
  onceMore,
  takesNoWrites,
} from '../kernel/unreachable.ts'
import { logRequest, type Subject } from './access-log.ts'
import { basePath } from './base-path.ts'
import { BodyBrokeOff } from './body.ts'
import { drain } from './drain.ts'
import { checkEncoding, errorAnswer, OWN_HEADERS } from './error-answer.ts'
import { noOperation, type Operation } from './no-operation.ts'
import type { Endpoint } from './operation.ts'
import { traceRequest } from './request-trace.ts'
import { unlessSilent } from './silence.ts'
import { brokenOff } from './stream.ts'

/**
 * Serves the endpoints; `serveReference` adds their documentation. `operations` may also list operations that other
 * functions serve: the answer to an unknown operation suggests those too.
 */
export function createApp(
  endpoints: readonly Endpoint[],
  contextFor: (request: Request) => Context,
  operations: readonly Operation[] = endpoints,
): Hono {
  const app = new Hono()
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1')
    app.on(endpoint.method, path, c => answered(contextFor(c.req.raw), endpoint, c.req.raw, c.req.param()))
  }
  app.notFound(async c => {
    const request = c.req.raw
    const ctx = contextFor(request)
    const [request_id, began] = [ctx.newId(), ctx.now()]
    const unknown = noOperation(operations, request, basePath(ctx.config.base_url))
    const response = await failed(ctx, request, request_id, unknown)
    logRequest(ctx, { method: request.method, path: null }, request_id, began, response, {})
    return response
  })
  return app
}

async function answered(
  ctx: Context,
  endpoint: Endpoint,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const [request_id, began] = [ctx.newId(), ctx.now()]
  const subject: Subject = {}
  const isProbe = endpoint.tag === 'Health'
  const late = (error: unknown) => error instanceof ApiError || unexpected(ctx, request, request_id, error)
  const answering = isProbe ? attempt() : unlessSilent(ctx, request, attempt(), late)
  const response = await answering.catch(error => failed(ctx, request, request_id, error))
  // Nobody reads the body of a HEAD request; a stream would be held for as long as it may stay open.
  if (request.method === 'HEAD') void response.body?.cancel().catch(() => {})
  const own = { ...OWN_HEADERS, 'x-request-id': request_id }
  // An answer that says more to proxies keeps that.
  for (const [name, value] of Object.entries(own))
    if (name !== 'cache-control' || !response.headers.get(name)?.includes('no-store'))
      response.headers.set(name, value)
  logRequest(ctx, endpoint, request_id, began, response, subject)
  void brokenOff(response)?.then(error =>
    ctx.log('error', 'answer_broke_off', { request_id, ...named(request), error: errorText(error) }),
  )
  traceRequest(ctx, { endpoint, request, request_id, began, response, subject })
  return response

  async function attempt(): Promise<Response> {
    checkEncoding(request.url)
    if (!isProbe) await ctx.join?.()
    const answer = () => endpoint.answer(ctx, request, params, subject)
    return request.method === 'GET' ? onceMore(answer) : answer()
  }
}

async function failed(ctx: Context, request: Request, request_id: string, error: unknown): Promise<Response> {
  if (error instanceof BodyBrokeOff)
    ctx.log('info', 'request_broke_off', { request_id, ...named(request), error: String(error.cause) })
  const known = error instanceof ApiError ? error : unexpected(ctx, request, request_id, error)
  return drain(request, errorAnswer(known, request_id))
}

function unexpected(ctx: Context, request: Request, request_id: string, error: unknown): ApiError {
  ctx.log('error', 'request_failed', { request_id, ...named(request), error: errorText(error) })
  noteTrouble(ctx.sql, error, ctx.now())
  if (hasFullDisk(error)) return storeFull(request, request_id)
  if (isUnreachable(error)) return storeUnreachable(request, request_id, error)
  return new ApiError(
    'internal',
    `Something went wrong on the server's side; its log names request ${request_id}.`,
  )
}

/** A read needs the disk too, where it sorts more than fits into memory. */
const storeFull = ({ method }: Request, request_id: string) =>
  new ApiError(
    'store_full',
    method === 'GET'
      ? `The disk of PostgreSQL is full, and this read needs room there; the log names request ${request_id}.`
      : `The disk of PostgreSQL is full, so it takes no writes now; the log names request ${request_id}.`,
    method === 'GET'
      ? 'Ask for less, such as a shorter time or a narrower filter, or again when the operator has freed space.'
      : 'The refused write changed nothing. Reads go on; send this again when the operator has freed space.',
    LIMITS.store_full_retry_s,
  )

const storeUnreachable = ({ method }: Request, request_id: string, error: unknown) =>
  new ApiError(
    'store_unreachable',
    `${whatOf(error)}; the log names request ${request_id}.`,
    method === 'GET'
      ? 'Ask again.'
      : 'It is not known whether the request took effect: check first, or repeat it with the same idempotency_key.',
    LIMITS.store_retry_s,
  )

function whatOf(error: unknown): string {
  if (isFull(error)) return 'No connection to PostgreSQL became free in time'
  return takesNoWrites(error) ? 'PostgreSQL takes no writes now' : 'PostgreSQL did not answer in its time'
}

const named = ({ method, url }: Request) => ({ method, path: new URL(url).pathname })
