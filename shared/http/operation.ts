// What an endpoint says of its operation. Guarantee: the server, the OpenAPI document, the client's types and the function table
// are made from this alone.

import type { z } from 'zod'
import type { MemberRole } from '../accounts/vocabulary.ts'
import type { Context } from '../context.ts'
import type { ApiErrorCode } from '../kernel/errors.ts'
import type { Subject } from './access-log.ts'
import type { Noun } from './scope.ts'

/**
 * `none` needs no credentials, `any` takes a project key or a session, `session` only a signed-in member; `trigger`
 * takes a trigger's secret or its sender's signature, which the handler verifies; `operator` takes only the operator's
 * credential, and sees every account.
 */
export type Auth = 'none' | 'any' | 'session' | 'trigger' | 'operator'
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

/** What is known of an operation before its handler and parameters. */
export type Defined = Omit<Endpoint, 'answer' | 'params'>

export interface Reply {
  status: number
  headers: Headers
  project_id?: string
  /** What the answer has besides, read once the change is committed: it stays also if this fails. */
  after?(ctx: Context): Promise<object>
}
