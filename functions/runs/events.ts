import { endpoint } from '../../shared/http/endpoint.ts'
import { eventStream } from '../../shared/http/events.ts'
import { callerOf } from '../../shared/http/principal.ts'
import { runIn } from '../../shared/http/scope.ts'
import { seesMembers, shownTo } from '../../shared/http/shown-names.ts'
import { findRunVersions } from '../../shared/items/queries/run-versions.ts'
import { codeVersionOf } from '../../shared/items/wire/code-versions.ts'
import { Run, type RunRow, runOf } from '../../shared/items/wire/runs.ts'
import { withRecovered } from '../../shared/recovery/queries/recovered.ts'

export const followRun = endpoint({
  method: 'get',
  path: '/v2/runs/{runId}/events',
  tag: 'Runs',
  operation_id: 'followRun',
  summary: 'Follow a run to its end',
  description:
    'Server-sent events: `progress` with the whole run whenever it has changed, and one `end` when it has ended. A connection lasts five minutes at most; come back with the Last-Event-ID of the last event, as an EventSource does by itself. With `Prefer: wait=SECONDS` the stream of a run that has ended stays open for so long before its `end`, five seconds at most: who measures when its first line comes sees whether a proxy keeps it back.',
  auth: 'any',
  params: { runId: 'run' },
  answers: {
    200: { description: 'The events; the data of each is the run.', events: Run },
    204: { description: 'The run has ended, and Last-Event-ID names its end: there is nothing to follow.' },
  },
  errors: ['rate_limited'],
  async handle({ ctx, principal, params, request, read, mayStill }) {
    const find = () => read(within => runIn(within, principal, params.runId))
    let found: RunRow | undefined = await find()
    const following = {
      account_id: principal.account_id,
      project_id: found.project_id,
      caller: callerOf(principal),
      // Followers of one thing share what is read.
      thing: seesMembers(principal) ? params.runId : `${params.runId} masked`,
      mayStill,
    }
    return eventStream(ctx, request, following, async () => {
      const run = found ?? (await find())
      found = undefined
      const [counted] = await read(within => withRecovered(within.sql, [run]))
      if (run.finished_at === null) return { value: shownTo(principal, runOf(counted!)), ended: false }
      const versions = await read(({ sql }) => findRunVersions(sql, run))
      const ended = { ...runOf(counted!), code_versions: versions.map(codeVersionOf) }
      return { value: shownTo(principal, ended), ended: true }
    })
  },
})
