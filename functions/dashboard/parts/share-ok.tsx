// How well a run worked, as a share. Guarantee: it is red only where the project's alert about failed items fires, or
// nothing of the run is ok; the colour also has a sign.

import { createContext, useContext } from 'hono/jsx'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import { sayWorkedShare, USUAL_BOUND, workedTone } from '../../../shared/view/worked-share.ts'
import { Verdict } from './text.tsx'

/** The share of items not ok above which the alert fires, of an agent. */
type BoundOf = (agent_id?: string) => number

/** Set for every page of a project. */
export const FailureBound = createContext<BoundOf>(() => USUAL_BOUND)

/** As the project's alert rules have it; the usual one where they cannot be read. */
export async function readFailureBound(api: Client, projectId: string): Promise<BoundOf> {
  const read = api.GET('/v1/projects/{projectId}/alert-rules', { params: { path: { projectId } } })
  const { data = [] } = await read.catch(() => ({ data: [] }))
  const shares = new Map(
    data.flatMap(({ rule, agent_id, bounds }) =>
      rule === 'failure_share' && bounds.share !== undefined ? [[agent_id, bounds.share]] : [],
    ),
  )
  return agent_id => shares.get(agent_id ?? null) ?? shares.get(null) ?? USUAL_BOUND
}

type Judged = NonNullable<Schemas['ScheduleEvent']['run']> & { agent_id?: string }

export const ShareOk = ({ of: run, agent_id = run.agent_id }: { of: Judged; agent_id?: string }) => {
  const boundOf = useContext(FailureBound)
  const tone = workedTone(run, boundOf(agent_id))
  return tone === null ? (
    <Verdict of={null} />
  ) : (
    <span class={`verdict v-${tone}`}>{sayWorkedShare(run)}</span>
  )
}
