// The command that shows and changes the tags of a run.

import { answered } from './api.ts'
import type { Given } from './arguments.ts'
import { usageFailure } from './failure.ts'
import type { Session } from './session.ts'

export async function tag({ api, output }: Session, given: Given): Promise<void> {
  const [runId, add, remove] = [given.arg(0), given.list('add'), given.list('remove')]
  const path = { runId }
  const { tags: had } = await answered(api.GET('/v2/runs/{runId}', { params: { path } }))
  const unknown = remove.find(word => !had.includes(word))
  if (unknown !== undefined)
    throw usageFailure(`the run has no tag "${unknown}"`, {
      hint: had.length === 0 ? 'it has none' : `it has: ${had.join(', ')}`,
    })
  const tags = [...new Set([...had, ...add])].filter(word => !remove.includes(word))
  if (add.length + remove.length > 0)
    await answered(api.PATCH('/v2/runs/{runId}', { params: { path }, body: { tags } }))
  output.emit(
    'tags',
    { run_id: runId, tags },
    ({ paint }) => `${paint('bold', runId)}: ${tags.length === 0 ? 'no tags' : tags.join(', ')}`,
  )
}
