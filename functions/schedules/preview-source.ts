import { endpoint } from '../../shared/http/endpoint.ts'
import { agentIn, scheduleIn } from '../../shared/http/scope.ts'
import { rawJson } from '../../shared/json/raw-json.ts'
import { ApiError } from '../../shared/kernel/errors.ts'
import { readable } from '../../shared/schedules/verbs/schedules.ts'
import { keptSource } from '../../shared/sources/verbs/kept-source.ts'
import { previewSource as preview } from '../../shared/sources/verbs/start-from-source.ts'
import { SourcePreview, SourcePreviewOrder } from '../../shared/sources/wire/sources.ts'

export const previewSource = endpoint({
  method: 'post',
  path: '/v1/sources/preview',
  tag: 'Schedules',
  operation_id: 'previewSource',
  summary: 'Preview a source',
  description:
    'Reads a source to its end, as the next start would: how many items there are, and the first of them. Nothing is started or stored. Either of a schedule, or of an agent and a source that is yet to be saved.',
  auth: 'any',
  unlogged: true, // it changes nothing
  body: SourcePreviewOrder,
  answers: { 200: { description: 'What it holds.', schema: SourcePreview } },
  errors: ['source_failed', 'invalid_timezone', 'not_found'],
  async handle({ ctx, principal, body, request }) {
    const { count, items } = await preview(ctx, await asked(), request.signal)
    return { count, items: items.map(({ line: _, ...item }) => ({ ...item, input: rawJson(item.input) })) }

    async function asked() {
      const { schedule_id, agent_id, source, timezone } = body
      if (schedule_id !== undefined) {
        if (agent_id !== undefined || source !== undefined)
          throw new ApiError(
            'invalid_request',
            'Field "schedule_id" stands alone: the schedule has its source.',
          )
        const schedule = await scheduleIn(ctx, principal, schedule_id)
        if (schedule.source !== null) return { ...schedule, source: schedule.source }
        throw new ApiError(
          'invalid_request',
          'The schedule has no source: each start is one item, its input.',
        )
      }
      if (agent_id === undefined || source === undefined)
        throw new ApiError(
          'invalid_request',
          'Fields "agent_id" and "source", or "schedule_id", are missing.',
        )
      const agent = await agentIn(ctx, principal, agent_id)
      readable('0 0 * * *', timezone)
      const { project_id } = agent
      const kept = await keptSource(ctx, { project_id, start_id: null }, source)
      return { id: null, ...kept, source: kept.source!, project_id, agent_id: agent.id, timezone }
    }
  },
})
