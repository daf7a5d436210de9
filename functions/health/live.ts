import * as z from 'zod'
import { endpoint } from '../../shared/http/endpoint.ts'

export const getHealth = endpoint({
  method: 'get',
  path: '/health',
  tag: 'Health',
  operation_id: 'getHealth',
  summary: 'Whether the process answers',
  description: 'Touches no store: it stays 200 while one is out of reach.',
  auth: 'none',
  answers: { 200: { description: 'It does.', schema: z.object({ status: z.literal('ok') }) } },
  errors: [],
  handle: async () => ({ status: 'ok' }),
})
