import * as z from 'zod'
import { keysInChunks, nextKeys } from '../../shared/accounts/queries/api-keys.ts'
import { ApiKey, apiKeyOf } from '../../shared/accounts/wire/account.ts'
import { NEXT_CURSOR, readPage, setNextCursor } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { scopeOf } from '../../shared/http/scope.ts'
import { started, streamed } from '../../shared/http/stream.ts'
import { cursor, pageSizeIfPaged } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'

export const listApiKeys = endpoint({
  method: 'get',
  path: '/v1/projects/{projectId}/api-keys',
  tag: 'Projects',
  operation_id: 'listApiKeys',
  summary: 'List API keys',
  description:
    'The live keys of a project, newest first: in pages if asked for, else streamed, and an answer that breaks off was not complete. No key is ever shown again after it was made.',
  auth: 'any',
  streams: true,
  params: { projectId: 'project' },
  query: z.strictObject({ cursor: cursor.optional(), limit: pageSizeIfPaged(LIMITS.keys_page) }),
  answers: { 200: { description: 'The keys.', schema: z.array(ApiKey), headers: NEXT_CURSOR } },
  errors: ['invalid_cursor'],
  async handle({ principal, params, query, read, reply }) {
    const project_id = params.projectId
    await read(ctx => scopeOf(ctx, principal, project_id))
    const { cursor, limit = cursor && LIMITS.keys_page.default } = query
    if (!limit) {
      const chunks = keysInChunks(project_id, next => read(ctx => next(ctx.db)))
      return streamed(await started(chunks), apiKeyOf, 'array')
    }
    const identity = { list: 'keys', account_id: principal.account_id, project_id, filters: {} }
    const page = await read(ctx =>
      readPage(
        ctx,
        identity,
        { cursor, limit },
        (after, most) => nextKeys(ctx.db, project_id, after?.[0], most),
        key => [key.id],
      ),
    )
    setNextCursor(reply.headers, page)
    return page.rows.map(apiKeyOf)
  },
})
