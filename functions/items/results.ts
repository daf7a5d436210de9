import * as z from 'zod'
import type { Context } from '../../shared/context.ts'
import { endpoint, isNdjson } from '../../shared/http/endpoint.ts'
import { exporting } from '../../shared/http/export-bounds.ts'
import type { Principal } from '../../shared/http/principal.ts'
import { agentOrdered, runIn } from '../../shared/http/scope.ts'
import { streamedText } from '../../shared/http/stream.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { firstIdAt } from '../../shared/kernel/ids.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { type ResultScope, resultsInChunks, slicesOf } from '../../shared/results/queries/results.ts'
import type { ResultFormat } from '../../shared/results/vocabulary.ts'
import { Result, ResultsQuery } from '../../shared/results/wire/results.ts'
import { RESULT_TYPES, resultsText } from '../../shared/results/wire/results-text.ts'

export const exportResults = endpoint({
  method: 'get',
  path: '/v1/results',
  tag: 'Items',
  operation_id: 'exportResults',
  summary: 'Export the results of a run or an agent',
  description:
    'Each item_id once: its newest ok item, else its newest, out of the run and the replays that descend from its items, or out of all runs of the agent. Streamed to the end, of a run in the order it was submitted in, of an agent by item_id; above 100,000 items in blocks of about so many, each in that order. An answer that breaks off was not complete. What is written while it is read may be in it or not.',
  logged: true,
  auth: 'any',
  heavy: true,
  query: ResultsQuery,
  answers: {
    200: {
      description: 'The results.',
      schema: z.array(Result),
      ndjson: Result,
      csv: 'One row a result under a row of names; objects and arrays stand in their cells as JSON.',
    },
  },
  errors: ['not_found'],
  async handle({ principal, request, query, read }) {
    const format = query.format ?? formatAccepted(request)
    if (query.raw !== undefined && format !== 'csv')
      throw new ApiError('invalid_request', 'Query parameter "raw" goes with format=csv only.')
    return exporting(principal.account_id, async ended => {
      const readOnce = <T>(make: (sql: Context['sql']) => Promise<T>) => read(ctx => make(ctx.sql))
      const scope = await read(ctx => scopeAsked(ctx, principal, query))
      const slices = await readOnce(sql => slicesOf(sql, scope))
      const withInput = query.fields?.some(({ field }) => field === 'input') ?? false
      const chunks = resultsInChunks(readOnce, scope, slices, { only: query.only, withInput })
      const text = resultsText(chunks, { format, columns: query.fields, raw: query.raw })
      return streamedText(text, RESULT_TYPES[format], { stall_ms: LIMITS.result_stall_ms, ended })
    })
  },
})

function formatAccepted(request: Request): ResultFormat {
  if (isNdjson(request, 'accept')) return 'ndjson'
  return /^\s*text\/csv\s*(;|,|$)/i.test(request.headers.get('accept') ?? '') ? 'csv' : 'json'
}

async function scopeAsked(
  ctx: Context,
  principal: Principal,
  { run_id, agent, project_id, since }: z.output<typeof ResultsQuery>,
): Promise<ResultScope> {
  if ((run_id === undefined) === (agent === undefined))
    throw new ApiError('invalid_request', 'One of the query parameters "run_id" and "agent" must be given.')
  if (run_id === undefined) {
    const found = await agentOrdered(ctx, principal, { agent, project_id })
    const from_run_id = firstIdAt(since === undefined ? 0 : Date.parse(since))
    return { project_id: found.project_id, agent_id: found.id, from_run_id }
  }
  if (since !== undefined || project_id !== undefined)
    throw new ApiError('invalid_request', 'Query parameters "since" and "project_id" go with "agent" only.')
  const run = await runIn(ctx, principal, run_id)
  return { project_id: run.project_id, run_id: run.id }
}
