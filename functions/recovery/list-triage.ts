import { projectIdsOf } from '../../shared/accounts/queries/projects.ts'
import { readPage } from '../../shared/http/cursor.ts'
import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, runIn, scopeOf } from '../../shared/http/scope.ts'
import * as z from '../../shared/kernel/documented-zod.ts'
import { cursor, pageSize, partitionKey, uuid } from '../../shared/kernel/fields.ts'
import { LIMITS } from '../../shared/kernel/limits.ts'
import { actionsOf } from '../../shared/recovery/rules/recovery.ts'
import { countTriage, listTriage as list, type TriageEntry } from '../../shared/triage/queries/triage.ts'
import { RECORDED_LANES, TRIAGE_LANES } from '../../shared/triage/vocabulary.ts'
import { causeId } from '../../shared/triage/wire/causes.ts'
import { clusterKey, TriagePage, triageEntryOf, triageReason } from '../../shared/triage/wire/triage.ts'

const keyOf = (row: TriageEntry) => [row.created_text, row.run_id, String(row.seq)]
const placeOf = ([created_text, run_id, seq]: string[]) => ({
  created_text: created_text!,
  run_id: run_id!,
  seq: Number(seq),
})

export const listTriage = endpoint({
  method: 'get',
  path: '/v1/triage',
  tag: 'Recovery',
  operation_id: 'listTriage',
  summary: 'List items that wait for a decision',
  description:
    'Newest first: items that did not work (dlq) and items that are held (quarantine), until they carry a disposition; and, where they are asked for, those that worked as recorded and may not have (review). A page goes on where the one before ended, whatever comes or leaves in between.',
  auth: 'any',
  query: z.strictObject({
    kind: z
      .enum([...TRIAGE_LANES, 'all'])
      .optional()
      .describe('Only this lane; all is each of them, and dlq and quarantine are listed when it is absent.'),
    partition_key: partitionKey.optional().describe('Only items of this partition.'),
    run_id: uuid('Only items of this run.').optional(),
    agent_id: uuid('Only items of this agent.').optional(),
    reason: triageReason.optional(),
    cluster_key: clusterKey.optional(),
    cause_id: causeId.optional(),
    project_id: uuid('Only items of this project.').optional(),
    count: z.literal('true').optional().describe('Also report how many there are.'),
    cursor: cursor.optional(),
    limit: pageSize(LIMITS.triage_page),
  }),
  answers: { 200: { description: 'The rows.', schema: TriagePage } },
  errors: ['invalid_cursor', 'not_found'],
  async handle({ ctx, principal, query }) {
    const { cursor, limit, project_id, kind, count, ...filters } = query
    if (filters.run_id !== undefined) await runIn(ctx, principal, filters.run_id)
    if (filters.agent_id !== undefined) await agentIn(ctx, principal, filters.agent_id)
    const scope = await scopeOf(ctx, principal, project_id)
    const found = {
      ...filters,
      project_ids: await projectIdsOf(ctx.db, scope),
      lanes: kind === undefined ? RECORDED_LANES : kind === 'all' ? TRIAGE_LANES : [kind],
    }
    const read = (after: string[] | undefined, limit: number) =>
      list(ctx.sql, { ...found, before: after && placeOf(after), limit }, LIMITS.triage_message_characters)
    const identity = { list: 'triage', ...scope, filters: { ...filters, kind } }
    const page = await readPage(ctx, identity, { cursor, limit }, read, keyOf)
    return {
      rows: page.rows.map(row => triageEntryOf(row, actionsOf(row))),
      next_cursor: page.next_cursor,
      ...(count && { total: await countTriage(ctx.sql, found) }),
    }
  },
})
