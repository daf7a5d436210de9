// Writes the log line of each request. Guarantee: it names operations by their path template and records by their ids,
// so no secret and no content of the request gets into the log.

import type { Context } from '../context.ts'
import type { OperatorPrincipal, Principal } from './principal.ts'

/** The caller and the record that a request concerns, as far as the request got. */
export interface Subject {
  account_id?: string
  project_id?: string | null
  /** The record that was made or named: a run, an agent, an item. */
  target_id?: string | null
}

interface Concerned {
  principal: Principal | OperatorPrincipal | null
  params: Record<string, string>
  /** The project concerned, where neither path nor answer names it. */
  reply: { project_id?: string }
}

export function subjectOf({ principal, params, reply }: Concerned, value: unknown) {
  const answer = (value ?? {}) as { id?: string; run_id?: string; group_id?: string; project_id?: string }
  const own = principal?.kind === 'key' ? principal.project_id : undefined
  return {
    project_id: own ?? params.projectId ?? reply.project_id ?? answer.project_id ?? null,
    target_id: answer.id ?? answer.run_id ?? answer.group_id ?? Object.values(params).at(-1) ?? null,
  }
}

/** `path` is null where no operation has it. The time of a streamed answer is the time until it began. */
export function logRequest(
  ctx: Context,
  { method, path }: { method: string; path: string | null },
  request_id: string,
  began: number,
  { status }: Response,
  subject: Subject,
): void {
  const ms = ctx.now() - began
  ctx.log('info', 'request', { request_id, method: method.toUpperCase(), path, status, ms, ...subject })
}
