// `GET /metrics`, for Prometheus and for scalers. It is not in the interface, since it serves the operator, no tenant.

import type { Context } from '../shared/context.ts'
import { sameBytes, sha256 } from '../shared/kernel/secrets.ts'
import { readMetrics } from '../shared/upkeep/verbs/metrics.ts'

export const isMetrics = (request: Request) =>
  request.method === 'GET' && new URL(request.url).pathname === '/metrics'

/** Answers callers that send the operator's token; where no token is set, it refuses everybody. */
export async function answerMetrics(ctx: Context, request: Request): Promise<Response> {
  const token = ctx.config.metrics_token
  if (token === undefined)
    return refused('Metrics are off here.', 'Set ASSAY_METRICS_TOKEN, and send it as the bearer.')
  const given = request.headers.get('authorization') ?? ''
  const [sent, wanted] = await Promise.all([sha256(given), sha256(`Bearer ${token}`)])
  if (!sameBytes(sent, wanted)) return refused('Metrics take the bearer that ASSAY_METRICS_TOKEN names.')
  try {
    return new Response(await readMetrics(ctx), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    })
  } catch (error) {
    ctx.log('warn', 'metrics_failed', { error: String(error) })
    const message = 'PostgreSQL did not answer.'
    return Response.json({ error: { code: 'dependency_unreachable', message } }, { status: 503 })
  }
}

function refused(message: string, hint?: string): Response {
  const headers = { 'www-authenticate': 'Bearer' }
  return Response.json({ error: { code: 'unauthenticated', message, hint } }, { status: 401, headers })
}
