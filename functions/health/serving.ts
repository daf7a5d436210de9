import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'
import { probe } from '../../shared/upkeep/verbs/readiness.ts'

export const getServing = endpoint({
  method: 'get',
  path: '/health/serving',
  tag: 'Health',
  operation_id: 'getServing',
  summary: 'Whether callers are served',
  description:
    'For what routes traffic: 200 while PostgreSQL answers with the tables of this version, and the master key opens what it sealed. Callers are served without Redis, so a proxy that asked `/health/ready` would turn them away. It says nothing but the status; `/health/ready` says why.',
  auth: 'none',
  answers: {
    200: { description: 'They are.', schema: z.object({ status: z.literal('serving') }) },
    503: { description: 'They are not.', schema: z.object({ status: z.literal('unavailable') }) },
  },
  errors: [],
  async handle({ ctx, reply }) {
    const { postgres, schema, master_key } = (await probe(ctx)).dependencies
    const answers = ['ok', 'degraded'].includes(postgres.status)
    // A right that is missing hides the key, and ends few requests.
    if (answers && schema.status === 'ok' && ['ok', 'unknown'].includes(master_key.status))
      return { status: 'serving' }
    reply.status = 503
    return { status: 'unavailable' }
  },
})
