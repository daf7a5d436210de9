// The line of the log that each request leaves. Guarantee: it names operations by their path's template and records by
// their ids, so no secret and nothing of what was sent gets into the log by it.

import type { Context } from '../context.ts'
import type { OperatorPrincipal, Principal } from './auth.ts'

/** Whom and what a request concerned, as far as it got. */
export interface Subject {
  account_id?: string
  project_id?: string | null
  /** What was made or named: a run, an agent, an item. */
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

/** `path` is null where no operation has it. The time of a stream is the time until it began. */
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
