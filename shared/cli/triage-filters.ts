// Reads the filters that choose items in triage.

import { defined } from '../kernel/defined.ts'
import { findAgent } from './api.ts'
import type { Given } from './arguments.ts'
import type { Session } from './session.ts'

/** The filters of triage and of a recovery, by the names of the API. */
export async function filtersOf({ api }: Session, given: Given) {
  const agent = given.text('agent')
  return defined({
    run_id: given.text('run'),
    agent_id: agent && (await findAgent(api, agent)).id,
    cause_id: given.text('cause'),
    cluster_key: given.text('cluster'),
    reason: given.text('reason'),
    partition_key: given.text('partition'),
  })
}
