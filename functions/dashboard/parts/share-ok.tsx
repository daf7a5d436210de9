// How well a run worked, as a share. Guarantee: it is red only where the project's alert about failed items fires, or
// nothing of the run is ok; the colour also has a sign.

import { createContext, useContext } from 'hono/jsx'
import type { Client, Schemas } from '../../../shared/sdk/client.ts'
import {
  type FailureRuleOf,
  failureRuleOf,
  sayWorkedShare,
  workedTone,
} from '../../../shared/view/worked-share.ts'
import { Verdict } from './text.tsx'

/** Set for every page of a project. */
export const FailureRules = createContext<FailureRuleOf>(failureRuleOf([]))

/** As the project's alert rules have it; the usual one where they cannot be read. */
export async function readFailureRules(api: Client, projectId: string): Promise<FailureRuleOf> {
  const read = api.GET('/v1/projects/{projectId}/alert-rules', { params: { path: { projectId } } })
  const { data = [] } = await read.catch(() => ({ data: [] }))
  return failureRuleOf(data)
}

type Judged = NonNullable<Schemas['ScheduleEvent']['run']> & { agent_id?: string }

export const ShareOk = ({ of: run, agent_id = run.agent_id }: { of: Judged; agent_id?: string }) => {
  const ruleOf = useContext(FailureRules)
  const tone = workedTone(run, ruleOf(agent_id))
  return tone === null ? (
    <Verdict of={null} />
  ) : (
    <span class={`verdict v-${tone}`}>{sayWorkedShare(run)}</span>
  )
}
